# SPDX-License-Identifier: Apache-2.0
"""Runs test programs under `rondo record` and under nothing, with the MPI that RONDO_TEST_MPI names."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("RONDO_BUILD_DIR", "build/dev")).resolve()
MPI = os.environ.get("RONDO_TEST_MPI", "openmpi")
RONDO = str(BUILD / "bin" / "rondo")
RECORDER = str(BUILD / "lib" / f"librondo_record_{MPI}.so")
RANKS = 4
TIMEOUT_SECONDS = 120


def program(name):
    return str(BUILD / "tests" / "survival" / MPI / name)


def launcher(ranks=RANKS, environment=()):
    """The launcher's command line; `environment` is pairs for the ranks."""
    if MPI == "openmpi":
        words = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks)]
        return words + [word for name, value in environment for word in ("-x", f"{name}={value}")]
    pairs = dict(environment)
    preload = [pairs.pop("LD_PRELOAD")] if "LD_PRELOAD" in pairs else []
    pairs["LD_PRELOAD"] = ":".join([*preload, str(BUILD / "lib" / "libmpich_yield.so")])
    words = ["mpirun.mpich", "-n", str(ranks)]
    return words + [word for name, value in pairs.items() for word in ("-genv", name, value)]


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RONDO_")}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(command, cwd):
    return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, timeout=TIMEOUT_SECONDS)


def processes_of(folder):
    """Processes that run in this folder."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            if state != "Z" and os.readlink(entry / "cwd") == str(folder):
                found.append(int(entry.name))
        except OSError:
            pass  # it has just ended
    return found


class SurvivalTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rondo-survival-"))
        self.addCleanup(self.clean_up)

    def clean_up(self):
        for process in processes_of(self.folder):
            os.kill(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def record(self, *command, options=(), ranks=RANKS):
        return run([RONDO, "record", "-o", "x.rondo", *options, "--", *launcher(ranks), *command], self.folder)

    def start(self, *command, options=(), ranks=RANKS):
        """Starts `rondo record`, and waits until the program has said its messages."""
        line = [RONDO, "record", "-o", "x.rondo", *options, "--", *launcher(ranks), *command]
        started = subprocess.Popen(line, cwd=self.folder, env=environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(started.kill)
        self.assertIn("said", started.stdout.readline())
        return started

    def info(self, file="x.rondo"):
        done = run([RONDO, "info", "--json", file], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def calls(self, rank, file="x.rondo"):
        """The calls of a rank's threads, as lines of text."""
        done = run([RONDO, "print", "--flat", "--rank", str(rank), file], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def wait_for(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "what was waited for did not come")
            time.sleep(0.05)
