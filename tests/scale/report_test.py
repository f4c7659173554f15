#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the document of a page leaves out of runs of many ranks, and says so."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["RONDO_BUILD_DIR"]) / "bin"


def run_of(shape, sizes, rounds, *options):
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "run.rondo"
        subprocess.run([BIN / "many_ranks", shape, sizes, rounds, archive], check=True)
        done = subprocess.run([BIN / "rondo", "report", "--json", archive, *options], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)["runs"][0]


class Documents(unittest.TestCase):
    def test_say_what_a_run_of_many_ranks_leaves_out(self):
        run = run_of("halo", "96x128", "10")  # 1.1 million calls, which make 1.8 million messages
        text = "\n".join(run["left_out"])
        for what in ("the logical program is", "patterns are", "waits are", "other networks are"):
            self.assertRegex(text, rf"(?m)^{what} left out, as .*: see 'rondo [a-z]+', or write the page with --limit [0-9]+$")
        self.assertNotIn("sweep", run)
        self.assertIsNone(run["efficiency"]["waits"])
        self.assertGreater(run["efficiency"]["parallel_efficiency"], 0.5)
        self.assertIn("not played", run["efficiency"]["why_no_waits"])

    def test_have_what_the_limit_that_they_name_allows(self):
        left_out = run_of("sum", "2048", "8")["left_out"]  # 20 thousand calls, 0.2 million messages
        self.assertEqual(len(left_out), 1, left_out)
        limit = re.search(r"--limit ([0-9]+)", left_out[0]).group(1)
        run = run_of("sum", "2048", "8", "--limit", limit)
        self.assertEqual(run["left_out"], [])
        self.assertIn("sweep", run)

    def test_leave_nothing_out_of_small_runs(self):
        self.assertEqual(run_of("ring", "512", "10")["left_out"], [])


if __name__ == "__main__":
    unittest.main()
