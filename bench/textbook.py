#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the logical programs of textbook patterns are, beside the source, as CSV.

usage: textbook.py BUILD_FOLDER ARCHIVES [--mpi openmpi|mpich] [--again] [--ranks 4,5,...] [--read-only] [NAME ...] > bench/runs/NAME/raw.csv

The functions of textbook.c, textbook_more.c, textbook_apps.c, textbook_courses.c, textbook_courses.f90, textbook_lectures.c, textbook_lectures.f90, textbook_exercises.c, textbook_strangers.c, textbook_strangers.f90, textbook_tutorials.c, textbook_tutorials.f90, textbook_notes.c, textbook_notes.f90, textbook_students.c, textbook_students.cpp, textbook_students.f90, textbook_unnamed.c, textbook_by_hand.c, textbook_drafts.c, textbook_protocols.c, textbook_by_rounds.c, textbook_on_grids.c, textbook_by_phases.c, textbook_by_numbers.c, textbook_by_numbers.f90, textbook_by_numbers.py, textbook_in_turns.c, textbook.f90, textbook_f08.f90, textbook_mpif.f90, textbook_mpi4py.py, textbook_languages.f90, textbook_languages.cpp and textbook_languages.py, written as different people write them and not to suit Rondo, are
each recorded once under Open MPI (or MPICH) on 4, 5, 7, 9, 12, 16 and 25 ranks into the folder ARCHIVES; archives that are there are read, not recorded again, unless with --again.
Columns: program, ranks, records of the logical program, MPI calls and loops of the function's text (two more for MPI_Init and MPI_Finalize),
point-to-point calls, those off the topology, the topologies that the text names, the topology of the whole, communication patterns.
Only loops with an MPI call in them count. In mpi4py the methods of communicators and requests count, those of objects as often as they call MPI; in C++ those of the classes in
textbook_communicator.hpp, `split` twice, as it is freed at the end. Guards the goal of at most as many records
as calls and loops, with 99 % of the calls on a topology. Nothing is timed.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RANKS = "4,5,7,9,12,16,25"
SECONDS = 120
CALL_IN_C = r"\b(?:MPI_[A-Z]|mini::)[a-z]"  # of the templates in textbook_students.cpp, too
CALL_IN_CLASSES = r"\b(?:MPI_[A-Z][a-z]|mini::[A-Z]|(?:world|row|column)\.[a-z]|pending\.clear|one\.wait)"
# Calls of MPI, and loops with them, that a method for objects is: for the size and for the object itself, of reductions on a communicator of their own.
OF_OBJECTS = {"recv": 2, "bcast": 2, "gather": 2, "scatter": 2, "allgather": 2, "alltoall": 2, "sendrecv": 4, "reduce": 7, "allreduce": 9, "exscan": 5, "scan": 5}


def functions_in_c(text, call=CALL_IN_C):
    found = {}
    for match in re.finditer(r"^static void (\w+)\(void\) \{\n(.*?)^\}", text, re.M | re.S):
        found[match[1]] = 2 + len(re.findall(call + r"\w*\(", match[2])) + loops_in_c(match[2], call)
    return found


def functions_with_classes(text):
    body = r"^static void (\w+)\(void\) \{\n(.*?)^\}"
    frees = {match[1]: match[2].count(".split(") for match in re.finditer(body, text, re.M | re.S)}
    return {name: count + frees[name] for name, count in functions_in_c(text, CALL_IN_CLASSES).items()}


def loops_in_c(body, call):
    """Loops that hold an MPI call: `for`, `while` and `do`, with braces or one statement."""
    count = 0
    for match in re.finditer(r"\b(for|while) \(|\bdo\b", body):
        end = match.end()
        if match[1]:
            end = closing(body, end - 1, "()")
        inside = statement(body, end)
        count += bool(re.search(call, inside))
    return count


def closing(text, start, pair):
    """Behind the bracket that closes the first one of its kind at or after `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0 and text[at] == pair[1]:
            return at + 1
    return len(text)


def statement(text, start):
    """One statement of C, with all that belongs to its `if`, `else` and loops."""
    rest = re.compile(r"\s*").match(text, start).end()
    if text[rest] == "{":
        return text[start:closing(text, rest, "{}")]
    head = re.compile(r"(if|for|while) \(").match(text, rest)
    if not head:
        return text[start:text.index(";", rest) + 1]
    after = closing(text, head.end() - 1, "()")
    whole = text[start:after] + statement(text, after)
    otherwise = re.compile(r"\s*else\b").match(text, start + len(whole))
    return whole + otherwise[0] + statement(text, otherwise.end()) if otherwise else whole


def functions_in_fortran(text):
    found = {}
    for match in re.finditer(r"^  subroutine (\w+)\(\)\n(.*?)^  end subroutine", text, re.M | re.S):
        found[match[1]] = 2 + len(re.findall(r"\bcall MPI_|^ *do\b", match[2], re.M))
    return found


def functions_in_python(text):
    found = {}
    for match in re.finditer(r"^def (\w+)\(\):\n(.*?)\n\n\n", text, re.M | re.S):
        calls = len(re.findall(r"\b(?:comm|cart|row|col|win|Win|Request|request|status|File|shared)\.\w+\(|Compute_dims\(|^ *for ", match[2], re.M))
        of_objects = re.findall(r"\bcomm\.(" + "|".join(OF_OBJECTS) + r")\(", match[2])
        found[match[1]] = 2 + calls + sum(OF_OBJECTS[method] - 1 for method in of_objects)
    return found


SOURCES = {"textbook.c": functions_in_c, "textbook_more.c": functions_in_c, "textbook_apps.c": functions_in_c, "textbook.f90": functions_in_fortran,
           "textbook_f08.f90": functions_in_fortran, "textbook_courses.c": functions_in_c,
           "textbook_courses.f90": functions_in_fortran, "textbook_lectures.c": functions_in_c, "textbook_exercises.c": functions_in_c,
           "textbook_lectures.f90": functions_in_fortran, "textbook_strangers.c": functions_in_c, "textbook_strangers.f90": functions_in_fortran,
           "textbook_tutorials.c": functions_in_c, "textbook_tutorials.f90": functions_in_fortran,
           "textbook_notes.c": functions_in_c, "textbook_notes.f90": functions_in_fortran,
           "textbook_students.c": functions_in_c, "textbook_students.cpp": functions_in_c, "textbook_students.f90": functions_in_fortran,
           "textbook_unnamed.c": functions_in_c, "textbook_by_hand.c": functions_in_c,
           "textbook_drafts.c": functions_in_c, "textbook_protocols.c": functions_in_c,
           "textbook_by_rounds.c": functions_in_c, "textbook_on_grids.c": functions_in_c, "textbook_by_phases.c": functions_in_c, "textbook_by_numbers.c": functions_in_c, "textbook_in_turns.c": functions_in_c, "textbook_by_numbers.f90": functions_in_fortran,
           "textbook_languages.f90": functions_in_fortran, "textbook_mpif.f90": functions_in_fortran,
           "textbook_languages.cpp": functions_with_classes}
IN_PYTHON = ["textbook_mpi4py.py", "textbook_languages.py", "textbook_by_numbers.py"]


COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpif90"}


def programs(folder, mpi):
    """Command and count of calls and loops by name; Debian's mpi4py is linked with Open MPI."""
    found = {}
    for source, functions in SOURCES.items():
        for name, count in functions((HERE / source).read_text(encoding="utf-8")).items():
            found[name] = ([folder / executable(source), name], count)
    for source in IN_PYTHON if mpi == "openmpi" else []:
        for name, count in functions_in_python((HERE / source).read_text(encoding="utf-8")).items():
            found[name] = (["/usr/bin/python3", HERE / source, name], count)
    return found


def executable(source):
    return source.replace(".", "_")


def built(folder, mpi):
    for source in SOURCES:
        compiler = COMPILERS[pathlib.Path(source).suffix]
        subprocess.run([f"{compiler}.{mpi}", "-g", "-O1", "-w", HERE / source, "-o", folder / executable(source)], check=True, cwd=folder)


def launcher(build, mpi):
    if mpi == "mpich":
        return ["mpirun.mpich", "-genv", "LD_PRELOAD", build / "lib" / "libmpich_yield.so", "-n"]
    return ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n"]


def recorded(rondo, archive, launch, ranks, command):
    line = [rondo, "record", "--force", "-o", archive, "--", *launch, str(ranks), *command]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(["timeout", str(SECONDS), *map(str, line)], capture_output=True, text=True, check=False, env=environment)
    except OSError as error:
        sys.exit(f"textbook.py: {error}")
    if done.returncode != 0:
        print(f"textbook.py: {archive.stem}: status {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
        archive.unlink(missing_ok=True)


def said(rondo, command, archive, *options):
    done = subprocess.run([rondo, command, *options, archive, "--json"], capture_output=True, text=True, check=False, timeout=5 * SECONDS)
    if not done.stdout:
        sys.exit(f"textbook.py: {command} {archive}: {done.stderr}")
    return json.loads(done.stdout)


def measured(rondo, archive):
    logical = said(rondo, "logical", archive, "--no-times")
    topology = said(rondo, "topology", archive)
    patterns = said(rondo, "patterns", archive, "--communication")
    off = logical["off_topology"]["calls"]
    names = "; ".join(part["name"] for part in logical["topologies"])
    kinds = [pattern["documented"][0]["name"] if pattern["documented"] else pattern["topology"] for pattern in patterns["patterns"]]
    return logical["records"], logical["point_to_point"]["calls"], off, names, topology["topology"], "; ".join(kinds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("archives", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--read-only", action="store_true", help="measure the archives that are there")
    parser.add_argument("--ranks", default=RANKS)
    options = parser.parse_intermixed_args()
    rondo = options.build.resolve() / "bin" / "rondo"
    launch = launcher(options.build.resolve(), options.mpi)
    options.archives.mkdir(parents=True, exist_ok=True)
    table = csv.writer(sys.stdout)
    table.writerow(["program", "ranks", "records", "calls_and_loops", "point_to_point_calls", "off_topology", "topologies",
                    "topology_of_all", "patterns"])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not options.read_only:
            built(folder, options.mpi)
        for program, (command, bound) in programs(folder, options.mpi).items():
            if options.names and program not in options.names:
                continue
            for ranks in map(int, options.ranks.split(",")):
                archive = options.archives.resolve() / f"{program}-{ranks}.rondo"
                if not options.read_only and (options.again or not archive.exists()):
                    recorded(rondo, archive, launch, ranks, command)
                if archive.exists():
                    records, calls, off, names, whole, patterns = measured(rondo, archive)
                    table.writerow([program, ranks, records, bound, calls, off, names, whole, patterns])
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
