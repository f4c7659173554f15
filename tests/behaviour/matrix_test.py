#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Feature x way to end x when x MPI x language, whole: however a program ends or leaves a call, it says and does the same
with the recorder as without it, and the recording has exactly the calls that it made.

usage: matrix_test.py c|cpp|fortran    with the MPI that RONDO_TEST_MPI names

Programs run as one rank without a launcher, which takes a fraction of the time, and say each call before they make it.
The table LEFT_OUT says which combinations there are not, and why. ways_test.py has runs of more ranks.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import BUILD, MPI, RECORDER, RONDO, SurvivalTest, environment, run  # noqa: E402

sys.path.insert(0, str(BUILD / "python"))
try:  # 5,000 commands: as many starts of a program took a third of the time
    from rondo import _rondo
except ImportError:
    _rondo = None

ENVIRONMENT = environment()  # thousands of programs are started
PROGRAMS = {"c": "matrix", "cpp": "matrix_cpp", "fortran": "matrix_f"}
FEATURES = ["messages", "requests", "persistent", "collectives", "icollectives", "windows", "files", "datatypes",
            "communicators", "grids", "attributes", "operations", "generalized", "handlers", "processes", "threads"]
WHENS = ["before", "between", "inside", "after"]
SIGNALS = ["term", "segv", "abort"]
FINALIZING = ["atexit", "destructor"]  # go on with MPI at the end of the program
LEAVING = ["nothing", "jump", "throw", "thread_exit", "thread_cancel"]  # a call, and go on
THREAD_ENDS = ["thread_exit", "thread_cancel"]
WAYS = ["return", "exit", "stop", "error_stop", *FINALIZING, "quick_exit", *SIGNALS, "mpi_abort", "fatal", *LEAVING]
# Leave by functions of the program that MPI calls, without an error, or by an error of no recorded call.
NOT_FAILING = ["operations", "generalized", "handlers", "threads"]

# when, ways, features, languages, MPI: "" for all
LEFT_OUT = [
    ("", ["stop", "error_stop"], "", ["c", "cpp"], "", "statements of Fortran"),
    ("", FINALIZING, "", ["fortran"], "", "Fortran has no functions that run at the end of the program"),
    ("", ["jump", "throw", *THREAD_ENDS], "", ["fortran"], "", "Fortran has neither jumps nor exceptions nor threads"),
    ("", "", ["handlers", "processes", "threads"], ["fortran"], "", "as in C, whose functions these interfaces call"),
    ("", ["throw"], "", ["c"], "", "C has no exceptions"),
    ("", ["return"], ["threads"], "", "", "a thread cannot return from main"),
    ("before", ["mpi_abort", "fatal", *LEAVING], "", "", "", "MPI may not be called yet, and there is no call to leave"),
    ("after", ["mpi_abort", "fatal", *LEAVING], "", "", "", "MPI may not be called any more, and there is no call to leave"),
    ("after", FINALIZING, "", "", "", "MPI has been finalized; they are as exit"),
    ("between", ["fatal", "nothing", "jump", "throw", "thread_cancel"], "", "", "", "there is no call to leave"),
    ("between", ["thread_exit"], ["threads"], "", "", "the same as of each feature: a thread that ends"),
    ("inside", ["return"], "", "", "", "a function that MPI calls cannot return from main: see nothing"),
    ("inside", THREAD_ENDS, ["threads"], "", "", "the same as of each feature: a thread that ends"),
    ("inside", THREAD_ENDS, "", "", "mpich", "MPICH keeps a lock of its own when a thread ends in a call, and waits for it"),
    ("inside", ["jump", "throw", "mpi_abort", *FINALIZING], ["threads"], "", "mpich", "the same lock"),
]


def has(choice, value):
    return choice == "" or value in choice


def why_not(when, way, feature, language, mpi=MPI):
    for row in LEFT_OUT:
        if (row[0] in ("", when) and has(row[1], way) and has(row[2], feature) and has(row[3], language)
                and row[4] in ("", mpi)):
            return row
    return None


def is_chosen(when, way, feature, language):
    """Every second one under each MPI, so that all are run under one of them, with those that the other does not have; all
    where RONDO_TEST_CASES is all (tests/README.md)."""
    other = "openmpi" if MPI == "mpich" else "mpich"
    number = WHENS.index(when) + WAYS.index(way) + FEATURES.index(feature)
    return (number % 2 == (MPI == "mpich") or os.environ.get("RONDO_TEST_CASES") == "all"
            or why_not(when, way, feature, language, other) is not None)


def combinations(language):
    """Those that there are. Where a way ends no program, or no feature's call is open when it ends, all features are in one
    run: starts of programs are what this takes."""
    for when, way in itertools.product(WHENS, WAYS):
        features = [feature for feature in FEATURES if why_not(when, way, feature, language) is None]
        if when != "inside" or way in LEAVING:
            alike = [",".join(name for name in features if name != "threads")] if features else []
            features = alike + ["threads"] * (when == "between" and "threads" in features)
        for feature in features:
            if is_chosen(when, way, feature.split(",")[0], language):
                yield when, way, "threads,messages" if feature == "threads" else feature


def started(command, cwd, settings):
    """Without a daemon for the rank and without a network, but for windows of several threads, which take one."""
    transport = {"UCX_TLS": "self", "OMPI_MCA_btl": "self", "OMPI_MCA_osc": "pt2pt"}
    if command[2] in THREAD_ENDS:
        transport = {"OMPI_MCA_btl": "^openib"}
    # The frames that Fortran's handler of signals says are looked up in debug information, which takes four times the rest of
    # a run: in one feature of each kind of end it is there.
    frames = {} if "messages" in command[3].split(",") else {"GFORTRAN_ERROR_BACKTRACE": "0"}
    settings = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_pml": "ob1", "TMPDIR": str(cwd)} | transport | frames | settings
    return subprocess.run(command, cwd=cwd, env=ENVIRONMENT | settings, capture_output=True, text=True, timeout=60)


def comparable(text):
    """Without what is different each time (processes, times, addresses), what the recorder says itself, and frames of
    calls, of which it has some."""
    frame = re.compile(r"rondo: |\[\S+:\d+\] \[ *\d+\] | *\d+  /|#\d+ |\tat ")
    text = re.sub(r"0x[0-9a-f]+|[0-9]+", "N", "\n".join(line for line in text.splitlines() if not frame.match(line)))
    return re.sub(r"N +:", "N:", text)  # UCX fills up short numbers of processes


class Matrix(SurvivalTest):
    def rondo(self, *words):
        """What the command prints, in this process where that can be."""
        if _rondo is None:
            done = run([RONDO, *words], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        status, text, remarks = _rondo.command([], list(words))
        self.assertEqual(status, 0, remarks)
        return text.decode()

    def recording(self):
        """What kind of ending, and the calls, as lines; nothing if there is no recording."""
        file, parts = str(self.folder / "x.rondo"), str(self.folder / "x.rondo.parts")
        if pathlib.Path(parts).exists():
            self.rondo("convert", parts, file)
        if not pathlib.Path(file).exists():
            return None, []
        ending = json.loads(self.rondo("info", "--json", file))["endings"]
        self.assertEqual(len(ending), 1)
        return ending[0], [line for line in self.rondo("print", "--flat", "--rank", "0", file).splitlines() if "(" in line]

    def check_recording(self, when, way, features, said):
        """`said` is the program's output: it names each call before it makes it."""
        made = [line.removeprefix("call ") for line in said if line.startswith("call ") and line != "call MPI_Abort"]
        ending, lines = self.recording()
        if when == "before":
            self.assertIsNone(ending)
            return
        # Raises these errors where nobody sees it, but for those that end the process.
        is_hidden = features == "files" and MPI == "mpich" and way != "fatal"
        self.check_ending(ending, when, way, "finalized" in said)
        if when == "inside" and ending["kind"] != "finalized" and (features == "generalized" and way != "fatal" or is_hidden):
            self.assertEqual(ending["in_call"], made.pop())  # it had not failed, and never came back
        calls = [line.split("(")[0] for line in lines]
        is_threaded = features.startswith("threads") or way in THREAD_ENDS
        if is_threaded:
            calls.sort(), made.sort()
        self.assertEqual(calls, made)
        if when == "inside" and not is_hidden:
            # MPICH's Fortran calls no handler for an attribute that will not go from a communicator that has one.
            quiet = [*NOT_FAILING, "attributes"] if (MPI, LANGUAGE) == ("mpich", "fortran") and way != "fatal" else NOT_FAILING
            failing = sum(name not in quiet for name in features.split(",")) or way == "fatal" and features != "handlers"
            self.assertGreaterEqual(sum("error=" in line for line in lines), failing)

    def check_ending(self, ending, when, way, finalized):
        kind = {"mpi_abort": "aborted", "fatal": "fatal_error"}.get(way, "exited")
        if way in SIGNALS:
            kind = "signal"
        self.assertEqual(ending["kind"], "finalized" if finalized or when == "after" else kind)

    def check(self, when, way, features):
        program = [str(BUILD / "tests" / "behaviour" / MPI / PROGRAMS[LANGUAGE]), when, way, features]
        for left in self.folder.glob("*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        bare = started(program, self.folder, {})
        recorded = started(program, self.folder, {"LD_PRELOAD": RECORDER, "RONDO_OUTPUT": str(self.folder / "x.rondo")})
        self.assertEqual(recorded.returncode, bare.returncode, recorded.stderr)
        self.assertEqual(comparable(recorded.stdout), comparable(bare.stdout))
        self.assertEqual(comparable(recorded.stderr), comparable(bare.stderr))
        self.check_recording(when, way, features, bare.stdout.splitlines())

    def test_matrix(self):
        for when, way, features in combinations(LANGUAGE):
            with self.subTest(when=when, way=way, features=features):
                try:
                    self.check(when, way, features)
                except AssertionError:
                    for feature in features.split(",") * ("," in features and when == "between"):  # which is it?
                        with self.subTest(when=when, way=way, features=feature):
                            self.check(when, way, feature)
                    raise

    def test_the_table_is_about_something(self):
        """Each row leaves out what no row above does."""
        left_out = [why_not(*combination) for combination in itertools.product(WHENS, WAYS, FEATURES, PROGRAMS)]
        for row in LEFT_OUT:
            self.assertTrue(row in left_out or row[4] not in ("", MPI), row)


if __name__ == "__main__":
    LANGUAGE = sys.argv.pop(1)
    unittest.main()
