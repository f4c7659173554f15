#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo compare: real runs of the examples are equal where they are, and differ at the right place where they are not."""
import json
import unittest

import programs
import support
from support import CommandTest, record

EXAMPLES = [("ring", 5), ("halo2d", 6), ("halo3d", 8), ("butterfly", 6), ("mixed", 8), ("wavefront", 6), ("multipartition", 4),
            ("transpose", 4), ("vcycle", 4), ("rowscols", 6), ("persistent", 4), ("neighbors", 4), ("collectives", 3)]


def record_again(example, ranks, folder, mpi):
    program = support.BUILD / "examples" / mpi / example
    return programs.record(program, ranks, mpi=mpi, archive=folder / f"{example}.{mpi}.rondo")[0]


class Equal(CommandTest):
    def test_are_two_runs_of_one_program_on_one_mpi(self):
        for mpi in ("openmpi", "mpich"):
            for example, ranks in EXAMPLES:
                with self.subTest(mpi=mpi, example=example):
                    again = record_again(example, ranks, self.folder, mpi)
                    said = self.rondo("compare", record(example, ranks, mpi=mpi), again).stdout
                    self.assertTrue(said.startswith(f"equal: {ranks} ranks say the same in "), said)

    def test_are_runs_under_two_mpis(self):
        for example, ranks in EXAMPLES:
            with self.subTest(example=example):
                self.rondo("compare", record(example, ranks, mpi="openmpi"), record(example, ranks, mpi="mpich"))

    def test_is_what_another_folding_of_the_same_calls_says(self):
        self.rondo("convert", record("halo2d", 6), "calls.rondo", "--fold", "none")
        self.rondo("compare", record("halo2d", 6), "calls.rondo")


class Different(CommandTest):
    def test_is_a_run_with_more_rounds_where_it_goes_on(self):
        a, b = record("ring", 5, "7"), record("ring", 5, "8")
        data = json.loads(self.rondo("compare", a, b, "--json", status=1).stdout)
        self.assertFalse(data["same"])
        self.assertEqual(data["ranks_that_differ"], 5)
        found = data["differences"][0]
        flat_a, flat_b = ([line for line in self.rondo("print", file, "--flat", "--rank", found["ranks"][0]).stdout.splitlines()
                           if line.startswith("MPI_")] for file in (a, b))
        first = next(i for i, (x, y) in enumerate(zip(flat_a, flat_b)) if x != y)
        self.assertEqual((found["a"]["call"], found["b"]["call"]), (first, first))
        self.assertEqual((found["a"]["line"], found["b"]["line"]), (flat_a[first], flat_b[first]))
        self.assertEqual(found["a"]["before"], flat_a[first - 3:first])
        self.assertRegex(found["b"]["loops"], r"^loop \d+, iteration \d+")

    def test_are_other_programs_and_other_numbers_of_ranks(self):
        said = self.rondo("compare", record("halo2d", 6), record("wavefront", 6), status=1).stdout
        self.assertTrue(said.startswith("different: 6 of 6 ranks do not say the same\n"), said)
        self.assertGreater(said.count("first in"), 0)
        self.assertEqual(said.count("    > "), 2 * said.count("first in"))
        said = self.rondo("compare", record("ring", 4), record("ring", 5), status=1).stdout
        self.assertTrue(said.startswith("different: A has 4 ranks, B has 5\n"), said)


class Times(CommandTest):
    def test_are_beside_each_other(self):
        a, b = record("halo2d", 6), record("halo2d", 6, mpi="mpich")
        said = self.rondo("compare", a, b).stdout
        self.assertRegex(said, r"(?m)^MPI_Isend +\d+ +\d+ .*B .* \d+\.\d\d$")
        self.assertRegex(said, r"(?m)^computation  ")
        data = json.loads(self.rondo("compare", a, b, "--json").stdout)
        self.assertTrue(data["same"])
        flat = [line for rank in range(6) for line in self.rondo("print", a, "--flat", "--rank", rank).stdout.splitlines()]
        for row in data["functions"]:
            calls = sum(line.startswith(row["function"] + "(") for line in flat)
            self.assertEqual((row["a"]["calls"], row["b"]["calls"]), (calls, calls), row["function"])
            self.assertGreater(row["a"]["inside_ns"], 0, row["function"])
        self.assertNotIn("computation", self.rondo("compare", a, b, "--no-times").stdout)

    def test_of_bytes_are_those_of_the_matrix(self):
        archive = record("halo2d", 6)
        stats = json.loads(self.rondo("stats", archive, "--json").stdout)
        data = json.loads(self.rondo("compare", archive, archive, "--json").stdout)
        sent = next(row for row in data["functions"] if row["function"] == "MPI_Isend")
        self.assertEqual(sent["a"]["bytes"], stats["data_density"]["total_bytes"])


class Refuses(CommandTest):
    def test_bad_usage_and_input(self):
        self.refuses("compare", "none.rondo", record("ring"), saying="none.rondo: cannot open")
        self.file("bad.rondo", "hello\n")
        self.refuses("compare", record("ring"), "bad.rondo", saying="bad.rondo: ")
        self.refuses("compare", "--logical", "--polls", record("ring"), record("ring"), saying="--logical")


if __name__ == "__main__":
    unittest.main()
