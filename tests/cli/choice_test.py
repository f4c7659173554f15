#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo record --only and --skip: what is left out goes unrecorded, and what is recorded keeps its meaning."""
import json
import re
import unittest

import programs
from support import CommandTest, record

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
FRAME = {"MPI_Init", "MPI_Finalize"}


def numbered_communicators(lines):
    """Where the making of a communicator goes unrecorded, its name cannot tell it: cart#1 is comm#1 then."""
    names = {}

    def number(match):
        return f"comm={names.setdefault(match.group(1), len(names))}"
    return [re.sub(r"\bcomm=(\w+#\d+)", number, line) for line in lines]


class Choice(CommandTest):
    def functions(self, archive):
        text = self.rondo("print", archive, "--flat", "--rank", "0").stdout
        return set(re.findall(r"^MPI_\w+", text, re.MULTILINE))

    def chosen(self, mpi="openmpi", **settings):
        program = programs.support.BUILD / "examples" / mpi / "halo2d"
        archive = self.folder / "chosen.rondo"
        return programs.record(program, 4, mpi=mpi, archive=archive, **settings)

    def test_what_is_chosen_is_recorded_as_without_a_choice(self):
        for mpi in ("openmpi", "mpich"):
            everything = record("halo2d", 4, mpi=mpi)
            lines = self.rondo("print", everything, "--flat", "--rank", "1").stdout.splitlines()
            for wanted in ("point-to-point", "collective"):
                with self.subTest(mpi=mpi, wanted=wanted):
                    archive, done = self.chosen(mpi, only=wanted)
                    self.assertEqual(done.stderr, "")
                    kept = self.rondo("print", archive, "--flat", "--rank", "1").stdout.splitlines()
                    pattern = {"point-to-point": r"MPI_(I?send|I?recv|Wait|Test|Start|Probe|Sendrecv|Init\(|Finalize)",
                               "collective": r"MPI_(Allreduce|Barrier|Bcast|Reduce|Gather|Init\(|Finalize)"}[wanted]
                    # Objects that were not seen being made say their members at the first use.
                    plain = [re.sub(r"\{\d[\d ]*\}", "", line) for line in kept]
                    meant = [line for line in lines if re.match(pattern, line, re.IGNORECASE)]
                    self.assertEqual(numbered_communicators(plain), numbered_communicators(meant))
                    self.assertGreater(len(plain), 2)

    def test_skip(self):
        everything = self.functions(record("halo2d", 4))
        archive, _ = self.chosen(skip="point-to-point,MPI_Allreduce")
        left = self.functions(archive)
        self.assertTrue(FRAME < left < everything)
        self.assertFalse({"MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"} & left)

    def test_requests_of_calls_that_were_left_out(self):
        archive, _ = self.chosen(only="complete")
        text = self.rondo("print", archive, "--calls", "MPI_Waitall", "--rank", "0").stdout
        self.assertRegex(text.splitlines()[0], r"^MPI_Waitall\(array_of_requests=\[(unrecorded ?)+\]\)$")

    def test_info_says_what_was_recorded(self):
        archive, _ = self.chosen(only="collective", skip="MPI_Barrier")
        self.assertIn("only collective, without MPI_Barrier", self.rondo("info", archive).stdout)
        self.assertEqual(json.loads(self.rondo("info", archive, "--json").stdout)["recorded"],
                         "only collective, without MPI_Barrier")
        self.assertEqual(json.loads(self.rondo("info", record("halo2d", 4), "--json").stdout)["recorded"], "all")

    def test_every_number_says_that_others_were_left_out(self):
        archive, _ = self.chosen(only="collective")
        for command in ("stats", "topology", "matrix", "patterns", "logical", "print", "efficiency"):
            self.assertIn("not all calls were recorded (only collective)", self.rondo(command, archive).stderr, command)
        self.assertIn("a benchmark needs them", self.rondo("generate", archive, "-o", "bench", status=2).stderr)

    def test_unknown_groups(self):
        program = programs.support.BUILD / "examples" / "openmpi" / "ring"
        for option in ("--only", "--skip"):
            self.refuses("record", option, "send,p2p", "--", program, saying=["'p2p'", "point-to-point, send, recv"])
        self.refuses("record", "--only", "MPI_Init", "--", program, saying="'MPI_Init'")
        archive, done = self.chosen(only="nonsense")
        self.assertEqual(done.stderr.count("everything is recorded"), 1)
        self.assertEqual(self.functions(archive), self.functions(record("halo2d", 4)))

    def test_options_of_record(self):
        program = programs.support.BUILD / "examples" / "openmpi" / "ring"
        self.rondo("record", "--only", "collective", "-o", "x.rondo", "--", program, environment=AS_ROOT)
        self.assertEqual(json.loads(self.rondo("info", "x.rondo", "--json").stdout)["recorded"], "only collective")


if __name__ == "__main__":
    unittest.main()
