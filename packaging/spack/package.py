# SPDX-License-Identifier: Apache-2.0
# UNTESTED: no Spack where Rondo is developed. To try it: a repository of one's own with packages/rondo/package.py.
from spack.package import *


class Rondo(CMakePackage):
    """Records unmodified MPI programs, folds their calls into loops, names topologies, simulates, generates benchmarks."""

    maintainers = []
    license("Apache-2.0")
    version("main", branch="main")

    variant("python", default=True, description="Build the Python module")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("fmt")
    depends_on("tl-expected")
    depends_on("cli11")
    depends_on("nlohmann-json")
    depends_on("flatbuffers")
    depends_on("mustache")
    depends_on("zstd libs=static,shared")
    depends_on("zlib-api")
    depends_on("libarchive")
    depends_on("xxhash")
    depends_on("cairo")
    depends_on("eigen")
    depends_on("elfutils")
    depends_on("tbb")
    depends_on("otf2@3:")
    depends_on("protobuf")
    depends_on("simgrid@3.32:")
    depends_on("py-pybind11", when="+python")
    depends_on("py-numpy", when="+python", type=("build", "run"))
    depends_on("mpi")  # headers for the recorder of its family; recordings take the program's own

    generator("ninja")

    def cmake_args(self):
        family = "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"
        return [self.define("RONDO_MPI", family), self.define_from_variant("RONDO_BUILD_PYTHON", "python")]
