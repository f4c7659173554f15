#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo simulate: what it prints of recorded runs, and what it refuses."""
import json
import unittest

import programs
import simgrid_test
import support

EXAMPLES = ("ring", "halo2d", "halo3d", "butterfly", "mixed", "wavefront", "multipartition", "transpose", "vcycle", "workers",
            "rowscols", "persistent", "irregular", "collectives")
PROBING = ("workers", "irregular")


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

    def test_times_beside_each_other_are_both_without_start_up(self):
        archive = support.record("halo2d", 4)
        network = ("--network", "latency=5us,bandwidth=1GB/s")
        answer = self.simulated(archive, *network)
        efficiency = json.loads(self.rondo("efficiency", archive, "--json").stdout)
        self.assertEqual(answer["recorded_behind_startup_seconds"], efficiency["runtime_seconds"])
        self.assertLess(answer["recorded_behind_startup_seconds"], answer["recorded_seconds"])
        self.assertRegex(self.rondo("simulate", archive, *network).stdout, r"predicted .*, recorded \S+ \S+ without start-up\n")

    def test_prints_tables_for_people(self):
        archive = support.record("halo2d", 4)
        text = self.rondo("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--critical-path").stdout
        for words in ("predicted", "computing", "waiting", "who waits for whom"):
            self.assertIn(words, text)
        self.assertIn("zero latency", self.rondo("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--what-if").stdout)
        sweep = self.rondo("simulate", archive, "--latency", "1us,5us", "--bandwidth", "1GB/s,10GB/s").stdout
        self.assertIn("predicted time by latency (rows) and bandwidth (columns)", sweep)

    def test_links_with_room_for_all_are_no_contention(self):
        """SimGrid plays each example, and puts and gets, as the own model does; the path through it adds up."""
        platform = simgrid_test.full_platform(self.folder / "wide.xml", 6, "2us", "1GBps", "FATPIPE", to_itself=True)
        puts = programs.build(self.folder, "puts.c", "-O1", mpi="mpich")
        archives = {example: support.record(example, 4) for example in EXAMPLES}
        archives["puts"] = programs.record(puts, 6, mpi="mpich", times="full")[0]
        for name, archive in archives.items():
            with self.subTest(example=name):
                words = ("simulate", archive, "--network", platform, "--critical-path", "--json")
                done = support.run(*words, cwd=self.folder)
                if "libsimgrid-dev" in done.stderr:
                    self.skipTest("rondo was built without SimGrid")
                self.assertEqual(done.returncode, 0, done.stderr)
                carried = json.loads(done.stdout)
                plain = self.simulated(archive, "--network", "latency=2us,bandwidth=1GB/s")
                for key in ("calls", "messages", "bytes"):
                    self.assertEqual(carried[key], plain[key])
                seconds = plain["predicted_seconds"]
                near = 0.02 if name in PROBING else 1e-6  # a platform shows a message to a probe when it is whole
                self.assertAlmostEqual(carried["predicted_seconds"], seconds, delta=near * seconds)
                path = carried["critical_path"]
                self.assertAlmostEqual(path["computing_seconds"] + path["communicating_seconds"], carried["predicted_seconds"],
                                       delta=1e-9 * seconds)

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
        for number in ("-1", "nan", "inf", "1e309", "1/0"):
            self.refuses("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--scale-compute", number, saying=f"'{number}' is no number from 0 on")
        self.refuses("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--scale-compute", "1e300", saying="292 years")
        self.refuses("simulate", archive, "--network", "latency=1e15s,bandwidth=1GB/s", saying="292 years")
        self.refuses("simulate", archive, "--network", "speed=5us", saying=["no 'speed'", "latency"])
        self.refuses("simulate", archive, "--network", "latency=fast", saying="fast")
        self.refuses("simulate", "none.rondo", "--network", "latency=5us,bandwidth=1GB/s", saying="none.rondo: cannot open")


if __name__ == "__main__":
    unittest.main()
