#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that Rondo records the same calls of one program in C and in the three Fortran bindings, under each MPI.

  twins.py --build BUILD --ranks 1,2,4 MPI...

C says MPI_INT and MPI_DOUBLE where Fortran says MPI_INTEGER and MPI_DOUBLE_PRECISION; nothing else may differ.
"""
import argparse
import sys

import compare

TWINS = ["twin_c", "twin_mpif", "twin_usempi", "twin_f08"]


def lines_of(site, twin, ranks):
    run, = site.run(ranks, [site.build / "examples" / site.mpi / twin], "rondo")
    return [[line.replace("MPI_INTEGER", "MPI_INT").replace("MPI_DOUBLE_PRECISION", "MPI_DOUBLE") for line in lines]
            for lines in run.lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("mpi", nargs="+", choices=["openmpi", "mpich"])
    options = parser.parse_args()
    sites = [compare.Site(options.build, mpi) for mpi in options.mpi]
    status = 0
    for ranks in map(int, options.ranks.split(",")):
        try:
            recordings = {f"{site.mpi} {twin}": lines_of(site, twin, ranks) for site in sites for twin in TWINS}
        except compare.RunFailed as reason:
            print(f"{ranks} ranks: {reason}")
            return 2
        first = next(iter(recordings))
        for name, lines in recordings.items():
            for text in compare.differences(recordings[first], lines, (first, name)):
                print(f"{ranks} ranks, {text}\n")
                status = 1
        print(f"{ranks} ranks: {sum(map(len, recordings[first]))} calls in {first} and its twins")
    return status


if __name__ == "__main__":
    sys.exit(main())
