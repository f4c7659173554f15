#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs make and name (communicators, buffers, ...) is recorded as what it is."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import BUILD, MPI, RONDO, SurvivalTest, run  # noqa: E402


def program(name):
    return str(BUILD / "tests" / "behaviour" / MPI / name)


class Objects(SurvivalTest):
    def recorded(self, *command, ranks, file="x.rondo"):
        (self.folder / file).unlink(missing_ok=True)
        done = self.record(*command, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.info()["complete"])


class Buffers(Objects):
    def test_null_without_data_is_not_bottom(self):
        for ranks in 1, 3:
            self.recorded(program("null_buffers"), ranks=ranks)
            for rank in range(ranks):
                self.assertNotIn("MPI_BOTTOM", "\n".join(self.calls(rank)))
            done = run([RONDO, "generate", "x.rondo", "-o", f"benchmark{ranks}"], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_bottom_with_data_is_bottom(self):
        self.recorded(program("null_buffers"), "bottom", ranks=2)
        calls = "\n".join(self.calls(1))
        self.assertEqual(calls.count("MPI_BOTTOM"), 1)
        self.assertRegex(calls, r"MPI_Bcast\(buffer=MPI_BOTTOM, count=1, datatype=type#")


if __name__ == "__main__":
    unittest.main()
