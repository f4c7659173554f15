#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where calls stand: print and info name functions and lines of recorded programs, and never those of another file."""
import json
import re
import shutil
import subprocess
import unittest

import programs
from programs import line_of
from support import CommandTest, record


class Sites(CommandTest):
    def places(self, archive, *options):
        """{MPI function: what print says of where it stands}, in loops."""
        text = self.rondo("print", archive, "--no-times", "--rank", "0", *options).stdout
        return dict(re.findall(r"(MPI_\w+)\(.*\)  # (.*)$", text, re.MULTILINE))

    def test_c(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi=mpi):
                program = programs.build(self.folder, "places.c", "-g", "-O1", mpi=mpi, name=mpi)
                places = self.places(programs.record(program, mpi=mpi)[0])
                self.assertEqual(places["MPI_Init"], f"main at places.c:{line_of('places.c', 'main')}")
                self.assertEqual(places["MPI_Barrier"], f"exchange at places.c:{line_of('places.c', 'exchange')}")
                self.assertEqual(places["MPI_Finalize"], f"main at places.c:{line_of('places.c', 'the end')}")

    def test_cxx_names_and_inlined_functions(self):
        places = self.places(programs.record(programs.build(self.folder, "places.cpp", "-g", "-O1"))[0])
        self.assertEqual(places["MPI_Bcast"], f"mesh::Grid<int>::exchange at places.cpp:{line_of('places.cpp', 'exchange')}")
        self.assertEqual(places["MPI_Barrier"],
                         f"mesh::synchronise at places.cpp:{line_of('places.cpp', 'synchronise')}, inlined in main")

    def test_fortran_through_both_libraries(self):
        for mpi in ("openmpi", "mpich"):
            with self.subTest(mpi=mpi):
                program = programs.build(self.folder, "places.f90", "-g", "-O0", mpi=mpi, name=mpi)
                places = self.places(programs.record(program, mpi=mpi)[0])
                self.assertEqual(places["MPI_Bcast"], f"exchange at places.f90:{line_of('places.f90', 'exchange')}")
                self.assertEqual(places["MPI_Barrier"], f"relax at places.f90:{line_of('places.f90', 'relax')}")
                self.assertRegex(places["MPI_Init"], r"^places at places.f90:\d+$")  # gfortran's lines are rough here

    def test_program_that_is_not_position_independent(self):
        places = self.places(programs.record(programs.build(self.folder, "places.c", "-g", "-no-pie", "-fno-pie"))[0])
        self.assertEqual(places["MPI_Barrier"], f"exchange at places.c:{line_of('places.c', 'exchange')}")

    def test_call_in_a_library_under_a_relative_path(self):
        (self.folder / "lib").mkdir()
        subprocess.run(["mpicc.openmpi", "-g", "-shared", "-fPIC", "-Dmain=run", programs.SOURCES / "places.c", "-o",
                        self.folder / "lib" / "libplaces.so"], check=True)
        main = self.file("main.c", "int run(int, char**); int main(int c, char** v) { return run(c, v); }")
        subprocess.run(["mpicc.openmpi", main, "lib/libplaces.so", "-o", "main"], cwd=self.folder, check=True)
        places = self.places(programs.record(self.folder / "main")[0])
        self.assertEqual(places["MPI_Init"], f"run at places.c:{line_of('places.c', 'main')}")

    def test_without_debug_information_the_function_is_named_on_demand(self):
        archive, _ = programs.record(programs.build(self.folder, "places.c"))
        self.assertEqual(self.places(archive), {})
        self.assertRegex(self.places(archive, "--sites")["MPI_Barrier"], r"^exchange\+0x[0-9a-f]+$")

    def test_stripped_program_is_shown_by_address(self):
        archive, _ = programs.record(programs.build(self.folder, "places.c", "-g", "-s"))
        self.assertEqual(self.places(archive), {})
        self.assertRegex(self.places(archive, "--sites")["MPI_Barrier"], r"^places\+0x[0-9a-f]+$")

    def test_recompiled_program_names_nothing(self):
        program = programs.build(self.folder, "places.c", "-g")
        archive, _ = programs.record(program)
        self.assertIn("exchange at places.c:", self.places(archive).get("MPI_Barrier", ""))
        programs.build(self.folder, "places.c", "-g", "-O2", "-DRECOMPILED")
        done = self.rondo("print", archive, "--sites")
        self.assertNotIn("places.c:", done.stdout)
        self.assertRegex(done.stdout, r"MPI_Barrier.*places\+0x")
        self.assertEqual(done.stderr.count("build-id differs"), 1)
        program_json = json.loads(self.rondo("print", archive, "--json").stdout)
        self.assertEqual(len(program_json["site_remarks"]), 1)
        self.assertIn(str(program), program_json["site_remarks"][0])
        self.assertNotIn('"line"', json.dumps(program_json))

    def test_program_that_is_gone(self):
        program = programs.build(self.folder, "places.c", "-g")
        archive, _ = programs.record(program)
        program.unlink()
        done = self.rondo("info", archive)
        self.assertIn("is not here", done.stderr)
        self.assertRegex(done.stdout, r"MPI_Barrier  places\+0x")

    def test_debug_information_in_a_file_of_its_own(self):
        program = programs.build(self.folder, "places.c", "-g")
        subprocess.run(["objcopy", "--only-keep-debug", program, f"{program}.debug"], check=True)
        subprocess.run(["strip", program], check=True)
        subprocess.run(["objcopy", f"--add-gnu-debuglink={program}.debug", program], cwd=self.folder, check=True)
        places = self.places(programs.record(program)[0])
        self.assertEqual(places["MPI_Barrier"], f"exchange at places.c:{line_of('places.c', 'exchange')}")

    def test_options(self):
        archive, _ = programs.record(programs.build(self.folder, "places.c", "-g"))
        here = f"exchange at places.c:{line_of('places.c', 'exchange')}"
        self.assertEqual(self.places(archive, "--no-sites"), {})
        self.refuses("print", archive, "--sites", "--no-sites", saying="--sites")
        flat = ("print", archive, "--calls", "MPI_Barrier", "--rank", "1")
        self.assertNotIn("#", self.rondo(*flat).stdout)
        lines = self.rondo(*flat, "--sites").stdout.splitlines()
        self.assertEqual(lines, [f"MPI_Barrier(comm=MPI_COMM_WORLD)  # {here}"] * 12)

    def test_json(self):
        program = programs.build(self.folder, "places.cpp", "-g", "-O1")
        archive, _ = programs.record(program)
        lines = self.rondo("print", archive, "--calls", "MPI_Barrier", "--rank", "0", "--json").stdout.splitlines()
        site = json.loads(lines[0])["site"]
        self.assertEqual({key: site[key] for key in ("function", "inlined_in", "file", "line", "module")},
                         {"function": "mesh::synchronise", "inlined_in": "main", "file": str(programs.SOURCES / "places.cpp"),
                          "line": line_of("places.cpp", "synchronise"), "module": str(program)})
        loops = json.loads(self.rondo("print", archive, "--json").stdout)["classes"][0]["program"]
        self.assertEqual([term["site"] for term in loops if "MPI_Barrier" in term["call"]], [site])
        self.assertNotIn("site", json.loads(self.rondo("print", archive, "--json", "--no-sites").stdout)["classes"][0]["program"][0])

    def test_info_lists_the_largest_first(self):
        archive, _ = programs.record(programs.build(self.folder, "places.c", "-g"), 4)
        info = json.loads(self.rondo("info", archive, "--json").stdout)
        uses = info["call_sites"]
        self.assertEqual(sum(use["calls"] for use in uses), info["calls"])
        self.assertEqual(sum(use["inside_mpi_ns"] for use in uses), info["inside_mpi_ns"])
        self.assertEqual({use["call"] for use in uses[-2:]}, {"MPI_Init", "MPI_Finalize"})
        times = [use["inside_mpi_ns"] for use in uses[:-2]]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertAlmostEqual(sum(use["share_of_inside_mpi"] for use in uses), 1)
        barrier = next(use for use in uses if use["call"] == "MPI_Barrier")
        self.assertEqual((barrier["calls"], barrier["site"]["line"]), (48, line_of("places.c", "exchange")))
        self.assertEqual(len(json.loads(self.rondo("info", archive, "--sites", "2", "--json").stdout)["call_sites"]), 2)
        self.assertEqual(len(re.findall(r"places\.c:\d+$", self.rondo("info", archive, "--sites", "3").stdout, re.M)), 3)

    def kept(self, source, *options, flags=("-g",), strips=False):
        """The archive that `rondo record` makes of a program, which is gone afterwards; and where a copy of it is, which was not stripped."""
        program = programs.build(self.folder, source, *flags)
        whole = self.folder / "whole"
        shutil.copy(program, whole)
        if strips:
            subprocess.run(["strip", program], check=True)
        archive = program.with_suffix(".rondo")
        as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.rondo("record", "--force", "-o", archive, *options, "--", "mpirun.openmpi", "--oversubscribe", "-n", "2", program,
                   environment=as_root)
        program.unlink()
        return archive, whole

    def test_names_are_kept_in_the_archive(self):
        for source, function in (("places.c", "exchange"), ("places.f90", "exchange"), ("places.cpp", "mesh::Grid<int>::exchange")):
            with self.subTest(source=source):
                archive, _ = self.kept(source, flags=("-g", "-O0"))
                done = self.rondo("print", archive, "--no-times")
                self.assertIn(f"# {function} at {source}:{line_of(source, 'exchange')}", done.stdout)
                self.assertEqual(done.stderr, "")
                for words in (("info", archive), ("stats", archive, "--sites"), ("convert", archive, "-", "--to", "json")):
                    self.assertIn(function, self.rondo(*words).stdout)
                info = self.rondo("info", archive)
                self.assertRegex(info.stdout, r"\nnames +of (\d+) call sites, \1 with lines\n")
                self.assertEqual(info.stderr, "")

    def test_names_of_functions_without_debug_information_are_kept(self):
        archive, _ = self.kept("places.c", flags=("-O0",))
        self.assertRegex(self.places(archive, "--sites")["MPI_Barrier"], r"^exchange\+0x[0-9a-f]+$")
        names = json.loads(self.rondo("info", archive, "--json").stdout)["stored_names"]
        self.assertEqual((names["named"], names["with_lines"]), (names["sites"], 0))
        self.assertRegex(self.rondo("info", archive).stdout,
                         r"\nnames +of (\d+) call sites, none with lines, \1 with functions only \(-g adds lines\)\n")

    def test_names_may_be_left_out_and_filled_in_where_the_program_is(self):
        archive, whole = self.kept("places.c", "--no-names")
        self.assertRegex(self.rondo("info", archive).stdout, r"\nnames +none of \d+ call sites")
        self.assertEqual(self.places(archive), {})
        program = whole.rename(archive.with_suffix(""))
        named, bare = self.folder / "named.rondo", self.folder / "bare.rondo"
        self.assertRegex(self.rondo("convert", archive, named, "--resolve").stderr, r"\d+ call sites got names")
        self.rondo("convert", named, bare, "--no-names")
        program.unlink()
        here = f"exchange at places.c:{line_of('places.c', 'exchange')}"
        self.assertEqual(self.places(named)["MPI_Barrier"], here)
        self.assertEqual(self.places(bare), {})
        folded = self.folder / "folded.rondo"
        self.rondo("convert", named, folded, "--fold", "full")
        self.assertEqual(self.places(folded)["MPI_Barrier"], here)

    def test_stripped_program_keeps_module_and_build_id(self):
        archive, whole = self.kept("places.c", strips=True)
        self.assertRegex(self.places(archive, "--sites")["MPI_Barrier"], r"^places\+0x[0-9a-f]+$")
        self.assertRegex(self.rondo("info", archive).stdout, r"\nnames +none of \d+ call sites")
        modules = json.loads(self.rondo("convert", archive, "-", "--to", "json").stdout)["definitions"]["modules"]
        self.assertRegex(next(m["build_id"] for m in modules if m["path"].endswith("/places")), "^[0-9a-f]{16,}$")
        # The program before it was stripped has the same build-id, and fills the names in.
        whole.rename(archive.with_suffix(""))
        named = self.folder / "named.rondo"
        self.rondo("convert", archive, named, "--resolve")
        self.assertEqual(self.places(named)["MPI_Barrier"], f"exchange at places.c:{line_of('places.c', 'exchange')}")

    def test_archive_without_build_ids(self):
        self.assertEqual(json.loads(self.rondo("info", record("ring"), "--json").stdout)["site_remarks"], [])


if __name__ == "__main__":
    unittest.main()
