#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program says to the recorder: pauses, with objects and requests that cross their edges, and phases."""
import json
import shutil
import subprocess
import unittest

import programs
from programs import SOURCES
from support import CommandTest

INCLUDE = SOURCES.parents[2] / "include"
WORDS = {"MPI_Pcontrol": ("MPI_Pcontrol(0)", "MPI_Pcontrol(1)", "MPI_Pcontrol(level=0)", "MPI_Pcontrol(level=1)"),
         "rondo_pause": ("rondo_pause()", "rondo_resume()", "rondo_pause()", "rondo_resume()")}
# What is left of steered.c on rank 0: the pause says nothing, and what crosses it keeps its meaning.
STEERED = """MPI_Init()
MPI_Comm_dup(comm=MPI_COMM_WORLD) -> newcomm=dup#1{{0 1}}
MPI_Isend(count=1, datatype=MPI_INT, dest=1, tag=10, comm=MPI_COMM_WORLD) -> request=#1
MPI_Send_init(count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=0, comm=MPI_COMM_WORLD) -> request=#2
{pause}
{resume}
MPI_Isend(count=1, datatype=MPI_INT, dest=1, tag=12, comm=MPI_COMM_WORLD) -> request=#3
MPI_Waitall(array_of_requests=[unrecorded #3])
MPI_Start(request=unrecorded)
MPI_Wait(request=unrecorded)
MPI_Request_free(request=unrecorded)
MPI_Send_init(count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=2, comm=MPI_COMM_WORLD) -> request=#4
MPI_Start(request=#4)
MPI_Wait(request=#4)
MPI_Request_free(request=#4)
MPI_Comm_dup(comm=MPI_COMM_WORLD) -> newcomm=dup#2{{0 1}}
MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=13, comm=comm#2{{0 1}})
MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=14, comm=dup#2)
MPI_Comm_free(comm=comm#2)
MPI_Comm_free(comm=dup#2)
MPI_Finalize()
"""


class Steering(CommandTest):
    def lines(self, archive, rank):
        return self.rondo("print", archive, "--flat", "--rank", rank).stdout

    def build(self, source, *flags, **keywords):
        return programs.build(self.folder, source, "-g", f"-I{INCLUDE}", *flags, **keywords)

    def test_pause_leaves_objects_and_requests_right(self):
        for mpi in ("openmpi", "mpich"):
            for kind, (pause, resume, pause_line, resume_line) in WORDS.items():
                with self.subTest(mpi=mpi, kind=kind):
                    program = self.build("steered.c", f"-DPAUSE={pause}", f"-DRESUME={resume}", mpi=mpi, name=mpi + kind)
                    archive, done = programs.record(program, mpi=mpi)
                    expected = STEERED.format(pause=pause_line, resume=resume_line)
                    self.assertEqual(self.lines(archive, 0), expected)
                    received = [line for line in self.lines(archive, 1).splitlines() if "Waitall" in line]
                    self.assertEqual(received, ["MPI_Waitall(array_of_requests=[unrecorded #3]) -> "
                                                "array_of_statuses=[- {source=0 tag=12 bytes=4}]"])
                    messages = self.rondo("matrix", archive, "-o", "-").stdout.splitlines()[-1]
                    self.assertEqual(messages, "0,1,4,16")
                    self.rondo("stats", archive)

    def test_level_above_one_resumes_and_negative_does_nothing(self):
        program = self.build("steered.c", "-DPAUSE=MPI_Pcontrol(0)", "-DRESUME=MPI_Pcontrol(-1);MPI_Pcontrol(7)")
        self.assertEqual(self.lines(programs.record(program)[0], 0),
                         STEERED.format(pause="MPI_Pcontrol(level=0)", resume="MPI_Pcontrol(level=7)"))

    def test_phases_in_c(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi=mpi):
                archive, _ = programs.record(self.build("phases.c", mpi=mpi, name=mpi), mpi=mpi)
                self.assertEqual(self.rondo("print", archive, "--no-times", "--no-sites").stdout.splitlines()[1:],
                                 ["ranks 0-1:  # 63 calls a rank in 7 terms", "  MPI_Init()", "  loop 20:",
                                  '    phase begin "solve"', "    MPI_Barrier(comm=MPI_COMM_WORLD)", '    phase end "solve"',
                                  r'  phase begin "a \x22b\x22"', "  MPI_Finalize()"])
                lines = self.rondo("print", archive, "--calls", "rondo_phase_end,rondo_phase_begin", "--rank", "1").stdout
                self.assertEqual(lines.splitlines()[-2:], ['rondo_phase_end(name="solve")', r'rondo_phase_begin(name="a \x22b\x22")'])
                here = f"main at phases.c:{programs.line_of('phases.c', 'end of phase')}"
                self.assertIn(here, self.rondo("print", archive).stdout)

    def test_phases_in_fortran(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi=mpi):
                program = self.folder / f"phases_{mpi}"
                subprocess.run([f"mpif90.{mpi}", INCLUDE / "rondo" / "rondo_phase.f90", SOURCES / "phases.f90", "-o", program],
                               check=True, cwd=self.folder)
                done = subprocess.run([program], capture_output=True, text=True, check=True, env=support_environment())
                self.assertEqual(done.stdout, "phases: ok\n")
                archive, _ = programs.record(program, mpi=mpi)
                text = self.rondo("print", archive, "--no-times").stdout.splitlines()
                self.assertEqual(text[2:], ["  MPI_Init()", "  loop 20:", '    phase begin "solve"',
                                            "    MPI_Barrier(comm=MPI_COMM_WORLD)", '    phase end "solve"', "  pause",
                                            "  resume", "  MPI_Finalize()"])

    def test_marks_do_nothing_without_the_recorder(self):
        for flags in ((), ("-no-pie", "-fno-pie"), ("-O2",), ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"),
                      ("as C++", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-cast-function-type")):
            with self.subTest(flags=flags):
                source = SOURCES / "phases.c"
                if flags[:1] == ("as C++",):
                    source, flags = shutil.copy(source, self.folder / "phases.cpp"), flags[1:]
                program = self.build(source, *flags)
                done = subprocess.run([program], capture_output=True, text=True, check=True, env=support_environment())
                self.assertEqual(done.stdout, "phases: ok\n")
                archive, _ = programs.record(program)
                self.assertEqual(json.loads(self.rondo("info", archive, "--json").stdout)["calls"], 126)


def support_environment():
    return programs.support.clean_environment({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})


if __name__ == "__main__":
    unittest.main()
