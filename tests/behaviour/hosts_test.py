#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several hosts without a common file system: ranks that a stand-in for ssh starts under host names of their own, where
the folder of the output is not that of the first host."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import BUILD, MPI, RECORDER, RONDO, SurvivalTest, program, run  # noqa: E402

# Below the recorder: the second host's calendar is 3 s ahead, and its clocks run 200 ppm fast.
SHIFTED_CLOCK = r"""
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec* now) {
  char host[64] = "";
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  gethostname(host, sizeof host - 1);
  if (result != 0 || strcmp(host, "hostb") != 0) return result;
  struct timespec base;  /* the same on all clocks, so that they stay together */
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &base);
  const long long gained = (base.tv_sec * 1000000000LL + base.tv_nsec) / 5000;
  const long long ns = now->tv_sec * 1000000000LL + now->tv_nsec + gained + (clock == CLOCK_REALTIME ? 3000000000LL : 0);
  now->tv_sec = ns / 1000000000;
  now->tv_nsec = ns % 1000000000;
  return 0;
}
"""

AGENT = """#!/bin/sh
while [ $# -gt 0 ]; do case $1 in -*) shift;; *) break;; esac; done  # ssh's options
host=$1; shift
exec unshare --mount --uts sh -c '
  hostname "$1"
  [ "$1" = hosta ] || mount -t tmpfs none "$2"
  shift 2
  exec sh -c "$*"' sh "$host" {out} "$@"
"""


def can_unshare():
    done = subprocess.run(["unshare", "--mount", "--uts", "hostname", "x"], capture_output=True)
    return done.returncode == 0


@unittest.skipUnless(can_unshare(), "hosts of their own need root")
class Hosts(SurvivalTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.out.mkdir()
        agent = self.folder / "agent"
        agent.write_text(AGENT.replace("{out}", str(self.out)))
        agent.chmod(0o755)
        if MPI == "openmpi":
            self.launcher = ["mpirun.openmpi", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", str(agent), "--oversubscribe",
                             "--mca", "mpi_yield_when_idle", "1", "--host", "hosta:2,hostb:2", "-n", "4"]
        else:
            self.launcher = ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", str(agent), "-hosts", "hosta,hostb",
                             "-ppn", "2", "-n", "4", "-genv", "LD_PRELOAD", str(BUILD / "lib" / "libmpich_yield.so")]

    def record_on_both(self, *command, options=()):
        return run([RONDO, "record", "-o", "out/x.rondo", *options, "--", *self.launcher, *command], self.folder)

    def test_one_archive(self):
        done = self.record_on_both(str(BUILD / "examples" / MPI / "ring"))
        self.assertEqual((done.returncode, done.stdout), (0, "ring: ok, 4 ranks, 10 rounds, sum 60\n"), done.stderr)
        info = self.info("out/x.rondo")
        self.assertTrue(info["complete"])
        self.assertEqual(info["hosts"], [{"name": "hosta", "ranks": [0, 1]}, {"name": "hostb", "ranks": [2, 3]}])

    def preload_shifted_clock(self):
        source = self.folder / "clock.c"
        source.write_text(SHIFTED_CLOCK)
        library = str(self.folder / "clock.so")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, str(source)], check=True)
        if MPI != "openmpi":  # the launcher's own word stands before the environment's
            self.launcher[-1] = f"{library}:{self.launcher[-1]}"
            return
        before = os.environ.get("LD_PRELOAD")
        os.environ["LD_PRELOAD"] = library  # rondo puts the recorder before it
        self.addCleanup(lambda: os.environ.pop("LD_PRELOAD") if before is None else os.environ.update(LD_PRELOAD=before))

    def flights(self, file):
        """Of each message, how long after its send began its receive ended, in ns."""
        events = json.loads((self.folder / file).read_text())["traceEvents"]
        starts = {event["id"]: event["ts"] for event in events if event.get("ph") == "s"}
        ends = {event["id"]: event["ts"] for event in events if event.get("ph") == "f"}
        self.assertGreater(len(starts), 100)
        return [(ends[message] - start) * 1000 for message, start in starts.items()]

    def test_clocks_that_differ_become_one(self):
        self.preload_shifted_clock()
        done = self.record_on_both(str(BUILD / "tests" / "behaviour" / MPI / "pings"), "3", options=["--times", "full"])
        self.assertEqual(done.returncode, 0, done.stderr)
        clocks = self.info("out/x.rondo")["clocks"]
        self.assertGreater(clocks["greatest_correction_ns"], 2_900_000_000)
        self.assertGreater(clocks["greatest_gain_ppm"], 100)
        self.assertLess(clocks["greatest_gain_ppm"], 400)
        self.assertGreater(clocks["error_ns"], 0)
        self.assertLess(clocks["error_ns"], 1_000_000)
        done = run([RONDO, "convert", "out/x.rondo", "x.chrome.json"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        times = self.flights("x.chrome.json")
        self.assertGreaterEqual(min(times), -2 * clocks["error_ns"])

    def test_chunks_of_the_other_host_are_handed_over(self):
        done = self.record_on_both(program("irregular"), "150000", options=["--memory", "8"])
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info("out/x.rondo")
        self.assertEqual((info["complete"], info["calls"]), (True, 4 * 150_002))
        self.assertEqual(os.listdir(self.out), ["x.rondo"])

    def test_crash_keeps_what_this_host_sees(self):
        done = self.record_on_both(program("endings"), "segv", "2")
        self.assertNotEqual(done.returncode, 0)
        info = self.info("out/x.rondo")
        self.assertFalse(info["complete"])
        unheard = [group["ranks"] for group in info["endings"] if group["kind"] == "unheard"]
        self.assertEqual(unheard, [[2, 3]])
        self.assertEqual(sum(line.startswith("MPI_Sendrecv") for line in self.calls(1, "out/x.rondo")), 500)


if __name__ == "__main__":
    unittest.main()
