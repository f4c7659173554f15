#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo record --callstack: calls are told apart by the way on which the program came to them."""
import json
import re
import subprocess
import unittest

import programs
from programs import line_of
from support import CommandTest

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


# A ring there and back, and once more with a third tag, by way of a function that does nothing else.
LAYERED = """#include <mpi.h>
static int rank, ranks;
static void pass_on(int to, int from, int tag) {
  int out = 1, in;
  MPI_Sendrecv(&out, 1, MPI_INT, to, tag, &in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void halo(void) {
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  pass_on(next, last, 1);
  pass_on(last, next, 2);
  pass_on(next, last, 3);
}
int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 10; ++i) { halo(); MPI_Barrier(MPI_COMM_WORLD); }
  pass_on(rank, rank, 4);
  MPI_Finalize();
  return 0;
}
"""


def frame(function, mark, source="places.c"):
    return f"{function} ({source}:{line_of(source, mark)})"


class CallStack(CommandTest):
    def barriers(self, archive):
        """(trips of the loop around it, where it stands) of each MPI_Barrier in the loops of rank 0."""
        text = self.rondo("print", archive, "--no-times", "--stored", "--rank", "0").stdout
        return re.findall(r"loop (\d+):\n +MPI_Barrier.*  # (.*)$", text, re.MULTILINE)

    def test_same_call_on_two_ways_is_two_calls(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi=mpi):
                program = programs.build(self.folder, "places.c", "-g", "-O1", mpi=mpi, name=mpi)
                here = frame("exchange", "exchange")
                alone, _ = programs.record(program, mpi=mpi, callstack=1)
                self.assertEqual(self.barriers(alone), [("12", here.replace(" (", " at ").rstrip(")"))])
                two, _ = programs.record(program, mpi=mpi, callstack=2)
                self.assertEqual(self.barriers(two), [("5", f"{here} < {frame('solve', 'solve')}"),
                                                      ("7", f"{here} < {frame('solve', 'solve again')}")])

    def test_stack_ends_at_main(self):
        archive, _ = programs.record(programs.build(self.folder, "places.c", "-g", "-O1"), callstack=64)
        stacks = [where for _, where in self.barriers(archive)]
        self.assertEqual(stacks[0], " < ".join([frame("exchange", "exchange"), frame("solve", "solve"),
                                                frame("main", "main, solving")]))
        calls = self.rondo("print", archive, "--calls", "MPI_Init", "--rank", "1", "--sites").stdout
        self.assertEqual(calls, f"MPI_Init()  # main at places.c:{line_of('places.c', 'main')}\n")

    def test_fortran(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi=mpi):
                program = programs.build(self.folder, "places.f90", "-g", "-O0", mpi=mpi, name=mpi)
                archive, _ = programs.record(program, mpi=mpi, callstack=2)
                line = self.rondo("print", archive, "--calls", "MPI_Bcast", "--rank", "0", "--sites").stdout
                self.assertTrue(line.endswith(f"# {frame('exchange', 'exchange', 'places.f90')} < "
                                              f"{frame('places', 'main, exchanging', 'places.f90')}\n"), line)

    def test_json_and_info(self):
        archive, _ = programs.record(programs.build(self.folder, "places.c", "-g", "-O1"), callstack=3)
        uses = json.loads(self.rondo("info", archive, "--json").stdout)["call_sites"]
        stacks = {tuple(place["line"] for place in [use["site"], *use["site"].get("callers", [])]): use["calls"]
                  for use in uses if use["call"] == "MPI_Barrier"}
        lines = [line_of("places.c", mark) for mark in ("exchange", "solve", "solve again", "main, solving")]
        self.assertEqual(stacks, {(lines[0], lines[1], lines[3]): 10, (lines[0], lines[2], lines[3]): 14})

    def test_functions_are_procedures_of_the_logical_program(self):
        source = self.folder / "layered.c"
        source.write_text(LAYERED, encoding="utf-8")
        archive, _ = programs.record(programs.build(self.folder, source, "-g", "-O0"), 5, callstack=3)
        text = self.rondo("logical", archive, "--no-times").stdout
        self.assertIn("  procedure halo:\n    sendrecv ", text)
        self.assertIn("  loop 10:\n    call halo\n    barrier\n", text)

    def test_option_of_record(self):
        program = programs.build(self.folder, "places.c", "-g")
        self.rondo("record", "--callstack", "2", "-o", "x.rondo", "--", program, environment=AS_ROOT)
        self.assertEqual(len(self.barriers("x.rondo")), 2)
        self.refuses("record", "--callstack", "0", "--", program, saying="--callstack")
        self.refuses("record", "--callstack", "65", "--", program, saying="--callstack")

    def test_recorder_brings_its_own_unwinder(self):
        for mpi in ("openmpi", "mpich"):
            library = programs.support.BUILD / "lib" / f"librondo_record_{mpi}.so"
            needed = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True).stdout
            self.assertIn("libc.so", needed)
            if "libasan" not in needed:
                self.assertNotIn("libgcc_s", needed)


if __name__ == "__main__":
    unittest.main()
