#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo patterns: process patterns, --communication with documented names, --match; rondo info --messages."""
import json
import unittest
import xml.etree.ElementTree

import flat_calls
from support import CommandTest, record

RANKS = 4


class ProcessPatterns(CommandTest):
    def test_text_says_how_often_and_where(self):
        text = self.rondo("patterns", record("wavefront", RANKS)).stdout
        self.assertRegex(text.splitlines()[0], r"^\d+ process patterns? in \d+ calls of 4 ranks; of the envelope: peer$")
        self.assertIn("wavefront.f:", text)

    def test_json_has_places_of_each_rank(self):
        found = json.loads(self.rondo("patterns", record("wavefront", RANKS), "--json").stdout)
        self.assertEqual(found["process_patterns"], len(found["patterns"]))
        for pattern in found["patterns"]:
            self.assertEqual(sorted({member["rank"] for member in pattern["by_rank"]}), pattern["ranks"])
            for member in pattern["by_rank"]:
                self.assertEqual(len(member["events"]), pattern["length"])
                self.assertGreater(member["executions"], 1)

    def test_envelope_and_order(self):
        archive = record("wavefront", RANKS)
        found = json.loads(self.rondo("patterns", archive, "--json", "--envelope", "none", "--rank-by", "length").stdout)
        self.assertEqual(found["envelope"], {"peer": False, "size": False, "tag": False})
        lengths = [pattern["length"] for pattern in found["patterns"]]
        self.assertEqual(lengths, sorted(lengths, reverse=True))
        self.assertIn("send", {event for p in found["patterns"] for m in p["by_rank"] for event in m["events"]})

    def test_refuses(self):
        archive = record("ring", RANKS)
        self.refuses("patterns", archive, "--rank", "9", saying=["no rank 9", "0 to 3"])
        self.refuses("patterns", archive, "--envelope", "none,peer", saying="nothing else")
        self.refuses("patterns", "missing.rondo", saying="missing.rondo")


class Communication(CommandTest):
    def phases(self, example, ranks):
        found = json.loads(self.rondo("patterns", record(example, ranks), "--communication", "--json").stdout)
        return [[phase["name"] for phase in pattern["documented"]] for pattern in found["patterns"]]

    def test_names_what_is_documented(self):
        self.assertIn(["butterfly"], self.phases("butterfly", 8))
        self.assertIn(["wavefront", "wavefront"], self.phases("wavefront", 6))
        self.assertIn(["master-worker"], self.phases("workers", 5))
        self.assertIn(["butterfly", "transpose"], self.phases("transpose", 16))

    def test_links_join_parts_that_are_there(self):
        found = json.loads(self.rondo("patterns", record("butterfly", 8), "--communication", "--json").stdout)
        pattern = found["patterns"][0]
        self.assertEqual([part["rank"] for part in pattern["parts"]], list(range(8)))
        self.assertEqual(sum(link["messages"] for link in pattern["links"]), pattern["messages"])
        for link in pattern["links"]:
            sender, receiver = pattern["parts"][link["from_part"]], pattern["parts"][link["to_part"]]
            self.assertTrue(sender["events"][link["from_event"]].startswith(f"sendrecv {receiver['rank']} "))

    def test_text_has_evidence_and_advice(self):
        text = self.rondo("patterns", record("butterfly", 8), "--communication").stdout
        self.assertIn("= butterfly over 8 ranks, in 3 rounds\n", text)
        self.assertIn("distances in rank numbers 1, 2, 4\n", text)
        self.assertIn("consider MPI_Allreduce\n", text)


class Picture(CommandTest):
    def test_svg_and_png(self):
        archive = record("butterfly", 8)
        self.rondo("patterns", archive, "--communication", "-o", "p.svg")
        self.assertEqual(xml.etree.ElementTree.parse(self.folder / "p.svg").getroot().tag.split("}")[-1], "svg")
        self.rondo("patterns", archive, "--match", "butterfly", "-o", "p.png")
        self.assertTrue((self.folder / "p.png").read_bytes().startswith(b"\x89PNG"))

    def test_refuses(self):
        archive = record("butterfly", 8)
        self.refuses("patterns", archive, "-o", "p.svg", saying="--communication")
        self.refuses("patterns", archive, "--communication", "-o", "p.txt", saying=["p.txt", ".png or .svg"])


class Match(CommandTest):
    def test_documented_pattern_by_name(self):
        archive = record("butterfly", 8)
        found = json.loads(self.rondo("patterns", archive, "--match", "Butterfly", "--json").stdout)
        self.assertEqual(found["communication_patterns"], 1)
        self.rondo("patterns", archive, "--match", "wavefront", status=1)
        self.refuses("patterns", archive, "--match", "butterflies", saying=["butterflies", "halo exchange", "transpose"])
        self.refuses("patterns", archive, "--match", "butterfly", "--distance", "1", saying="--distance")

    def test_file_exact_and_with_differences(self):
        archive = record("butterfly", 8)
        bits = "ranks 0:\n  sendrecv 1 from 1\n  sendrecv 2 from 2\n  sendrecv {0} from {0}\n"
        exact = json.loads(self.rondo("patterns", archive, "--match", self.file("a.pattern", bits.format(4)), "--json").stdout)
        self.assertEqual([hit["distance"] for hit in exact["ranks"][0]["occurrences"]], [0])
        other = self.file("b.pattern", bits.format(6))
        self.rondo("patterns", archive, "--match", other, status=1)
        text = self.rondo("patterns", archive, "--match", other, "--distance", "1").stdout
        self.assertIn("1 difference: sendrecv 4 from 4 instead of sendrecv 6 from 6", text)

    def test_bad_file_is_refused_with_its_line(self):
        self.refuses("patterns", record("ring", RANKS), "--match", self.file("bad.pattern", "every rank:\n  hop 3\n"),
                     saying=["bad.pattern:2", "hop"])


class Messages(CommandTest):
    def test_counts_what_the_ranks_send(self):
        for example in ("ring", "wavefront", "workers"):
            with self.subTest(example=example):
                archive = record(example, RANKS)
                entries = [list(map(int, line.split(","))) for line in flat_calls.matrix_of(archive, RANKS)[2:]]
                found = json.loads(self.rondo("info", archive, "--messages", "--json").stdout)["messages"]
                self.assertEqual(found["matched"], sum(entry[2] for entry in entries))
                self.assertEqual(found["matched_bytes"], sum(entry[3] for entry in entries))
                self.assertEqual(found["unmatched_sends"], 0)


if __name__ == "__main__":
    unittest.main()
