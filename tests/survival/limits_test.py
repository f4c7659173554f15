#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings larger than memory, budgets, and many threads."""
import os
import pathlib
import re
import unittest
from unittest import mock

from support import MPI, RECORDER, RONDO, SurvivalTest, launcher, program, run


class Memory(SurvivalTest):
    CALLS = 150_000  # more than 8 MB have room for, as the test itself finds

    def test_sealed_chunks_lose_nothing(self):
        done = self.record(program("irregular"), str(self.CALLS), options=["--memory", "8"], ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["calls"], 2 * (self.CALLS + 2))
        self.assertLessEqual(info["cost"]["memory_per_rank_bytes"], 8 << 20)
        self.assertFalse((self.folder / "x.rondo.parts").exists())
        small = [self.calls(rank) for rank in range(2)]
        (self.folder / "x.rondo").unlink()
        done = self.record(program("irregular"), str(self.CALLS), options=["--memory", "1000"], ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(self.info()["cost"]["memory_per_rank_bytes"], 8 << 20)
        self.assertEqual(small, [self.calls(rank) for rank in range(2)])

    def test_without_rondo_record_the_chunks_wait_for_convert(self):
        environment = [("LD_PRELOAD", RECORDER), ("RONDO_OUTPUT", str(self.folder / "x.rondo")), ("RONDO_MEMORY", "8")]
        done = run([*launcher(2, environment), program("irregular"), str(self.CALLS)], self.folder)
        self.assertIn("rondo convert", done.stderr)
        done = run([RONDO, "convert", "x.rondo.parts", "x.rondo"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual((info["complete"], info["calls"]), (True, 2 * (self.CALLS + 2)))


class Budget(SurvivalTest):
    def test_times_are_given_up_calls_are_not(self):
        calls = 800_000
        done = self.record(program("irregular"), str(calls), options=["--budget", "0.01%"], ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["calls"], calls + 2)
        self.assertRegex(info["notes"], r"times were kept for the first .* s only: .*budget of 0\.01 %")


class Threads(SurvivalTest):
    def test_a_stream_for_each_thread(self):
        threads, rounds, ranks = 4, 60, 2
        done = self.record(program("threads"), str(threads), str(rounds), ranks=ranks)
        self.assertEqual((done.returncode, done.stdout), (0, "threads: 0 errors\n"), done.stderr)
        info = self.info()
        self.assertTrue(info["complete"])
        plain = 2 + 3 * rounds  # Send_init, then Irecv, Isend, Waitall, at last Request_free
        odd = plain + 3 * rounds
        main = 1 + 2 + 1 + 1  # Init_thread, Irecv and Send, Reduce, Finalize
        self.assertEqual(info["calls"], ranks * (main + 1 + 2 * plain + 2 * odd))
        text = run([RONDO, "print", "--inline", "x.rondo"], self.folder).stdout  # two threads have a procedure in common
        self.assertEqual(len(re.findall(r"^  loop 60:$", text, re.M)), len(re.findall(r"thread [1-4]:", text)))
        self.assertIn("MPI_Waitall(array_of_requests=[@1 @0])", text)
        self.assertIn("MPI_Wait(request=thread0#1)", text)  # the main thread's first

    @unittest.skipIf(MPI == "mpich", "a thread that waits in MPICH keeps the others out, also unrecorded: see sealing.c")
    def test_a_chunk_may_end_while_another_thread_is_in_a_call(self):
        rounds, calls = 20, 1500
        done = self.record(program("sealing"), str(rounds), str(calls), options=["--memory", "8"], ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertTrue(info["complete"], info["notes"])
        wanted, messages = [], 0
        for i in range(rounds):
            wanted.append(" ".join(f"#{messages + k + 1}" for k in range(1 + i % 3)))
            messages += 1 + i % 3
        self.assertEqual(info["calls"], 2 + 39 + 2 * messages + rounds + 2 * rounds * calls)
        self.assertLessEqual(info["cost"]["memory_per_rank_bytes"], 8 << 20)  # all datatypes are new ones
        waits = [line for line in self.calls(0) if "MPI_Waitall" in line]
        self.assertEqual([re.search(r"\[(.*?)\]", line)[1] for line in waits[-rounds:]], wanted)

    def test_threads_at_once_that_mpi_was_not_told_of(self):
        rounds, ranks = 20_000, 2
        for options in ([], ["--callstack", "4"]):
            done = self.record(program("at_once"), str(rounds), "0", options=["--force", *options], ranks=ranks)
            self.assertEqual(done.returncode, 0, done.stderr)
            info = self.info()
            self.assertEqual((info["complete"], info["calls"]), (True, ranks * (2 + 6 + 6 * rounds)))
            self.assertIn("several threads called MPI at once", info["notes"])
            self.assertEqual(info["thread_level"], "multiple")
            hour_ns = 3600 * 10**9
            self.assertLess(info["inside_mpi_ns"], hour_ns)

    def test_threads_in_turn_that_mpi_was_not_told_of_are_one_program(self):
        rounds = 2000
        done = self.record(program("at_once"), str(rounds), "1", ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual((info["complete"], info["calls"]), (True, 2 + 6 + 6 * rounds))
        self.assertEqual((info["classes"], info["notes"], info["thread_level"]), (1, "", "funneled"))

    def test_threads_that_have_ended_take_little_memory(self):
        threads = 2000
        done = self.record(program("passing"), str(threads), options=["--memory", "1000"], ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual((info["complete"], info["calls"]), (True, 2 + 2 * threads))
        self.assertEqual(info["classes"], 1 + threads)  # the second call is of the same stream
        self.assertLess(info["cost"]["memory_per_rank_bytes"], 4096 * threads)


@unittest.skipIf(MPI == "mpich", "Debian's MPICH loads OpenCL and UCX, with which these programs end by themselves")
class Sanitized(SurvivalTest):
    """Sanitizers take things from a thread before it has ended, and mind what is loaded before them."""

    def run_with(self, sanitizer, threads=20):
        source = pathlib.Path(__file__).with_name("passing.c")
        done = run([f"mpicc.{MPI}", "-g", f"-fsanitize={sanitizer}", "-o", "sanitized", str(source), "-lpthread"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        settings = {"OMPI_MCA_btl": "self,vader", "ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "report_bugs=0"}
        with mock.patch.dict(os.environ, settings):  # what they find in Open MPI is not looked at
            done = run([*launcher(1), "./sanitized", str(threads)], self.folder)
            if "unexpected memory mapping" in done.stderr:
                self.skipTest("the kernel places memory where GCC 12's ThreadSanitizer cannot work")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.record("./sanitized", str(threads), ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual((info["complete"], info["calls"]), (True, 2 + 2 * threads))

    def test_by_address_sanitizer(self):
        self.run_with("address")

    def test_by_thread_sanitizer(self):
        self.run_with("thread")


if __name__ == "__main__":
    unittest.main()
