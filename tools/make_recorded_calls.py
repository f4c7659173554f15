#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/recorded-calls.md, the list of recorded MPI calls, from record/mpi_calls.toml."""
import argparse
import pathlib
import sys

import mpi_table

TITLES = {
    "env": "Environment", "send": "Point-to-point: sending", "recv": "Point-to-point: receiving",
    "sendrecv": "Point-to-point: both at once", "probe": "Probes", "complete": "Completion",
    "request": "Requests", "collective": "Collectives", "neighbor": "Neighbourhood collectives",
    "comm": "Communicators", "topo": "Process topologies", "group": "Groups", "datatype": "Datatypes",
    "op": "Operations", "win": "Windows", "rma": "One-sided communication", "io": "Files",
    "process": "Dynamic processes", "session": "Sessions",
    "marker": "Marks that programs set, with rondo_phase.h"}

OPENING = """# Recorded calls

<!-- Written by tools/make_recorded_calls.py from record/mpi_calls.toml; edit those. -->

Rondo records {count} MPI functions: all of MPI-3.1 that communicates, synchronises, or makes or frees communicators,
groups, datatypes, operations, requests, windows or files, and the same of MPI-4.0 where the MPI library has it. They are
recorded from C and from all three Fortran interfaces. Everything else (questions about objects, attributes, info, error
handling, the tool interface) passes through untouched; `tools/mpi_not_recorded.txt` names it with the reasons.

Kept of a call are the arguments named here, with the names of MPI's C binding; behind the arrow what the call gave back.
Of a buffer, only whether it was `MPI_IN_PLACE` or `MPI_BOTTOM`; of a status, source, tag and bytes; of `x[n]`, all
elements. An argument that MPI ignores on a rank is not kept there. `_c` marks the calls that also have a large-count form,
`MPI_Name_c` (MPI-4.0): the same is kept of it. Persistent collectives that Open MPI 4 has as an extension, `MPIX_Name_init`,
are recorded as `MPI_Name_init`; `rondo generate` and `rondo replay` call what the MPI at hand has.
"""


def value(arg):
    return f"{arg.name}[{arg.length}]" if arg.length else arg.name


def kept(call):
    """The kept arguments of a call as text."""
    given = ", ".join(value(arg) for arg in call.args if arg.is_kept and arg.is_input)
    got = ", ".join(value(arg) for arg in call.args if arg.is_kept and arg.is_outcome)
    return f"{given} → {got}".strip() if got else given


def row(call, has_large):
    since = call.since + (f" (until {call.removed})" if call.removed else "")
    text = kept(call)
    return f"| `{call.name}`{' `_c`' if has_large else ''} | {since} | {f'`{text}`' if text else 'that it was called'} |"


def page(table):
    large = {call.large_of for call in table.calls}
    lines = [OPENING.format(count=len(table.without_markers().calls))]
    for role, title in TITLES.items():
        calls = [call for call in table.calls if call.role == role and not call.large_of]
        lines += [f"## {title}", "", "| call | since | kept |", "|---|---|---|"]
        lines += [row(call, call.name in large) for call in calls] + [""]
    return "\n".join(lines)


def main(argv=None):
    arguments = argparse.ArgumentParser(description=__doc__, epilog="Exit status: 0 done or current, 1 not.")
    arguments.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                           help="the tree (default: the one this script is in)")
    arguments.add_argument("--check", action="store_true", help="write nothing; fail if the page is not current")
    options = arguments.parse_args(argv)
    try:
        text = page(mpi_table.load(options.root / "record" / "mpi_calls.toml"))
    except mpi_table.TableError as error:
        print(error)
        return 1
    path = options.root / "docs" / "recorded-calls.md"
    if not options.check:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        print(f"{path}: not what the table says; run tools/make_recorded_calls.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
