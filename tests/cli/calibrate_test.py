#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo simulate --calibrate: what it writes is read, and says of its own measurements what they are. No time is judged:
the machine may be busy."""
import json
import math
import pathlib
import tempfile
import unittest

import support


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def launcher(mpi, ranks):
    if mpi == "openmpi":
        return ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", ranks]
    return ["mpirun.mpich", "-n", ranks, "-genv", "LD_PRELOAD", support.BUILD / "lib" / "libmpich_yield.so"]


class Calibrate(support.CommandTest):
    def check(self, launched, mpi):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "machine.network"
            said = json.loads(self.rondo("simulate", "--calibrate", "-o", path, "--mpi", mpi, "--json", "--", *launched,
                                         environment=AS_ROOT).stdout)
            network = said["network"]
            self.assertEqual(network["model"], "loggp")
            for key in ("latency_seconds", "overhead_seconds", "gap_seconds", "seconds_per_byte", "handshake_seconds"):
                self.assertGreaterEqual(network[key], 0, key)
            self.assertGreater(network["latency_seconds"] + network["overhead_seconds"], 0)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [path])

            rounds = [sample for sample in said["samples"] if sample["kind"] == "round"]
            self.assertEqual([sample["bytes"] for sample in rounds], [2**i for i in range(21)])
            off = [sample["modelled_seconds"] / sample["measured_seconds"] - 1 for sample in rounds]
            rms = math.sqrt(sum(each * each for each in off) / len(off))
            self.assertAlmostEqual(rms, said["rms_relative_error"], delta=1e-6 * (1 + rms))
            self.assertTrue(said["remarks"] or rms <= 0.2, "a large residual without a word")

            # Its prediction of a ping-pong is what the fit says, so off by its residual and no more.
            archive = self.ping_pong(folder, 1024)
            predicted = json.loads(self.rondo("simulate", archive, "--network", path, "--json").stdout)["predicted_seconds"]
            fitted = next(sample for sample in rounds if sample["bytes"] == 1024)
            self.assertAlmostEqual(predicted, fitted["modelled_seconds"], delta=1e-4 * predicted)
            self.assertLessEqual(abs(predicted / fitted["measured_seconds"] - 1), said["largest_relative_error"] + 1e-3)
            self.refuses("simulate", "--calibrate", "-o", path, "--mpi", mpi, "--", *launched, saying=["--force"])

    def ping_pong(self, folder, size):
        source = pathlib.Path(folder) / "source"
        source.mkdir()
        (source / "0.txt").write_text(f"0 init\n0 send 1 0 {size} 6\n0 recv 1 0 {size} 6\n0 finalize\n", encoding="ascii")
        (source / "1.txt").write_text(f"1 init\n1 recv 0 0 {size} 6\n1 send 0 0 {size} 6\n1 finalize\n", encoding="ascii")
        archive = source.with_suffix(".rondo")
        self.rondo("convert", source, archive)
        return archive

    def test_open_mpi(self):
        self.check(launcher("openmpi", 2), "openmpi")

    def test_mpich(self):
        self.check(launcher("mpich", 2), "mpich")

    def test_refuses_other_numbers_of_ranks(self):
        done = self.rondo("simulate", "--calibrate", "--", *launcher("openmpi", 3), status=2, environment=AS_ROOT)
        self.assertIn("between 2 ranks; these are 3", done.stderr)
        self.refuses("simulate", "--calibrate", "--", "echo", "2", saying="echo")


if __name__ == "__main__":
    unittest.main()
