#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that are linked with libmpi_abi.so.0, over a shim on MPICH: what they say is recorded as if they had been
linked with MPICH itself, and recorders of another MPI leave them alone."""
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

from support import BUILD, RONDO, clean_environment

SOURCE = pathlib.Path(os.environ.get("RONDO_SOURCE_DIR", ".")).resolve()
HEADERS = [f"-I{SOURCE / 'record' / 'abi'}", f"-I{BUILD / 'generated' / 'record' / 'abi'}"]
SAME_CALLS_EACH_TIME = ("ring", "halo2d", "persistent", "rowscols", "transpose", "butterfly", "mixed", "neighbors")
YIELD = BUILD / "lib" / "libmpich_yield.so"


def run(*words, status=0, environment=None, cwd=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, cwd=cwd,
                          env=clean_environment(environment))
    if done.returncode != status:
        raise AssertionError(f"{shlex.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class StandardAbi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rondo-abi-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        source = cls.folder / "shim.c"
        run(SOURCE / "tests" / "abi" / "make_shim.py", SOURCE / "record" / "mpi_calls.toml", source)
        run("mpicc.mpich", "-std=gnu11", "-O1", "-w", "-fPIC", "-shared", "-Wl,-soname,libmpi_abi.so.0", source,
            "-o", cls.folder / "libmpi_abi.so.0", "-ldl")

    def program(self, name, source=None):
        path = self.folder / name
        run("gcc", "-std=c11", "-O1", "-g", *HEADERS, source or SOURCE / "examples" / f"{name}.c", "-o", path, f"-L{self.folder}",
            "-l:libmpi_abi.so.0", f"-Wl,-rpath,{self.folder}", "-lm")
        return path

    def launch(self, program, ranks=4):
        return ["mpiexec.mpich", "-n", ranks, "-genv", "LD_PRELOAD", YIELD, program]

    def record(self, program, name, *options):
        archive = self.folder / f"{name}.rondo"
        done = run(RONDO, "record", *options, "-o", archive, "--", *self.launch(program), cwd=self.folder)
        return archive, done

    def test_programs_are_recorded_as_under_mpich(self):
        for name in SAME_CALLS_EACH_TIME:
            with self.subTest(program=name):
                archive, done = self.record(self.program(name), name)
                self.assertIn("uses MPI's standard ABI: recording", done.stderr)
                self.assertIn(f"{name}: ok, 4 ranks", done.stdout)
                native, _ = self.record(BUILD / "examples" / "mpich" / name, f"{name}-mpich")
                run(RONDO, "compare", archive, native)  # 0: they say the same

    def test_wildcards_and_probes_say_what_came(self):
        archive, _ = self.record(self.program("workers"), "workers")
        flat = run(RONDO, "print", "--flat", "--rank", "0", archive).stdout
        probes = [line for line in flat.splitlines() if line.startswith("MPI_Probe(")]
        self.assertGreater(len(probes), 4)
        self.assertIn("source=MPI_ANY_SOURCE", probes[0])
        self.assertRegex(probes[0], r"-> .*[123]")
        self.assertEqual(run(RONDO, "info", "--messages", archive).returncode, 0)

    def test_can_be_said_and_not_be_wrong(self):
        program = self.program("ring")
        archive, _ = self.record(program, "said", "--mpi", "abi")
        self.assertTrue(archive.exists())
        done = run(RONDO, "record", "--mpi", "mpich", "-o", self.folder / "no.rondo", "--", *self.launch(program), status=2)
        self.assertIn("is linked with MPI's standard ABI", done.stderr)

    def test_other_recorders_let_it_pass(self):
        recorder = BUILD / "lib" / "librondo_record_mpich.so"
        done = run("mpiexec.mpich", "-n", 2, "-genv", "LD_PRELOAD", f"{recorder}:{YIELD}", "-genv", "RONDO_OUTPUT",
                   self.folder / "none.rondo", self.program("ring"))
        self.assertIn("ring: ok, 2 ranks", done.stdout)
        self.assertEqual(done.stderr.count("it uses the standard ABI, and the recorder in LD_PRELOAD is that of MPICH"), 1, done.stderr)
        self.assertFalse((self.folder / "none.rondo").exists())

    def test_recorder_of_the_abi_lets_mpich_pass(self):
        recorder = BUILD / "lib" / "librondo_record_abi.so"
        done = run("mpiexec.mpich", "-n", 2, "-genv", "LD_PRELOAD", f"{recorder}:{YIELD}", "-genv", "RONDO_OUTPUT",
                   self.folder / "none.rondo", BUILD / "examples" / "mpich" / "ring")
        self.assertIn("ring: ok, 2 ranks", done.stdout)
        self.assertIn("it uses MPICH, and the recorder in LD_PRELOAD is that of the standard ABI", done.stderr)

    def test_header_has_the_sizes_of_the_standard(self):
        source = self.folder / "sizes.c"
        source.write_text("#include <mpi.h>\n_Static_assert(sizeof(MPI_Status) == 32, \"\");\n"
                          "_Static_assert(sizeof(MPI_Comm) == sizeof(void*) && sizeof(MPI_Count) == 8 && MPI_ERR_ERRHANDLER == 61, \"\");\n"
                          "int main(void) { return MPI_COMM_WORLD != (MPI_Comm)0x101; }\n")
        run(self.program("sizes", source))


if __name__ == "__main__":
    unittest.main()
