#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public sample of every format that is read, before the commands that explain a run: each answers, says the right number of
ranks, and none takes a sample for damaged. Samples are no part of the project: RONDO_TEST_DATA says where they are.

usage: samples_test.py RONDO"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

RONDO = pathlib.Path(sys.argv.pop(1)).resolve()
DATA = pathlib.Path(os.environ.get("RONDO_TEST_DATA", "/nowhere"))
SAMPLES = {  # ranks, and what the messages form
    "otf2/ping-pong": (2, "pair of ranks"), "otf2/ping-pong/traces.otf2": (2, "pair of ranks"),
    "epoch/epoch_1proc.prv.gz": (1, None), "epoch/epoch_2proc.prv.gz": (2, "pair of ranks"), "epoch/epoch_4proc.prv.gz": (4, None),
    "dumpi/testtrace.meta": (4, None), "liballprof/sweep3d-2x2": (4, "2x2 grid, wavefront from rank 3"), "goal/binary_tree_32.goal": (32, "tree"),
}
COMMANDS = {"topology": [], "patterns": [], "efficiency": [], "simulate": ["--latency", "1us", "--bandwidth", "1GB/s"]}


def is_read(sample):
    """Whether this build has the sample's format, which its folder is named after."""
    table = subprocess.run([RONDO, "convert", "--list"], capture_output=True, text=True, check=True).stdout
    return [sample.split("/")[0], "no"] not in [line.split()[:2] for line in table.splitlines()]


def runs_of_ti():
    return {f"ti/{path.name}": (None, None) for path in sorted((DATA / "ti").glob("*.A.*.tar.zst"))[:3]}


class Samples(unittest.TestCase):
    def rondo(self, *words):
        done = subprocess.run([RONDO, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done.stdout

    def test_every_command_answers(self):
        for sample, (ranks, form) in {**SAMPLES, **runs_of_ti()}.items():
            if not is_read(sample):
                with self.subTest(sample=sample):
                    self.skipTest("this build does not read the format")
                continue
            for command, options in COMMANDS.items():
                with self.subTest(sample=sample, command=command):
                    self.assertTrue((DATA / sample).exists())
                    answer = self.rondo(command, DATA / sample, *options)
                    self.assertTrue(answer.strip())
                    if form and (command == "topology" or (command == "efficiency" and "wavefront" in form)):
                        self.assertIn(form, answer)
                    if command == "efficiency" and sample.startswith("goal"):  # a tree of messages without computation
                        self.assertNotIn("%", answer)
            with self.subTest(sample=sample):
                info = json.loads(self.rondo("info", "--json", DATA / sample))
                self.assertGreater(info["calls"], 0)
                if ranks:
                    self.assertEqual(info["ranks"], ranks)

    def test_sweep3d_is_wavefronts(self):
        """Two sweeps from each corner in turn, which share an event where one ends and the next begins."""
        said = self.rondo("patterns", "--communication", "--json", DATA / "liballprof/sweep3d-2x2")
        names = [phase["name"] for pattern in json.loads(said)["patterns"] for phase in pattern["documented"]]
        self.assertEqual(set(names), {"wavefront"})
        self.assertEqual(len(names), 6)


if __name__ == "__main__":
    if not DATA.exists():
        sys.exit(77)
    unittest.main()
