#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo simulate: what it prints of recorded runs, and what it refuses."""
import json
import unittest

import support

EXAMPLES = ("ring", "halo2d", "halo3d", "butterfly", "mixed", "wavefront", "multipartition", "transpose", "vcycle", "workers",
            "rowscols", "persistent", "irregular", "collectives")


class Simulate(support.CommandTest):
    def simulated(self, archive, *options):
        return json.loads(self.rondo("simulate", archive, *options, "--json").stdout)

    def test_plays_every_example_to_its_end(self):
        for example in EXAMPLES:
            for mpi in ("openmpi", "mpich"):
                with self.subTest(example=example, mpi=mpi):
                    archive = support.record(example, 4, mpi=mpi)
                    result = self.simulated(archive, "--network", "latency=5us,bandwidth=1GB/s")
                    calls = json.loads(self.rondo("info", archive, "--json").stdout)["calls"]
                    self.assertEqual(result["calls"], calls)
                    self.assertEqual(max(rank["end_seconds"] for rank in result["ranks"]), result["predicted_seconds"])
                    for rank in result["ranks"]:
                        parts = rank["computing_seconds"] + rank["communicating_seconds"] + rank["waiting_seconds"]
                        self.assertAlmostEqual(parts, rank["end_seconds"], delta=1e-9 + 1e-9 * parts)

    def test_nothing_costs_nothing_and_twice_the_latency_twice_the_time(self):
        archive = support.record("ring", 8)
        def seconds(network):
            return self.simulated(archive, "--network", network, "--scale-compute", "0")["predicted_seconds"]
        self.assertEqual(seconds("latency=0s,bandwidth=inf"), 0)
        once, twice = seconds("latency=5us,bandwidth=inf"), seconds("latency=10us,bandwidth=inf")
        self.assertGreater(once, 5e-6)
        self.assertAlmostEqual(twice, 2 * once, delta=1e-9 * once)

    def test_prints_tables_for_people(self):
        archive = support.record("halo2d", 4)
        text = self.rondo("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--critical-path").stdout
        for words in ("predicted", "computing", "waiting", "who waits for whom"):
            self.assertIn(words, text)
        self.assertIn("zero latency", self.rondo("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--what-if").stdout)
        sweep = self.rondo("simulate", archive, "--latency", "1us,5us", "--bandwidth", "1GB/s,10GB/s").stdout
        self.assertIn("predicted time by latency (rows) and bandwidth (columns)", sweep)

    def test_draws_sweeps(self):
        archive = support.record("ring", 4)
        sweep = ("simulate", archive, "--latency", "1us,10us,0", "--bandwidth", "1GB/s,inf")
        self.rondo(*sweep, "-o", "sweep.svg")
        svg = (self.folder / "sweep.svg").read_text(encoding="utf-8")
        self.assertTrue(svg.startswith("<?xml"))
        self.rondo(*sweep, "-o", "sweep.png")
        self.assertTrue((self.folder / "sweep.png").read_bytes().startswith(b"\x89PNG"))
        self.refuses(*sweep, "-o", "sweep.svg", saying="--force")
        self.refuses(*sweep, "-o", "sweep.txt", saying=".svg")
        self.refuses("simulate", archive, "--network", "latency=1us,bandwidth=inf", "-o", "x.svg", saying="sweep")

    def test_refuses_what_makes_no_sense(self):
        archive = support.record("ring", 4)
        self.refuses("simulate", archive, "--network", "speed=5us", saying=["no 'speed'", "latency"])
        self.refuses("simulate", archive, "--network", "latency=fast", saying="fast")
        self.refuses("simulate", "none.rondo", "--network", "latency=5us,bandwidth=1GB/s", saying="none.rondo: cannot open")


if __name__ == "__main__":
    unittest.main()
