# SPDX-License-Identifier: Apache-2.0
"""For tests of packages: tools that may be missing, and the recording that every package must be able to make."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("RONDO_BUILD_DIR", "build/dev")).resolve()
SOURCE = pathlib.Path(os.environ.get("RONDO_SOURCE_DIR", ".")).resolve()
RING = BUILD / "examples" / "openmpi" / "ring"
HAS_SIMGRID = (BUILD / "lib" / "librondo_simgrid.so").is_file()
CONTENDED = "crossbar 2, 1GB/s, 1us"
MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]


def need(*tools):
    """Ends the test as skipped if one of these programs is missing."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} missing; tools/install_packages.sh package")
        sys.exit(77)


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RONDO_", "PYTHON"))}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | more


def run(*words, **keywords):
    """What the command prints; its words are in the failure if it fails."""
    keywords.setdefault("env", environment())
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=240, **keywords)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rondo-package-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def records(self, rondo):
        """This program records a run of two ranks and reads it."""
        archive = self.folder / "ring.rondo"
        run(rondo, "record", "--force", "-o", archive, "--", *MPIRUN, RING)
        self.assertEqual(len(json.loads(run(rondo, "topology", "--json", archive))["coordinates"]), 2)
        goal = self.folder / "ring.goal"  # by the module of readers, which is found where this program is
        run(rondo, "convert", "--force", "--approximate", archive, goal)
        self.assertEqual(json.loads(run(rondo, "info", "--json", goal))["ranks"], 2)
        if HAS_SIMGRID:  # and so is SimGrid's
            self.assertIn("by SimGrid", run(rondo, "simulate", "--network", CONTENDED, archive))
        return archive

    def simulates_in_python(self, archive, packages):
        """The Python module finds those of readers and of SimGrid from where it is itself."""
        foreign = self.folder / "ping"
        foreign.mkdir()
        for rank, action in enumerate(("send 1 7 5 0", "recv 0 7 5 0")):
            (foreign / f"{rank}.txt").write_text(f"{rank} init\n{rank} {action}\n{rank} finalize\n")
        said = run("/usr/bin/python3", "-B", "-c", f"import rondo; print(rondo.open('{foreign}').ranks)",
                   env=environment(PYTHONPATH=str(packages)))
        self.assertEqual(said.strip(), "2")
        if HAS_SIMGRID:
            said = run("/usr/bin/python3", "-B", "-c", f"import rondo; print(rondo.open('{archive}').simulate({CONTENDED!r})['predicted_seconds'])",
                       env=environment(PYTHONPATH=str(packages)))
            self.assertGreater(float(said), 0)
