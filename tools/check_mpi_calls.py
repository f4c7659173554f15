#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the table of MPI functions against the installed MPIs.

Every C prototype that the table gives is compiled next to each mpi.h; every function in an mpi.h is either in the
table or in tools/mpi_not_recorded.txt, which says why it is not recorded."""
import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys

import mpi_table

COMPILERS = ["mpicc.openmpi", "mpicc.mpich"]
DECLARATION = re.compile(r"\b(?:int|double|MPI_\w+)\s+(MPI_[A-Z]\w*)\s*\(")


class Header:
    """The mpi.h of one MPI."""

    def __init__(self, compiler):
        self.compiler = compiler
        text = self._compile("-E", "-dD", source="#include <mpi.h>\n").stdout
        if "MPI_Init" not in text:
            sys.exit(f"{compiler} finds no mpi.h; install the MPI's development package")
        self.words = set(re.findall(r"\bMPI_\w+", text))
        code = re.sub(r"(?m)^#.*$", "", text)
        self.functions = {name for statement in code.split(";") if "typedef" not in statement
                          for name in DECLARATION.findall(statement)}

    def _compile(self, *options, source):
        return subprocess.run([self.compiler, *options, "-x", "c", "-"], input=source, capture_output=True, text=True,
                              check=False, env=os.environ | {"LC_ALL": "C"})

    def conflicts(self, calls):
        """(name, what the compiler says) of each call whose prototype differs from the header's."""
        source = "#include <mpi.h>\n" + "".join(call.prototype() + ";\n" for call in calls)
        result = self._compile("-fsyntax-only", "-w", "-fmax-errors=0", source=source)
        said = re.findall(r"<stdin>:(\d+):\d+: error: (.*)", result.stderr)
        if result.returncode and not said:
            sys.exit(f"{self.compiler} fails:\n{result.stderr}")
        return [(calls[int(line) - 2].name, message) for line, message in said]


def read_exclusions(path):
    """{name or pattern: reason}; a line is a name, or `# reason` for the names below it."""
    reason, exclusions = "", {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif line.strip():
            exclusions[line.strip()] = reason
    return exclusions


def compare(table, exclusions, headers):
    """Sentences about what does not fit."""
    names = {call.name for call in table.calls}
    for header in headers:
        for call in table.calls:
            if call.name not in header.functions and call.since < "4.0" and not call.removed:
                yield f"{call.name}: {header.compiler} lacks it, though the table says since {call.since}"
        present = [call for call in table.calls if call.name in header.functions]
        for name, message in header.conflicts(present):
            yield f"{name}: {header.compiler}: {message}; the table says: {table.call(name).prototype()}"
        for name in sorted(header.functions - names):
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in exclusions):
                yield f"{name}: {header.compiler} has it, but it is neither in the table nor among the exclusions"
    for name in sorted(names & exclusions.keys()):
        yield f"{name}: both in the table and among the exclusions"


def unknown_names(table, exclusions, headers):
    """Names that no MPI has; said only if all MPIs were looked at."""
    functions = set().union(*(header.functions for header in headers))
    words = set().union(*(header.words for header in headers))
    for call in table.calls:
        if call.name not in functions:
            yield f"{call.name}: in the table, but no mpi.h has it"
    for pattern in exclusions:
        if not fnmatch.filter(functions, pattern):
            yield f"{pattern}: among the exclusions, but no mpi.h has it"
    for kind, constants in (table.constants | table.flags | {"error class": table.error_classes}).items():
        for name in constants:
            if name not in words:
                yield f"{name}: a value of kind {kind}, but no mpi.h has it"


def describe(header, table):
    lacking = [call for call in table.calls if call.name not in header.functions]
    removed = [call.name for call in lacking if call.removed]
    text = f"{header.compiler}: {len(table.calls) - len(lacking)} of {len(table.calls)} calls"
    newer = len(lacking) - len(removed)
    if newer:
        text += f"; lacks {newer} of MPI-4.0"
    if removed:
        text += f"; does not declare {', '.join(removed)}"
    return text


def main(argv=None):
    arguments = argparse.ArgumentParser(description=__doc__,
                                        epilog="Exit status: 0 all fits, 1 something does not, on stdout.")
    arguments.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                           help="the tree to check (default: the one this script is in)")
    arguments.add_argument("--lacking", action="store_true", help="also list the calls that each MPI lacks")
    options = arguments.parse_args(argv)
    try:
        table = mpi_table.load(options.root / "record" / "mpi_calls.toml").without_markers()
    except mpi_table.TableError as error:
        print(error)
        return 1
    headers = [Header(compiler) for compiler in COMPILERS if shutil.which(compiler)]
    if not headers:
        print("skipped: the table is well-formed, but there is no MPI here to compare it with "
              f"({' or '.join(COMPILERS)})")
        return 0
    exclusions = read_exclusions(options.root / "tools" / "mpi_not_recorded.txt")
    problems = list(compare(table, exclusions, headers))
    if len(headers) == len(COMPILERS):
        problems += unknown_names(table, exclusions, headers)
    for problem in problems:
        print(problem)
    for header in headers:
        print(describe(header, table))
        if options.lacking:
            print(*(f"  {call.name}" for call in table.calls if call.name not in header.functions), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
