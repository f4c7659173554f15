#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo generate: what the benchmark says is what was recorded, by `rondo compare` and by a counter that knows nothing
of Rondo; and its text, kept in golden/.

usage: generate_test.py [--update]     --update writes the golden texts anew
RONDO_TEST_MPI says which MPI; RONDO_TEST_DATA, if set, the folder with traces of NAS programs in SimGrid's format.
"""
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import unittest

import replay_test
from replay_test import HERE, IN_C, MPI, launcher, programs, support

GOLDEN = HERE / "golden"
UPDATE = "--update" in sys.argv


class GenerateTest(replay_test.ReplayTest):
    def generate(self, archive, *options):
        """The folder of the benchmark, compiled."""
        folder = self.folder / "benchmark"
        shutil.rmtree(folder, ignore_errors=True)
        self.rondo("generate", archive, "-o", folder, *options)
        flags = "-O1 -Wall -Wextra -Werror"
        done = subprocess.run(["make", "-s", "-C", folder, f"CC=mpicc.{MPI}", f"CFLAGS={flags}"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return folder

    def expect_same(self, archive, ranks, *options):
        """Generates, compiles and records the benchmark, and demands that it says the same."""
        folder = self.generate(archive, *options)
        again = self.folder / "again.rondo"
        self.rondo("record", "--force", "-o", again, "--", *launcher(ranks), folder / "benchmark", "--compute", "none",
                   environment=self.environment())
        done = support.run("compare", "--no-times", archive, again)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return again


class Examples(GenerateTest):
    test_say_the_same_on_many_ranks_and_on_4 = replay_test.Examples.test_say_the_same_on_many_ranks_and_on_4

    test_recorded_under_the_other_mpi_say_the_same_under_this = \
        replay_test.Examples.test_recorded_under_the_other_mpi_say_the_same_under_this

    test_persistent_collectives = replay_test.Examples.test_persistent_collectives

    def test_find_in_polls_what_they_found(self):
        archive = support.record("irregular", 6, mpi=MPI)
        self.rondo("compare", "--no-times", "--polls", archive, self.expect_same(archive, 6))

    def test_keep_wildcards_if_asked_to(self):
        archive = support.record("workers", 2, mpi=MPI)  # one worker: whatever is asked, it comes from there
        again = self.expect_same(archive, 2, "--wildcards")
        self.rondo("compare", "--no-times", "--wildcards", archive, again)

    def test_files_and_windows(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "files.c", mpi=MPI), 4, mpi=MPI)
        self.expect_same(archive, 4)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("scratch")], [])

    def test_datatypes_and_counts_that_reach_far(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "far.c", mpi=MPI), 4, mpi=MPI)
        self.expect_same(archive, 4)

    def test_files_of_each_rank(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "own_files.c", mpi=MPI), 4, mpi=MPI)
        self.expect_same(archive, 4)

    def test_messages_from_mpi_bottom(self):
        """Addresses are other ones in every run, and in the benchmark; where things are relative to each other is the same."""
        program = programs.build(self.folder, HERE / "bottom.c", mpi=MPI)
        archive, _ = programs.record(program, 3, mpi=MPI)
        self.expect_same(archive, 3)
        self.assertIn("MPI_BOTTOM", (self.folder / "benchmark" / "benchmark.c").read_text())
        again, _ = programs.record(program, 3, mpi=MPI, archive=self.folder / "run2.rondo")
        self.rondo("compare", "--no-times", archive, again)
        done = self.rondo("generate", archive, "-o", "python", "--language", "python", status=2)
        self.assertIn("datatypes of addresses", done.stderr)

    def test_threads(self):
        """Which thread has which number is another one in each run."""
        program = programs.build(self.folder, HERE / "threads.c", mpi=MPI)
        for ranks in (2, 5):
            archive, _ = programs.record(program, ranks, mpi=MPI, archive=self.folder / f"{ranks}.rondo")
            self.expect_same(archive, ranks)
            text = (self.folder / "benchmark" / "benchmark.c").read_text()
            self.assertRegex(text, r"let_threads\(\d, \d, 1\);")
            self.assertIn("first_comm", text)
        done = self.rondo("generate", archive, "-o", "python", "--language", "python", status=2)
        self.assertIn("threads other than the first", done.stderr)

    def test_queries_of_datatypes_are_left_out(self):
        program = programs.build(self.folder, HERE / "contents.c", mpi=MPI)
        archive, _ = programs.record(program, 3, mpi=MPI)
        again = self.expect_same(archive, 3)
        made = self.folder / "benchmark"
        self.assertIn("MPI_Type_get_contents", self.rondo("print", archive, "--all").stdout)
        written = (made / "benchmark.c").read_text()
        self.assertNotIn("MPI_Type_get_contents", written)
        self.assertRegex(written, r"\+\+i\) \{\s+compute\([^;]*\);\s+\}")
        self.assertRegex((made / "README.md").read_text(), r"\d+ calls of MPI_Type_get_contents.* left out")
        self.assertIn("do not count", self.rondo("compare", "--no-times", archive, again).stdout)
        used, _ = programs.record(program, 3, "use", mpi=MPI)
        done = self.rondo("generate", used, "-o", "used", status=2)
        self.assertIn("datatypes of MPI_Type_get_contents that other calls use", done.stderr)

    def test_are_told_apart(self):
        """A check that cannot fail shows nothing: another example's benchmark is not the same."""
        folder = self.generate(support.record("ring", 4, mpi=MPI))
        again = self.folder / "again.rondo"
        self.rondo("record", "-o", again, "--", *launcher(4), folder / "benchmark", environment=self.environment())
        self.rondo("compare", "--no-times", support.record("halo2d", 4, mpi=MPI), again, status=1)


class Counter(GenerateTest):
    counts = replay_test.Counter.counts
    counts_of_example = replay_test.Counter.counts_of_example
    make_library = replay_test.Counter.make_library

    @classmethod
    def setUpClass(cls):
        replay_test.Counter.setUpClass.__func__(cls)

    def test_agrees_for_programs_whose_order_does_not_depend_on_time(self):
        for example in [e for e in IN_C if e not in ("workers", "irregular")]:
            with self.subTest(example=example):
                folder = self.generate(support.record(example, 4, mpi=MPI))
                made = self.counts(self.folder / example, 4, [*launcher(4, self.library), folder / "benchmark", "--compute", "none"])
                self.assertEqual(made, self.counts_of_example(example, 4))


class AverageCounts(GenerateTest):
    SIZES = {"sendcount", "recvcount", "sendcounts", "recvcounts", "sdispls", "rdispls", "displs"}

    def expect_same_but_sizes(self, archive, ranks):
        """All calls are there, and what differs first on each rank is a count. The bytes of both, by function."""
        folder = self.generate(archive, "--average-counts")
        again = self.folder / "again.rondo"
        self.rondo("record", "--force", "-o", again, "--", *launcher(ranks), folder / "benchmark", "--compute", "none",
                   environment=self.environment())
        report = json.loads(support.run("compare", archive, again, "--json").stdout)
        self.assertFalse(report["same"])
        self.assertLessEqual({difference["what"] for difference in report["differences"]}, self.SIZES)
        functions = report["functions"]
        self.assertGreater(len(functions), 3)
        for function in functions:
            self.assertEqual(function["a"]["calls"], function["b"]["calls"], function)
        return {f["function"]: (f["a"]["bytes"], f["b"]["bytes"]) for f in functions}

    def test_differ_in_sizes_only(self):
        for example in ("collectives", "neighbors"):
            with self.subTest(example=example):
                for function, (recorded, made) in self.expect_same_but_sizes(support.record(example, 4, mpi=MPI), 4).items():
                    is_averaged = function.endswith(("v", "educe_scatter"))
                    self.assertLessEqual(abs(made - recorded), 0.5 * recorded if is_averaged else 0, function)

    @unittest.skipUnless(replay_test.os.environ.get("RONDO_TEST_DATA"), "RONDO_TEST_DATA is not set")
    def test_make_tables_of_a_sorting_program_one_number(self):
        data = replay_test.pathlib.Path(replay_test.os.environ["RONDO_TEST_DATA"])
        self.rondo("convert", data / "ti" / "is.A.16.tar.zst", "is.rondo")
        for recorded, made in self.expect_same_but_sizes(self.folder / "is.rondo", 16).values():
            self.assertEqual(recorded, made)
        made = self.folder / "benchmark"
        self.assertLess(len((made / "benchmark.c").read_text().splitlines()), 60)
        self.assertLess(len((made / "benchmark.h").read_text().splitlines()), 34)
        self.assertIn("176 calls of MPI_Alltoallv have blocks of one size, the average over ranks and iterations; in all as many "
                      "elements as were recorded.", (made / "README.md").read_text())


class Text(GenerateTest):
    @unittest.skipUnless(MPI == "openmpi", "golden texts are of programs under Open MPI")
    def test_is_as_it_was(self):
        for example, ranks in (("halo2d", 16), ("wavefront", 16), ("multipartition", 9)):
            folder = self.generate(support.record(example, ranks, mpi=MPI), "--times", "none")
            for name in ("benchmark.c", "benchmark.h"):
                with self.subTest(example=example, name=name):
                    golden = GOLDEN / f"{example}.{ranks}.{name.split('.')[1]}.txt"
                    text = (folder / name).read_text()
                    if UPDATE:
                        golden.write_text(text)
                    self.assertEqual(text, golden.read_text())

    def test_says_nothing_of_the_program_unless_it_may(self):
        archive = support.record("halo2d", 4, mpi=MPI)
        for options, is_named in ((), False), (("--names",), True):
            folder = self.generate(archive, *options)
            text = "".join((folder / name).read_text() for name in ("benchmark.c", "benchmark.h", "support.h", "README.md", "Makefile"))
            self.assertEqual("halo2d" in text, is_named)
            self.assertEqual("halo2d.c:" in text, is_named)


class Time(GenerateTest):
    def test_passes_as_it_did_scaled_or_not_at_all(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "waits.c", mpi=MPI), 2, mpi=MPI)  # 0.24 s of waiting and 0.56 s
        def seconds(times, *options):
            folder = self.generate(archive, "--times", times)
            done = subprocess.run([*launcher(2), folder / "benchmark", *options], capture_output=True, text=True,
                                  env=support.clean_environment(self.environment()), check=True)
            return float(done.stdout.split()[0])
        for times in ("course", "mean", "rank", "histogram"):
            self.assertGreaterEqual(seconds(times), 0.38, times)
        self.assertGreaterEqual(seconds("mean", "--compute", "sleep"), 0.38)
        self.assertGreaterEqual(seconds("mean", "--scale-compute", "2"), 0.76)
        self.assertLess(seconds("none", "--scale-compute", "100"), 20)  # it would be 40 s

    def test_of_each_rank_is_its_own(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "waits.c", mpi=MPI), 2, mpi=MPI)  # ranks wait 30 and 70 ms
        for times in ("course", "rank", "histogram"):
            folder = self.generate(archive, "--times", times)
            means = re.findall(r"rank == 0 \? ([\d.e-]+) : ([\d.e-]+)", (folder / "benchmark.c").read_text())
            self.assertTrue(means, times)
            for first, second in means:
                self.assertGreater(float(second) / float(first), 1.3, times)

    def test_that_is_drawn_is_apart_for_the_first_pass(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "first_pass.c", mpi=MPI), 2, mpi=MPI)
        folder = self.generate(archive, "--times", "histogram")
        self.assertRegex((folder / "benchmark.c").read_text(), r"compute\(i == 0 \? .* : .*drawn\(&computation_\d\)\)")

    def test_of_a_set_up_comes_once_though_the_loop_behind_it_is_entered_again(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "restarts.c", mpi=MPI), 2, mpi=MPI)
        text = (self.generate(archive, "--times", "mean") / "benchmark.c").read_text()
        (seconds,) = re.findall(r"compute\(j == 0 \? \(?i == 0 \? ([\d.e-]+) : ([\d.e-]+)\)? : ([\d.e-]+)\);\n *MPI_Allreduce", text)
        set_up, *steady = map(float, seconds)
        self.assertGreaterEqual(set_up, 0.3)
        self.assertEqual(steady[0], steady[1], text)
        self.assertLess(steady[0], 0.15)

    def test_comes_in_the_order_in_which_it_came(self):
        program = programs.build(self.folder, HERE / "first_pass.c", mpi=MPI)  # waits 200, then 6, 10, 2, 6, 10, 2, ... ms
        archive, _ = programs.record(program, 2, mpi=MPI, times="full")
        for times, text in (("course", r"compute\(i == 0 \? .* : .*recorded\(&computation_\d\)\)"), ("full", r"compute\(recorded\(&computation_\d\)\)")):
            folder = self.generate(archive, "--times", times)
            self.assertRegex((folder / "benchmark.c").read_text(), text, times)
            rows = re.findall(r"_\d\[\] = \{([^}]*)\};", (folder / "times.h").read_text())
            self.assertEqual(len(rows), 2, times)
            for row in rows:
                seconds = [float(number) for number in row.split(",")][times == "full":]  # without the first pass
                self.assertGreater(len(seconds), 6)
                for n, time in enumerate(seconds):  # a busy machine may be late, but never early by more than codes are coarse
                    self.assertGreaterEqual(time, (0.006, 0.010, 0.002)[n % 3] * 0.85, (times, n))
        for rank, row in enumerate(rows):
            lines = self.rondo("print", archive, "--flat", "--json", "--rank", str(rank), "--calls", "MPI_Barrier").stdout.splitlines()
            self.assertEqual([round(float(number) * 1e9) for number in row.split(",")], [json.loads(line)["computation_ns"] for line in lines])

    def test_of_the_entry_of_a_loop_is_not_mixed_with_that_behind_calls_with_other_arguments(self):
        program = programs.build(self.folder, HERE / "changing_blocks.c", mpi=MPI)  # waits 200 ms, then 5 ms each time
        archive, _ = programs.record(program, 2, mpi=MPI)
        text = (self.generate(archive, "--times", "rank") / "benchmark.c").read_text()
        first = [float(number) for number in re.findall(r"[\d.]+e-?\d+|[\d.]+", re.search(r"compute\(i == 0 \? (.*) : [^:]*\);", text)[1])]
        self.assertGreaterEqual(max(first), 0.195, text)

    def test_of_a_rank_that_hardly_computes_is_not_that_of_another(self):
        program = programs.build(self.folder, HERE / "late_rank.c", mpi=MPI)  # rank 1 waits 5 or 15 ms each time, the others come at once
        archive, _ = programs.record(program, 3, mpi=MPI)
        text = (self.generate(archive) / "times.h").read_text()
        rows = [[float(number) for number in row.split(",")] for row in re.findall(r"_\d\[\] = \{([^}]*)\};", text)]
        of_ranks = re.findall(r"\{(\d), ([\d.e-]+)\}", re.search(r"_of_rank\[RANKS\] = \{(.*)\};", text)[1])
        means = [float(factor) * sum(rows[int(row)]) / len(rows[int(row)]) for row, factor in of_ranks]
        self.assertGreater(means[1], 0.009, text)
        for rank in (0, 2):
            self.assertLess(means[rank], 0.3 * means[1], text)

    def test_of_a_place_is_that_behind_the_call_before_it(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "one_site.c", "-O1", mpi=MPI), 2, mpi=MPI)
        folder = self.generate(archive)
        text = (folder / "benchmark.c").read_text()
        behind_bcast = re.search(r"MPI_Bcast\([^;]*;\s+(?:compute\(([^;]*)\);\s+)?MPI_Barrier", text)[1] or "0"
        varying = re.search(r"&(computation_\d+)", behind_bcast)  # on a busy machine a rank may be late
        rows = re.findall(rf"{varying[1]}_\d\[\] = \{{([^}}]*)\}};", (folder / "times.h").read_text()) if varying else [behind_bcast]
        self.assertNotEqual(rows, [])
        for row in rows:
            self.assertLess(statistics.median(float(number) for number in row.split(",")), 2e-4, text)

    def test_of_every_call_needs_an_archive_that_has_it(self):
        self.refuses("generate", support.record("ring", 4, mpi=MPI), "-o", "made", "--times", "full", saying="does not have the times of every call")


class Skeleton(GenerateTest):
    def test_is_short_and_foresees_the_whole(self):
        archive = support.record("halo2d", 4, mpi=MPI)
        folder = self.generate(archive, "--skeleton", "10%")
        done = subprocess.run([*launcher(4), folder / "benchmark"], capture_output=True, text=True, check=True,
                              env=support.clean_environment(self.environment()))
        own, whole = (float(line.split()[0]) for line in done.stdout.splitlines())
        self.assertIn("seconds for the whole, by this skeleton; standard error", done.stdout)
        self.assertGreater(whole, own)
        self.rondo("record", "-o", "short.rondo", "--", *launcher(4), folder / "benchmark", environment=self.environment())
        calls = [json.loads(self.rondo("info", name, "--json").stdout)["calls"] for name in (archive, "short.rondo")]
        self.assertGreater(calls[1], 0.05 * calls[0])
        self.assertLess(calls[1], 0.2 * calls[0])

    def test_needs_a_loop_and_a_share(self):
        self.refuses("generate", support.record("workers", 4, mpi=MPI), "-o", "made", "--skeleton", "10%", saying="nothing to shorten")
        archive = support.record("ring", 4, mpi=MPI)
        self.refuses("generate", archive, "-o", "made", "--skeleton", "100%", saying="no share between 0 and 1")
        self.refuses("generate", archive, "-o", "made", "--skeleton", "9999s", saying="not longer than 9999s")
        self.refuses("generate", archive, "-o", "made", "--skeleton", "soons", saying="no time like 10s")


class Refuses(GenerateTest):
    def test_what_cannot_be_generated_with_a_list(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "unplayable.c", mpi=MPI), 2, mpi=MPI)
        done = self.rondo("generate", archive, "-o", "made", status=2)
        self.assertIn("MPI_Send that failed with MPI_ERR_", done.stderr)
        self.assertIn("MPI_Put on a window of MPI_Win_create_dynamic, whose addresses were", done.stderr)
        self.assertNotIn("MPI_Win_create_dynamic (", done.stderr)  # nor is the window itself
        self.assertNotIn("MPI_BOTTOM", done.stderr)  # which is no obstacle
        self.assertFalse((self.folder / "made").exists())

    def test_other_numbers_of_ranks(self):
        folder = self.generate(support.record("ring", 4, mpi=MPI))
        done = subprocess.run([*launcher(3), folder / "benchmark"], capture_output=True, text=True,
                              env=support.clean_environment(self.environment()))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("this benchmark runs on 4 ranks, not on 3", done.stderr)

    def test_files_that_are_there(self):
        archive = support.record("ring", 4, mpi=MPI)
        self.rondo("generate", archive, "-o", "made")
        self.refuses("generate", archive, "-o", "made", saying="Makefile: is there already; --force replaces it")
        self.rondo("generate", archive, "-o", "made", "--force")

    def test_bad_usage(self):
        self.refuses("generate", "none.rondo", "-o", "made", saying="none.rondo: cannot open")
        self.refuses("generate", support.record("ring", 4, mpi=MPI), saying="--output")


if __name__ == "__main__":
    sys.argv = [argument for argument in sys.argv if argument != "--update"]
    unittest.main()
