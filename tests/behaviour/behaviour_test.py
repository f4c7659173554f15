#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs say and do the same with the recorder as without it, whatever they do besides MPI."""
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import BUILD, MPI, RECORDER, RONDO, SurvivalTest, launcher, program as survival_program, run  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parent
EXAMPLES = ["ring", "halo2d", "halo3d", "butterfly", "mixed", "wavefront", "rowscols", "persistent", "neighbors", "collectives",
            "workers", "irregular", "transpose", "vcycle", "multipartition", "twin_c", "twin_mpif", "twin_usempi",
            "twin_f08"]
MESSAGES = ("rondo: ", "  rank")  # what `rondo record` says itself


def program(name):
    return str(BUILD / "tests" / "behaviour" / MPI / name)


def others(text):
    """What the program and its launcher say; in any order, as ranks race."""
    return sorted(line for line in text.splitlines() if not line.startswith(MESSAGES))


class Behaviour(SurvivalTest):
    def same(self, *command, ranks=4, status=0):
        """Runs the command bare and recorded and gives what the recorded one said."""
        bare = run([*launcher(ranks), *command], self.folder)
        recorded = self.record(*command, ranks=ranks)
        self.assertEqual(bare.returncode, status, bare.stderr)
        self.assertEqual(recorded.returncode, bare.returncode, recorded.stderr)
        self.assertEqual(sorted(recorded.stdout.splitlines()), sorted(bare.stdout.splitlines()))
        if status == 0:  # launchers put numbers of processes into their complaints
            self.assertEqual(others(recorded.stderr), others(bare.stderr))
        return recorded

    def functions_of(self, rank):
        return [line.split("(")[0] for line in self.calls(rank)]

    def test_examples(self):
        for name in EXAMPLES:
            with self.subTest(name):
                (self.folder / "x.rondo").unlink(missing_ok=True)
                self.same(str(BUILD / "examples" / MPI / name))
                self.assertTrue(self.info()["complete"])

    def test_processes_that_it_forks(self):
        done = self.same(program("forks"))
        self.assertIn("child 0: 7, all: 28", done.stdout)
        self.assertTrue(self.info()["complete"])
        self.assertEqual(self.functions_of(1), ["MPI_Init", "MPI_Allreduce", "MPI_Allreduce", "MPI_Allreduce", "MPI_Finalize"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.rondo"])

    def test_plugins_that_it_loads(self):
        self.same(program("loads_plugin"), program("plugin"))
        self.assertEqual(self.functions_of(0).count("MPI_Allreduce"), 3)

    def test_static_objects(self):
        self.same(program("static_objects"), status=3)
        self.assertEqual(self.functions_of(0), ["MPI_Init", "MPI_Gather", "MPI_Reduce", "MPI_Barrier", "MPI_Finalize"])

    def test_signals_that_it_uses(self):
        done = self.same(program("signals"))
        self.assertEqual(done.stdout, "early 1 late 1 survived 1 ticked 1 sum 6\n")
        self.assertEqual(self.functions_of(2).count("MPI_Sendrecv"), 100000)

    def test_threads(self):
        self.same(survival_program("threads"), "3", "20", ranks=2)

    def test_mpi4py(self):
        probe = run([*launcher(1), "/usr/bin/python3", "-c",
                     "from mpi4py import MPI; print(MPI.Get_library_version().split()[0])"], self.folder)
        if {"openmpi": "Open", "mpich": "MPICH"}[MPI] not in probe.stdout:
            self.skipTest("the distribution's mpi4py is built with another MPI")
        self.same("/usr/bin/python3", str(SOURCES / "programs" / "objects.py"))
        functions = self.functions_of(0)
        self.assertEqual(functions.count("MPI_Sendrecv"), 20)
        self.assertTrue(functions[0].startswith("MPI_Init") and functions[-1] == "MPI_Finalize", functions)

    def test_other_tool_beside_it(self):
        """The recorder stands in front, so both see every call."""
        ring = str(BUILD / "examples" / MPI / "ring")
        alone = run([*launcher(environment=[("LD_PRELOAD", program("counter"))]), ring], self.folder)
        both = run([*launcher(environment=[("LD_PRELOAD", f"{RECORDER}:{program('counter')}"),
                                           ("RONDO_OUTPUT", str(self.folder / "x.rondo"))]), ring], self.folder)
        self.assertEqual((both.returncode, both.stdout), (alone.returncode, alone.stdout), both.stderr)
        said = next(line for line in alone.stderr.splitlines() if line.startswith("counter: "))
        self.assertIn(said, both.stderr)
        self.assertRegex(said, r"counter: [1-9]")
        sends = sum(self.functions_of(rank).count("MPI_Send") for rank in range(4))
        self.assertIn(f" {sends} sends", said)

    def test_launcher_that_starts_ranks_itself(self):
        """As srun does: it hands its environment on, and `rondo record` knows nothing of it."""
        script = self.folder / "srun"
        script.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exec echo slurm 22\nlibrary=$LD_PRELOAD\nunset LD_PRELOAD\n"
                          f"exec {' '.join(launcher(3, [('LD_PRELOAD', '$library')]))} \"$@\"\n")
        script.chmod(0o755)
        done = run([RONDO, "record", "-o", "x.rondo", "--", "./srun", str(BUILD / "examples" / MPI / "ring")], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.info()["ranks"], self.info()["complete"]), (3, True))

    def test_pw_x(self):
        """Quantum ESPRESSO: a large Fortran program; all that it computes is the same."""
        if MPI != "openmpi" or shutil.which("pw.x") is None:
            self.skipTest("the distribution's pw.x is built with Open MPI, package quantum-espresso")
        command = ["pw.x", "-nk", "2", "-in", str(SOURCES / "inputs" / "aluminium.in")]
        bare = run([*launcher(), *command], self.folder)
        recorded = self.record(*command)
        self.assertEqual((bare.returncode, recorded.returncode), (0, 0), bare.stdout + recorded.stderr)
        results = re.compile(r"^(!? +(?:total|Fermi|one-electron|hartree|xc|ewald).*=|.*estimated scf accuracy)(.*)$", re.M)
        self.assertGreater(len(results.findall(bare.stdout)), 9)
        self.assertEqual(results.findall(recorded.stdout), results.findall(bare.stdout))
        info = self.info()
        self.assertTrue(info["complete"])
        self.assertGreater(info["calls"], 1000)


if __name__ == "__main__":
    unittest.main()
