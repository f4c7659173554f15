#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo stats: text, JSON, refusals, and the numbers against counting call by call."""
import csv
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import flat_calls
import programs
import support
from support import CommandTest, record

RANKS = 4


class Stats(CommandTest):
    def json(self, archive, *options):
        return json.loads(self.rondo("stats", archive, "--json", *options).stdout)

    def test_agrees_with_counting_call_by_call(self):
        for example in ("ring", "halo2d", "collectives", "neighbors", "rowscols", "persistent", "workers"):
            with self.subTest(example=example):
                archive = record(example, RANKS)
                found = self.json(archive)
                entries = [list(map(int, line.split(","))) for line in flat_calls.matrix_of(archive, RANKS)[2:]]
                self.assertEqual(found["ranks"], RANKS)
                self.assertEqual(found["pairs"], len(entries))
                self.assertEqual(found["message_density"]["total_messages"], sum(entry[2] for entry in entries))
                self.assertEqual(found["data_density"]["total_bytes"], sum(entry[3] for entry in entries))
                self.assertEqual({item["function"]: item["calls"] for item in found["collectives"]},
                                 flat_calls.collective_calls(archive, RANKS))

    def test_message_sizes_add_up(self):
        found = self.json(record("irregular", RANKS))
        sizes = found["message_sizes"]
        self.assertEqual(len(sizes), 13)
        self.assertEqual(sum(bucket["point_to_point_bytes"] for bucket in sizes), found["data_density"]["total_bytes"])
        self.assertEqual(sum(bucket["point_to_point_messages"] for bucket in sizes),
                         found["message_density"]["total_messages"])
        self.assertEqual(sum(bucket["collective_calls"] for bucket in sizes),
                         found["collectives_against_point_to_point"]["collective_calls"])

    def test_text_has_the_five_measurements(self):
        text = self.rondo("stats", record("halo2d", RANKS)).stdout
        for title in ("Message density", "Data density", "Collectives and point-to-point", "Collectives by type",
                      "Message sizes"):
            self.assertIn(f"\n{title}", text)
        self.assertTrue(text.startswith("4 ranks: "), text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_pairs_are_the_matrix(self):
        entries = self.json(record("ring"), "--pairs")["entries"]
        self.assertEqual(entries, json.loads(self.rondo("matrix", record("ring"), "--json").stdout)["entries"])

    def test_collectives_by_algorithm_are_what_simulate_sends(self):
        # Examples that make no communicator: simulate plays a barrier for each of those.
        for example in ("collectives", "transpose", "ring", "butterfly"):
            for ranks in (4, 5) if example == "collectives" else (4,):
                with self.subTest(example=example, ranks=ranks):
                    archive = record(example, ranks)
                    found = self.json(archive, "--collectives", "algorithm")
                    played = json.loads(self.rondo("simulate", archive, "--network", "latency=5us,bandwidth=1GB/s", "--json").stdout)
                    self.assertEqual(found["collectives_counted_as"], "algorithm")
                    self.assertEqual(found["message_density"]["total_messages"], played["messages"])
                    self.assertEqual(found["data_density"]["total_bytes"], played["bytes"])

    def test_collectives_as_the_paper_counts_them_leave_the_ratio(self):
        archive = record("collectives")
        bare, paper = self.json(archive), self.json(archive, "--collectives", "paper", "--pairs")
        self.assertEqual(bare["message_density"]["total_messages"], 0)
        self.assertGreater(paper["message_density"]["total_messages"], 0)
        self.assertEqual(bare["collectives_against_point_to_point"], paper["collectives_against_point_to_point"])
        self.assertEqual(paper["entries"],
                         json.loads(self.rondo("matrix", archive, "--collectives", "paper", "--json").stdout)["entries"])
        self.assertEqual(sum(bucket["collective_messages"] for bucket in paper["message_sizes"]),
                         paper["message_density"]["total_messages"])
        self.assertIn("of collectives (", self.rondo("stats", archive, "--collectives", "paper").stdout)

    def test_runs_stand_side_by_side(self):
        archives = [record("ring", 3), record("ring", 4), record("collectives", 4)]
        text = self.rondo("stats", *archives).stdout
        for words in ("ring.3", "collectives.4", "Collectives, per rank", "Message sizes, messages", "above 64 MiB"):
            self.assertIn(words, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        runs = json.loads(self.rondo("stats", *archives, "--json").stdout)["runs"]
        self.assertEqual([run["name"] for run in runs], ["ring.3", "ring.4", "collectives.4"])
        alone = self.json(archives[1])
        self.assertEqual({key: runs[1][key] for key in alone if key != "schema"}, {key: alone[key] for key in alone if key != "schema"})
        self.refuses("stats", archives[0], "none.rondo", saying="none.rondo: cannot open")

    def test_runs_with_one_name_are_called_by_their_files(self):
        self.file("a.rondo", record("ring").read_bytes())
        self.file("b.rondo", record("ring").read_bytes())
        text = self.rondo("stats", "a.rondo", "b.rondo").stdout
        self.assertRegex(text, r"\n  a +4 .*\n  b +4 ")

    def test_draws_bars(self):
        archives = [record("ring", 3), record("collectives")]
        self.assertEqual(self.rondo("stats", *archives, "-o", "all.svg").stdout, "")
        self.assertTrue((self.folder / "all.svg").read_text().startswith("<?xml"))
        self.rondo("stats", *archives, "--figure", "sizes", "-o", "sizes.png")
        self.assertEqual((self.folder / "sizes.png").read_bytes()[1:4], b"PNG")
        self.refuses("stats", *archives, "-o", "all.svg", saying=["all.svg: exists already", "--force"])
        self.refuses("stats", *archives, "--figure", "sizes", "-o", "sizes.txt", saying="--figure is for pictures")

    def test_writes_a_file_and_keeps_an_existing_one(self):
        ring = record("ring")
        self.assertEqual(self.rondo("stats", ring, "--json", "-o", "s.json").stdout, "")
        self.assertEqual(json.loads((self.folder / "s.json").read_text()), self.json(ring))
        self.refuses("stats", ring, "-o", "s.json", saying=["s.json: exists already", "--force"])
        self.rondo("stats", ring, "-o", "s.json", "--force")
        self.assertTrue((self.folder / "s.json").read_text().startswith("4 ranks: "))

    def test_refuses_bad_input(self):
        good = record("ring").read_bytes()
        self.file("cut.rondo", good[:-20])
        self.file("m.csv", "src,dst,messages,bytes\n0,1,2,3\n")
        self.refuses("stats", "none.rondo", saying="none.rondo: cannot open: No such file")
        self.refuses("stats", "cut.rondo", saying="cut.rondo: ")
        self.refuses("stats", "m.csv", saying=["m.csv: is a matrix of messages"])
        self.refuses("stats", ".", saying=".: is a folder without a trace: ")
        self.assertIn("--json", self.rondo("stats", "m.csv", "--pairs", status=2).stderr)

    def test_help_is_complete(self):
        text = self.rondo("stats", "--help").stdout
        for words in ("--output", "--collectives", "--figure", "--json", "--pairs", "--force", "Examples:"):
            self.assertIn(words, text)


class Calls(CommandTest):
    """--functions and --sites, beside a profiler of our own that sits between the same program and MPI."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="rondo-stats-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        cls.archive = cls.profile(cls.place, "openmpi", 5)

    @staticmethod
    def profile(place, mpi, ranks):
        """Runs the program beside the profiler, whose counts are in `place` then; the archive."""
        counter = programs.build(place, "call_counter.c", "-shared", "-fPIC", "-O1", name="libcounter.so", mpi=mpi)
        program = programs.build(place, "profiled.c", "-g", "-O1", mpi=mpi)
        recorder = support.BUILD / "lib" / f"librondo_record_{mpi}.so"
        archive = program.with_suffix(".rondo")
        line, environment = support.mpirun(mpi, ranks, program, environment={
            "RONDO_OUTPUT": str(archive), "LD_PRELOAD": f"{counter}:{recorder}"})
        subprocess.run(line, env=support.clean_environment(environment), check=True, cwd=place, timeout=120)
        return archive

    def counted(self, place, ranks=5):
        """{function: ([calls by rank], [bytes by rank])}"""
        found = {}
        for rank in range(ranks):
            for line in (place / f"counted.{rank}.csv").read_text().splitlines():
                name, calls, size = line.split(",")
                of_ranks = found.setdefault(name, ([0] * ranks, [0] * ranks))
                of_ranks[0][rank], of_ranks[1][rank] = int(calls), int(size)
        return found

    def test_calls_and_bytes_are_those_of_a_profiler(self):
        rows = json.loads(self.rondo("stats", self.archive, "--functions", "--json").stdout)["rows"]
        rows = {row["function"]: row for row in rows}
        counted = self.counted(self.place)
        self.assertEqual(len(counted), 17)
        for name, (calls, size) in counted.items():
            with self.subTest(function=name):
                row = rows[name]
                self.assertEqual(row["calls"]["by_rank"], calls)
                self.assertEqual(row["bytes"]["by_rank"], size)
                self.assertEqual(row["bytes"]["sum"], sum(size))
                self.assertEqual(row["bytes"]["most"], max(size))
                self.assertEqual(row["calls"]["least_rank"], calls.index(min(calls)))

    def test_the_same_under_mpich(self):
        archive = self.profile(self.folder, "mpich", 7)
        rows = json.loads(self.rondo("stats", archive, "--functions", "--json").stdout)["rows"]
        found = {row["function"]: (row["calls"]["by_rank"], row["bytes"]["by_rank"]) for row in rows}
        counted = self.counted(self.folder, 7)
        self.assertEqual(len(counted), 17)
        self.assertEqual({name: found[name] for name in counted}, counted)

    def test_times_add_up_and_stand_in_order(self):
        found = json.loads(self.rondo("stats", self.archive, "--functions", "--json").stdout)
        rows = [row for row in found["rows"] if not row["is_start_or_end"]]
        times = [row["inside_mpi_ns"]["sum"] for row in rows]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(sum(times), found["total"]["inside_mpi_ns"]["sum"])
        info = json.loads(self.rondo("info", self.archive, "--sites", "1000", "--json").stdout)
        uses = [use for use in info["call_sites"] if use["call"] not in ("MPI_Init", "MPI_Finalize")]
        self.assertEqual(sum(times), sum(use["inside_mpi_ns"] for use in uses))
        for row in rows:
            self.assertEqual(sum(row["inside_mpi_ns"]["by_rank"]), row["inside_mpi_ns"]["sum"])

    def test_sites_are_listed_as_text_json_and_csv(self):
        archive = programs.record(programs.build(self.folder, "profiled.c", "-g", "-O1"), 3)[0]
        text = self.rondo("stats", archive, "--sites").stdout
        self.assertIn("Call sites of 3 ranks: ", text)
        self.assertRegex(text, r"MPI_Alltoall +[^\n]*main at profiled\.c:\d+")
        rows = json.loads(self.rondo("stats", archive, "--sites", "--json").stdout)["rows"]
        fences = [row for row in rows if row["function"] == "MPI_Win_fence"]
        self.assertEqual([row["calls"]["by_rank"] for row in fences], [[40, 40, 40]] * 2)
        self.rondo("stats", archive, "--sites", "-o", "sites.csv")
        with open(self.folder / "sites.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual([(line["function"], int(line["bytes"])) for line in lines],
                         [(row["function"], row["bytes"]["sum"]) for row in rows])
        self.refuses("stats", archive, archive, "--functions", saying="of one run")
        self.refuses("stats", archive, "--sites", "-o", "a.svg", saying=".csv")

    def test_files_and_one_sided_messages_are_counted(self):
        found = self.rondo("stats", self.archive)
        self.assertIn("400 one-sided messages", found.stdout)
        ratio = found.stdout.split("Collectives and point-to-point", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
        self.assertEqual([line.split()[0] for line in ratio], ["point-to-point", "one-sided", "collectives"])
        self.assertEqual(ratio[1].split()[1], "80")  # messages of a rank
        self.assertAlmostEqual(sum(float(line.split("%")[0].split()[-1]) for line in ratio), 100, delta=1)  # shares of all calls
        self.assertRegex(found.stdout, r"part\.2: 5 opens\n")
        files = json.loads(self.rondo("stats", self.archive, "--json").stdout)["files"]
        self.assertEqual([file["name"] for file in files], ["part.2", "part.1", "part.0"])
        self.assertEqual(files[0]["bytes"], 5 * 102 * 8 + 80)
        both = self.rondo("matrix", self.archive, "-o", "-").stdout
        alone = [self.rondo("matrix", self.archive, "-o", "-", "--layers", layer).stdout for layer in ("point-to-point", "one-sided")]
        total = lambda text: sum(int(line.split(",")[3]) for line in text.splitlines()[2:])
        self.assertEqual(total(both), sum(map(total, alone)))
        self.assertEqual(total(alone[1]), 40 * sum(8 * (rank + 1) + 16 for rank in range(5)))


if __name__ == "__main__":
    unittest.main()
