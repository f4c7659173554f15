#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rondo convert` by several processes: the same bytes for any number of them and by any launcher, what they say of bad
input and of each other, and nothing that is left behind.

usage: processes_test.py RONDO"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have what runs in the background ignore it, and it would be inherited

RONDO = pathlib.Path(sys.argv.pop(1)).resolve()
DATA = pathlib.Path(os.environ.get("RONDO_TEST_DATA", "/nowhere"))
SAMPLES = {"otf2": "otf2/ping-pong", "dumpi": "dumpi/testtrace.meta", "liballprof": "liballprof/sweep3d-2x2"}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n"],
             "mpich": ["mpirun.mpich", "-n"]}
STEP = "{0} compute 2000\n{0} send {1} 7 5 0\n{0} recv {2} 7 5 0\n"


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_COMM", "PMI", "SLURM", "FLUX"))}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)

    def ring(self, ranks, bad_rank=None):
        """A folder of actions; a rank does more than the others, so that there are several classes."""
        (self.place / "ring").mkdir()
        for rank in range(ranks):
            steps = STEP.format(rank, (rank + 1) % ranks, (rank - 1) % ranks) * (1 + rank // 3)
            wrong = f"{rank} fly 1\n" if rank == bad_rank else ""
            (self.place / "ring" / f"{rank}.txt").write_text(f"{rank} init\n{steps}{wrong}{rank} finalize\n", encoding="ascii")
        return "ring"

    def start(self, *arguments, extra=None):
        return subprocess.Popen([RONDO, "convert", *map(str, arguments)], cwd=self.place, env=environment() | (extra or {}),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def by_parts(self, processes, *arguments):
        """Statuses and words of processes that are told their part, the last one started first."""
        started = [self.start(*arguments, "--part", f"{i}/{processes}") for i in reversed(range(processes))]
        ended = [(one.communicate(timeout=100)[1], one.returncode) for one in started]
        return [(status, words) for words, status in reversed(ended)]

    def alone(self, source, *arguments):
        done = self.start(source, "alone.rondo", "--force", *arguments)
        words = done.communicate(timeout=100)[1]
        self.assertEqual(done.returncode, 0, words)
        return (self.place / "alone.rondo").read_bytes(), words

    def assert_tidy(self, *outputs):
        self.assertEqual(sorted(p.name for p in self.place.iterdir()), sorted(["ring", *outputs]))

    def test_any_number_of_processes_writes_the_same(self):
        source = self.ring(7)
        for options in ([], ["--times", "full"], ["--fold", "none"]):
            expected, words = self.alone(source, *options)
            for processes in (1, 2, 3, 5, 7, 9):
                with self.subTest(processes=processes, options=options):
                    ended = self.by_parts(processes, source, "out.rondo", "--force", *options)
                    self.assertEqual(ended, [(0, words)] + [(0, "")] * (processes - 1))
                    self.assertEqual((self.place / "out.rondo").read_bytes(), expected)
        self.assert_tidy("alone.rondo", "out.rondo")

    def test_launchers_say_which_process_is_which(self):
        source = self.ring(6)
        expected, _ = self.alone(source)
        for mpi, words in LAUNCHERS.items():
            for processes in (1, 2, 3, 5):
                with self.subTest(mpi=mpi, processes=processes):
                    subprocess.run([*words, str(processes), RONDO, "convert", source, "out.rondo", "--force"], check=True,
                                   cwd=self.place, env=environment(), timeout=100)
                    self.assertEqual((self.place / "out.rondo").read_bytes(), expected)
        step = [self.start(source, "out.rondo", "--force", extra={"SLURM_PROCID": str(i), "SLURM_STEP_NUM_TASKS": "2"})
                for i in range(2)]
        self.assertEqual([one.wait(timeout=100) for one in step], [0, 0])
        for one in step:
            one.communicate()
        self.assertEqual((self.place / "out.rondo").read_bytes(), expected)
        self.assert_tidy("alone.rondo", "out.rondo")

    def test_real_traces_by_launchers(self):
        table = subprocess.run([RONDO, "convert", "--list"], capture_output=True, text=True, check=True).stdout
        lacking = [line.split()[0] for line in table.splitlines() if line.split()[1] == "no"]
        for name, path in SAMPLES.items():
            if not (DATA / path).exists() or name in lacking:
                with self.subTest(trace=name):
                    self.skipTest("this build does not read it" if name in lacking else "RONDO_TEST_DATA does not say where the samples are")
                continue
            expected, words = self.alone(DATA / path, "--times", "full")
            for mpi, launcher in LAUNCHERS.items():
                for processes in (2, 3, 5):
                    with self.subTest(trace=name, mpi=mpi, processes=processes):
                        done = subprocess.run([*launcher, str(processes), RONDO, "convert", str(DATA / path), "out.rondo",
                                               "--force", "--times", "full"], cwd=self.place, env=environment(),
                                              capture_output=True, text=True, timeout=100, check=False)
                        self.assertEqual((done.returncode, done.stderr), (0, words))
                        self.assertEqual((self.place / "out.rondo").read_bytes(), expected)

    def test_an_error_of_any_process_is_said_once_by_the_first(self):
        source = self.ring(5, bad_rank=3)
        alone = self.start(source, "out.rondo")
        words = alone.communicate(timeout=100)[1]
        self.assertIn("3.txt", words)
        for processes in (2, 3, 5):
            ended = self.by_parts(processes, source, "out.rondo")
            self.assertEqual(ended[0], (2, words))
            self.assertEqual([text for _, text in ended[1:]], [""] * (processes - 1))
        self.assert_tidy()

    def test_one_that_does_not_come_is_missed(self):
        done = self.start(self.ring(4), "out.rondo", "--part", "0/2", "--wait", "1")
        self.assertIn("process 1 of 2 did not come (waited for 1 s)", done.communicate(timeout=100)[1])
        self.assertEqual(done.returncode, 2)
        self.assert_tidy()

    def test_one_that_dies_is_missed(self):
        """The second process is played by the test: it comes, and gives one sign of life."""
        first = self.start(self.ring(4), "out.rondo", "--part", "0/2", "--wait", "3")
        meeting = self.place / "out.rondo.meeting"
        deadline = time.monotonic() + 60
        while not meeting.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        (meeting / "hello.1.2.5-6-7-8").touch()
        while not (meeting / "answer.5-6-7-8").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        session = (meeting / "answer.5-6-7-8").read_text(encoding="ascii")
        (meeting / f"{session}.life.1").write_text("0", encoding="ascii")
        self.assertIn("process 1 of 2 gives no sign of life any more (waited for 3 s)", first.communicate(timeout=100)[1])
        self.assertEqual(first.returncode, 2)
        self.assert_tidy()

    def test_an_interrupted_first_process_takes_the_folder_away(self):
        first = self.start(self.ring(4), "out.rondo", "--part", "0/2")
        meeting = self.place / "out.rondo.meeting"
        deadline = time.monotonic() + 60
        while not meeting.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=100)
        self.assert_tidy()

    def test_what_a_killed_run_left_is_not_read(self):
        source = self.ring(4)
        expected, _ = self.alone(source)
        meeting = self.place / "out.rondo.meeting"
        meeting.mkdir(mode=0o700)
        (meeting / "hello.1.2.1-2-3-4").touch()
        (meeting / "9-9-9-9.parcel.1").write_bytes(b"old")
        self.assertEqual(self.by_parts(2, source, "out.rondo"), [(0, "")] * 2)
        self.assertEqual((self.place / "out.rondo").read_bytes(), expected)
        self.assert_tidy("alone.rondo", "out.rondo")

    def test_a_folder_of_somebody_else_is_not_used(self):
        source = self.ring(4)
        meeting = self.place / "out.rondo.meeting"
        meeting.mkdir()
        meeting.chmod(0o777)
        done = self.start(source, "out.rondo", "--part", "0/2")
        self.assertIn("is in the way", done.communicate(timeout=100)[1])
        self.assertEqual(done.returncode, 2)
        shutil.rmtree(meeting)

    def test_one_file_is_read_by_the_first_process(self):
        self.alone(self.ring(4))
        ended = self.by_parts(3, "alone.rondo", "out.json")
        self.assertEqual([status for status, _ in ended], [0, 0, 0])
        self.assertIn("is read by the first process alone", ended[0][1])
        self.assertEqual([words for _, words in ended[1:]], ["", ""])

    def test_parts_that_are_none_are_refused(self):
        source = self.ring(2)
        for part in ("1", "2/2", "-1/2", "0/0", "a/b", "/", "0/2/"):
            done = self.start(source, "out.rondo", "--part", part)
            self.assertIn("--part is one of several processes", done.communicate(timeout=100)[1], part)
            self.assertEqual(done.returncode, 2)
        done = self.start(source, "-", "--to", "json", "--part", "0/2")
        self.assertIn("several processes meet beside the output", done.communicate(timeout=100)[1])


if __name__ == "__main__":
    unittest.main()
