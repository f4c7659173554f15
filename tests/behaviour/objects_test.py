#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs make and name (communicators, buffers, ...) is recorded as what it is."""
import json
import pathlib
import re
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


class Communicators(Objects):
    """All members agree on which communicator is which, in whatever order each made them."""

    def agree(self, way, rounds, ranks, most_rows):
        self.recorded(program("same_members"), way, str(rounds), ranks=ranks)
        done = run([RONDO, "info", "--messages", "--json", "x.rondo"], self.folder)
        messages = json.loads(done.stdout)["messages"]
        for what in "disagreeing_collectives", "unmatched_collectives", "unmatched_sends", "unmatched_receives":
            self.assertEqual(messages[what], 0, (way, ranks, messages))
        self.assertGreater(messages["collectives"], rounds)
        text = run([RONDO, "convert", "x.rondo", "x.json"], self.folder)
        self.assertEqual(text.returncode, 0, text.stderr)
        rows = json.loads((self.folder / "x.json").read_text())["definitions"]["communicators"]
        (self.folder / "x.json").unlink()
        self.assertLessEqual(len(rows), most_rows)  # does not grow with the rounds

    def have_one_name(self, ranks, names):
        """Each is used with a count of its own, which is to have the same name on all ranks."""
        counts = {}
        for rank in range(ranks):
            for call in self.calls(rank):
                found = re.search(r"MPI_Allreduce\(.*\bcount=(\d+),.*\bcomm=([^,)]+)", call)
                if found:
                    counts.setdefault(found[2], set()).add(found[1])
        self.assertEqual({name: sorted(of) for name, of in counts.items()}, names)

    def simulates(self):
        done = run([RONDO, "simulate", "x.rondo", "--network", "latency=1us,bandwidth=1GB/s"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_copies_that_do_not_block(self):
        for ranks in 1, 5:
            self.agree("idup", 12, ranks, 3 + 3 * 8)
            self.simulates()

    def test_names_are_of_one(self):
        self.agree("idup", 3, 3, 3 + 3 * 8)
        self.have_one_name(3, {f"idup#{i + 1}": [str(i % 3 + 1)] for i in range(9)})
        self.agree("some", 3, 5, 4)
        self.have_one_name(5, {"dup#1": ["4"], "dup#2": ["2"]})
        done = run([RONDO, "matrix", "--comm", "dup#2", "--collectives", "pairs", "x.rondo"], self.folder)
        self.assertIn("2 of 25 pairs talk", done.stdout)  # not those of all ranks' copy, too

    def test_frees_in_any_order(self):
        self.agree("free", 20, 3, 10 * 3)
        self.simulates()

    def test_copies_of_copies(self):
        self.agree("copies", 40, 2, 12)
        self.simulates()

    def test_inter_communicators(self):
        self.agree("inter", 5, 4, 20)
        self.simulates()

    def test_threads(self):
        self.agree("threads", 5, 3, 20)


if __name__ == "__main__":
    unittest.main()
