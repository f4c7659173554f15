#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel of this build tree, installed into a folder of its own: imports, records with its own program, opens."""
import subprocess
import sys
import unittest

from support import BUILD, MPIRUN, RING, SOURCE, PackageTest, environment, need, run

PYTHON = "/usr/bin/python3"  # of Debian, whose NumPy the module has


class Wheel(PackageTest):
    def test_records_from_where_it_is_installed(self):
        (self.folder / "tree").symlink_to(BUILD)
        own = environment(RONDO_WHEEL_BUILD_DIR="tree", PWD=str(self.folder))  # as a shell has it
        what = [] if (SOURCE / ".git").exists() else ["--wheel"]  # else of an sdist, which is what git has
        run(PYTHON, "-m", "build", *what, "--no-isolation", "-o", self.folder, SOURCE, env=own, cwd=self.folder)
        wheels = list(self.folder.glob("rondo-*-cp3*-linux_*.whl"))
        self.assertEqual(len(wheels), 1, list(self.folder.iterdir()))
        failed = subprocess.run([PYTHON, "-m", "build", "--wheel", "--no-isolation", "-o", self.folder, SOURCE], capture_output=True, text=True,
                                env=environment(RONDO_WHEEL_BUILD_DIR="nowhere"), cwd=self.folder, check=False)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("RONDO_WHEEL_BUILD_DIR=nowhere is no folder with a build", failed.stdout + failed.stderr)
        place = self.folder / "place"
        run(PYTHON, "-m", "pip", "install", "--no-index", "--no-deps", "--target", place, wheels[0])
        words = [*MPIRUN, str(RING)]
        said = run(PYTHON, "-B", "-c", f"import rondo; t = rondo.record({words!r}, output='x.rondo', force=True);"
                   "print(rondo._record.executable()); print(t.ranks, len(t.topology()['coordinates']), rondo.__version__)",
                   env=environment(PYTHONPATH=str(place)), cwd=self.folder)
        lines = said.splitlines()
        self.assertIn(str(place / "rondo" / "_installed" / "bin" / "rondo"), lines)
        self.assertRegex(lines[-1], r"^2 2 \d+\.\d+\.\d+$")
        self.simulates_in_python(self.folder / "x.rondo", place)


if __name__ == "__main__":
    need("pip3", "pyproject-build")
    if not list((BUILD / "python" / "rondo").glob("_rondo*.so")):
        print("skipped: this build has no Python module")
        sys.exit(77)
    unittest.main()
