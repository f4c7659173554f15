#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo generate --language python and json: the benchmark in Python says what was recorded, by `rondo compare`; the
intermediate form holds as many calls as were recorded.

RONDO_TEST_MPI says which MPI, which must be that of mpi4py; RONDO_TEST_DATA, if set, the folder with traces of NAS programs
in SimGrid's format.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import replay_test
from replay_test import HERE, MPI, launcher, programs, support

VENDORS = {"openmpi": "Open MPI", "mpich": "MPICH"}


def python_with_mpi4py():
    """An interpreter whose mpi4py belongs to the MPI under test."""
    ask = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; print(MPI.get_vendor()[0])"
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", ask], capture_output=True, text=True)
        if done.stdout.strip() == VENDORS[MPI]:
            return python
    return None


PYTHON = python_with_mpi4py()


@unittest.skipUnless(PYTHON, f"no mpi4py for {VENDORS[MPI]} (Debian: python3-mpi4py)")
class PythonTest(replay_test.ReplayTest):
    def generate(self, archive, *options):
        folder = self.folder / "made"
        shutil.rmtree(folder, ignore_errors=True)
        self.rondo("generate", "--language", "python", archive, "-o", folder, *options)
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["README.md", "benchmark.py"])
        return folder / "benchmark.py"

    def run_benchmark(self, program, ranks, *options, **environment):
        return subprocess.run([*launcher(ranks), PYTHON, program, *options], capture_output=True, text=True, cwd=self.folder,
                              env=support.clean_environment(self.environment() | environment), timeout=support.TIMEOUT_SECONDS)

    def expect_same(self, archive, ranks, *options):
        program = self.generate(archive, *options)
        again = self.folder / "again.rondo"
        self.rondo("record", "--force", "-o", again, "--", *launcher(ranks), PYTHON, program, "--compute", "none",
                   environment=self.environment())
        done = support.run("compare", "--no-times", archive, again)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return again


class Examples(PythonTest):
    def test_say_the_same(self):
        for example in ("halo2d", "collectives", "persistent", "neighbors", "rowscols", "workers", "mixed", "vcycle",
                        "twin_mpif"):
            with self.subTest(example=example):
                self.expect_same(support.record(example, 4, mpi=MPI), 4)

    def test_find_in_polls_what_they_found(self):
        archive = support.record("irregular", 4, mpi=MPI)
        self.rondo("compare", "--no-times", "--polls", archive, self.expect_same(archive, 4))

    def test_files_windows_and_two_groups(self):
        for source in ("files.c", "own_files.c"):
            archive, _ = programs.record(programs.build(self.folder, HERE / source, mpi=MPI), 4, mpi=MPI)
            self.expect_same(archive, 4)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("scratch")], [])

    def test_datatypes_and_counts_that_reach_far(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "far.c", mpi=MPI), 4, mpi=MPI)
        self.expect_same(archive, 4)

    def test_messages_to_nobody_keep_their_sizes(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "nobody.c", mpi=MPI), 3, mpi=MPI)
        self.expect_same(archive, 3, "--times", "none")
        self.assertIn("    exchange(1)", (self.folder / "made" / "benchmark.py").read_text())

    @unittest.skipUnless(os.environ.get("RONDO_TEST_DATA"), "RONDO_TEST_DATA is not set")
    def test_a_nas_program_converted_from_simgrid(self):
        self.rondo("convert", pathlib.Path(os.environ["RONDO_TEST_DATA"]) / "ti" / "is.A.16.tar.zst", "is.rondo")
        self.expect_same(self.folder / "is.rondo", 16)


class Time(PythonTest):
    def test_passes_as_it_did_scaled_or_not_at_all(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "waits.c", mpi=MPI), 2, mpi=MPI)  # 0.4 s of waiting
        program = self.generate(archive)

        def seconds(*options, **environment):
            done = self.run_benchmark(program, 2, *options, **environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            return float(done.stdout.split()[0])
        self.assertGreaterEqual(seconds("--compute", "sleep"), 0.39)
        self.assertLess(seconds("--compute", "none", "--scale-compute", "100"), 20)  # it would be 40 s
        self.assertGreaterEqual(seconds(COMPUTE="sleep", SCALE_COMPUTE="2"), 0.78)

    def test_of_a_skeleton_tells_the_time_of_the_whole(self):
        program = self.generate(support.record("halo2d", 4, mpi=MPI), "--skeleton", "10%", "--times", "histogram")
        done = self.run_benchmark(program, 4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("seconds for the whole, by this skeleton; standard error", done.stdout)


class Refuses(PythonTest):
    def test_other_numbers_of_ranks_and_other_options(self):
        program = self.generate(support.record("ring", 4, mpi=MPI))
        done = self.run_benchmark(program, 3)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("this benchmark runs on 4 ranks, not on 3", done.stderr)
        alone = subprocess.run([PYTHON, program, "--compute", "soon"], capture_output=True, text=True)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("usage: ", alone.stderr)

    def test_what_mpi4py_cannot_say_with_a_list(self):
        archive, _ = programs.record(programs.build(self.folder, HERE / "unsaid.c", mpi=MPI), 2, mpi=MPI)
        done = self.rondo("generate", "--language", "python", archive, "-o", "made", status=2)
        self.assertIn("has what mpi4py can't say; --language c can:\n  MPI_2REAL\n  MPI_Put to MPI_PROC_NULL", done.stderr)
        self.assertFalse((self.folder / "made").exists())


class Walk:
    """Goes through the intermediate form as one rank, and counts its calls: the smallest writer there is."""
    BINARY = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__, "%": int.__mod__, "^": int.__xor__,
              "<": int.__lt__, ">=": int.__ge__, "==": int.__eq__, "!=": int.__ne__, "&&": lambda a, b: a and b,
              "||": lambda a, b: a or b}

    def __init__(self, program, rank):
        self.names = {c["name"]: c["value"] for c in program["constants"]} | {"rank": rank, "RANKS": program["ranks"]}
        self.tables = {t["name"]: t for t in program["tables"]}
        self.series = {s["name"]: self.values(s["rows"][s["row_of_rank"][rank]]) for s in program["series"]}
        self.functions = {f["name"]: f["body"] for f in program["functions"]}
        self.calls = 0
        self.statements(program["main"])

    @staticmethod
    def values(row):
        for first, step, count in row:
            yield from (first + step * i for i in range(count))

    def value(self, e):
        if isinstance(e, int):
            return e
        if "seconds" in e:
            return e["seconds"]
        if "name" in e:
            return self.names[e["name"]]
        if "binary" in e:
            return int(self.BINARY[e["binary"]](*map(self.value, e["of"])))
        if "if" in e:
            return self.value(e["then"] if self.value(e["if"]) else e["else"])
        if "lookup" in e:
            table, place = self.tables[e["lookup"]], 0
            for size, index in zip(table["dimensions"], e["at"]):
                place = place * size + self.value(index)
            return table["values"][place]
        assert e["call"] == "next", e
        return next(self.series[e["arguments"][0]["name"]])

    def statements(self, all_of_them):
        for s in all_of_them:
            if "call" in s:
                self.calls += 1
            elif "loop" in s:
                for self.names[s["loop"]] in range(self.value(s["iterations"])):
                    self.statements(s["body"])
            elif "if" in s:
                self.statements(s["then"] if self.value(s["if"]) else s.get("else", []))
            elif "invoke" in s:
                around = self.names
                self.names = around | {name: self.value(value) for name, value in s["arguments"].items()}
                self.statements(self.functions[s["invoke"]])
                self.names = around


class IntermediateForm(replay_test.ReplayTest):
    def test_has_every_call_of_every_rank(self):
        for example in ("halo2d", "wavefront", "multipartition", "rowscols"):
            with self.subTest(example=example):
                archive = support.record(example, 4, mpi=MPI)
                self.rondo("generate", "--language", "json", archive, "-o", "made", "--force")
                program = json.loads((self.folder / "made" / "benchmark.json").read_text())
                self.assertEqual((program["format"], program["version"]), ("rondo-benchmark", 1))
                self.assertNotIn("title", program)
                recorded = json.loads(self.rondo("info", archive, "--json").stdout)["calls"]
                self.assertEqual(sum(Walk(program, rank).calls for rank in range(4)), recorded)


if __name__ == "__main__":
    unittest.main()
