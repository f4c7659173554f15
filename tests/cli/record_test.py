#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo record: input, output and exit status pass through; what cannot be recorded is refused before it starts."""
import json
import os
import pathlib
import shutil
import tempfile
import unittest

import programs
import support
from support import BUILD, CommandTest

OPEN_MPI = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def example(name, mpi="openmpi"):
    return str(BUILD / "examples" / mpi / name)


class Record(CommandTest):
    def record(self, *words, status=0, **keywords):
        return self.rondo("record", *words, status=status, environment=AS_ROOT, **keywords)

    def test_open_mpi_program(self):
        done = self.record("--", *OPEN_MPI, "4", example("ring"))
        self.assertEqual(done.stdout, "ring: ok, 4 ranks, 10 rounds, sum 60\n")
        self.assertIn("uses Open MPI", done.stderr)
        info = json.loads(self.rondo("info", "ring.rondo", "--json").stdout)
        self.assertEqual((info["ranks"], info["complete"]), (4, True))

    def test_mpich_program_with_a_preload_of_its_own(self):
        yielding = BUILD / "lib" / "libmpich_yield.so"
        done = self.record("-o", "x.rondo", "--", "mpirun.mpich", "-n", "3", "-genv", "LD_PRELOAD", yielding,
                           example("ring", "mpich"))
        self.assertIn("uses MPICH", done.stderr)
        self.assertEqual(json.loads(self.rondo("info", "x.rondo", "--json").stdout)["ranks"], 3)

    def test_program_without_a_launcher(self):
        self.record("--", example("ring"))
        self.assertEqual(json.loads(self.rondo("info", "ring.rondo", "--json").stdout)["ranks"], 1)

    def test_says_a_plain_path_of_what_it_wrote(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            done = self.record("-o", f"{elsewhere}/x.rondo", "--", example("ring"))
            self.assertIn(f" in {elsewhere}/x.rondo (", done.stderr)
        self.assertIn(" in ring.rondo (", self.record("--", example("ring")).stderr)

    def test_exit_status_of_the_program(self):
        done = self.record("--", *OPEN_MPI, "6", example("vcycle"), status=2)  # it wants a power of two
        self.assertIn("needs a power of two", done.stderr)

    def test_recordings_of_spawned_processes_are_said_and_have_names(self):
        program = programs.build(self.folder, "merges.c", "-g")
        old = self.file("x.spawned.rondo", "old")
        done = self.record("-o", "x.rondo", "--", *OPEN_MPI, "2", program)
        self.assertRegex(done.stderr, r"rondo: 2 ranks, \d+ calls, in x\.rondo")
        self.assertRegex(done.stderr, r"rondo: spawned: 3 ranks, \d+ calls, in x\.spawned\.1\.rondo .*; to see it: rondo info x\.spawned\.1\.rondo")
        self.assertNotIn("x.spawned.rondo", done.stderr)
        self.assertEqual(old.read_text(), "old")
        self.assertRegex(self.rondo("info", "x.spawned.1.rondo").stdout, r"names +of (\d+) call sites, \1 with lines")

    def test_says_that_debians_mpich_starts_no_processes(self):
        program = programs.build(self.folder, "merges.c", "-g", mpi="mpich")
        done = self.record("-o", "x.rondo", "--", "mpirun.mpich", "-n", "2", program, status=15)
        remark = "MPICH could not start processes; Debian's build of it never can, recorded or not"
        self.assertIn(remark, done.stderr)
        self.assertIn(remark, self.rondo("info", "x.rondo").stdout)

    def test_output_is_not_replaced_unless_forced(self):
        old = self.file("ring.rondo", "precious")
        self.refuses("record", "--", *OPEN_MPI, "2", example("ring"), saying=["ring.rondo", "exists already", "--force"])
        self.assertEqual(old.read_text(), "precious")
        self.record("--force", "--", *OPEN_MPI, "2", example("ring"))
        self.assertGreater(old.stat().st_size, 100)

    def test_each_program_that_a_script_starts_has_a_recording(self):
        script = self.file("twice.sh", "".join(f"{' '.join(OPEN_MPI)} {ranks} {example('ring')}\n" for ranks in (2, 3)))
        old = self.file("x.rondo", "precious")
        for _ in range(2):  # the second time there are x.rondo and x.1.rondo, and only the former may be replaced
            done = self.record("--force", "--mpi", "openmpi", "-o", "x.rondo", "--", "sh", script)
            self.assertRegex(done.stderr, r"rondo: 2 ranks, \d+ calls, in x\.rondo ")
        self.assertNotEqual(old.read_bytes(), b"precious")
        self.assertRegex(done.stderr, r"rondo: 3 ranks, \d+ calls, in x\.2\.rondo .*; to see it: rondo info x\.2\.rondo")
        for name, ranks in (("x.rondo", 2), ("x.1.rondo", 3), ("x.2.rondo", 3)):
            info = self.rondo("info", name).stdout
            self.assertRegex(info, rf"(?m)^ranks +{ranks} ")
            self.assertRegex(info, r"names +of (\d+) call sites, \1 with lines")

    def test_several_programs_of_one_run_are_said(self):
        self.record("-o", "x.rondo", "--", *OPEN_MPI, "2", example("ring"), ":", "-n", "2", shutil.copy(example("ring"), self.folder / "other"))
        self.assertIn("ranks 0-1 run ring, ranks 2-3 run other", self.rondo("info", "x.rondo").stdout)
        self.assertIn("ranks 0-1 run ring, ranks 2-3 run other", self.rondo("print", "x.rondo").stdout.splitlines()[0])
        self.assertTrue(self.rondo("logical", "x.rondo").stdout.startswith("program ring, other  # 4 ranks"))
        executables = json.loads(self.rondo("info", "x.rondo", "--json").stdout)["executables"]
        self.assertEqual(executables, [{"name": "ring", "ranks": [0, 1]}, {"name": "other", "ranks": [2, 3]}])

    def test_paths_may_have_blanks(self):
        (self.folder / "my app").mkdir()
        program = shutil.copy(example("ring"), self.folder / "my app" / "the ring")
        self.record("-o", "x.rondo", "--", *OPEN_MPI, "2", program)
        self.assertIn(f"program      '{program}'\n", self.rondo("info", "x.rondo").stdout)
        self.assertTrue(self.rondo("logical", "x.rondo").stdout.startswith("program the ring  # 2 ranks"))

    def test_output_that_cannot_be_written(self):
        self.refuses("record", "-o", "no/such/x.rondo", "--", *OPEN_MPI, "2", example("ring"),
                     saying=["no/such", "No such file or directory", "-o"])
        self.refuses("record", "-o", str(self.folder), "--", *OPEN_MPI, "2", example("ring"), saying="is a directory")

    def test_full_disk_fails_the_recording_not_the_program(self):
        done = self.record("-o", "/dev/full", "--", *OPEN_MPI, "2", example("ring"), status=2)
        self.assertIn("ring: ok", done.stdout)
        self.assertIn("No space left on device", done.stderr)
        shutil.rmtree("/dev/full.parts", ignore_errors=True)  # where root may write

    def test_commands_without_an_mpi_program(self):
        self.refuses("record", "--", "nosuchprogram", saying="there is no program 'nosuchprogram'")
        self.refuses("record", "--", "-q", saying=["'-q' is no program", "behind --"])
        self.refuses("record", "--", *OPEN_MPI, "2", "./nosuchprogram", saying=["no program to record", "no file './nosuchprogram'"])
        self.refuses("record", "--", *OPEN_MPI, "2", "/bin/true", saying=["'/bin/true' does not use MPI", "--mpi"])

    def test_what_runs_scripts_takes_the_launchers_mpi(self):
        """Rscript, ruby and julia are linked with no MPI: their script loads one, or they start what does."""
        (self.folder / "julia-1.9").symlink_to(shutil.which("sh"))
        self.file("call.jl", f"exec '{example('ring')}'\n")
        done = self.record("-o", "x.rondo", "--", *OPEN_MPI, "2", "./julia-1.9", "call.jl")
        self.assertIn("'./julia-1.9' uses Open MPI", done.stderr)
        self.assertEqual(json.loads(self.rondo("info", "x.rondo", "--json").stdout)["ranks"], 2)
        self.refuses("record", "--", "./julia-1.9", "call.jl", saying=["does not use MPI", "--mpi"])

    def test_environment_for_job_scripts(self):
        lines = self.rondo("record", "--print-env", "-o", "x.rondo", "--", example("ring")).stdout.splitlines()
        names = [line.split("=")[0] for line in lines]
        self.assertEqual(names, ["export LD_PRELOAD", "export RONDO_OUTPUT", "export RONDO_FORCE", "export RONDO_TIMES",
                                 "export RONDO_MEMORY", "export RONDO_CHECKPOINT", "export RONDO_BUDGET",
                                 "export RONDO_CALLSTACK",
                                 "export RONDO_ONLY", "export RONDO_SKIP"])
        self.assertIn("librondo_record_openmpi.so", lines[0])

    def test_environment_records_in_a_shell(self):
        words = f"record --print-env -o 'my x.rondo' --only collective -- {example('halo2d')}"
        script = f"""eval "$({BUILD / 'bin' / 'rondo'} {words})"; {' '.join(OPEN_MPI)} 2 {example('halo2d')}"""
        support.subprocess.run(["sh", "-c", script], cwd=self.folder, check=True, capture_output=True,
                               env=support.clean_environment(AS_ROOT), timeout=support.TIMEOUT_SECONDS)
        info = json.loads(self.rondo("info", "my x.rondo", "--json").stdout)
        self.assertEqual((info["ranks"], info["recorded"]), (2, "only collective"))

    def test_plain_preload_does_not_replace_an_archive(self):
        self.file("kept.rondo", "precious")
        library = BUILD / "lib" / "librondo_record_openmpi.so"
        line, environment = support.mpirun("openmpi", 2, example("ring"), environment={
            "RONDO_OUTPUT": str(self.folder / "kept.rondo"), "LD_PRELOAD": str(library)})
        support.subprocess.run(line, env=os.environ | environment, check=True, capture_output=True)
        self.assertEqual((self.folder / "kept.rondo").read_text(), "precious")
        self.assertTrue(pathlib.Path(self.folder / "kept.1.rondo").exists())


if __name__ == "__main__":
    unittest.main()
