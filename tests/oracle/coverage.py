#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the recorded MPI functions that no test program calls.

  coverage.py --build BUILD

A program calls a function if its binary asks for the symbol, in C or in Fortran. The programs are those of
programs/, for all MPIs of the build; they come by all that they contain. Exit status: 0 all functions are called but
those in not_called.txt, 1 not.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mpi_table  # noqa: E402 (a module of the tree)

# mpi_send_, mpi_send_f08_, mpi_send_f08ts_, with large counts mpi_send_f08ts_large_
FORTRAN = re.compile(r"(mpi_\w+?)(?:_f08(?:ts)?)?(?P<large>_large)?_{0,2}$")


def programs(build):
    files = [file for mpi in ("openmpi", "mpich") for file in (build / "tests/oracle" / mpi).glob("*")]
    return [file for file in files if file.is_file() and os.access(file, os.X_OK)]


def symbols(program):
    done = subprocess.run(["nm", "-D", "--undefined-only", program], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines()}


def called(program, names):
    """The functions among `names` that the program calls."""
    by_fortran = {name.lower(): name for name in names}
    found = set()
    for symbol in symbols(program):
        fortran = FORTRAN.match(symbol)
        if symbol in names:
            found.add(symbol)
        elif fortran:
            found.add(by_fortran.get(fortran[1] + ("_c" if fortran["large"] else ""), ""))
    return found - {""}


def exceptions():
    """{name: reason} of not_called.txt: a line is a name, or `# reason` for the names below it."""
    reason, found = "", {}
    for line in (ROOT / "tests/oracle/not_called.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif line.strip():
            found[line.strip()] = reason
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    options = parser.parse_args()
    names = {call.name for call in mpi_table.load().calls}
    all_programs = programs(options.build)
    found = set().union(*(called(program, names) for program in all_programs))
    allowed = exceptions()
    wrong = [f"{name}: no test program calls it" for name in sorted(names - found - set(allowed))]
    wrong += [f"{name}: in not_called.txt, but a test program calls it" for name in sorted(found & set(allowed))]
    wrong += [f"{name}: in not_called.txt, but Rondo does not record it" for name in sorted(set(allowed) - names)]
    print(*wrong, f"{len(all_programs)} programs call {len(found)} of {len(names)} functions", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
