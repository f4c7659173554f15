#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo logical and rondo compare --logical: texts against golden files, expansion against `rondo print --flat`.

    RONDO_BUILD_DIR=build/dev python3 tests/cli/logical_test.py --update    # writes tests/logical/golden/ anew; read the diff
"""
import json
import os
import pathlib
import re
import sys
import unittest

import programs
from support import ALL_CASES, CommandTest, flat_lines, record, run

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "logical" / "golden"
GOLDEN_RUNS = [(example, ranks) for example in ("halo2d", "wavefront", "mixed", "transpose", "multipartition", "vcycle")
               for ranks in (4, 16)]
EXPANDED = [("halo2d", 6), ("wavefront", 6), ("mixed", 16), ("transpose", 4), ("multipartition", 4), ("vcycle", 4),
            ("ring", 5), ("butterfly", 4), ("persistent", 4), ("rowscols", 6), ("neighbors", 4), ("irregular", 6),
            ("halo3d", 8), ("collectives", 3), ("workers", 4)]


def golden_text(example, ranks):
    return run("logical", record(example, ranks), "--lossless", "--no-times").stdout


def update():
    GOLDEN.mkdir(exist_ok=True)
    for example, ranks in GOLDEN_RUNS:
        (GOLDEN / f"{example}.{ranks}.txt").write_text(golden_text(example, ranks), encoding="utf-8")


class LogicalProgram(CommandTest):
    def test_is_as_in_the_golden_files(self):
        for example, ranks in GOLDEN_RUNS:
            with self.subTest(example=example, ranks=ranks):
                want = (GOLDEN / f"{example}.{ranks}.txt").read_text(encoding="utf-8")
                self.assertEqual(golden_text(example, ranks), want)

    def test_is_read_again_by_check(self):
        for example, ranks in EXPANDED:
            for options in ([], ["--lossless"], ["--no-times"], ["--detail", "paper"]):
                with self.subTest(example=example, ranks=ranks, options=options):
                    text = self.rondo("logical", record(example, ranks), *options).stdout
                    self.assertEqual(self.rondo("logical", "--check", "-", stdin=text).stdout, text)

    def test_sites_stand_behind_the_calls(self):
        archive = record("halo2d", 4)
        text = self.rondo("logical", archive, "--sites").stdout
        self.assertEqual(self.rondo("logical", "--check", "-", stdin=text).stdout, text)
        lines = [line for line in text.splitlines() if line.lstrip().startswith(("irecv", "isend", "waitall"))]
        self.assertGreaterEqual(len(lines), 3, text)
        for line in lines:
            self.assertRegex(line, r"  # (\S+ \S+ before, )?at halo2d\.c:\d+(, \d+)*$")
        plain = self.rondo("logical", archive).stdout
        self.assertNotIn("halo2d.c:", plain)

    def test_json_has_what_the_text_has(self):
        archive = record("mixed", 16)
        data = json.loads(self.rondo("logical", archive, "--json").stdout)
        head = self.rondo("logical", archive).stdout.splitlines()[0]
        self.assertTrue(head.endswith(f"  # {data['ranks']} ranks, {data['records']} records"), head)
        self.assertEqual(sorted(data["cell_of_rank"]), list(range(16)))

        def calls(statements):
            return sum(calls(s["body"]) if "body" in s else s.get("executions", 0) for s in statements)
        flat = self.rondo("print", archive, "--flat").stdout.splitlines()
        self.assertEqual(sum(calls(p["statements"]) for p in data["programs"]), len([x for x in flat if "(" in x]))

    def test_names_phases_where_there_are_several_topologies(self):
        text = self.rondo("logical", record("mixed", 16), "--no-times").stdout
        self.assertIn("  loop 10:\n    phase 2: on 4x4 torus, in cart#1\n    loop 5:\n", text)
        data = json.loads(self.rondo("logical", record("mixed", 16), "--json").stdout)
        inner = next(s for s in data["programs"][0]["statements"] if s.get("loop") == "10")["body"]
        self.assertEqual(inner[0], {"phase": 2, "topologies": ["4x4 torus"], "communicators": ["cart#1"]})
        self.assertNotIn("phase", self.rondo("logical", record("halo2d", 6)).stdout)

    def test_communicators_have_the_names_of_the_other_commands(self):
        for mpi in ("openmpi", "mpich"):
            archive, _ = programs.record(programs.build(self.folder, "grid.c", mpi=mpi, name=f"grid-{mpi}"), ranks=6, mpi=mpi)
            text = self.rondo("logical", archive, "--no-times").stdout
            self.assertEqual(set(re.findall(r"(?<=\S)(?:  on|  root \S+ of) (\S+)", text)), {"split#1", "my_row", "dup#1"})
            self.assertIn("makes split#1 (columns)\n", text)
            self.assertIn("makes my_row (rows)\n", text)
            self.assertIn("makes dup#1 (all ranks)\n", text)
            printed = self.rondo("print", archive).stdout
            self.assertEqual(set(re.findall(r" comm=([^ ,)]+)", printed)) - {"MPI_COMM_WORLD"}, {"split#1", "my_row", "dup#1"})
            by_comm = self.rondo("topology", archive, "--by", "communicator").stdout
            self.assertIn("\n2x3 process grid: my_row joins the ranks of each row, split#1 those of each column\n", by_comm)

    def test_says_how_much_ranks_differ_beyond_the_topology(self):
        archive = record("ring", 5)
        lines = self.rondo("logical", archive, "--no-times").stdout.splitlines()
        # In each of 10 rounds one rank receives after it has sent, the others before.
        self.assertRegex(lines[-4], r"^# beyond the topology: 2 records, 50 of \d+ calls \(\d+ %\), \d+ of 2400 bytes")
        self.assertRegex(lines[-3], r"^#   ranks [\d,-]+: 1 record, 40 calls, \d+ bytes$")
        self.assertRegex(lines[-2], r"^#   rank \d: 1 record, 10 calls, \d+ bytes$")
        beyond = json.loads(self.rondo("logical", archive, "--json").stdout)["beyond_topology"]
        self.assertEqual([s["calls"] for s in beyond["sets"]], [40, 10])
        table = self.rondo("logical", archive, "--accuracy").stdout
        self.assertIn("beyond the topology: calls of some ranks only", table)
        self.assertIn("beyond the topology: nothing", self.rondo("logical", record("halo2d", 6), "--accuracy").stdout)

    def test_in_the_papers_detail_has_only_call_direction_and_datatype(self):
        text = self.rondo("logical", record("halo2d", 6), "--detail", "paper", "--no-times").stdout
        self.assertNotIn("tag", text)
        self.assertRegex(text, r"(?m)^ +i?send (?:north|south|east|west|across x|[+-][xy])(?:\|nobody)? double  on cart#1$")
        self.refuses("logical", record("halo2d", 6), "--detail", "paper", "--expand", "0", saying="leave out --detail paper")

    def test_nas_benchmarks_are_no_longer_than_a_reader_wants(self):
        """Recorded live, with tags and sites. Paper's detail: at most what the paper has, and no more than all words (MG's ranks
        that pause are told apart by words that the paper's records do not have)."""
        if "RONDO_TEST_DATA" not in os.environ:
            self.skipTest("RONDO_TEST_DATA is not set")
        for run, most, paper in (("bt.W.16", 44, 44), ("cg.W.16", 20, 10), ("lu.W.8", 60, 63), ("mg.W.16", 90, 590), ("sp.W.16", 60, 89)):
            archive = pathlib.Path(os.environ["RONDO_TEST_DATA"], "live", run + ".rondo")
            text = self.rondo("logical", archive).stdout
            records = [int(re.search(r"# \d+ ranks, (\d+) records", of)[1])
                       for of in (text, self.rondo("logical", archive, "--detail", "paper").stdout)]
            self.assertLessEqual(records[0], most, run)
            self.assertLessEqual(records[1], min(records[0], paper), run)
            self.rondo("logical", "--check", "-", stdin=text)


class Expansion(CommandTest):
    def test_is_what_print_says_of_every_rank(self):
        for mpi in ("openmpi", "mpich"):
            for example, ranks in EXPANDED:
                archive = record(example, ranks, mpi=mpi)
                printed = flat_lines(archive)
                self.assertEqual(len(printed), ranks)
                # Under the second MPI the first, the last and one within.
                some = range(ranks) if mpi == "openmpi" or ALL_CASES else sorted({0, ranks // 2, ranks - 1})
                for rank in some:
                    flat = printed[rank]
                    with self.subTest(mpi=mpi, example=example, rank=rank):
                        self.assertIn("MPI_Init", flat)
                        self.assertEqual(self.rondo("logical", archive, "--expand", rank).stdout, flat)

    def test_refuses_ranks_that_are_not_there(self):
        self.refuses("logical", record("ring"), "--expand", "4", saying="has no rank 4; its ranks are 0 to 3")
        self.refuses("logical", record("ring"), "--expand", "-1", saying="has no rank -1")
        self.refuses("logical", record("ring"), "--expand", "0", "--json", saying="no JSON")
        self.refuses("logical", record("ring"), "--expand", "0", "--lossless", saying="--lossless")
        self.refuses("logical", record("ring"), "--detail", "rough", saying="rough")


class Accuracy(CommandTest):
    def test_all_communication_of_a_plain_grid_is_on_it(self):
        text = self.rondo("logical", record("halo2d", 6)).stdout
        self.assertRegex(text.splitlines()[-1],
                         r"^# off topology: 0 of [1-9]\d* point-to-point calls, 0 of [1-9]\d* bytes$")

    def test_counts_what_is_off_the_topology(self):
        archive, _ = programs.record(programs.build(self.folder, "carries.c"), ranks=9)  # a graph without directions
        text = self.rondo("logical", archive, "--no-times").stdout
        self.assertRegex(text, r"\Wrank[+-]\d")
        self.assertRegex(text.splitlines()[-1], r"; irregular, in the text as rank\+distance$")
        lossless = self.rondo("logical", archive, "--no-times", "--lossless").stdout  # with the order of calls, which ranks do not share
        self.assertLessEqual(len(text), len(lossless))
        self.assertEqual(lossless.splitlines()[-1], text.splitlines()[-1])

    def test_ranks_of_a_graph_without_a_name_have_neighbours(self):
        text = self.rondo("logical", record("irregular", 9), "--no-times").stdout
        self.assertIn("\n  on irregular graph of 9 ranks: neighbour 0..", text)
        self.assertIn("isend neighbour ", text)
        self.assertRegex(text.splitlines()[-1], r"^# off topology: 0 of [1-9]\d* point-to-point calls")

    def test_counts_calls_and_bytes_by_site_and_rank(self):
        archive, _ = programs.record(programs.build(self.folder, "stray.c"), ranks=8)
        # Two Sendrecv of 32 bytes on each of 8 ranks, 500 times; then each of 4 ranks to 3 others, 4 bytes.
        self.assertEqual(self.rondo("logical", archive, "--no-times").stdout,
                         "program stray  # 8 ranks, 5 records\n  on ring of 8 ranks: west, east\n  init\n  loop 500:\n"
                         "    sendrecv east 8 int west 8 int  tag 1\n    sendrecv west 8 int east 8 int  tag 2\n"
                         "  finalize\n# off topology: 24 of 8024 point-to-point calls, 48 of 256048 bytes; left out\n")
        lossless = self.rondo("logical", archive, "--no-times", "--lossless").stdout
        self.assertIn("isend rank+", lossless)
        self.assertIn("  waitall\n", lossless)
        data = json.loads(self.rondo("logical", archive, "--accuracy", "--json").stdout)["accuracy"]
        self.assertEqual(data["point_to_point"], {"calls": 8024, "bytes": 256048})
        self.assertEqual(data["ranks"], [{"rank": rank, "off_topology": {"calls": 6, "bytes": 12}} for rank in (0, 2, 4, 6)])
        sites = sorted((site["function"], site["off_topology"]["calls"], site["off_topology"]["bytes"]) for site in data["sites"])
        self.assertEqual(sites, [("MPI_Irecv", 12, 0), ("MPI_Isend", 12, 48), ("MPI_Sendrecv", 0, 0), ("MPI_Sendrecv", 0, 0)])
        compared = self.rondo("compare", "--logical", archive, archive).stdout
        self.assertRegex(compared, r"(?m)^calls off topology +program +24 of 8024 +24 of 8024$")

    def test_a_tree_of_no_family_has_parents_and_children(self):
        archive, _ = programs.record(programs.build(self.folder, "branches.c"), ranks=9)
        self.assertEqual(self.rondo("logical", archive, "--no-times").stdout,
                         "program branches  # 9 ranks, 6 records\n  on tree of 9 ranks: parent, child 0..2\n  init\n  loop 20:\n"
                         "    loop 3:\n      recv child 0, child 1, child 2 1 int  tag 0\n    send parent 1 int  tag 0\n"
                         "  finalize\n# off topology: 0 of 320 point-to-point calls, 0 of 640 bytes\n")
        printed = flat_lines(archive)
        for rank in (0, 1, 6, 8):
            self.assertEqual(self.rondo("logical", archive, "--expand", rank).stdout, printed[rank])

    def test_tables_sum_up_to_the_total(self):
        archive, _ = programs.record(programs.build(self.folder, "carries.c"), ranks=9)
        data = json.loads(self.rondo("logical", archive, "--accuracy", "--json").stdout)["accuracy"]
        for key in ("calls", "bytes"):
            self.assertGreater(data["off_topology"][key], 0)
            for table in ("ranks", "sites"):
                self.assertEqual(sum(row["off_topology"][key] for row in data[table]), data["off_topology"][key], (key, table))
        text = self.rondo("logical", archive, "--accuracy").stdout
        self.assertIn("by call site", text)
        self.assertIn("ranks with nothing off the topology: 0", text)


class SmallPrograms(CommandTest):
    """As everybody writes them: at most as many records as the source has MPI calls and loops, on any number of ranks, and
    nothing off the topology."""
    SOURCES = {"borders": (19, (5, 9, 12)), "heat": (13, (5, 9, 12)), "farm": (15, (5, 7, 12)), "nodes": (13, (5, 9, 12))}

    def texts(self, name):
        most, sizes = self.SOURCES[name]
        program = programs.build(self.folder, f"{name}.c", "-g")
        for ranks in sizes:
            archive, _ = programs.record(program, ranks, archive=self.folder / f"{name}.{ranks}.rondo")
            text = self.rondo("logical", archive, "--no-times").stdout
            with self.subTest(program=name, ranks=ranks):
                self.assertLessEqual(int(text.split(" records", 1)[0].rsplit(" ", 1)[1]), most, text)
                self.assertRegex(text, r"(?m)^# off topology: 0 of [1-9]")
                self.assertEqual(self.rondo("logical", "--check", "-", stdin=text).stdout, text)
            yield ranks, archive, text

    # a function of textbook.c: its MPI calls and loops, and those of main
    TEXTBOOK = {"stencil": 3 + 2 + 5, "sweeps": 4 + 1 + 5, "rounds": 1 + 1 + 5, "tags": 3 + 1 + 5, "halves": 3 + 5}

    def test_what_textbooks_have_is_as_short_as_there(self):
        program = programs.build(self.folder, "textbook.c", "-g", mpi="mpich")
        for name, most in self.TEXTBOOK.items():
            for ranks in (5, 12) if name in ("rounds", "tags", "halves") else (5, 9, 12, 16):
                archive, _ = programs.record(program, ranks, name, mpi="mpich", archive=self.folder / f"{name}.{ranks}.rondo")
                text = self.rondo("logical", archive, "--no-times").stdout
                with self.subTest(program=name, ranks=ranks):
                    self.assertLessEqual(int(text.split(" records", 1)[0].rsplit(" ", 1)[1]), most, text)
                    self.assertRegex(text, r"(?m)^# off topology: (0 of|no) ")
                    self.assertEqual(self.rondo("logical", "--check", "-", stdin=text).stdout, text)
                    rank = str(ranks // 2)
                    self.assertEqual(self.rondo("logical", archive, "--expand", rank).stdout,
                                     self.rondo("print", archive, "--flat", "--rank", rank).stdout)
                    self.assert_says_what_the_source_does(name, ranks, text)

    def assert_says_what_the_source_does(self, name, ranks, text):
        if name == "stencil" and ranks > 5:
            self.assertRegex(text, r"    loop 8:\n      irecv (\w+, ){7}\w+ 1\|32 double  tag 5\n")
        if name == "sweeps" and ranks > 5:
            self.assertIn("      recv west, east, west, east 10 double  tag 0,1..3\n", text)
        if name == "tags":
            self.assertNotIn("1100..1300", text)
        if name == "halves":
            self.assertIn("    bcast 10 double  root 1 of split#1\n", text)

    # a function of chance.c: its MPI calls and loops, and those of main
    CHANCE = {"search": 5 + 3 + 5, "kinds": 6 + 3 + 5, "blocks": 5 + 1 + 5}

    def test_what_the_data_decides_is_as_short_as_in_the_source(self):
        program = programs.build(self.folder, "chance.c", "-g", mpi="mpich")
        for name, most in self.CHANCE.items():
            archive, _ = programs.record(program, {"search": 7, "kinds": 6, "blocks": 9}[name], name, mpi="mpich", archive=self.folder / f"{name}.rondo")
            text = self.rondo("logical", archive, "--no-times", "--sites").stdout
            with self.subTest(program=name):
                self.assertLessEqual(int(text.split(" records", 1)[0].rsplit(" ", 1)[1]), most, text)
                self.assertEqual(self.rondo("logical", "--check", "-", stdin=text).stdout, text)
                self.assertNotRegex(text, r"(?m)^ *ranks? |in no common order")
                # each call of the source is one line, as are init and finalize
                self.assertEqual(text.count("  # at chance.c:"), {"search": 5, "kinds": 6, "blocks": 5}[name] + 2, text)

    # a function of classics.c and of classics.f90: its MPI calls and loops, and those of main
    CLASSICS = {"cuboid": 3 + 3 + 5, "pipeline": 2 + 1 + 5, "tree": 2 + 2 + 5, "sum_up": 2 + 1 + 5, "doubling": 5 + 1 + 5, "cannon": 4 + 1 + 5,
                "allgather": 3 + 1 + 5, "slabs": 4 + 2 + 5, "fourier": 4 + 5, "transposes": 8 + 2 + 5, "strips": 4 + 5, "particles": 5 + 1 + 5,
                "sparse": 3 + 2 + 5, "stealing": 9 + 2 + 5, "gauss": 2 + 1 + 5, "owners": 2 + 2 + 5}
    CLASSICS_F90 = {"plane": 10 + 5, "rounds": 6 + 2 + 5}

    def classics(self):
        """Name, number of ranks, most records, archive."""
        for source, names in (("classics.c", self.CLASSICS), ("classics.f90", self.CLASSICS_F90)):
            program = programs.build(self.folder, source, "-g", mpi="mpich", name=source.replace(".", "_"))
            for name, most in names.items():
                # On more ranks Cannon's first shifts are no steps of the torus; the sparse graph of 7 ranks has no name.
                for ranks in {"cannon": (9,), "sparse": (9, 12), "gauss": (9,), "owners": (12,)}.get(name, (7, 12)):
                    archive, _ = programs.record(program, ranks, name, mpi="mpich", archive=self.folder / f"{name}.{ranks}.rondo")
                    yield name, ranks, most, archive

    def test_classics_are_as_short_as_their_sources(self):
        for name, ranks, most, archive in self.classics():
            text = self.rondo("logical", archive, "--no-times").stdout
            with self.subTest(program=name, ranks=ranks):
                self.assertLessEqual(int(text.split(" records", 1)[0].rsplit(" ", 1)[1]), most, text)
                self.assertRegex(text, r"(?m)^# off topology: (0 of|no) ")
                self.assertEqual(self.rondo("logical", "--check", "-", stdin=text).stdout, text)
                rank = str(ranks // 2)
                self.assertEqual(self.rondo("logical", archive, "--expand", rank).stdout,
                                 self.rondo("print", archive, "--flat", "--rank", rank).stdout)
                if name in ("gauss", "owners"):
                    shape = {"gauss": "chain of 9 ranks: west, east", "owners": "star of 12 ranks: centre, leaf 0..10"}[name]
                    self.assertIn(f"  on {shape}\n  led in turn by all ranks\n  init\n", text)
                    self.assertNotRegex(text, r"in no common order|in some rounds|(?m:^ *ranks? )")
                    self.assertEqual(self.rondo("logical", archive, "--no-times", "--lossless").stdout, text)
                if name == "tree" and ranks == 12:
                    self.assertIn("    recv parent 100 double  tag 1\n    loop 4:\n      send child 3, child 2, child 1, child 0 100 double  tag 1\n", text)

    def test_each_part_follows_its_own_topology(self):
        for ranks, archive, text in self.texts("borders"):
            with self.subTest(ranks=ranks):
                phases = [line.split(": on ")[1] for line in text.splitlines() if line.strip().startswith("phase")]
                grid = {5: "chain of 5 ranks", 9: "3x3 grid", 12: "4x3 grid"}[ranks]
                self.assertEqual(phases, [grid, f"dissemination of {ranks} ranks", f"star of {ranks} ranks"])
                # each border's branch is one line or one of a list, and no rank is named
                borders = [word for line in re.findall("irecv (.*) [0-9.]+ double", text) for word in line.split(", ")]
                self.assertEqual(len(borders), 2 if ranks == 5 else 4, text)
                self.assertNotRegex(text, r"(?m)^ *ranks? ")
                self.assertIn("    loop %d:\n      recv leaf " % (ranks - 1), text)
                for rank in (0, ranks - 1):
                    self.assertEqual(self.rondo("logical", archive, "--expand", rank).stdout,
                                     self.rondo("print", archive, "--rank", rank, "--flat").stdout)

    def test_receives_from_anybody_do_not_part_the_ranks(self):
        for ranks, _, text in self.texts("heat"):
            with self.subTest(ranks=ranks):
                self.assertIn(f"    in every 10th round:\n      allreduce 1 double sum\n      if at the centre:\n        loop {ranks - 1}:\n          recv any of leaf ", text)
                self.assertEqual(text.count("  loop 40:"), 1, text)

    def test_a_master_is_a_loop_over_tasks(self):
        for ranks, _, text in self.texts("farm"):
            with self.subTest(ranks=ranks):
                self.assertIn("\n  init\n  if at the centre:\n", text)
                self.assertIn("    loop 200:\n      recv any of leaf 1 double  tag 2\n"
                              f"      in rounds 1-{200 - ranks + 1} of 200:\n        send leaf 1 int  tag 1\n", text)
                self.assertEqual(text.count("finalize"), 1, text)

    def test_a_master_is_one_whatever_messages_are_made_of(self):
        # master and workers send the same type with the same tags
        for mpi, ranks in (("openmpi", 5), ("mpich", 7), ("mpich", 12)):
            program = programs.build(self.folder, "order.c", "-g", mpi=mpi, name=f"order.{mpi}")
            archive, _ = programs.record(program, ranks, "recv", 1, mpi=mpi, archive=self.folder / f"order.{ranks}.rondo")
            text = self.rondo("logical", archive, "--no-times").stdout
            with self.subTest(mpi=mpi, ranks=ranks):
                self.assertRegex(text, r"loop 40:\n +recv any of leaf 64 byte  tag any\n +send leaf ")
                self.assertNotIn("any|", text)
                self.assertNotIn("|centre", text)
                self.assertEqual(self.rondo("logical", "--check", "-", stdin=text).stdout, text)
                self.assertEqual(self.rondo("logical", archive, "--expand", "0").stdout,
                                 self.rondo("print", archive, "--flat", "--rank", "0").stdout)

    def test_leaders_and_members_have_names(self):
        for ranks, _, text in self.texts("nodes"):
            if ranks == 12:
                self.assertIn("        recv member 8 double  tag 2\n      sendrecv east leader 16 double west leader 16 double", text)
                self.assertIn("\n    send leader 8 double  tag 2\n    recv leader 8 double  tag 4\n", text)
                self.assertIn("sendrecv partner 64 double partner 64 double", text)

    def test_an_all_to_all_of_four_has_directions_too(self):
        text = self.rondo("logical", record("multipartition", 4), "--no-times").stdout
        self.assertRegex(text, "irecv (.*, )?across y across x 10 double_precision")
        self.assertRegex(text, r"(?m)^# off topology: 0 of [1-9]")

    def test_the_topology_is_what_the_topology_command_says(self):
        archive = record("transpose", 4)
        self.assertIn("  on chain of 4 ranks: ", self.rondo("logical", archive).stdout)
        self.assertRegex(self.rondo("topology", archive).stdout, r"(?m)^topology +chain of 4 ranks$")


class Check(CommandTest):
    def test_says_file_and_line_of_what_is_wrong(self):
        good = self.rondo("logical", record("halo2d", 6), "--no-times").stdout
        lines = good.splitlines(keepends=True)
        number = next(i for i, line in enumerate(lines) if "send" in line)
        self.file("call.txt", "".join(lines[:number] + [lines[number].replace("send", "sned")] + lines[number + 1:]))
        self.file("cut.txt", "".join(lines[:-1]))
        self.file("other.txt", "hello\n")
        self.refuses("logical", "--check", "call.txt", saying=[f"call.txt:{number + 1}: ", "is no MPI call"])
        self.refuses("logical", "--check", "cut.txt", saying=["cut.txt:", "the text is cut"])
        self.refuses("logical", "--check", "other.txt", saying="other.txt:1: is no logical program")
        self.refuses("logical", "--check", "none.txt", saying="none.txt: cannot open")
        self.refuses("logical", "--check", record("ring"), saying="is no logical program")

    def test_a_lost_call_or_loop_is_noticed(self):
        good = self.rondo("logical", record("mixed", 16), "--no-times").stdout.splitlines(keepends=True)
        for i in range(len(good)):
            if good[i].strip().startswith(("on ", "if ", "ranks ", "rank ", "phase ")):
                continue  # without it, it may be a text too
            with self.subTest(line=i + 1):
                self.refuses("logical", "--check", "-", stdin="".join(good[:i] + good[i + 1:]), saying="-:")


class Compare(CommandTest):
    def test_runs_of_other_sizes_are_one_program(self):
        done = self.rondo("compare", "--logical", record("halo2d", 9), record("halo2d", 16))
        self.assertTrue(done.stdout.startswith("the same logical program, with other numbers:\n"), done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ranks +program +9 +16$")
        data = json.loads(self.rondo("compare", "--logical", record("halo2d", 9), record("halo2d", 16), "--json").stdout)
        self.assertTrue(data["same"])
        self.assertIsNone(data["difference"])
        self.assertIn({"what": "ranks", "where": "program", "a": "9", "b": "16"}, data["scaling"])

    def test_runs_with_two_ranks_in_a_dimension_or_more_steps_are_one_program(self):
        for example, a, b, row in (("halo2d", 4, 16, r"topology +program +2x2 grid +4x4 grid"),
                                   ("halo2d", 6, 16, r"topology +program +3x2 grid +4x4 grid"),
                                   ("wavefront", 4, 16, r"topology +program +2x2 grid +4x4 grid"),
                                   ("wavefront", 6, 16, r"topology +program +3x2 grid +4x4 grid"),
                                   ("ring", 4, 16, r"topology +program +ring of 4 ranks +ring of 16 ranks"),
                                   ("ring", 5, 16, r"topology +program +ring of 5 ranks +ring of 16 ranks"),
                                   ("butterfly", 4, 16, r"repetitions +loop 1 > step 1 +2 +4"),
                                   ("vcycle", 4, 16, r"repetitions +loop 1 > step 2 +2 +4")):
            with self.subTest(example=example, a=a, b=b):
                done = self.rondo("compare", "--logical", record(example, a), record(example, b))
                self.assertTrue(done.stdout.startswith("the same logical program"), done.stdout)
                self.assertRegex(done.stdout, "(?m)^" + row)

    def test_a_run_is_itself_and_its_text(self):
        archive = record("wavefront", 6)
        same = "the same logical program, with the same numbers\n"
        self.assertEqual(self.rondo("compare", "--logical", archive, archive).stdout, same)
        self.file("wavefront.txt", self.rondo("logical", archive).stdout)
        self.assertEqual(self.rondo("compare", "--logical", "wavefront.txt", archive).stdout, same)

    def test_other_programs_differ_and_it_is_shown_where(self):
        done = self.rondo("compare", "--logical", record("halo2d", 9), record("wavefront", 9), status=1)
        self.assertRegex(done.stdout, r"^two logical programs: .* in .*\n  A: .*\n  B: .*\n")
        data = json.loads(self.rondo("compare", "--logical", record("halo2d", 9), record("wavefront", 9), "--json", status=1).stdout)
        self.assertFalse(data["same"])
        self.assertNotEqual(data["difference"]["a"], data["difference"]["b"])

    def test_refuses_bad_usage_and_input(self):
        self.refuses("compare", "--logical", "none.rondo", record("ring"), saying="none.rondo: cannot open")
        self.file("bad.txt", "hello\n")
        self.refuses("compare", "--logical", record("ring"), "bad.txt", saying="bad.txt:1: ")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
