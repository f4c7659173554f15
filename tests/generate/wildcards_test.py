#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wildcards of recorded programs, replaced by what came: check_wildcards goes through every call of every rank."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import programs
import support

INPUTS = pathlib.Path(__file__).resolve().parents[1] / "oracle" / "inputs"
CHECK = support.BUILD / "bin" / "check_wildcards"


class Wildcards(support.CommandTest):
    def check(self, archive):
        done = subprocess.run([CHECK, archive], capture_output=True, text=True, timeout=support.TIMEOUT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return tuple(map(int, re.fullmatch(r"resolved (\d+) unanswered (\d+) differing (\d+)\n", done.stdout).groups()))

    def test_of_master_and_workers_are_all_gone(self):
        for mpi in ("openmpi", "mpich"):
            resolved, unanswered, differing = self.check(support.record("workers", 4, mpi=mpi))
            self.assertGreater(resolved, 100)
            self.assertEqual((unanswered, differing), (0, 0))

    def test_of_a_random_graph_by_polls(self):
        for mpi in ("openmpi", "mpich"):
            self.assertGreater(self.check(support.record("irregular", 6, mpi=mpi))[0], 10)

    def test_programs_without_any_do_not_change(self):
        for example, ranks in (("halo2d", 6), ("persistent", 4), ("collectives", 3)):
            self.assertEqual(self.check(support.record(example, ranks))[0], 0)

    @unittest.skipUnless(shutil.which("hpcc"), "hpcc is not installed")
    def test_of_hpcc(self):
        shutil.copy(INPUTS / "hpccinf.txt", self.folder)
        program = pathlib.Path(shutil.copy(shutil.which("hpcc"), self.folder))
        archive, _ = programs.record(program, 4)
        self.assertGreater(self.check(archive)[0], 0)


if __name__ == "__main__":
    unittest.main()
