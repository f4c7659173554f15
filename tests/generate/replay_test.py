#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo replay: what is played is what was recorded, by `rondo compare` and by a counter that knows nothing of Rondo.

RONDO_TEST_MPI says which MPI.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import programs
import support

HERE = pathlib.Path(__file__).resolve().parent
MPI = os.environ.get("RONDO_TEST_MPI", "openmpi")
COUNTER = HERE / "make_counter.py"
TABLE = HERE.parents[1] / "record" / "mpi_calls.toml"
YIELD = support.BUILD / "lib" / "libmpich_yield.so"
EXAMPLES = ["ring", "halo2d", "halo3d", "butterfly", "mixed", "wavefront", "multipartition", "transpose", "vcycle", "workers",
            "rowscols", "persistent", "neighbors", "irregular", "collectives", "twin_c", "twin_mpif", "twin_usempi", "twin_f08"]
# Those that do more on many ranks: with inner ranks, levels, and more than one round of tasks.
ON_MANY = ["vcycle", "halo2d", "wavefront", "multipartition", "workers", "rowscols", "neighbors", "irregular"]
# Those whose calls a PMPI library in C sees: Open MPI's Fortran does not pass through C's MPI functions.
IN_C = ["ring", "halo2d", "halo3d", "butterfly", "mixed", "transpose", "workers", "rowscols", "persistent", "neighbors",
        "irregular", "collectives", "twin_c"]
# What is left out unless all cases are asked for: twins, which make the same calls, as the oracle's tests say; and under the second
# MPI what has no call, language or order that the others do not have.
LEFT_OUT = {"openmpi": ["twin_mpif", "twin_usempi"],
            "mpich": ["twin_mpif", "twin_usempi", "twin_c", "ring", "halo2d", "halo3d", "butterfly", "multipartition", "transpose", "rowscols"]}
if not support.ALL_CASES:
    EXAMPLES, ON_MANY, IN_C = ([name for name in names if name not in LEFT_OUT[MPI]] for names in (EXAMPLES, ON_MANY, IN_C))
MANY = 16 if support.ALL_CASES else 9  # ranks; levels come with 16 only


def launcher(ranks, preload=None):
    if MPI == "openmpi":
        exports = ["-x", f"LD_PRELOAD={preload}", "-x", "COUNTER_OUTPUT"] if preload else []
        return ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", *exports, "-n", str(ranks)]
    return ["mpirun.mpich", "-n", str(ranks), "-genv", "LD_PRELOAD", f"{preload}:{YIELD}" if preload else str(YIELD)]


class ReplayTest(support.CommandTest):
    def environment(self):
        return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def replay(self, archive, ranks, *options, status=0):
        return self.rondo("replay", archive, *options, "--", *launcher(ranks), environment=self.environment(), status=status)

    def expect_same(self, archive, ranks, *options):
        """Replays, records the replay, and demands that it says the same."""
        again = self.folder / "again.rondo"
        self.replay(archive, ranks, "--times", "none", "--force", "--record", again, *options)
        done = support.run("compare", "--no-times", archive, again)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return again


class Examples(ReplayTest):
    def test_say_the_same_on_many_ranks_and_on_4(self):
        for example, ranks in [(example, 16 if example == "vcycle" else MANY) for example in ON_MANY] + [(example, 4) for example in EXAMPLES]:
            with self.subTest(example=example, ranks=ranks):
                self.expect_same(support.record(example, ranks, mpi=MPI), ranks)

    def test_persistent_collectives(self):
        program = programs.build(self.folder, HERE / "persistent_collectives.c", mpi=MPI)
        archive, _ = programs.record(program, 4, mpi=MPI)
        self.assertEqual(len(re.findall(r"MPI_\w+_init\(", self.rondo("print", archive).stdout)), 22)
        self.expect_same(archive, 4)

    def test_the_replay_says_what_it_did(self):
        archive = support.record("ring", 4, mpi=MPI)
        calls = json.loads(self.rondo("info", archive, "--json").stdout)["calls"]
        said = self.replay(archive, 4, "--times", "none").stderr
        self.assertIn(f"replayed {calls} calls of {archive} with 4 ranks", said)
        self.assertIn("computation: none", said)
        told = json.loads(self.replay(archive, 4, "--scale-compute", "0.5", "--json").stdout)
        self.assertEqual((told["ranks"], told["calls"], told["times"], told["scale_compute"]), (4, calls, "course", 0.5))
        self.assertGreater(told["launcher_seconds"], 0)

    def test_recorded_under_the_other_mpi_say_the_same_under_this(self):
        other = "mpich" if MPI == "openmpi" else "openmpi"
        for example in ("halo2d", "workers", "persistent", "collectives"):
            with self.subTest(example=example):
                self.expect_same(support.record(example, 4, mpi=other), 4)

    def test_find_in_polls_what_they_found(self):
        archive = support.record("irregular", 6, mpi=MPI)
        again = self.expect_same(archive, 6)
        self.rondo("compare", "--no-times", "--polls", archive, again)

    def test_keep_wildcards_if_asked_to(self):
        archive = support.record("workers", 2, mpi=MPI)  # one worker: whatever is asked, it comes from there
        again = self.expect_same(archive, 2, "--wildcards")
        self.rondo("compare", "--no-times", "--wildcards", archive, again)
        self.rondo("compare", "--no-times", "--wildcards", archive, self.expect_same(archive, 2), status=1)


class Counter(ReplayTest):
    """The counter's figures of a program and of its replay."""

    @classmethod
    def setUpClass(cls):
        cls.library = support.made_once(f"counter-{MPI}.so", [COUNTER, TABLE], cls.make_library)

    @staticmethod
    def make_library(path):
        with tempfile.TemporaryDirectory(prefix="rondo-counter-") as folder:
            empty, header, source = (pathlib.Path(folder) / name for name in ("empty.c", "mpi.i", "counter.c"))
            empty.write_text("#include <mpi.h>\n")
            subprocess.run([f"mpicc.{MPI}", "-E", empty, "-o", header], check=True)
            subprocess.run([sys.executable, COUNTER, TABLE, header, source], check=True)
            subprocess.run([f"mpicc.{MPI}", "-shared", "-fPIC", "-O0", "-w", source, "-o", path], check=True)

    def counts(self, folder, ranks, command):
        folder.mkdir()
        environment = support.clean_environment(self.environment() | {"COUNTER_OUTPUT": str(folder / "counts")})
        done = subprocess.run([*map(str, command)], env=environment, cwd=folder, capture_output=True, text=True,
                              timeout=support.TIMEOUT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [(folder / f"counts.{rank}").read_text() for rank in range(ranks)]

    def counts_of_example(self, example, ranks):
        """Without anything of Rondo."""
        program = support.BUILD / "examples" / MPI / example
        command = [*launcher(ranks, self.library), program]
        folder = support.made_once(f"counts-{example}-{MPI}-{ranks}", [program, self.library],
                                   lambda folder: self.counts(folder, ranks, command))
        counts = [(folder / f"counts.{rank}").read_text() for rank in range(ranks)]
        self.assertGreater(sum(map(len, counts)), 100)
        return counts

    def test_agrees_for_programs_whose_order_does_not_depend_on_time(self):
        for example in [e for e in IN_C if e not in ("workers", "irregular")]:
            with self.subTest(example=example):
                archive = support.record(example, 4, mpi=MPI)
                replayed = self.counts(self.folder / example, 4, [support.RONDO, "replay", archive, "--times", "none", "--",
                                                                  *launcher(4, self.library)])
                self.assertEqual(replayed, self.counts_of_example(example, 4))


class Files(ReplayTest):
    def test_are_played_in_a_folder_that_is_gone_afterwards(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "files.c", mpi=MPI), 4, mpi=MPI)
        scratch = self.folder / "scratch"
        scratch.mkdir()
        self.expect_same(archive, 4, "--scratch", str(scratch))
        self.assertEqual(list(scratch.iterdir()), [])


class Time(ReplayTest):
    def test_passes_as_it_did_scaled_or_not_at_all(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "waits.c", mpi=MPI), 2, mpi=MPI)  # 0.4 s of waiting
        def seconds(*options):
            again = self.folder / "again.rondo"
            self.replay(archive, 2, "--force", "--record", again, *options)
            data = json.loads(self.rondo("compare", archive, again, "--json").stdout)
            return data["times"]["b"]["computation_ns"] / 2e9
        for options in ([], ["--times", "rank"], ["--times", "histogram"], ["--compute", "sleep"]):
            self.assertGreaterEqual(seconds(*options), 0.392, options)
        self.assertLess(seconds("--times", "none", "--scale-compute", "100"), 20)  # it would be 40 s
        self.assertGreaterEqual(seconds("--scale-compute", "2"), 0.76)

    def test_varies_from_pass_to_pass_as_it_did(self):
        program = programs.build(self.folder, HERE / "first_pass.c", mpi=MPI)  # waits 200, then 6, 10, 2, 6, 10, 2, ... ms
        archive, _ = programs.record(program, 2, mpi=MPI, times="full")
        for times in ("full", "histogram"):
            self.replay(archive, 2, "--force", "--times", times, "--compute", "sleep", "--record", "again.rondo")
            self.rondo("generate", "again.rondo", "--force", "--times", "histogram", "-o", "made")
            text = (self.folder / "made" / "benchmark.c").read_text()
            self.assertRegex(text, r"compute\(i == 0 \? .* : .*drawn\(&computation_\d\)\)", times)


class Refuses(ReplayTest):
    def test_what_cannot_be_played_with_a_list(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "unplayable.c", mpi=MPI), 2, mpi=MPI)
        done = self.replay(archive, 2, status=2)
        self.assertIn("2 x  MPI_Send that failed with MPI_ERR_", done.stderr)
        self.assertIn("2 x  MPI_Bcast with MPI_BOTTOM", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_other_numbers_of_ranks(self):
        done = self.replay(support.record("ring", 4, mpi=MPI), 3, "--times", "none", status=2)
        self.assertIn("the trace has 4 ranks, but 3 were started; start as many (-n 4)", done.stderr)

    def test_a_script_that_launches_with_the_other_mpi(self):
        other, names = ("mpich", ("Open MPI", "MPICH")) if MPI == "openmpi" else ("openmpi", ("MPICH", "Open MPI"))
        script = self.folder / "launch"
        script.write_text('#!/bin/sh\nexec "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        done = self.rondo("replay", support.record("ring", 4, mpi=MPI), "--times", "none", "--mpi", other, "--", script,
                          *launcher(4), environment=self.environment(), status=2)
        self.assertIn(f"4 processes were started by a launcher of {names[0]}, and this replay uses {names[1]}", done.stderr)
        self.assertEqual(done.stderr.count("the trace has 4 ranks"), 1, done.stderr)

    def test_times_that_were_not_recorded(self):
        self.refuses("replay", support.record("ring", 4, mpi=MPI), "--times", "full", "--", *launcher(4),
                     saying="does not have the times of every call; record with `rondo record --times full`")

    def test_bad_usage(self):
        self.refuses("replay", "none.rondo", "--", *launcher(2), saying="none.rondo: cannot open")
        self.refuses("replay", support.record("ring", 4, mpi=MPI), "--", "no-such-launcher", saying="no-such-launcher")
        self.refuses("replay", support.record("ring", 4, mpi=MPI), "--", "echo", saying="--mpi")


if __name__ == "__main__":
    unittest.main()
