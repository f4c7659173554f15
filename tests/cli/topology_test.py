#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo topology: the stages of --explain, near matches, and files and pictures of the graph."""
import json
import unittest

from support import CommandTest


def torus(rows, columns):
    """Who talks to whom in a torus whose ranks are numbered row by row."""
    pairs = []
    for rank in range(rows * columns):
        row, column = divmod(rank, columns)
        for other in (row * columns + (column + 1) % columns, (row + 1) % rows * columns + column):
            pairs += [(rank, other), (other, rank)]
    return pairs


def csv(pairs):
    return "src,dst,messages,bytes\n" + "".join(f"{a},{b},1,100\n" for a, b in pairs)


class Explain(CommandTest):
    def test_prints_the_stages(self):
        lines = self.rondo("topology", self.file("t.csv", csv(torus(4, 4))), "--explain").stdout.splitlines()
        table = lines[lines.index("") + 1:]
        self.assertEqual(table[0].split(), ["stage", "candidates", "time"])
        self.assertEqual([line[:26].strip() for line in table[1:]], ["ranks, edges and degrees", "spectrum", "isomorphism"])
        self.assertIn("4x4 torus", table[3])

    def test_json_has_all_candidates(self):
        done = self.rondo("topology", self.file("t.csv", csv(torus(6, 6))), "--explain", "--json")
        stages = json.loads(done.stdout)["explanation"]["stages"]
        self.assertEqual([s["done"] for s in stages], [True] * 3)
        self.assertTrue(all(s["seconds"] > 0 for s in stages))
        self.assertGreater(len(stages[0]["candidates"]), len(stages[2]["candidates"]))
        self.assertIn("6x6 torus", stages[2]["candidates"])

    def test_says_what_is_too_large_or_not_connected(self):
        large = self.rondo("topology", self.file("t.csv", csv(torus(50, 50))), "--explain").stdout
        self.assertIn("Spectra are computed up to 2048 ranks.", large)
        ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
        parts = self.rondo("topology", self.file("p.csv", csv(ring + [(5, 6)])), "--explain").stdout
        self.assertIn("The stages look at the largest part, 5 of 7 ranks.", parts)


if __name__ == "__main__":
    unittest.main()
