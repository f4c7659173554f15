#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that Rondo records the same calls of one program in C and in the three Fortran bindings, under each MPI.

  twins.py --lines FOLDER --ranks 1,2,4 MPI...

The lines are those that compare.py kept when it compared each twin with the oracle. C says MPI_INT and MPI_DOUBLE where Fortran says MPI_INTEGER and MPI_DOUBLE_PRECISION; nothing else may differ.
"""
import argparse
import json
import pathlib
import sys

import compare

TWINS = ["twin_c", "twin_mpif", "twin_usempi", "twin_f08"]


def lines_of(folder, mpi, twin, ranks):
    everyone = json.loads(compare.kept_lines(folder, mpi, twin, ranks).read_text(encoding="utf-8"))
    return [[line.replace("MPI_INTEGER", "MPI_INT").replace("MPI_DOUBLE_PRECISION", "MPI_DOUBLE") for line in lines]
            for lines in everyone]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", required=True, type=pathlib.Path)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("--more-ranks")
    parser.add_argument("mpi", nargs="+", choices=["openmpi", "mpich"])
    options = parser.parse_args()
    status = 0
    for ranks in compare.numbers_of_ranks(options):
        recordings = {f"{mpi} {twin}": lines_of(options.lines, mpi, twin, ranks) for mpi in options.mpi for twin in TWINS}
        first = next(iter(recordings))
        for name, lines in recordings.items():
            for text in compare.differences(recordings[first], lines, (first, name)):
                print(f"{ranks} ranks, {text}\n")
                status = 1
        print(f"{ranks} ranks: {sum(map(len, recordings[first]))} calls in {first} and its twins")
    return status


if __name__ == "__main__":
    sys.exit(main())
