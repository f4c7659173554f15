#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Converts a recorded run of the NAS Parallel Benchmarks and checks what comes out: every call of every rank against
the lines of the trace, the calls of each rank and the matrix against tables that SimGrid itself counted.

usage: real_runs_test.py RONDO RUN      RUN such as lu.A.8; the data are in $RONDO_TEST_DATA/{ti,npb}
Exit status 77 (skipped) where that is not set."""
import collections
import csv
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

from expected_lines import expected_lines

SKIPPED = 77


def convert(rondo, source, target, *options):
    subprocess.run([rondo, "convert", source, target, *options], check=True, stderr=subprocess.DEVNULL)


def printed_lines(rondo, trace, rank):
    command = [rondo, "print", "--flat", "--rank", str(rank), trace]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            yield line.rstrip("\n")
    assert process.returncode == 0, f"{command} gave {process.returncode}"


def calls_counted_by_simgrid(path):
    with open(path, encoding="ascii") as file:
        return {(int(row["rank"]), row["call"]): int(row["count"]) for row in csv.DictReader(file)}


def check_calls(rondo, trace, folder, ranks):
    """Compares all lines; returns how often each rank made each call."""
    counted = collections.Counter()
    for rank in range(ranks):
        with open(folder / f"{rank}.txt", encoding="ascii") as actions:
            pairs = itertools.zip_longest(expected_lines(actions, rank, ranks), printed_lines(rondo, trace, rank))
            for number, (expected, printed) in enumerate(pairs, 1):
                assert expected == printed, f"rank {rank}, call {number}: expected {expected}, printed {printed}"
                counted[rank, printed[4:printed.index("(")].lower()] += 1
    return counted


def matrix_rows(path):
    with open(path, encoding="ascii") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        return sorted(tuple(int(cell) for cell in row[:4]) for row in rows if row and row[0].isdigit())


def main():
    rondo, run = sys.argv[1:]
    if run == "lu.B.16" and os.environ.get("RONDO_TEST_CASES") != "all":
        print("skipped: five times as long as lu.A.8; RONDO_TEST_CASES=all has it looked at")
        return SKIPPED
    data = os.environ.get("RONDO_TEST_DATA")
    if not data:
        print("skipped: RONDO_TEST_DATA is not set")
        return SKIPPED
    packed = pathlib.Path(data, "ti", run + ".tar.zst")
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        subprocess.run(["tar", "-xf", packed, "-C", place], check=True)
        folder = place / run
        ranks = len(list(folder.glob("*.txt")))
        convert(rondo, folder, place / "folder.rondo", "--times", "none")
        convert(rondo, packed, place / "packed.rondo", "--times", "none")
        equal = (place / "folder.rondo").read_bytes() == (place / "packed.rondo").read_bytes()
        assert equal, "the folder and its .tar.zst give different archives"
        counted = check_calls(rondo, place / "folder.rondo", folder, ranks)
        convert(rondo, place / "folder.rondo", place / "matrix.csv")
        assert matrix_rows(place / "matrix.csv") == matrix_rows(pathlib.Path(data, "npb", run + ".csv")), "matrix differs"
    simgrid = calls_counted_by_simgrid(pathlib.Path(data, "npb", run + ".calls.csv"))
    ours = {key: count for key, count in counted.items() if key[1] not in {"init", "finalize"}}
    assert ours == simgrid, f"calls differ: {set(ours.items()) ^ set(simgrid.items())}"
    print(f"{run}: {sum(counted.values())} calls on {ranks} ranks are the trace's own")
    return 0


if __name__ == "__main__":
    sys.exit(main())
