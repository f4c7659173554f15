#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several hosts without a common file system: ranks that a stand-in for ssh starts under host names of their own, where
the folder of the output is not that of the first host."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import BUILD, MPI, RECORDER, RONDO, SurvivalTest, program, run  # noqa: E402

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
