#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real applications on many ranks: what is replayed, and what a generated benchmark says, is what was recorded.

RONDO_TEST_MPI says which MPI; RONDO_TEST_DATA, if set, the folder with traces of NAS programs in SimGrid's format.
"""
import os
import pathlib
import shutil
import subprocess
import unittest

import generate_test
import replay_test
from replay_test import HERE, MPI, programs, support

INPUTS = HERE.parent / "oracle" / "inputs"
PETSC = sorted(pathlib.Path("/usr/share/petsc").glob("*/share/petsc/examples/src"))


# All of them under one MPI only: what is played does not depend on it, and MPICH's ranks wait busily.
UNDER_EACH = ("is.A.16", "sp.A.9")
MORE = ("bt.A.16", "cg.A.16", "ft.A.16", "lu.A.8", "mg.A.16") if MPI == "openmpi" else ()


class Replayed(replay_test.ReplayTest):
    @staticmethod
    def nas(own=("is.A.16", "cg.A.16", "lu.A.8", "mg.A.16")):
        """Each program in one of two ways, and in both where all cases are asked for."""
        return [name for name in (*UNDER_EACH, *MORE) if support.ALL_CASES or name in own]

    @unittest.skipUnless(shutil.which("lmp") and MPI == "openmpi", "LAMMPS is not installed for this MPI")
    def test_lammps(self):
        shutil.copy(INPUTS / "melt.in", self.folder)
        program = pathlib.Path(shutil.copy(shutil.which("lmp"), self.folder))
        archive, _ = programs.record(program, 8, "-in", "melt.in", "-log", "none", "-screen", "none")
        self.expect_same(archive, 8)

    @unittest.skipUnless(shutil.which("hpcc") and MPI == "openmpi", "hpcc is not installed for this MPI")
    def test_hpcc(self):
        shutil.copy(INPUTS / "hpccinf.txt", self.folder)
        program = pathlib.Path(shutil.copy(shutil.which("hpcc"), self.folder))
        archive, _ = programs.record(program, 4)
        self.expect_same(archive, 4)

    @unittest.skipUnless(os.environ.get("RONDO_TEST_DATA"), "RONDO_TEST_DATA is not set")
    def test_nas_programs_converted_from_simgrid(self):
        folder = pathlib.Path(os.environ["RONDO_TEST_DATA"]) / "ti"
        for name in self.nas():
            with self.subTest(name=name):
                self.rondo("convert", folder / f"{name}.tar.zst", f"{name}.rondo")
                self.expect_same(self.folder / f"{name}.rondo", int(name.split(".")[-1]))


class Generated(generate_test.GenerateTest):
    """The same programs, by way of a benchmark."""

    @staticmethod
    def nas():
        return Replayed.nas(("sp.A.9", "bt.A.16", "ft.A.16"))

    test_lammps = Replayed.test_lammps
    test_hpcc = Replayed.test_hpcc
    test_nas_programs_converted_from_simgrid = Replayed.test_nas_programs_converted_from_simgrid

    @unittest.skipUnless(PETSC and MPI == "openmpi", "the sources of PETSc's tutorials are not installed, package petsc-dev")
    def test_petsc(self):
        """Datatypes that are taken apart before each message, persistent requests, grids within grids."""
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], check=True, capture_output=True, text=True).stdout.split()
        for source, arguments in (("ksp/ksp/tutorials/ex54.c", ()), ("snes/tutorials/ex19.c", ("-da_refine", "2", "-pc_type", "mg"))):
            with self.subTest(source=source):
                program = programs.build(self.folder, PETSC[0] / source, "-Wl,--no-as-needed", *flags, "-lm")
                archive, _ = programs.record(program, 4, *arguments)
                self.expect_same(archive, 4)


if __name__ == "__main__":
    unittest.main()
