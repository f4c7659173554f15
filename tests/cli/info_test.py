#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo info: times that do not mislead, and runs that hang."""
import json
import signal
import subprocess
import time
import unittest

import programs
from support import RONDO, CommandTest, clean_environment, record

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
OPEN_MPI = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n"]


class Times(CommandTest):
    def info(self, archive):
        return json.loads(self.rondo("info", archive, "--json").stdout)

    def test_start_up_is_told_apart_and_headline_and_table_agree(self):
        archive = record("collectives")
        info = self.info(archive)
        text = self.rondo("info", archive).stdout
        behind = [use for use in info["call_sites"] if use["call"] not in ("MPI_Init", "MPI_Finalize")]
        inside = sum(use["inside_mpi_ns"] for use in behind)
        self.assertGreater(info["startup_ns"], 0)
        self.assertGreater(inside, 0)
        self.assertLess(info["share_inside_mpi"], 1)
        self.assertAlmostEqual((info["inside_mpi_ns"] - info["startup_ns"]) / inside, 1, delta=0.05)
        self.assertRegex(text, r"from MPI_Init to MPI_Finalize; MPI_Init alone took .* \(mean of ranks\)")
        self.assertRegex(text, r"behind it: inside MPI .*sum over ranks\), computation")
        self.assertRegex(text, r"(?m)^ +calls  inside MPI   share  function, place$")

    def test_json_has_all_call_sites(self):
        info = self.info(record("twin_c"))
        self.assertGreater(len(info["call_sites"]), 10)
        self.assertEqual(sum(use["calls"] for use in info["call_sites"]), info["calls"])


class Hangs(CommandTest):
    def test_time_in_the_call_counts(self):
        program = programs.build(self.folder, "hangs.c", "-g")
        started = subprocess.Popen([RONDO, "record", "-o", "x.rondo", "--", *OPEN_MPI, "3", program, "hang"],
                                   cwd=self.folder, env=clean_environment(AS_ROOT), stderr=subprocess.PIPE, text=True)
        parts = self.folder / "x.rondo.parts"
        for _ in range(300):  # until each rank has saved what it has, twice over
            if parts.is_dir() and len(list(parts.iterdir())) >= 3:
                break
            time.sleep(0.2)
        time.sleep(2.5)
        started.send_signal(signal.SIGINT)
        said = started.communicate(timeout=60)[1]
        call = "in MPI_Recv"
        self.assertIn(call, said)
        text = self.rondo("info", "x.rondo", "--messages").stdout
        self.assertIn(call, text)
        self.assertNotIn("none lacks an end", text)
        self.assertIn("3 ranks were in a call that did not end", text)
        info = json.loads(self.rondo("info", "x.rondo", "--json").stdout)
        self.assertEqual(info["call_sites"][0]["call"], "MPI_Recv")
        self.assertGreater(info["share_inside_mpi"], 0.4)


class Together(CommandTest):
    def test_what_if_and_critical_path(self):
        words = ["simulate", record("ring"), "--network", "latency=5us,bandwidth=1GB/s", "--what-if", "--critical-path"]
        text = self.rondo(*words).stdout
        self.assertIn("critical path: ends on rank", text)
        self.assertIn("zero latency", text)
        said = json.loads(self.rondo(*words, "--json").stdout)
        self.assertEqual(len(said["predictions"]), 6)
        self.assertGreater(said["critical_path"]["hops"], 0)

    def test_runs_on_different_ranks_have_calls(self):
        said = json.loads(self.rondo("compare", record("ring"), record("ring", 2), "--json", status=1).stdout)
        calls = {key: json.loads(self.rondo("info", record("ring", ranks), "--json").stdout)["calls"]
                 for key, ranks in (("a", 4), ("b", 2))}
        self.assertEqual(said["calls"], calls)


if __name__ == "__main__":
    unittest.main()
