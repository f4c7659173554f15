#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo doctor: says whether a recording will work, and why not, before and by trying."""
import json
import os
import subprocess
import sys
import unittest

from support import BUILD, CommandTest

OPEN_MPI = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
RING = BUILD / "examples" / "openmpi" / "ring"


class Doctor(CommandTest):
    def compiled(self, name, source, *options, compiler="cc"):
        program = self.folder / name
        subprocess.run([compiler, self.file(f"{name}.c", source), "-o", program, *options], check=True)
        return program

    def doctor(self, *words, status=0):
        done = self.rondo("doctor", *words, status=status, environment=AS_ROOT)
        self.assertEqual(done.stderr, "")
        if "--json" not in words:
            self.assertLessEqual(done.stdout.count("\n"), 10)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".rondo")], [])
        return done.stdout

    def will_not(self, *words, saying):
        said = self.doctor(*words, status=1)
        self.assertEqual(said.count("NO: "), 1, said)
        self.assertTrue(said.endswith("a recording will not work here\n"), said)
        for word in [saying] if isinstance(saying, str) else saying:
            self.assertIn(word, said)

    def test_a_program_that_can_be_recorded(self):
        said = self.doctor("--", *OPEN_MPI, RING)
        self.assertNotIn("NO:", said)
        self.assertRegex(said, r"trial +2 ranks, \d+.* calls recorded, the program's exit status was 0")
        self.assertRegex(said, "verdict +a recording works here: rondo record -- mpirun.openmpi")
        found = json.loads(self.doctor("--json", "--", *OPEN_MPI, RING))
        self.assertEqual((found["works"], found["ranks"]), (True, 2))
        self.assertGreater(found["calls"], 2)
        self.assertEqual(found["checks"][-1]["name"], "trial")
        looked = json.loads(self.doctor("--json", "--look", "--", *OPEN_MPI, RING))
        self.assertEqual((looked["works"], looked["calls"]), (True, 0))

    def test_a_program_that_runs_on(self):
        endless = self.compiled("endless", "#include <mpi.h>\n#include <unistd.h>\nint main(void) {\n  MPI_Init(0, 0);\n"
                                "  for (;;) { MPI_Barrier(MPI_COMM_WORLD); usleep(1000); }\n}\n", compiler="mpicc.openmpi")
        self.assertIn("ended after 3 s, as it ran on", self.doctor("--seconds", "3", "--", endless))

    def test_static_programs(self):
        static = self.compiled("static", "int main(void) { return 0; }\n", "-static")
        self.will_not("--", *OPEN_MPI, static, saying=["linked statically", "it has no MPI"])
        inside = self.compiled("inside", "int PMPI_Init(void) { return 0; }\nint MPI_Init(void) { return 0; }\n"
                               "int main(void) { return MPI_Init(); }\n")
        self.will_not("--", *OPEN_MPI, inside, saying="has an MPI library linked into it")

    def test_a_tool_that_is_linked_in(self):
        source = ("#include <mpi.h>\nint MPI_Init(int* a, char*** b) { return PMPI_Init(a, b); }\n"
                  "int main(int a, char** b) { MPI_Init(&a, &b); return MPI_Finalize(); }\n")
        self.will_not("--", self.compiled("tooled", source, compiler="mpicc.openmpi"),
                      saying=["has MPI functions of its own (MPI_Init)", "without the tool"])

    def test_a_tool_that_is_preloaded(self):
        tool = self.compiled("libtool.so", "#include <mpi.h>\nint MPI_Finalize(void) { return PMPI_Finalize(); }\n", "-shared", "-fPIC",
                             compiler="mpicc.openmpi")
        self.assertIn("catches MPI calls too", self.doctor("--look", "--", *OPEN_MPI, "-x", f"LD_PRELOAD={tool}", RING))

    def test_programs_that_are_not_there_or_have_no_mpi(self):
        self.will_not("--", *OPEN_MPI, "./nowhere", saying="there is no file './nowhere'")
        self.will_not("--", "nolauncher", "./nowhere", saying="there is no program 'nolauncher'")
        self.will_not("--", *OPEN_MPI, self.compiled("plain", "int main(void) { return 0; }\n"), saying="does not use MPI")

    def test_the_launcher_of_another_mpi(self):
        self.will_not("--", "mpirun.mpich", "-n", "2", RING, saying=["launches programs of MPICH", "start it with"])

    def test_a_folder_that_is_not_there(self):
        self.will_not("-o", "nowhere/x.rondo", "--", *OPEN_MPI, RING, saying="No such file")
        self.will_not("-o", self.file("text", "") / "x.rondo", "--", *OPEN_MPI, RING, saying="Not a directory")
        self.refuses("record", "-o", "text/x.rondo", "--", *OPEN_MPI, RING, saying="Not a directory")

    def test_a_program_that_fails_before_it_calls(self):
        fails = self.compiled("fails", "#include <mpi.h>\nint main(int n, char** w) { if (n > 5) MPI_Init(&n, &w); return 3; }\n",
                              compiler="mpicc.openmpi")
        self.will_not("--", fails, saying=["nothing was recorded: the program ended with status 3", "before it had called MPI_Init"])

    def test_functions_taken_by_a_handle(self):
        """ctypes looks into the library that it has opened, and finds its functions there, not the recorder's."""
        by_handle = self.file("by_handle.py", "import ctypes\nlib = ctypes.CDLL('libmpi.so.40', ctypes.RTLD_GLOBAL)\n"
                              "lib.MPI_Init(None, None)\nlib.MPI_Finalize()\n")
        self.will_not("--", *OPEN_MPI, sys.executable, by_handle, saying=["never called MPI_Init, took", "take them from ctypes.CDLL(None)"])
        as_said = self.file("as_said.py", by_handle.read_text().replace("lib.MPI_Init", "lib = ctypes.CDLL(None)\nlib.MPI_Init"))
        self.assertRegex(self.doctor("--", *OPEN_MPI, sys.executable, as_said), r"trial +2 ranks, 4 calls recorded")

    def test_no_program_is_bad_usage(self):
        self.refuses("doctor", saying="command is required")

    @unittest.skipUnless(os.geteuid() == 0, "only root gives programs away")
    def test_setuid(self):
        copy = self.folder / "ring"
        copy.write_bytes(RING.read_bytes())
        os.chown(copy, 65534, 65534)
        copy.chmod(0o4755)
        self.will_not("--", copy, saying=["setuid", "use a copy"])


if __name__ == "__main__":
    unittest.main()
