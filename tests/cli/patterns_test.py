#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo patterns: process patterns, --communication with documented names, --match; rondo info --messages.

usage: patterns_test.py [--update]     --update writes the texts in golden/ anew
RONDO_TEST_DATA, if set, is the folder with traces of NAS programs in SimGrid's format.
"""
import json
import os
import pathlib
import sys
import unittest
import xml.etree.ElementTree

import flat_calls
import programs
from support import CommandTest, record

RANKS = 4
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
DATA = os.environ.get("RONDO_TEST_DATA")
UPDATE = "--update" in sys.argv


class ProcessPatterns(CommandTest):
    def test_text_says_how_often_and_where(self):
        text = self.rondo("patterns", record("wavefront", RANKS)).stdout
        self.assertRegex(text.splitlines()[0], r"^\d+ process patterns? in \d+ calls of 4 ranks; of the envelope: peer$")
        self.assertIn("wavefront.f:", text)
        self.assertRegex(text, r"\d+ events.*, follows itself")
        self.assertIn("\n--communication joins them over ranks", text)
        self.assertNotIn("--communication joins", self.rondo("patterns", record("wavefront", RANKS), "--rank", "0").stdout)

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

    def test_where_there_are_none_it_says_why(self):
        program = programs.build(self.folder, "puts.c", mpi="mpich")
        archive, _ = programs.record(program, RANKS, mpi="mpich")
        text = self.rondo("patterns", archive, "--communication").stdout
        self.assertRegex(text, r"(?m)^not among them: \d+ one-sided messages \(.*\), (99\.9|100) % of .* rondo topology and rondo logical")
        text = self.rondo("patterns", archive, "--min-length", "900").stdout
        self.assertIn("comes again with the same peer (--envelope none compares functions alone)", text)
        self.assertNotIn("one-sided", self.rondo("patterns", record("ring", RANKS), "--communication").stdout)

    def test_says_whose_ranks_peers_and_roots_are(self):
        archive, _ = programs.record(programs.build(self.folder, "grid.c"), ranks=6)  # rows and columns have ranks of their own
        note = "peers and roots are ranks of MPI_COMM_WORLD, on other communicators too"
        for arguments in ([], ["--communication"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.rondo("patterns", archive, *arguments).stdout.splitlines()[1], note)
                self.assertEqual(json.loads(self.rondo("patterns", archive, *arguments, "--json").stdout)["peers_are_ranks_of"],
                                 "MPI_COMM_WORLD")
                self.assertNotIn(note, self.rondo("patterns", record("ring", RANKS), *arguments).stdout)
        self.assertIn("bcast root 3 (on my_row", self.rondo("patterns", archive, "--rank", "4").stdout)

    def test_refuses(self):
        archive = record("ring", RANKS)
        self.refuses("patterns", archive, "--rank", "9", saying=["no rank 9", "0 to 3"])
        self.refuses("patterns", archive, "--envelope", "none,peer", saying="nothing else")
        self.refuses("patterns", "missing.rondo", saying="missing.rondo")


class Communication(CommandTest):
    def phases(self, example, ranks, *arguments):
        found = json.loads(self.rondo("patterns", record(example, ranks, *arguments), "--communication", "--json").stdout)
        return [[phase["name"] for phase in pattern["documented"]] for pattern in found["patterns"]]

    def test_names_what_is_documented(self):
        self.assertIn(["butterfly"], self.phases("butterfly", 8))
        self.assertIn(["wavefront", "wavefront"], self.phases("wavefront", 6))
        # Which worker answers first differs from run to run; on a busy machine all may do so in turns, as in a gather and a scatter.
        self.assertTrue(any(["master-worker"] in self.phases("workers", 5, rounds) for rounds in ("10", "12", "14", "16")))
        self.assertIn(["butterfly", "transpose"], self.phases("transpose", 16))
        self.assertIn(["V-cycle"], self.phases("vcycle", 8))

    def test_nothing_is_advised_to_a_master_of_workers(self):
        # no number of tasks that all workers could have alike
        for mpi, ranks in (("openmpi", 5), ("mpich", 7), ("openmpi", 12)):
            program = programs.build(self.folder, "farm.c", "-g", mpi=mpi, name=f"farm.{mpi}")
            archive, _ = programs.record(program, ranks, 203, mpi=mpi, archive=self.folder / f"{mpi}.{ranks}.rondo")
            found = json.loads(self.rondo("patterns", archive, "--communication", "--json").stdout)["patterns"]
            with self.subTest(mpi=mpi, ranks=ranks):
                self.assertIn("master-worker", {phase["name"] for pattern in found for phase in pattern["documented"]})
                self.assertEqual([pattern["advice"] for pattern in found], [[]] * len(found))

    def test_a_master_and_its_workers_are_one_pattern(self):
        # which worker comes first is not the program's choice, and each run has another order
        program = programs.build(self.folder, "farm.c", "-g", mpi="mpich")
        for ranks in (5, 9):
            archive, _ = programs.record(program, ranks, 203, mpi="mpich", archive=self.folder / f"one.{ranks}.rondo")
            text = self.rondo("patterns", archive, "--communication").stdout
            with self.subTest(ranks=ranks):
                self.assertLessEqual(int(text.split(" ", 1)[0]), 2, text)  # stopping the workers may be one of its own
                self.assertIn(f"     = master and workers over {ranks} ranks, rank 0 being the root\n", text)
                self.assertIn("rank 0: send any; recv any\n", text)

    def test_collectives_alone_have_bytes(self):
        program = programs.build(self.folder, "textbook.c", mpi="mpich")
        archive, _ = programs.record(program, 5, "halves", mpi="mpich")
        text = self.rondo("patterns", archive, "--communication").stdout
        self.assertIn("     5.6 kB, in collectives only; ", text)
        found = json.loads(self.rondo("patterns", archive, "--communication", "--json").stdout)["patterns"]
        self.assertEqual([pattern["collective_bytes"] for pattern in found], [5600])

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


    def test_order(self):
        archive = record("transpose", 16)
        for by, key in (("traffic", "bytes"), ("time", "inside_mpi_ns"), ("frequency", "executions"), ("ranks", "ranks"), ("length", "events")):
            with self.subTest(by=by):
                found = json.loads(self.rondo("patterns", archive, "--communication", "--top", "0", "--rank-by", by, "--json").stdout)
                values = [pattern[key] for pattern in found["patterns"]]
                self.assertGreater(len(values), 0)
                self.assertEqual(values, sorted(values, reverse=True))

    def test_places_have_call_sites_and_phases(self):
        found = json.loads(self.rondo("patterns", record("butterfly", 8), "--communication", "--json").stdout)
        for pattern in found["patterns"]:
            self.assertEqual(len(pattern["places"]), pattern["occurrences"])
            for place in pattern["places"]:
                self.assertIn("butterfly.c:", place["site"])
                self.assertLessEqual(place["first_call"], place["last_call"])

    def test_persistent_requests_have_their_peers(self):
        found = json.loads(self.rondo("patterns", record("persistent", 6), "--communication", "--json").stdout)
        names = [phase["name"] for pattern in found["patterns"] for phase in pattern["documented"]]
        self.assertIn("halo exchange", names)


class Text(CommandTest):
    """The whole text, as it was when it was read last."""
    def expect_golden(self, archive, name):
        self.rondo("convert", archive, "calls.rondo", "--times", "none", "--force")
        text = self.rondo("patterns", "calls.rondo", "--communication", "--top", "3").stdout
        golden = GOLDEN / f"patterns-{name}.txt"
        if UPDATE:
            golden.write_text(text)
        self.assertEqual(text, golden.read_text())

    def test_examples(self):
        for example, ranks in (("butterfly", 8), ("wavefront", 6), ("transpose", 16)):
            with self.subTest(example=example):
                self.expect_golden(record(example, ranks), f"{example}.{ranks}")

    @unittest.skipUnless(DATA, "RONDO_TEST_DATA is not set")
    def test_real_runs(self):
        for name in ("cg.A.16", "lu.A.8", "mg.A.16", "sp.A.9"):
            with self.subTest(name=name):
                self.expect_golden(pathlib.Path(DATA) / "ti" / f"{name}.tar.zst", name)


class Picture(CommandTest):
    def test_one_of_them_or_all(self):
        archive = record("transpose", 16)
        count = json.loads(self.rondo("patterns", archive, "--communication", "--json", "--top", "0").stdout)["communication_patterns"]
        self.rondo("patterns", archive, "--communication", "--pattern", "1", "-o", "p.svg")
        self.rondo("patterns", archive, "--communication", "-o", "all/")
        self.assertEqual((self.folder / "p.svg").read_bytes(), (self.folder / "all" / "pattern-1.svg").read_bytes())
        names = [f"pattern-{number}.svg" for number in range(1, count + 1)]
        self.assertEqual(sorted(path.name for path in (self.folder / "all").iterdir()), sorted(names))
        self.refuses("patterns", archive, "--communication", "-o", "all/", saying=["all/pattern-1.svg", "--force"])
        self.refuses("patterns", archive, "--communication", "--pattern", "99", "-o", "q.svg", saying="--pattern 99")

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

    def test_pattern_by_its_number(self):
        archive = record("butterfly", 8)
        found = json.loads(self.rondo("patterns", archive, "--communication", "--json").stdout)["patterns"][0]
        hits = json.loads(self.rondo("patterns", archive, "--communication", "--match", "1", "--json").stdout)
        self.assertEqual([rank["rank"] for rank in hits["ranks"]], [part["rank"] for part in found["parts"]])
        for rank in hits["ranks"]:
            self.assertEqual([hit["distance"] for hit in rank["occurrences"]], [0] * found["occurrences"])
        processes = json.loads(self.rondo("patterns", archive, "--json").stdout)["patterns"]
        self.assertIn(f"of {processes[0]['length']} events", self.rondo("patterns", archive, "--match", "1").stdout)
        self.refuses("patterns", archive, "--match", "99", saying="no pattern 99")
        self.refuses("patterns", archive, "--match", "1", "-o", "p.svg", saying="-o")

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
    unittest.main(argv=[word for word in sys.argv if word != "--update"])
