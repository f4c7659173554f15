#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Feature x way to end x MPI x language: however a program ends or leaves a call, and whenever it does, it says and does
the same with the recorder as without it, and what it did up to there is recorded.

Programs run as one rank without a launcher, which takes a fraction of the time.
"""
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import BUILD, MPI, RECORDER, RONDO, SurvivalTest, environment, launcher, run  # noqa: E402

FAILED = " -> error=MPI_ERR_RANK"


def program(name):
    return str(BUILD / "tests" / "behaviour" / MPI / name)


def alone(command, cwd, preload=None):
    settings = {"LD_PRELOAD": preload, "RONDO_OUTPUT": str(cwd / "x.rondo")} if preload else {}
    return subprocess.run(command, cwd=cwd, env=environment() | settings, capture_output=True, text=True, timeout=60)


class WaysTest(SurvivalTest):
    def same(self, *command):
        """Runs the command bare and recorded; collects parts if there is no archive."""
        bare = alone(command, self.folder)
        recorded = alone(command, self.folder, RECORDER)
        self.assertEqual(recorded.returncode, bare.returncode, recorded.stderr)
        self.assertEqual(recorded.stdout, bare.stdout, recorded.stderr)
        if (self.folder / "x.rondo.parts").exists():
            done = run([RONDO, "convert", "x.rondo.parts", "x.rondo"], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        return recorded

    def check(self, status, when, way, feature, *, language="", ending, last, failed=0):
        """@param last     the calls at the end of what is recorded, by name
        @param failed   how many calls failed"""
        with self.subTest(when=when, way=way, feature=feature, language=language or "C"):
            for left in self.folder.glob("x.rondo*"):
                subprocess.run(["rm", "-r", left], check=True)
            done = self.same(program("ways" + language), when, way, feature)
            self.assertEqual(done.returncode, status, done.stderr)
            info = self.info()
            self.assertEqual([group["kind"] for group in info["endings"]], [ending])
            self.assertEqual(info["complete"], ending == "finalized")
            calls = self.calls_of_all_threads(info)
            self.assertEqual([call.split("(")[0] for call in calls][-len(last):], last)
            self.assertEqual(sum(FAILED in call for call in calls), failed)
            return info

    def calls_of_all_threads(self, info):
        return [line for line in self.calls(0) if "(" in line]


class BeforeAndAfter(WaysTest):
    """Nothing is left of a program that never calls MPI_Init, and all of one that finalizes."""

    def test_before(self):
        for language, way, status in (("", "exit", 3), ("", "term", -signal.SIGTERM), ("_f", "stop", 3)):
            with self.subTest(way=way, language=language):
                self.assertEqual(self.same(program("ways" + language), "before", way, "messages").returncode, status)
                self.assertEqual(list(self.folder.glob("x.rondo*")), [])

    def test_after(self):
        for language, way, feature, status in (
                ("", "return", "attributes", 0), ("", "return", "refusal", 0), ("", "exit", "objects", 3),
                ("", "segv", "requests", -signal.SIGSEGV), ("_cpp", "quick_exit", "topology", 4), ("_f", "stop", "", 3)):
            self.check(status, "after", way, feature, language=language, ending="finalized", last=["MPI_Finalize"])


class Between(WaysTest):
    def test_between(self):
        for language, way, feature, status, ending, last in (
                ("", "return", "many", 6, "exited", "MPI_Allreduce"),
                ("", "exit", "many", 3, "exited", "MPI_Allreduce"),
                ("_cpp", "exit", "persistent", 3, "exited", "MPI_Request_free"),
                ("", "term", "objects", -signal.SIGTERM, "signal", "MPI_Comm_free"),
                ("_cpp", "abort", "topology", -signal.SIGABRT, "signal", "MPI_Comm_free"),
                ("", "segv", "requests", -signal.SIGSEGV, "signal", "MPI_Waitall"),
                ("", "mpi_abort", "messages", 5, "aborted", "MPI_Sendrecv"),
                ("_f", "stop", "", 3, "exited", "MPI_Sendrecv")):
            self.check(status, "between", way, feature, language=language, ending=ending, last=[last])

    def test_in_a_handler_of_exit(self):
        for way, feature, last, status in (("exit", "requests", "MPI_Waitall", 3), ("return", "persistent", "MPI_Request_free", 6),
                                           ("exit", "many", "MPI_Allreduce", 3)):
            self.check(status, "exiting", way, feature, ending="finalized", last=[last, "MPI_Finalize"])

    def test_in_a_destructor(self):
        self.check(0, "destroyed", "return", "requests", language="_cpp", ending="finalized", last=["MPI_Waitall", "MPI_Finalize"])


class Inside(WaysTest):
    """A call is left by its error handler. It is recorded as failed, and so is all that follows."""

    def test_left_and_gone_on(self):
        for language, way, feature, last in (
                ("", "jump", "messages", "MPI_Sendrecv"), ("", "jump", "objects", "MPI_Comm_free"),
                ("_cpp", "jump", "requests", "MPI_Waitall"), ("_cpp", "throw", "requests", "MPI_Waitall"),
                ("_cpp", "throw", "topology", "MPI_Comm_free"), ("", "nothing", "persistent", "MPI_Request_free")):
            self.check(0, "inside", way, feature, language=language, ending="finalized",
                       last=[last, "MPI_Barrier", "MPI_Finalize"], failed=3)

    def test_left_by_the_end_of_the_thread(self):
        for language, way in (("", "thread_exit"), ("_cpp", "thread_exit"), ("_cpp", "thread_cancel")):
            with self.subTest(way=way, language=language):
                done = self.same(program("ways" + language), "inside", way, "messages")
                if done.returncode != 0:  # MPICH keeps a lock of its own then, and gives up
                    self.assertEqual(MPI, "mpich")
                    subprocess.run(["rm", "-rf", *self.folder.glob("x.rondo*")], check=True)
                    continue
                calls = self.calls(0)
                self.assertEqual(sum(FAILED in call for call in calls), 3, calls)
                self.assertTrue(self.info()["complete"])
                (self.folder / "x.rondo").unlink()

    def test_exit_in_a_call(self):
        self.check(3, "inside", "exit", "messages", ending="exited", last=["MPI_Send", "MPI_Barrier"], failed=1)
        self.check(3, "inside", "exit", "many", ending="finalized", last=["MPI_Send", "MPI_Barrier", "MPI_Finalize"], failed=1)
        self.check(3, "inside", "stop", "", language="_f", ending="exited", last=["MPI_Send"], failed=1)

    def test_ended_in_a_call(self):
        for way, status, ending in (("term", -signal.SIGTERM, "signal"), ("segv", -signal.SIGSEGV, "signal"),
                                    ("mpi_abort", 5, "aborted")):
            info = self.check(status, "inside", way, "requests", ending=ending, last=["MPI_Send"], failed=1)
            self.assertEqual(info["endings"][0]["in_call"], "MPI_Send")

    def test_fatal_error_is_the_last_call(self):
        for language, feature in (("", "topology"), ("_cpp", "many"), ("_f", "")):
            bare = alone([program("ways" + language), "inside", "fatal", feature], self.folder)
            info = self.check(bare.returncode, "inside", "fatal", feature, language=language, ending="fatal_error",
                              last=["MPI_Send"], failed=1)
            self.assertEqual(info["endings"][0]["in_call"], "MPI_Send")
            shown = run([RONDO, "info", "x.rondo"], self.folder).stdout
            self.assertIn("rank 0: MPI ended it for MPI_ERR_RANK, in MPI_Send, ", shown)

    def test_fatal_error_in_a_run_of_three(self):
        """The launcher kills the other ranks at once; the one that failed has said why before."""
        bare = run([*launcher(3), program("ways"), "inside", "fatal", "messages"], self.folder)
        recorded = self.record(program("ways"), "inside", "fatal", "messages", ranks=3)
        self.assertEqual(recorded.returncode, bare.returncode, recorded.stderr)
        self.assertIn("MPI ended it for MPI_ERR_RANK, in MPI_Send, ", recorded.stderr)
        self.assertTrue(any(group["kind"] == "fatal_error" for group in self.info()["endings"]))


class Children(WaysTest):
    def test_one_that_is_killed_is_no_rank(self):
        self.assertEqual(self.same(program("killed_child")).stdout, "child: signal 15\n")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.rondo"])
        self.assertTrue(self.info()["complete"])


class Questions(WaysTest):
    """What the recorder asks MPI."""

    def test_error_handlers_run_as_often(self):
        for kind in ["null"] + ["freed"] * (MPI == "mpich"):  # Open MPI crashes on freed ones
            done = self.same(program("handles"), kind)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("MPI_Barrier(comm): class", done.stdout)
            (self.folder / "x.rondo").unlink()

    def test_crash_in_a_question(self):
        done = alone([program("lost_query")], self.folder, f"{RECORDER}:{program('crashing_library')}")
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertEqual(run([RONDO, "convert", "x.rondo.parts", "x.rondo"], self.folder).returncode, 0)
        self.assertEqual([call.split("(")[0] for call in self.calls(0)], ["MPI_Init", "MPI_Sendrecv", "MPI_Sendrecv"])
        ending = self.info()["endings"][0]
        self.assertEqual((ending["kind"], ending["in_call"]), ("signal", "MPI_Sendrecv"))

    def test_what_fails_for_the_recorder_is_not_the_programs(self):
        """Where it cannot meet the other ranks at the end, the program's error handler is not told, and parts are left."""
        command = [program("ways"), "after", "return", "messages"]
        bare = alone(command, self.folder)
        recorded = alone(command, self.folder, f"{RECORDER}:{program('lonely_library')}")
        self.assertEqual((recorded.returncode, recorded.stdout), (bare.returncode, bare.stdout), recorded.stderr)
        self.assertIn("this rank's is in", recorded.stderr)
        self.assertEqual(run([RONDO, "convert", "x.rondo.parts", "x.rondo"], self.folder).returncode, 0)
        self.assertTrue(self.info()["complete"])
        self.assertEqual(self.calls(0)[-1].split("(")[0], "MPI_Finalize")

    def test_cancelled_is_what_was_cancelled(self):
        done = self.record(program("cancels"), ranks=2)
        said = int(done.stdout.split()[1])
        shown = run([RONDO, "info", "--messages", "x.rondo"], self.folder).stdout
        self.assertIn(f"{said} request{'s' * (said != 1)} cancelled", shown)
        self.assertNotIn("never received", shown)


if __name__ == "__main__":
    unittest.main()
