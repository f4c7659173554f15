#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo info: times that do not mislead, runs that hang, and ranks that share processors."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

import programs
from support import BUILD, RONDO, CommandTest, clean_environment, record

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have what runs in the background ignore it, and it would be inherited

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
OPEN_MPI = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n"]
SHARED = len(os.sched_getaffinity(0)) + 2  # ranks that are more than processors


class Pipes(CommandTest):
    def test_an_archive_is_read_from_a_pipe(self):
        """As of <(COMMAND): what it holds can be read only once, so that nobody may look at its beginning first."""
        archive = record("ring", 2)
        for command in (["info"], ["matrix"], ["print", "--no-times"]):
            done = subprocess.run([RONDO, *command, "/dev/stdin"], input=archive.read_bytes(), capture_output=True,
                                  env=clean_environment(), timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.decode(), self.rondo(*command, archive).stdout)

    def test_one_that_nobody_writes_into_is_refused(self):
        os.mkfifo(self.folder / "pipe")
        self.refuses("info", "pipe", saying="nobody writes into")


class Times(CommandTest):
    def info(self, archive):
        return json.loads(self.rondo("info", archive, "--json").stdout)

    def test_start_up_is_told_apart_and_headline_and_table_agree(self):
        archive = record("collectives")
        info = self.info(archive)
        text = self.rondo("info", archive).stdout
        behind = [use for use in info["call_sites"] if use["call"] not in ("MPI_Init", "MPI_Finalize")]
        inside = sum(use["inside_mpi_ns"] for use in behind)
        self.assertGreater(info["startup_ns"], 0)
        self.assertGreater(inside, 0)
        self.assertLess(info["share_inside_mpi"], 1)
        self.assertAlmostEqual((info["inside_mpi_ns"] - info["startup_ns"]) / inside, 1, delta=0.05)
        self.assertRegex(text, r"from MPI_Init to MPI_Finalize; MPI_Init alone took .* \(mean of ranks\)")
        shares = re.search(r"behind it: inside MPI .*sum over ranks\), computation.*", text).group()
        self.assertAlmostEqual(sum(float(share) for share in re.findall(r"([\d.]+) %", shares)), 100, delta=2)
        self.assertRegex(text, r"(?m)^ +calls  inside MPI   share  function, place$")

    def test_cost_of_a_call_is_not_that_of_beginning(self):
        cost = self.info(record("ring", 2))["cost"]
        self.assertGreater(cost["start_ns"], 0)
        self.assertGreaterEqual(cost["apart_from_calls_ns"], cost["start_ns"])
        self.assertGreater(cost["end_ns"], 0)
        self.assertLess(cost["per_call_ns"], 100_000)

    def check_shared(self, mpi, folder):
        program = programs.build(folder, "hangs.c", "-O1", mpi=mpi)
        archive, _ = programs.record(program, SHARED, mpi=mpi)
        info = self.info(archive)
        shared = info["shared_processors"]
        self.assertEqual((shared["ranks"], shared["processors"]), (SHARED, SHARED - 2))
        self.assertTrue(shared["computation_is_cpu_time"])
        self.assertGreater(shared["waited_for_processor_ns"], 0)
        # What is displaced while it computes stays so for milliseconds, and is no computation.
        self.assertGreater(shared["displaced_between_calls_ns"], 0)
        # Recording took a larger share of what they had of the processors than of what passed by the clock.
        cost = info["cost"]
        cost_ns = cost["per_call_ns"] * info["calls"] + cost["apart_from_calls_ns"]
        self.assertGreater(cost["share_of_run"], 1.02 * cost_ns / (SHARED * info["span_ns"]))
        alone = self.info(programs.record(program, 1, mpi=mpi, archive=folder / "alone.rondo")[0])
        self.assertLess(info["computation_ns"] / SHARED, 3 * alone["computation_ns"])
        self.assertIn("computation is CPU time", self.rondo("info", archive).stdout)
        done = self.rondo("simulate", archive, "--network", "latency=1us,bandwidth=1GB/s")
        self.assertIn(f"{SHARED} ranks shared {SHARED - 2} processors", done.stderr)

    def test_ranks_on_too_few_processors(self):
        self.check_shared("openmpi", self.folder)

    def test_ranks_on_too_few_processors_of_mpich(self):
        self.check_shared("mpich", self.folder)

    def test_sleep_is_computation_and_being_displaced_is_not(self):
        for mpi, ranks_here in (("openmpi", "OMPI_COMM_WORLD_LOCAL_SIZE"), ("mpich", "MPI_LOCALNRANKS")):
            with self.subTest(mpi=mpi):
                program = programs.build(self.folder, "displaced.c", "-O1", "-w", mpi=mpi)
                archive = self.folder / f"{mpi}.rondo"
                recorder = {"LD_PRELOAD": str(BUILD / "lib" / f"librondo_record_{mpi}.so"), "RONDO_OUTPUT": str(archive),
                            ranks_here: "1000"}
                done = subprocess.run([program], env=clean_environment(AS_ROOT | recorder), capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                cpu_ns, asleep_ns, passed_ns = map(int, done.stdout.split())
                self.assertGreater(passed_ns, 1.1 * (cpu_ns + asleep_ns))  # it was displaced
                self.assertAlmostEqual(self.info(archive)["computation_ns"] / (cpu_ns + asleep_ns), 1, delta=0.05)

    def test_json_has_all_call_sites(self):
        info = self.info(record("twin_c"))
        self.assertGreater(len(info["call_sites"]), 10)
        self.assertEqual(sum(use["calls"] for use in info["call_sites"]), info["calls"])


class Hangs(CommandTest):
    def interrupted(self, program, whole_job=False) -> str:
        """What `rondo record` said of a hang that was interrupted: alone, or with its launcher as `timeout` does."""
        started = subprocess.Popen([RONDO, "record", "--force", "-o", "x.rondo", "--", *OPEN_MPI, "3", program, "hang"], cwd=self.folder,
                                   env=clean_environment(AS_ROOT), stderr=subprocess.PIPE, text=True, start_new_session=True)
        parts = self.folder / "x.rondo.parts"
        for _ in range(300):  # until each rank has saved what it has, twice over
            if parts.is_dir() and len(list(parts.iterdir())) >= 3:
                break
            time.sleep(0.2)
        time.sleep(2.5)
        if whole_job:
            os.killpg(started.pid, signal.SIGTERM)
        else:
            started.send_signal(signal.SIGINT)
        return started.communicate(timeout=60)[1]

    def test_the_call_is_shown_with_its_source_and_tag(self):
        program = programs.build(self.folder, "hangs.c", "-g")
        for _ in range(4):  # a launcher that is in a hurry may kill a rank before it has said its last
            said = self.interrupted(program)
            if "killed or lost" not in said:
                break
        call = "MPI_Recv(source=(rank-1) % 3, tag=7, comm=MPI_COMM_WORLD)"
        self.assertIn(call, said)
        text = self.rondo("info", "x.rondo", "--messages").stdout
        self.assertIn(call, text)
        self.assertNotIn("none lacks an end", text)
        self.assertIn("3 ranks were in a call that did not end", text)
        info = json.loads(self.rondo("info", "x.rondo", "--json").stdout)
        self.assertEqual(info["call_sites"][0]["call"], "MPI_Recv")
        self.assertGreater(info["share_inside_mpi"], 0.4)
        self.assertNotIn("MPI_Abort", self.interrupted(program, whole_job=True))  # nobody called it


class Words(CommandTest):
    def test_one_is_never_said_as_many(self):
        for archive in (record("collectives", 1), record("ring", 2)):
            for words in (["info"], ["topology"], ["patterns"], ["patterns", "--communication"], ["print"], ["logical"],
                          ["stats"], ["matrix"], ["efficiency"], ["compare", archive],
                          ["simulate", "--network", "latency=5us,bandwidth=1GB/s"]):
                with self.subTest(archive=archive, words=words):
                    text = self.rondo(*words, archive).stdout
                    self.assertNotRegex(text, r"(?<![\d.,x])1 (more )?(ranks|calls|terms|messages|pairs|executions|events|"
                                              r"sites|call sites|rounds|times|places|steps|bytes|groups|patterns)\b")

    def test_a_run_that_sends_nothing(self):
        source = self.folder / "quiet.c"
        source.write_text("#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n")
        archive, _ = programs.record(programs.build(self.folder, source), 1)
        text = self.rondo("topology", archive).stdout
        self.assertNotIn("0 B", text)

    def test_parts_of_one_name_are_told_apart(self):
        source = self.folder / "rings.c"
        sends = [f"MPI_Sendrecv(a, 99, MPI_INT, (r + {by}) % n, 0, b, 99, MPI_INT, (r + n - {by}) % n, 0, w, MPI_STATUS_IGNORE);" for by in (1, 2)]
        source.write_text("#include <mpi.h>\nint main(int c, char **v) {\n  int r, n, a[99] = {0}, b[99];\n  MPI_Comm w = MPI_COMM_WORLD;\n"
                          "  MPI_Init(&c, &v);\n  MPI_Comm_rank(w, &r);\n  MPI_Comm_size(w, &n);\n  for (int i = 0; i < 9; ++i) {\n"
                          f"    {sends[0]}\n    for (int k = 0; k < 20; ++k) MPI_Barrier(w);\n    {sends[1]}\n  }}\n  MPI_Finalize();\n}}\n")
        archive, _ = programs.record(programs.build(self.folder, source, "-g"), 5)
        text = self.rondo("topology", archive).stdout
        self.assertRegex(text, r"\ntopology +ring of 5 ranks \(2 different ones\)\n")
        for line in (9, 11):
            self.assertRegex(text, rf"ring of 5 ranks, shift +50 % +50 %  loop 9: MPI_Sendrecv in main at rings.c:{line}")

    def test_a_matrix_is_said_to_be_one(self):
        (self.folder / "m.csv").write_text("src,dst,messages,bytes\n0,1,1,8\n")
        for command in ("info", "stats", "print", "logical", "patterns", "report"):
            said = self.rondo(command, "m.csv", status=2).stderr
            self.assertIn("m.csv: is a matrix of messages, which has no calls: rondo matrix and rondo topology read it", said, command)

    def test_what_recording_cost_is_not_guessed(self):
        self.rondo("convert", record("ring", 2), "ring.ti")
        self.assertNotIn("cost ", self.rondo("info", "ring.ti").stdout)
        self.assertIsNone(json.loads(self.rondo("info", "ring.ti", "--json").stdout)["cost"]["per_call_ns"])


class Together(CommandTest):
    def test_what_if_and_critical_path(self):
        words = ["simulate", record("ring"), "--network", "latency=5us,bandwidth=1GB/s", "--what-if", "--critical-path"]
        text = self.rondo(*words).stdout
        self.assertIn("critical path: ends on rank", text)
        self.assertIn("zero latency", text)
        said = json.loads(self.rondo(*words, "--json").stdout)
        self.assertEqual(len(said["predictions"]), 6)
        self.assertGreater(said["critical_path"]["hops"], 0)

    def test_runs_on_different_ranks_have_calls(self):
        said = json.loads(self.rondo("compare", record("ring"), record("ring", 2), "--json", status=1).stdout)
        calls = {key: json.loads(self.rondo("info", record("ring", ranks), "--json").stdout)["calls"]
                 for key, ranks in (("a", 4), ("b", 2))}
        self.assertEqual(said["calls"], calls)


if __name__ == "__main__":
    unittest.main()
