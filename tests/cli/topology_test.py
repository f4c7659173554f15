#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo topology: the stages of --explain, near matches, and files and pictures of the graph."""
import json
import re
import unittest
import xml.etree.ElementTree

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

    def test_all_to_all_of_four_is_no_stencil(self):
        for ranks, is_stencil in (4, False), (27, True):
            pairs = [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
            self.assertEqual("also called" in self.rondo("topology", self.file("a.csv", csv(pairs))).stdout, is_stencil, ranks)


class Near(CommandTest):
    def setUp(self):
        super().setUp()
        gone = {(0, 1), (1, 0), (17, 18), (18, 17)}
        pairs = [pair for pair in torus(8, 8) if pair not in gone] + [(0, 27), (3, 50)]
        self.matrix = self.file("near.csv", csv(pairs))

    def test_names_the_nearest_family_and_the_pairs_that_do_not_fit(self):
        lines = dict(line.split(maxsplit=1) for line in self.rondo("topology", self.matrix).stdout.splitlines() if line[0] != " ")
        self.assertEqual(lines["topology"], "irregular graph, nearly 8x8 torus")
        self.assertEqual(lines["nearest"], "8x8 torus")
        self.assertEqual(lines["missing"], "2: 0-1, 17-18")
        self.assertEqual(lines["extra"], "2: 0-27, 3-50")

    def test_json_has_all_pairs(self):
        near = json.loads(self.rondo("topology", self.matrix, "--json").stdout)["nearest"]
        self.assertEqual((near["topology"], near["hubs"]), ("8x8 torus", []))
        self.assertEqual((near["missing"], near["extra"]), ([[0, 1], [17, 18]], [[0, 27], [3, 50]]))
        self.assertAlmostEqual(near["recall"], 126 / 128)
        self.assertAlmostEqual(near["jaccard"], 126 / 130)
        self.assertAlmostEqual(near["messages_explained"], 252 / 254)
        self.assertEqual(near["coordinates"][9], [1, 1])

    def test_long_lists_are_cut_in_text(self):
        fewer = self.file("fewer.csv", csv([pair for pair in torus(12, 12) if set(pair) - {k for k in range(20)} or sum(pair) > 24]))
        self.assertIn(", ... (--json has all)", self.rondo("topology", fewer).stdout)

    def test_tolerance_is_obeyed_and_checked(self):
        self.assertNotIn("nearest", self.rondo("topology", self.matrix, "--tolerance", "1%").stdout)
        self.assertNotIn("nearest", self.rondo("topology", self.matrix, "--tolerance", "0%").stdout)
        self.refuses("topology", self.matrix, "--tolerance", "lots", saying="'lots' is no share")
        for by, things in (("site", "call sites"), ("part", "parts of a program"), ("phase", "phases"), ("loop", "loops"),
                           ("communicator", "communicators"), ("function", "functions")):
            self.refuses("topology", self.matrix, "--by", by, saying=[f"is a matrix, which has no {things}", "leave out --by"])
        self.assertEqual(self.rondo("topology", self.matrix, "--by", "none").stdout, self.rondo("topology", self.matrix).stdout)

    def test_a_near_match_is_no_exact_name(self):
        self.rondo("topology", self.matrix, "--require", status=1)


def knight(rows, columns):
    """A chess knight's moves, numbered row by row."""
    moves = [(1, 2), (2, 1), (-1, 2), (-2, 1)]
    return [(row * columns + column, (row + down) * columns + column + right)
            for row in range(rows) for column in range(columns) for down, right in moves
            if 0 <= row + down < rows and column + right < columns]


def renumbered(pairs, ranks):
    return [(rank * 5 % ranks, other * 5 % ranks) for rank, other in pairs]


class Families(CommandTest):
    FAMILY = "family knight\nmesh any open, any open\noffsets (1,2) (2,1) (-1,2) (-2,1)\n"

    def setUp(self):
        super().setUp()
        self.matrix = self.file("k.csv", csv(renumbered(knight(6, 8), 48)))

    def title(self, *options, **more):
        return json.loads(self.rondo("topology", self.matrix, "--json", *options, **more).stdout)["topology"]

    def test_a_family_of_a_file_is_recognized(self):
        family = self.file("knight.family", self.FAMILY)
        self.assertEqual(self.title(), "irregular graph")
        found = json.loads(self.rondo("topology", self.matrix, "--family", family, "--json", "--explain", "--require").stdout)
        self.assertIn(found["topology"], ("6x8 knight", "8x6 knight"))
        self.assertEqual(sorted(map(tuple, found["coordinates"])),
                         [(x, y) for x in range(found["dimensions"][0]["size"]) for y in range(found["dimensions"][1]["size"])])
        self.assertIn("6x8 knight", found["explanation"]["stages"][2]["candidates"])

    def test_families_are_looked_for_in_folders(self):
        folder = self.folder / "mine"
        folder.mkdir()
        (folder / "knight.family").write_text(self.FAMILY)
        self.assertIn("knight", self.title("--family", folder))
        self.assertIn("knight", self.title(environment={"RONDO_FAMILIES": f"{folder}:"}))
        home = self.folder / "data" / "rondo" / "families"
        home.mkdir(parents=True)
        (home / "knight.family").write_text(self.FAMILY)
        self.assertIn("knight", self.title(environment={"XDG_DATA_HOME": str(self.folder / "data")}))

    def test_the_first_family_of_a_name_counts(self):
        one = self.file("one.family", "family knight\nxor 1\n")
        two = self.file("two.family", self.FAMILY)
        self.assertIn("knight", self.title("--family", two, "--family", one))
        self.assertEqual(self.title("--family", one, "--family", two), "irregular graph")

    def test_a_learnt_graph_is_known_again(self):
        done = self.rondo("topology", self.file("l.csv", csv(knight(6, 8))), "--learn", "horse")
        self.assertIn("wrote the family 'horse' to horse.family", done.stderr)
        self.assertEqual(self.title("--family", "horse.family"), "horse of 48 ranks")
        self.rondo("topology", self.matrix, "--learn", "horse", "-o", "h2.family")
        self.assertEqual(self.title("--family", "h2.family"), "horse of 48 ranks")

    def test_refuses_wrong_files_and_names(self):
        wrong = self.file("wrong.family", "family a\nxor 1\nneighbor r+1\n")
        self.refuses("topology", self.matrix, "--family", wrong, saying=["wrong.family:3: ", "in one way"])
        self.refuses("topology", self.matrix, "--family", "none.family", saying="none.family")
        self.refuses("topology", self.matrix, "--learn", "1st", saying="no name of a family")
        self.refuses("topology", self.matrix, "--learn", "a", "-o", "a.png", saying="ends in .family")
        self.file("a.family", "precious")
        self.refuses("topology", self.matrix, "--learn", "a", saying=["a.family: exists already", "--force"])


class Output(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.file("t.csv", csv(torus(5, 4)))

    def test_writes_every_format_and_still_says_the_name(self):
        for name, head in [("a.graphml", b"<?xml"), ("a.dot", b"digraph"), ("a.json", b"{"), ("a.png", b"\x89PNG"), ("a.svg", b"<?xml")]:
            with self.subTest(name=name):
                done = self.rondo("topology", self.matrix, "-o", name)
                self.assertTrue(done.stdout.startswith("topology "), done.stdout)
                self.assertTrue((self.folder / name).read_bytes().startswith(head))

    def test_graphml_is_xml_with_all_ranks_and_pairs(self):
        self.rondo("topology", self.matrix, "-o", "a.graphml")
        root = xml.etree.ElementTree.parse(self.folder / "a.graphml").getroot()
        tags = [element.tag.rpartition("}")[2] for element in root.iter()]
        self.assertEqual((tags.count("node"), tags.count("edge")), (20, 80))

    def test_json_in_the_file_is_json_on_stdout(self):
        done = self.rondo("topology", self.matrix, "-o", "a.json", "--json")
        self.assertEqual((self.folder / "a.json").read_text(), done.stdout)

    def test_near_matches_are_drawn_too(self):
        near = self.file("near.csv", csv(torus(8, 8)[4:] + [(0, 27)]))
        self.rondo("topology", near, "-o", "near.svg")
        self.assertIn("<svg", (self.folder / "near.svg").read_text())

    def test_the_way_around_a_deep_torus_is_seen(self):
        """Rank 0 and 12 of 4x2x2 stand in a line with 4 and 8: their edge is drawn beside that line."""
        pairs = [(x, x ^ bit) for x in range(16) for bit in (1, 2)] + [(x, (x + step) % 16) for x in range(16) for step in (4, 12)]
        self.rondo("topology", self.file("deep.csv", csv(pairs)), "-o", "deep.svg")
        ways = re.findall(r'<path[^>]* d="([^"]*)"', (self.folder / "deep.svg").read_text())
        self.assertEqual(sum(way.count("C") == 1 for way in ways), 4 * 2)  # and the light seam of each

    def test_refuses_before_it_works(self):
        self.refuses("topology", self.matrix, "-o", "a.bmp", saying=["a.bmp: unknown extension", ".graphml"])
        self.file("a.dot", "precious")
        self.refuses("topology", self.matrix, "-o", "a.dot", saying=["a.dot: exists already", "--force"])
        self.rondo("topology", self.matrix, "-o", "a.dot", "--force")
        self.assertIn("digraph", (self.folder / "a.dot").read_text())


if __name__ == "__main__":
    unittest.main()
