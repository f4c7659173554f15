#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: data flows through the folders from left to right (docs/architecture.md), and
a folder includes only what stands to its left. MPI's names are constants, not texts: mpi::Send, from one table; which
word of a call is its peer, count or request is read in trace::CallMeaning, not by the argument's name. And a type that
one source keeps to itself has a name of its own: sources of a folder are compiled together, in batches that differ."""
import collections
import re
import sys

import mpi_meanings
from check_base import STAGES, Finding, run, without_comments

# Analyses do not include each other, except as drawn in docs/architecture.md.
ANALYSES = {
    "matrix": set(),
    "topology": {"matrix"},
    "logical": {"matrix", "topology"},
    "patterns": {"matrix", "topology"},
    "simulate": set(),
    "efficiency": {"simulate"},
    "generate": {"matrix", "topology", "logical", "patterns", "simulate"},
}
# Nothing but the recorder, the replay and the calibration sees MPI; programs under tests/, examples/ and bench/ are MPI programs themselves.
MAY_USE_MPI = {"record", "tests", "examples", "bench"}
OWN_PROGRAMS = {("generate", "replay"), ("simulate", "calibrate")}  # MPI programs of their own
# Code that runs inside the traced program: no heavy dependencies, no exceptions.
HEAVY = re.compile(r"^(fmt|spdlog|nlohmann)/|^iostream$")
MPI_NAME = re.compile(r'"MPI_(\w*[a-zA-Z0-9])"')  # MPI_File_ begins names
ARGUMENT_NAME = re.compile(r'(?:word_of\(|\.name == )"(\w+)"')
MEANT = {name for names in mpi_meanings.argument_names() for name in names.split()}
TEST_FILE = re.compile(r"_(test|bench|fuzz)\.(cpp|c)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
NAMESPACE = re.compile(r"namespace ([\w:]*) ?\{")
OWN_TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)[^;]*$")
LIBRARY = re.compile(r"rondo_add_library\(\s*(\w+)([^)]*)\)")


def may_use(user, used):
    """Whether folder `user` may include folder `used`; tests, examples, bench and the like may use any."""
    if user == used or user not in STAGES:
        return True
    if user in ANALYSES and used in ANALYSES:
        return used in ANALYSES[user]
    return STAGES.index(used) < STAGES.index(user)


def why_not(user, used):
    if user in ANALYSES and used in ANALYSES:
        return f"analysis {user}/ may not use {used}/; move what both need to the left, or draw the arrow"
    return f"{user}/ may not use {used}/, which stands to its right; move the code or turn the dependency round"


def folder_of(parts):
    """The stage or top folder of a path, and whether it is a public header."""
    if parts[:2] == ("include", "rondo"):
        return (parts[2] if len(parts) > 3 else ""), True
    return (parts[0] if len(parts) > 1 else ""), False


def is_carried(path, folder):
    return folder in {"base", "trace", "fold", "archive", "record"}


def check_include(path, line, target, quoted):
    folder, public = folder_of(path.parts)
    parts = tuple(target.split("/"))
    may_use_mpi = folder in MAY_USE_MPI or path.parts[:2] in OWN_PROGRAMS
    if target in {"mpi.h", "mpi-ext.h"} and (not may_use_mpi or public):
        yield Finding(path, line, f"{target} is for private files of record/, generate/replay/ and simulate/calibrate/ only; keep MPI out of this file")
    if parts[0] == "rondo":
        used = parts[1] if len(parts) > 2 else ""
        if folder in STAGES and used not in STAGES:
            yield Finding(path, line, f"{target} is in no stage folder; include the header of the folder you need")
    elif parts[0] in STAGES and len(parts) > 1:
        used = parts[0]
        if (public and not target.endswith(".inc")) or folder == "examples":  # .inc: generated
            yield Finding(path, line, f"{target} is private to {used}/; use headers of include/rondo only")
    else:
        from_tests = parts[0] == "tests" and TEST_FILE.search(path.name)
        if folder in STAGES and quoted and target != "mpi.h" and not from_tests:
            yield Finding(path, line, f'"{target}" names no folder; write "<folder>/{parts[-1]}", or <{target}>')
        return
    if used in STAGES and not may_use(folder, used):
        yield Finding(path, line, why_not(folder, used))


def check_names(path, text):
    """Names of MPI's that stand as texts; record/ and the replay, which have mpi.h, may look them up so."""
    folder, _ = folder_of(path.parts)
    if folder not in STAGES or folder in MAY_USE_MPI or path.parts[:2] in OWN_PROGRAMS or TEST_FILE.search(path.name):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for match in MPI_NAME.finditer(line.split("//")[0]):
            yield Finding(path, number, f'{match[0]} is a text; write mpi::{match[1]} (trace/mpi_names.hpp)')
        for match in ARGUMENT_NAME.finditer(line.split("//")[0]):
            if match[1] in MEANT and folder != "trace":
                yield Finding(path, number, f'"{match[1]}" is an argument\'s name; read trace::meaning_of(function), or trace::CallView')


def check_file(tree, path):
    folder, _ = folder_of(path.parts)
    carried = is_carried(path, folder) and not TEST_FILE.search(path.name)
    text = tree.text(path)
    yield from check_names(path, text)
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match[1] or match[2]
        yield from check_include(path, number, target, quoted=bool(match[1]))
        if carried and HEAVY.search(target):
            yield Finding(path, number, f"{target} would be loaded into the traced program; do without it here")
    if carried:
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            if re.search(r"\bthrow\b", line):
                yield Finding(path, number, "no exceptions in the traced program; return Result or count the loss")


def own_types(text):
    """Types of a source's unnamed namespace: (the namespace around it, name, line)."""
    around, inside = "", False
    for number, line in enumerate(text.splitlines(), 1):
        if match := NAMESPACE.match(line):
            inside = not match[1]
            around = match[1] or around
        elif line.startswith("} // namespace"):
            inside = False
        elif inside and (match := OWN_TYPE.match(line)):
            yield around, match[1], number


def check_own_types(tree):
    users = collections.defaultdict(list)
    for path in tree.code():
        folder, public = folder_of(path.parts)
        if path.suffix != ".cpp" or public or folder not in STAGES or path.parts[:2] in OWN_PROGRAMS or TEST_FILE.search(path.name):
            continue
        for around, name, number in own_types(tree.text(path)):
            users[folder, around, name].append((path, number))
    for (_, _, name), places in users.items():
        for path, number in places[1:]:
            yield Finding(path, number, f"{name} is a type of {places[0][0]} too, with which this is compiled; give it another name")


def check_link_lines(tree, path):
    """The DEPENDS of a folder's library repeat the include rule."""
    text = tree.text(path)
    for match in LIBRARY.finditer(text):
        user, words = match[1], match[2].split()
        depends = words[words.index("DEPENDS") + 1:] if "DEPENDS" in words else []
        for used in depends:
            if used in {"LINK", "SOURCES"}:
                break
            if used not in STAGES or not may_use(user, used):
                reason = why_not(user, used) if used in STAGES else f"DEPENDS names {used}, which is no stage folder"
                yield Finding(path, text.count("\n", 0, match.start()) + 1, reason)


def check(tree):
    for path in tree.code():
        yield from check_file(tree, path)
    yield from check_own_types(tree)
    for path in tree.files:
        if path.name == "CMakeLists.txt":
            yield from check_link_lines(tree, path)


def main(argv=None):
    return run(check, __doc__, argv)


if __name__ == "__main__":
    sys.exit(main())
