#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo efficiency: delays that were injected are found, nothing else is, and charges add up to the waits."""
import contextlib
import csv
import html
import json
import os
import pathlib
import pty
import re
import unittest

import programs
import support
from support import CommandTest, record

ROOT = pathlib.Path(__file__).resolve().parents[2]
DELAY = 0.3  # seconds, tests/cli/programs/delays.c
# Sleeps end late on busy machines, and what is measured in their place is the machine.
TOLERANCE = 0.2


class Delays(CommandTest):
    def recorded(self, program, mpi, settings):
        return programs.record(program, 4, mpi=mpi, **settings)[0]

    def cut_short(self, program, mpi, settings):
        """Of a run that ends in MPI_Abort."""
        archive = program.with_suffix(".rondo")
        yielding = support.BUILD / "lib" / "libmpich_yield.so"
        launch = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"],
                  "mpich": ["mpirun.mpich", "-genv", "LD_PRELOAD", yielding]}[mpi]
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = support.run("record", "--force", "--times", settings["times"], "-o", archive, "--", *launch, "-n", "4",
                           program, "cut", environment=root, cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        return archive

    def found(self, mpi, expected, source="delays.c", how=None, flags=(), **settings):
        """What is said of a run with these waits, in DELAYs by kind; a run that a busy machine held up is made again."""
        program = programs.build(self.folder, source, *flags, mpi=mpi)
        for _ in range(4):
            archive = (how or self.recorded)(program, mpi, settings)
            found = json.loads(self.rondo("efficiency", archive, "--json").stdout)
            by_kind = found["waits"]["by_kind_seconds"]
            delays = {kind: expected.get(kind, 0) * DELAY for kind in by_kind}
            wrong = {kind: (seconds, delays[kind]) for kind, seconds in by_kind.items()
                     if abs(seconds - delays[kind]) > TOLERANCE * max(delays[kind], DELAY)}
            if not wrong:
                return found
        self.fail(f"seconds found and injected differ: {wrong}")

    def check(self, mpi):
        found = self.found(mpi, {"late sender": 2, "late receiver": 1, "wait at barrier": 2, "wait at all-to-all": 3,
                                 "late broadcast": 3}, times="full")
        self.assertTrue(found["waits"]["measured"])
        causes = found["waits"]["causes"]
        self.assertAlmostEqual(sum(cause["seconds"] for cause in causes), found["waits"]["seconds"], places=6)
        computed = {(cause["rank"], cause["function"]) for cause in causes[:5] if cause["what"] == "computation"}
        self.assertLessEqual({(0, "MPI_Send"), (1, "MPI_Allreduce"), (0, "MPI_Bcast"), (3, "MPI_Recv")}, computed)

    def test_are_measured_under_open_mpi(self):
        self.check("openmpi")

    def test_are_measured_under_mpich(self):
        self.check("mpich")

    def test_of_one_sided_epochs_and_wrong_order_are_measured(self):
        for mpi in ("openmpi", "mpich"):
            found = self.found(mpi, {"wait at fence": 3, "late post": 1, "late complete": 1, "messages in wrong order": 1,
                                     "wait for lock": 1, "wait at barrier": 10}, source="epochs.c", times="full")
            causes = found["waits"]["causes"]
            self.assertAlmostEqual(sum(cause["seconds"] for cause in causes), found["waits"]["seconds"], places=6)

    def test_behind_programs_among_neighbours_and_at_roots_are_measured(self):
        expected = {"wait for completion": 8, "wait for neighbours": 2, "wait at barrier": 4, "early reduce": 1, "early scan": 3}
        for mpi in ("openmpi", "mpich"):
            for how in (self.recorded, self.cut_short):
                found = self.found(mpi, expected, source="behind.c", how=how, times="full")
                causes = found["waits"]["causes"]
                self.assertAlmostEqual(sum(cause["seconds"] for cause in causes), found["waits"]["seconds"], places=6)

    def test_of_fortran_are_measured(self):
        for mpi in ("openmpi", "mpich"):
            self.found(mpi, {"late sender": 1, "wait at barrier": 2, "wait at all-to-all": 3, "late broadcast": 3,
                             "wait for completion": 3}, source="delays.f90", times="full")

    def test_are_found_without_times_of_every_call(self):
        found = self.found("openmpi", {"late sender": 2, "late receiver": 1, "wait at barrier": 2, "wait at all-to-all": 3,
                                       "late broadcast": 3})
        self.assertFalse(found["waits"]["measured"])
        self.assertEqual(found["ideal_eager_bytes"], 4096)
        archive = next(self.folder.glob("*.rondo"))
        eager = json.loads(self.rondo("efficiency", "--rendezvous", "1GB", archive, "--json").stdout)
        self.assertEqual(eager["waits"]["by_kind_seconds"]["late receiver"], 0)
        self.refuses("efficiency", "--rendezvous", "many", archive, saying="'many' is no size")

    def test_of_one_sided_epochs_are_found_without_times_of_every_call(self):
        found = self.found("openmpi", {"wait at fence": 3, "late post": 1, "late complete": 1, "messages in wrong order": 1,
                                       "wait for lock": 1, "wait at barrier": 10}, source="epochs.c")
        self.assertFalse(found["waits"]["measured"])

    def test_in_loops_that_poll_are_waits_and_no_computation(self):
        for mpi, times in (("openmpi", "full"), ("mpich", "full"), ("openmpi", "histogram"), ("mpich", "histogram")):
            found = self.found(mpi, {"wait in polling loop": 3}, source="polling.c", times=times)
            first = found["waits"]["causes"][0]
            self.assertEqual((first["what"], first["rank"], first["function"]), ("computation", 0, "MPI_Send"))
            # Rank 1 computes for 0.1 s and polls meanwhile; 2 and 3 compute nothing.
            computed = [rank["useful_seconds"] for rank in found["by_rank"]]
            self.assertGreater(computed[1], 0.09)
            self.assertLess(max(computed[2:]), DELAY / 2)

    def test_of_several_threads_are_measured_and_found(self):
        for mpi, times in (("openmpi", "full"), ("mpich", "full"), ("openmpi", "histogram")):
            found = self.found(mpi, {"late sender": 2, "late receiver": 2, "wait at all-to-all": 6, "wait at barrier": 6, "early reduce": 2},
                               source=ROOT / "bench" / "injected_threads.c", flags=["-pthread", "-I", str(ROOT / "include")], times=times,
                               how=lambda program, mpi, settings: programs.record(program, 4, str(DELAY), mpi=mpi, **settings)[0])
            self.assertEqual(found["waits"]["measured"], times == "full")
            self.assertAlmostEqual(sum(cause["seconds"] for cause in found["waits"]["causes"]), found["waits"]["seconds"], places=6)
            self.assertLess(found["parallel_efficiency"], 1)


class Parts(CommandTest):
    """An imbalance of one phase, on one communicator, in one function."""

    def found(self, archive, by):
        found = json.loads(self.rondo("efficiency", archive, "--by", by, "--json").stdout)
        self.assertEqual(found["parts"]["by"], by)
        parts = {part["name"]: part for part in found["parts"]["parts"]}
        for rank, whole in enumerate(found["by_rank"]):
            for name, of_part in (("useful_seconds", "useful_ns"), ("inside_mpi_seconds", "inside_mpi_ns")):
                summed = sum(part["by_rank"][rank][of_part] for part in parts.values())
                self.assertEqual(summed, round(whole[name] * 1e9), msg=(by, rank, name))
        lost = sum(part["lost"] for part in parts.values()) + found["parts"]["in_none"]
        self.assertAlmostEqual(lost, 1 - found["parallel_efficiency"], places=9)
        waited = sum(part["waits"]["seconds"] for part in parts.values())
        self.assertAlmostEqual(waited, found["waits"]["seconds"], places=9)
        return parts

    def check(self, archive):
        for by, uneven, even in (("phase", "uneven", "even"), ("communicator", "solvers", "MPI_COMM_WORLD"),
                                 ("procedure", "exchange", "main")):
            parts = self.found(archive, by)
            delay = 3 * DELAY # of all who wait
            is_found = (abs(parts[uneven]["waits"]["seconds"] - delay) < TOLERANCE * delay and
                        abs(parts[uneven]["waits"]["blamed_seconds"] - delay) < TOLERANCE * delay and
                        parts[even]["waits"]["seconds"] < TOLERANCE * delay and
                        parts[uneven]["load_balance"] < 0.5 < parts[even]["load_balance"] and
                        parts[uneven]["lost"] > parts[even]["lost"] and parts[uneven]["slowest_rank"] == 2)
            if not is_found:
                return False
        self.assertIn("MPI_Allreduce", self.found(archive, "function"))
        return True

    def test_lose_what_was_injected(self):
        for mpi, times in (("openmpi", "full"), ("mpich", "histogram")):
            flags = ["-g", "-O1", "-fno-inline", "-I", str(ROOT / "include")]
            program = programs.build(self.folder, "parts.c", *flags, mpi=mpi)
            for _ in range(4): # a busy machine adds delays of its own
                archive, _ = programs.record(program, 4, mpi=mpi, times=times)
                if self.check(archive):
                    break
            else:
                self.fail(f"{mpi}: waits are not where they were injected")
        text = self.rondo("efficiency", archive, "--by", "phase").stdout
        self.assertRegex(text, r"where efficiency is lost, by phase\n.*\n.* uneven\n")

    def test_are_of_one_run(self):
        archive = record("ring", 2)
        self.refuses("efficiency", archive, archive, "--by", "phase", saying="--by is for parts of one run")
        self.assertIn("the program marks no phases", self.rondo("efficiency", archive, "--by", "phase").stdout)


class Balance(CommandTest):
    def test_is_said_alike_by_command_and_page(self):
        program = programs.build(self.folder, "parts.c", "-I", str(ROOT / "include"))
        archive, _ = programs.record(program, 4)
        found = json.loads(self.rondo("efficiency", archive, "--json").stdout)
        paged = json.loads(self.rondo("report", archive, "--json").stdout)["runs"][0]["efficiency"]
        self.assertTrue(found["if_balanced"])
        for even in ("if_balanced", "if_even_in_each_pass", "if_at_once", "if_waited_later", "if_even_in_all"):
            self.assertEqual(paged.get(even), found.get(even))
        text = self.rondo("efficiency", archive).stdout
        said = re.findall(r"  (\S+) (\S+) instead of (\S+) (\S+) \((\S+) % less\), if all ranks computed \S+ \S+ before", text)
        self.assertEqual(len(said), len(found["if_balanced"]))
        units = {"s": 1, "ms": 1e-3, "us": 1e-6, "\u00b5s": 1e-6}
        for (runtime, unit, instead_of, its_unit, won), each in zip(said, found["if_balanced"]):
            self.assertAlmostEqual(float(runtime) * units[unit] / each["balanced_runtime_seconds"], 1, delta=0.001)
            self.assertAlmostEqual(float(instead_of) * units[its_unit] / each["instead_of_seconds"], 1, delta=0.001)
            self.assertAlmostEqual(float(won) / 100, each["won_share"], delta=0.0006)
            self.assertAlmostEqual(each["won_share"], 1 - each["balanced_runtime_seconds"] / each["instead_of_seconds"])


class Efficiency(CommandTest):
    def test_what_to_do_first_is_never_left_out(self):
        archive = record("ring", 2)  # which computes nothing to speak of
        text = self.rondo("efficiency", archive).stdout
        found = json.loads(self.rondo("efficiency", archive, "--json").stdout)
        self.assertLess(found["ideal_runtime_seconds"], 0.9 * found["runtime_seconds"])
        if "doubtful here" in text:  # other programs had the processors
            said = r"By them, and if MPI and the network took no time,\nthe run would take \S+ \S+ instead of \S+ \S+[,;] "
        else:
            said = (r"what to do first: the run would take\n  \S+ \S+ instead of \S+ \S+ \(\S+ % less\), "
                    r"if MPI and the network took no time; .* of the time inside MPI is in MPI_")
        self.assertRegex(text, said)

    def test_factors_multiply_up(self):
        found = json.loads(self.rondo("efficiency", record("halo2d", 4), "--json").stdout)
        self.assertAlmostEqual(found["parallel_efficiency"], found["load_balance"] * found["communication_efficiency"])
        self.assertAlmostEqual(found["communication_efficiency"],
                               found["serialisation_efficiency"] * found["transfer_efficiency"])
        self.assertEqual(len(found["by_rank"]), 4)

    def test_says_what_to_look_at(self):
        done = self.rondo("efficiency", record("workers", 5))
        for words in ("parallel efficiency", "load balance", "waiting: ", "whose fault"):
            self.assertIn(words, done.stdout)
        is_crowded = "computation is CPU time" in done.stderr # fewer than 5 processors
        self.assertEqual("what to do first: give each rank a processor" in done.stdout, is_crowded)

    def test_runs_stand_side_by_side(self):
        archives = [record("ring", 4), record("ring", 6)]
        lines = self.rondo("efficiency", *archives).stdout.splitlines()
        self.assertRegex(lines[1], r"^ranks +4 +6$")
        self.assertTrue(any(re.match(r"^  if MPI took no time +[0-9.]+ .?s +[0-9.]+ .?s$", line) for line in lines), lines)
        runs = json.loads(self.rondo("efficiency", *archives, "--json").stdout)["runs"]
        self.assertEqual([run["ranks"] for run in runs], [4, 6])
        self.assertEqual(runs[0]["speedup"], 1)

    def test_says_when_only_computation_is_known(self):
        run = self.folder / "run"
        run.mkdir()
        for rank, message in ((0, "send 1 0 10 0"), (1, "recv 0 0 10 0")):
            (run / f"{rank}.txt").write_text(f"{rank} init\n{rank} compute {1e9 * (2 - rank):.0f}\n{rank} {message}\n{rank} finalize\n")
        said = self.rondo("efficiency", run).stderr
        self.assertIn("the trace has no times inside MPI, only computation", said)
        self.rondo("efficiency", run, "-o", "ranks.svg")
        self.assertIn("rank 1, late sender: 1 s", html.unescape((self.folder / "ranks.svg").read_text(encoding="utf-8")))

    def test_draws_time_by_rank_and_factors_over_ranks(self):
        self.rondo("efficiency", record("workers", 5), "-o", "ranks.svg")
        drawn = (self.folder / "ranks.svg").read_text(encoding="utf-8")
        for words in ("5 ranks: where each rank's time goes", "computing", "late sender", "rank 4, computing: "):
            self.assertIn(words, html.unescape(drawn))
        self.rondo("efficiency", record("ring", 4), record("ring", 6), "-o", "runs.svg")
        drawn = (self.folder / "runs.svg").read_text(encoding="utf-8")
        for words in ("Efficiency over ranks", "load balance", "transfer", "computation scalability"):
            self.assertIn(words, drawn)
        self.rondo("efficiency", record("ring", 4), "-o", "ranks.png")
        self.assertTrue((self.folder / "ranks.png").read_bytes().startswith(b"\x89PNG"))
        self.refuses("efficiency", record("ring", 4), "-o", "ranks.png", saying="ranks.png")
        self.rondo("efficiency", record("workers", 5), "--by", "function", "-o", "parts.svg")
        drawn = html.unescape((self.folder / "parts.svg").read_text(encoding="utf-8"))
        for words in ("where each rank's time goes, by function", "MPI_Recv, in MPI", "rank 4, MPI_Recv, in MPI: "):
            self.assertIn(words, drawn)

    def test_is_coloured_in_terminals_alone(self):
        archive = str(record("ring", 4))
        self.assertNotIn("\x1b", self.rondo("efficiency", archive).stdout)
        for settings, is_coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            pid, terminal = pty.fork()
            if pid == 0:
                environment = support.clean_environment({"TERM": "xterm", **settings})
                os.execve(support.RONDO, [str(support.RONDO), "efficiency", archive], environment)
            said = b""
            with contextlib.suppress(OSError): # the end, on Linux
                while chunk := os.read(terminal, 65536):
                    said += chunk
            os.waitpid(pid, 0)
            self.assertIn(b"load balance", said)
            self.assertEqual(b"\x1b[38;2;" in said, is_coloured)

    def test_refuses_what_is_no_archive(self):
        self.refuses("efficiency", self.file("x.rondo", "no archive"), saying="x.rondo")


class OtherTool(CommandTest):
    """Paraver traces of a real program, and the factors that the tool of their makers gives for them."""

    def setUp(self):
        super().setUp()
        data = os.environ.get("RONDO_TEST_DATA")
        if not data:
            self.skipTest("RONDO_TEST_DATA is not set")
        folder = pathlib.Path(data) / "epoch"
        ranks = {int(re.search(r"(\d+)proc", path.name).group(1)): str(path) for path in folder.glob("*.prv*")}
        self.traces = dict(sorted(ranks.items()))
        if not self.traces:
            self.skipTest(f"{folder} has no traces")
        with open(folder / "modelfactors.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, delimiter=";"))
        self.theirs = {row[0]: dict(zip(map(int, rows[0][1:]), map(float, row[1:]))) for row in rows[1:] if row}

    def test_has_the_same_factors(self):
        runs = [json.loads(self.rondo("efficiency", *self.traces.values(), "--json").stdout)]
        runs = runs[0].get("runs", runs)
        self.assertEqual([run["ranks"] for run in runs], list(self.traces))
        compared = 0
        for run in runs:
            for name, theirs in (("parallel_efficiency", "Parallel efficiency"), ("load_balance", "Load balance"),
                                 ("communication_efficiency", "Communication efficiency")):
                expected = self.theirs[theirs][run["ranks"]] / 100
                self.assertAlmostEqual(run[name] / expected, 1, delta=1e-6, msg=(run["name"], name))
                compared += 1
            # Both play the run on an ideal network, each on its own.
            for name, theirs in (("serialisation_efficiency", "Serialization efficiency"),
                                 ("transfer_efficiency", "Transfer efficiency")):
                expected = self.theirs[theirs][run["ranks"]] / 100
                self.assertAlmostEqual(run[name], expected, delta=0.005, msg=(run["name"], name))
                compared += 1
        self.assertEqual(compared, 5 * len(self.traces))


if __name__ == "__main__":
    unittest.main()
