# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a long command soon, with the status of the signal, and leaves files as they were. The archives are small and
stand for more calls than anybody waits for."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have what runs in the background ignore it, and it would be inherited

BUILD = pathlib.Path(os.environ.get("RONDO_BUILD_DIR", "build/dev")).resolve()
SOURCE = pathlib.Path(os.environ.get("RONDO_SOURCE_DIR", ".")).resolve()
CORPUS = SOURCE / "tests" / "data" / "hostile"
BEFORE = "what stood here before\n"
RUNS_SECONDS = 1  # before it is interrupted
SOON_SECONDS = 20  # on a machine with much else to do
NETWORK = ["--network", "latency=5us,bandwidth=1GB/s"]


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rondo-interrupt-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def interrupted(self, command, output=None):
        """Interrupts a command while it works; `output` is a file that it would write in the end."""
        if output:
            (self.folder / output).write_text(BEFORE)
        with self.subTest(command=command), open(self.folder / "stdout", "wb") as stdout:
            started = subprocess.Popen([str(BUILD / "bin" / "rondo"), "--limit", "none", *command], cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True)
            self.addCleanup(started.stderr.close)
            self.addCleanup(started.kill)
            time.sleep(RUNS_SECONDS)
            self.assertIsNone(started.poll(), "it has ended by itself already")
            began = time.monotonic()
            started.send_signal(signal.SIGINT)
            status = started.wait(timeout=SOON_SECONDS)
            self.assertLess(time.monotonic() - began, SOON_SECONDS)
            self.assertEqual(status, -signal.SIGINT, started.stderr.read())
            if output:
                self.assertEqual((self.folder / output).read_text(), BEFORE)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted({"stdout", *([output] if output else [])}))
        if output:
            (self.folder / output).unlink(missing_ok=True)

    def test_one_that_prints(self):
        self.interrupted(["print", "--flat", str(CORPUS / "trip40.rondo")])

    def test_those_that_compute(self):
        for command in (["simulate", *NETWORK], ["info", "--messages"], ["logical"]):
            self.interrupted([*command, str(CORPUS / "trip40.rondo")])
        self.interrupted(["topology", str(CORPUS / "laughs30.rondo")])

    def test_long_ones_say_how_long_they_take(self):
        for command in (["topology"], ["report", "-o", "out.html"]):
            line = [str(BUILD / "bin" / "rondo"), *command, "--limit", "none", str(CORPUS / "laughs30.rondo")]
            with subprocess.Popen(line, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as started:
                killer = threading.Timer(3 * SOON_SECONDS, started.kill)
                killer.start()
                said = next((text for text in started.stderr if "go through one by one, about" in text), "")
                started.send_signal(signal.SIGINT)
                status = started.wait()
                killer.cancel()
            self.assertIn("laughs30.rondo", said)
            self.assertEqual(status, -signal.SIGINT)

    def test_those_that_write_a_file(self):
        for output in ("out.goal", "out.pftrace"):
            self.interrupted(["convert", "--force", str(CORPUS / "trip40.rondo"), output], output)


if __name__ == "__main__":
    unittest.main()
