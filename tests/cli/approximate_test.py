#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo convert --approximate: calls that SimGrid's time-independent traces cannot say, as what is nearest to them, against
smpirun -replay and rondo simulate."""
import json
import re
import shutil
import subprocess
import unittest

import programs
import support

RANKS = 5
ROUNDS = 200
FACTORS = ("smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0",
           "smpi/send-is-detached-thresh:1000000000", "smpi/async-small-thresh:1000000000")
LOWERED = ("MPI_Allreduce: as its messages (", "MPI_Bcast: as its messages (", "MPI_Ibarrier: as its messages, where it is completed (",
           "MPI_Iallgather: as its messages, where", "MPI_Issend: as a standard send (", "MPI_Probe: left out (")


def platform(folder):
    """A link for each ordered pair of hosts, 5 us and 1 GB/s."""
    hosts = [f"h{rank}" for rank in range(RANKS)]
    pairs = [(a, b) for a in hosts for b in hosts if a != b]
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1"><zone id="z" routing="Full">', *[f'<host id="{host}" speed="1Gf"/>' for host in hosts],
             *[f'<link id="{a}{b}" bandwidth="1GBps" latency="5us" sharing_policy="FATPIPE"/>' for a, b in pairs],
             *[f'<route src="{a}" dst="{b}" symmetrical="NO"><link_ctn id="{a}{b}"/></route>' for a, b in pairs],
             "</zone></platform>", ""]
    (folder / "platform.xml").write_text("\n".join(lines), encoding="ascii")
    (folder / "hosts").write_text("\n".join(hosts) + "\n", encoding="ascii")


class Approximate(support.CommandTest):
    def recorded(self, rounds, *words):
        """MPICH, as Debian's Open MPI has persistent collective operations by other names."""
        program = programs.build(self.folder, "lowered.c", "-O1", mpi="mpich")
        return programs.record(program, RANKS, str(rounds), *words, mpi="mpich")[0]

    def test_says_what_it_would_do_and_what_it_did(self):
        archive = self.recorded(2)
        refused = self.rondo("convert", archive, "out.ti", status=2)
        self.assertIn("MPI_Issend: is no standard send (10 times); with --approximate as a standard send", refused.stderr)
        self.assertNotIn("MPI_Start", refused.stderr)
        self.assertFalse((self.folder / "out.ti").exists())
        done = self.rondo("convert", archive, "out.ti", "--approximate")
        for what in LOWERED:
            self.assertIn("approximated: " + what, done.stderr)
        # Rank 3 and rank 1, in this order, are the odd half: each sends 800 bytes, and takes what comes.
        lines = (self.folder / "out.ti" / "rank-3.txt").read_text(encoding="ascii").splitlines()
        actions = [line for line in lines if "compute" not in line]
        self.assertRegex("\n".join(actions), r"3 isend 1 (\d+) 800 6\n3 irecv 1 \1 2147483647 6\n3 wait 3 1 \1\n3 wait 1 3 \1\n")
        self.assertNotRegex("\n".join(actions), "allreduce|bcast|ssend|barrier")
        self.refuses("convert", archive, "out.json", "--approximate", saying=".ti")

    def own_seconds(self, archive):
        return json.loads(self.rondo("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--json").stdout)["predicted_seconds"]

    def replayed_seconds(self, folder):
        platform(self.folder)
        replay = subprocess.run(["smpirun", "-np", str(RANKS), "-platform", "platform.xml", "-hostfile", "hosts", "-replay",
                                 f"{folder}/trace.list", *[f"--cfg={each}" for each in FACTORS]], cwd=self.folder, capture_output=True,
                                text=True, timeout=support.TIMEOUT_SECONDS)
        self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)
        return float(re.findall(r"Simulation time ([0-9.]+)", replay.stdout + replay.stderr)[-1])

    @unittest.skipUnless(shutil.which("smpirun"), "smpirun is not installed")
    def test_a_replay_takes_as_long_as_the_simulation(self):
        """Of what was written; of the run itself where collective operations on a part of the ranks are all that was lowered."""
        for words in (("blocking",), ()):
            with self.subTest(words=words):
                archive = self.recorded(ROUNDS, *words)
                self.rondo("convert", archive, "out.ti", "--approximate", "--force")
                self.rondo("convert", "out.ti", "again.rondo", "--times", "full", "--force")
                replayed, own, again = self.replayed_seconds("out.ti"), self.own_seconds(archive), self.own_seconds("again.rondo")
                print(f"{words}: smpirun -replay {replayed} s, rondo simulate {own} s, of what was written {again} s", flush=True)
                self.assertAlmostEqual(replayed, again, delta=0.03 * again)
                if words:
                    self.assertAlmostEqual(replayed, own, delta=0.03 * own)


if __name__ == "__main__":
    unittest.main()
