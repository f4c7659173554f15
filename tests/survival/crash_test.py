#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that do not come to MPI_Finalize end as they would have, and what they said is recorded."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

from support import MPI, RANKS, RECORDER, RONDO, SurvivalTest, launcher, processes_of, program, run

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have what runs in the background ignore it, and it would be inherited

ROUNDS = 500
LAST = RANKS - 1


class CrashTest(SurvivalTest):
    def check_status(self, status, *command):
        """The status is one that the program has without us: MPICH's launcher mixes in those of ranks that it kills,
        which is a matter of luck."""
        seen = set()
        for _ in range(10):
            seen.add(run([*launcher(), *command], self.folder).returncode)
            if status in seen:
                return
        self.fail(f"{command} ended with {status}, but with {seen} when not recorded")

    def ending_of(self, rank, info):
        return next(group for group in info["endings"] if rank in group["ranks"])

    def check_calls(self, rank, file="x.rondo"):
        """MPI_Init, every message up to the barrier, the barrier; more cannot have returned."""
        lines = self.calls(rank, file)
        self.assertTrue(lines[0].startswith("MPI_Init"), lines[0])
        self.assertEqual([line.split("(")[0] for line in lines[1:]], ["MPI_Sendrecv"] * ROUNDS + ["MPI_Barrier"])

    def check_recording(self, ranks=range(RANKS), file="x.rondo"):
        info = self.info(file)
        self.assertFalse(info["complete"])
        self.assertEqual(info["ranks"], RANKS)
        for rank in ranks:
            self.check_calls(rank, file)
        return info

    def crash(self, how, kind, detail, seconds="2"):
        """The same exit status as without us, and a recording that says how the last rank ended."""
        done = self.record(program("endings"), how, seconds)
        is_the_ranks_own = kind == "signal" and done.returncode == detail  # nothing was mixed in
        if not is_the_ranks_own:
            self.check_status(done.returncode, program("endings"), how, "0.2")
        self.assertIn(f"said {ROUNDS}\n", done.stdout)
        self.assertIn("incomplete", done.stderr)
        info = self.check_recording()
        ending = self.ending_of(LAST, info)
        self.assertEqual((ending["kind"], ending["detail"]), (kind, detail))
        self.assertFalse((self.folder / "x.rondo.parts").exists())
        self.assertEqual(processes_of(self.folder), [])


class Crash(CrashTest):
    def test_finalize_leaves_nothing_but_the_archive(self):
        done = self.record(program("endings"), "finalize", "1.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.rondo"])
        info = self.info()
        self.assertTrue(info["complete"])
        self.assertEqual([group["kind"] for group in info["endings"]], ["finalized"])

    def test_abort(self):
        self.crash("abort", "aborted", 3)

    def test_exit_without_finalize(self):
        self.crash("exit", "exited", 0)

    def test_return_from_main_without_finalize(self):
        self.crash("return", "exited", 0)

    def test_exit_that_skips_all_handlers(self):
        self.crash("quick_exit", "exited", 0)

    def test_early_exit_that_skips_all_handlers_keeps_its_rank(self):
        self.record(program("endings"), "quick_exit", "0")
        self.assertEqual(self.ending_of(LAST, self.check_recording(ranks=[LAST]))["kind"], "exited")

    def test_segmentation_fault(self):
        self.crash("segv", "signal", signal.SIGSEGV)

    def test_failed_assertion(self):
        self.crash("assert", "signal", signal.SIGABRT)

    def test_termination_of_one_rank(self):
        self.crash("term", "signal", signal.SIGTERM)

    def test_kill_of_one_rank(self):
        self.crash("kill", "unknown", 0)

    def test_early_crash_keeps_the_rank_that_crashed(self):
        done = self.record(program("endings"), "segv", "0")
        self.assertNotEqual(done.returncode, 0)
        self.check_recording(ranks=[LAST])


class Hang(CrashTest):
    """The last rank never comes: the others are in MPI_Barrier."""

    def hang(self, signals):
        started = self.start(program("endings"), "hang", "0")
        time.sleep(2)
        for sent in signals:
            sent(started)
            time.sleep(0.3)
        errors = started.communicate(timeout=60)[1]
        self.assertIn("incomplete", errors)
        info = self.check_recording()
        self.assertEqual(self.ending_of(0, info)["in_call"], "MPI_Barrier")
        self.assertGreater(self.ending_of(0, info)["in_call_ns"], 5e8)
        self.wait_for(lambda: processes_of(self.folder) == [])

    def test_batch_system_ends_the_run(self):
        self.hang([lambda rondo: rondo.send_signal(signal.SIGTERM)])

    def test_interrupted_twice(self):
        interrupt = lambda rondo: os.killpg(rondo.pid, signal.SIGINT)  # as a terminal does
        self.hang([interrupt, interrupt])

    def test_interrupted_while_the_archive_is_made(self):
        """The program has ended, and what is left may take long: here, until somebody reads the pipe. Parts stay."""
        started = self.start(program("endings"), "term", "1")
        os.mkfifo(self.folder / "x.rondo")
        self.wait_for(lambda: processes_of(self.folder) == [started.pid])
        time.sleep(0.2)
        started.send_signal(signal.SIGINT)
        self.assertEqual(started.wait(timeout=20), -signal.SIGINT)
        (self.folder / "x.rondo").unlink()
        self.assertEqual(run([RONDO, "convert", "x.rondo.parts", "x.rondo"], self.folder).returncode, 0)
        self.check_recording()

    def test_kill_of_the_launcher(self):
        def kill_launcher(rondo):
            children = pathlib.Path(f"/proc/{rondo.pid}/task/{rondo.pid}/children").read_text().split()
            os.kill(int(children[0]), signal.SIGKILL)

        self.hang([kill_launcher])

    def test_the_first_checkpoint_comes_early(self):
        started = self.start(program("endings"), "hang", "0", options=["--checkpoint", "10"])
        parts = self.folder / "x.rondo.parts"
        self.wait_for(lambda: len(list(parts.glob("*.part"))) == RANKS, seconds=8)
        for process in processes_of(self.folder):
            os.kill(process, signal.SIGKILL)
        started.communicate(timeout=60)

    def test_kill_of_everything_then_convert(self):
        started = self.start(program("endings"), "hang", "0")
        time.sleep(2)
        for process in processes_of(self.folder):
            os.kill(process, signal.SIGKILL)
        started.communicate(timeout=60)
        parts = self.folder / "x.rondo.parts"
        self.assertEqual(len(list(parts.glob("*.part"))), RANKS)
        done = run([RONDO, "convert", parts, "y.rondo"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_recording(file="y.rondo")
        self.assertEqual(len(list(parts.glob("*.part"))), RANKS, "convert must not take its input away")


class PlainPreload(CrashTest):
    """Without `rondo record` nobody collects the parts: `rondo convert` does."""

    def test_crash(self):
        line = launcher(environment=[("LD_PRELOAD", RECORDER), ("RONDO_OUTPUT", str(self.folder / "x.rondo"))])
        run([*line, program("endings"), "segv", "2"], self.folder)
        done = run([RONDO, "convert", "x.rondo.parts", "x.rondo"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_recording()

    def test_damaged_part_costs_one_rank(self):
        line = launcher(environment=[("LD_PRELOAD", RECORDER), ("RONDO_OUTPUT", str(self.folder / "x.rondo"))])
        run([*line, program("endings"), "segv", "2"], self.folder)
        damaged = next((self.folder / "x.rondo.parts").glob("*.1.0.part"))
        damaged.write_bytes(damaged.read_bytes()[:-9])
        done = run([RONDO, "convert", "x.rondo.parts", "x.rondo"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 1", done.stderr)
        self.assertIn("damaged", done.stderr)
        info = self.check_recording(ranks=[0, 2, 3])
        self.assertEqual(self.ending_of(1, info)["kind"], "unheard")
        self.assertIn("has nothing of rank 1", run([RONDO, "print", "--rank", "1", "x.rondo"], self.folder).stderr)
        played = run([RONDO, "simulate", "x.rondo", "--network", "latency=1us,bandwidth=1GB/s"], self.folder)
        self.assertIn("the recording is incomplete ('rondo info' says", played.stderr)

    def test_parts_of_an_older_run_are_not_overwritten(self):
        line = launcher(environment=[("LD_PRELOAD", RECORDER), ("RONDO_OUTPUT", str(self.folder / "x.rondo")),
                                     ("PMIX_NAMESPACE", "same")] if MPI == "mpich" else
                        [("LD_PRELOAD", RECORDER), ("RONDO_OUTPUT", str(self.folder / "x.rondo"))])
        for _ in range(2):
            run([*line, program("endings"), "segv", "1.5"], self.folder)
        names = {path.name.rsplit(".", 3)[0] for path in (self.folder / "x.rondo.parts").glob("*.part")}
        self.assertEqual(len(names), 2, names)


class Disk(SurvivalTest):
    def test_full_disk_fails_the_recording_not_the_program(self):
        """A file system of 64 kB that is full already."""
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small], capture_output=True).returncode != 0:
            self.skipTest("mounting a small file system needs root")
        try:
            (small / "filler").write_bytes(b"x" * 60000)
            done = run([RONDO, "record", "-o", str(small / "x.rondo"), "--", *launcher(), program("irregular"), "20000"],
                       self.folder)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(done.returncode, 2, "the program ended well, its recording did not")
            self.assertFalse((small / "x.rondo").exists())
        finally:
            subprocess.run(["umount", small], check=True)

    def test_folder_that_cannot_be_written(self):
        line = launcher(environment=[("LD_PRELOAD", RECORDER), ("RONDO_OUTPUT", "/proc/nowhere/x.rondo")])
        done = run([*line, program("endings"), "finalize", "1.5"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"said {ROUNDS}\n")
        self.assertIn("rondo: the archive could not be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
