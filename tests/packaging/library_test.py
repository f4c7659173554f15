#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed C++ library: a program is built against it by find_package(rondo) and by pkg-config, and says of a recording
what the commands say."""
import json
import re
import subprocess
import unittest

from support import BUILD, MPIRUN, RING, SOURCE, PackageTest, environment, need, run

EXAMPLE = SOURCE / "examples" / "library"


class Library(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run("cmake", "--install", BUILD, "--component", "dev", "--prefix", cls.folder / "first")
        cls.prefix = (cls.folder / "first").rename(cls.folder / "moved")
        cls.archive = cls.folder / "ring.rondo"
        run(BUILD / "bin" / "rondo", "record", "-o", cls.archive, "--", *MPIRUN, RING)

    def check(self, program):
        said = run(program, self.archive)
        self.assertIn("ranks  2\n", said)
        topology = json.loads(run(BUILD / "bin" / "rondo", "topology", "--json", self.archive))
        self.assertIn(f"topology  {topology['topology']}\n", said)
        flat = run(BUILD / "bin" / "rondo", "print", "--flat", "--rank", "0", self.archive)
        sends = sum("MPI_Sendrecv(" in line for line in flat.splitlines())
        self.assertGreater(sends, 0)
        self.assertIn(f"rank 0  MPI_Sendrecv {sends}\n", said)
        self.assertRegex(said, r"elsewhere  [1-9]\d* messages, [0-9.e-]+ s\n")
        missing = subprocess.run([program, self.folder / "none.rondo"], capture_output=True, text=True, env=environment())
        self.assertEqual(missing.returncode, 2)
        self.assertIn("none.rondo", missing.stderr)

    def test_found_by_cmake_wherever_it_was_moved(self):
        build = self.folder / "by-cmake"
        run("cmake", "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.check(build / "read_recording")

    def test_found_by_pkg_config(self):
        own = environment(PKG_CONFIG_PATH=str(next(self.prefix.rglob("pkgconfig"))))
        words = run("pkg-config", "--cflags", "--libs", "rondo", env=own).split()
        program = self.folder / "by-pkg-config"
        run("g++", EXAMPLE / "read_recording.cpp", "-o", program, *words)
        self.check(program)
        self.assertNotIn("libsimgrid", run("readelf", "-d", program))

    def test_installs_what_is_included_and_no_more(self):
        installed = {str(path.relative_to(self.prefix / "include")) for path in (self.prefix / "include").rglob("*.hpp")}
        self.assertIn("rondo/rondo.hpp", installed)
        self.assertNotIn("rondo/fold/program_builder.hpp", installed)
        for name in installed:
            text = (self.prefix / "include" / name).read_text()
            self.assertLessEqual(set(re.findall(r'#include "(rondo/[^"]+)"', text)), installed, name)


if __name__ == "__main__":
    need("g++", "cmake", "pkg-config", "ar")
    unittest.main()
