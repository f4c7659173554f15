#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorder is linked with no MPI: it may be loaded into anything, and records through the library that the program uses,
whatever that is called, whenever and for whomever it is loaded, and whatever it has that the recorder's mpi.h had not."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import MPI, RECORDER, RONDO, SurvivalTest, environment  # noqa: E402

EXCHANGE = """
#include <mpi.h>
#include <stdio.h>
int exchange(void) {
  MPI_Init(NULL, NULL);
  int one = 1, sum = 0, none = MPI_UNDEFINED, weights = MPI_UNWEIGHTED == NULL;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, &none, MPI_UNWEIGHTED, 0, &none, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, graph);
  MPI_Comm_free(&graph);
  MPI_Finalize();
  return printf("sum %d %d\\n", sum, weights) < 0;
}
"""
FORTRAN = """
program exchange
  use mpi
  integer :: one = 1, total, error
  call MPI_Init(error)
  call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, error)
  call MPI_Finalize(error)
  print '(a, i0)', 'sum ', total
end program
"""
LOADER = """
#include <dlfcn.h>
int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  int (*exchange)(void) = library == 0 ? 0 : (int (*)(void))dlsym(library, "exchange");
  return exchange == 0 ? 9 : exchange();
}
"""
# As Rmpi does: functions for another language, found by name, that are called as Fortran's bindings of some compilers are.
BINDING = """
#include <mpi.h>
#include <stdio.h>
struct calls { double (*barrier)(double, const char*); const char* (*MPI_SEND)(long, long, long, double); };
double mpi_barrier(double a, const char* text) { MPI_Barrier(MPI_COMM_WORLD); return a + text[0]; }
const char* MPI_SEND(long a, long b, long c, double d) { return a + b + c + d == 10.5 ? "right" : "wrong"; }
struct calls calls = {mpi_barrier, MPI_SEND};
double mpi_wtick(double a) { return a; }
int exchange(void) {
  double before = mpi_barrier == 0 ? 0 : mpi_wtick(3);
  MPI_Init(NULL, NULL);
  double first = calls.barrier(0.5, "A"), second = calls.barrier(1.5, "A");
  const char* sent = calls.MPI_SEND(1, 2, 3, 4.5);
  MPI_Finalize();
  return printf("%g %g %g %s\\n", before, first, second, sent) < 0;
}
"""
# Children leave by _exit(), one of them with the memory of the rank.
CHILDREN = """
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int ended = 0, sum = 0;
  MPI_Init(NULL, NULL);
  for (int i = 0; i < 3; ++i) {
    pid_t child = vfork();
    if (child == 0) _exit(3);
    waitpid(child, &ended, 0);
    sum += WEXITSTATUS(ended);
    if ((child = fork()) == 0) _exit(4);
    waitpid(child, &ended, 0);
    sum += WEXITSTATUS(ended);
    MPI_Barrier(MPI_COMM_SELF);
  }
  printf("sum %d\\n", sum);
  fflush(stdout);
  _exit(5);
}
"""
# Stubs that stand for MPI in a program that runs as one process.
STUBS = "int MPI_Init(int* n, char*** w) { return 0; }\nint MPI_Finalize(void) { return 0; }\n"
USES_STUBS = """
int MPI_Init(int*, char***);
int MPI_Finalize(void);
int puts(const char*);
int main(int n, char** w) { MPI_Init(&n, &w); puts("alone"); return MPI_Finalize(); }
"""
ORPHAN = "int MPI_Init(int*, char***) __attribute__((weak));\nint main(void) { return MPI_Init == 0 ? 0 : MPI_Init(0, 0); }\n"
# Functions of MPI 4 over a library that has them not, as later versions of it do.
YOUNG = """
#include <mpi.h>
#define YOUNG(name, parameters, body) int P##name parameters body int name parameters body
YOUNG(MPI_Isendrecv, (const void* sent, int n, MPI_Datatype type, int to, int tag, void* got, int m, MPI_Datatype other, int from,
                      int label, MPI_Comm comm, MPI_Request* request),
      { PMPI_Sendrecv(sent, n, type, to, tag, got, m, other, from, label, comm, MPI_STATUS_IGNORE);
        return PMPI_Ibarrier(MPI_COMM_SELF, request); })
YOUNG(MPI_Session_init, (MPI_Info info, MPI_Errhandler handler, void** session), { *session = (void*)&PMPI_Send; return 0; })
YOUNG(MPI_Session_finalize, (void** session), { *session = 0; return 0; })
"""
USES_YOUNG = """
#include <mpi.h>
#include <stdio.h>
int MPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Session_init(MPI_Info, MPI_Errhandler, void**);
int MPI_Session_finalize(void**);
int main(void) {
  int one = 1, got = 0;
  void* session;
  MPI_Request request;
  MPI_Init(NULL, NULL);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Isendrecv(&one, 1, MPI_INT, 0, 7, &got, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Session_finalize(&session);
  MPI_Finalize();
  return printf("got %d\\n", got) < 0;
}
"""


class LibraryTest(SurvivalTest):
    def compile(self, compiler, name, text, *more):
        suffix = {"mpifort": "f90"}.get(compiler.split(".")[0], "c")
        source = self.folder / f"{name}.{suffix}"
        source.write_text(text)
        output = self.folder / (f"lib{name}.so" if "-shared" in more else name)
        subprocess.run([compiler, "-w", source, "-o", output, *more], check=True)
        return output

    def both(self, *command, **variables):
        """Runs the command bare and recorded; what it says and does is the same."""
        bare, recorded = (subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60,
                                         env=environment() | variables | more)
                          for more in ({}, {"LD_PRELOAD": RECORDER, "RONDO_OUTPUT": str(self.folder / "x.rondo")}))
        self.assertEqual((recorded.returncode, recorded.stdout), (bare.returncode, bare.stdout), recorded.stderr)
        return recorded

    def called(self):
        return [line.split("(")[0] for line in self.calls(0) if "(" in line]

    exchanged = ["MPI_Init", "MPI_Dist_graph_create_adjacent", "MPI_Allreduce", "MPI_Comm_free", "MPI_Finalize"]


class Anything(LibraryTest):
    """Programs without MPI."""

    def test_needs_nothing_but_libc(self):
        shown = subprocess.run(["readelf", "-d", RECORDER], capture_output=True, text=True, check=True).stdout
        needed = [line.split("[")[1].rstrip("]") for line in shown.splitlines() if "(NEEDED)" in line]
        sanitizer = ("libasan", "libubsan", "libstdc++", "libgcc_s") if os.environ.get("RONDO_TEST_SANITIZER") else ()
        for library in needed:
            self.assertTrue(library.startswith(("libc.so", "libm.so", "ld-linux", *sanitizer)), needed)
        self.assertIn("libc.so.6", needed)

    def test_does_nothing(self):
        (self.folder / "text").write_text("b\na\n")
        for command in (["ls"], ["sed", "s/a/c/", "text"], ["sort", "text"], ["sh", "-c", "cat text | wc -l; exit 3"],
                        ["grep", "^Threads", "/proc/self/status"], ["bash", "-c", "echo $((6 * 7)); ls nothing"]):
            with self.subTest(command=command):
                before = sorted(self.folder.iterdir())
                done = self.both(*command)
                self.assertNotIn("rondo", done.stderr)
                self.assertEqual(sorted(self.folder.iterdir()), before)
        maps = self.both("sh", "-c", "grep -c 'libmpi\\|libmpich' /proc/self/maps").stdout
        self.assertEqual(maps, "0\n")

    def test_call_without_any_mpi(self):
        done = subprocess.run([self.compile("cc", "orphan", ORPHAN)], env=environment() | {"LD_PRELOAD": RECORDER},
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 127, done.stderr)
        self.assertIn("rondo: orphan calls MPI, but no MPI library is loaded", done.stderr)

    def test_stubs_of_mpi(self):
        self.compile("cc", "stubs", STUBS, "-shared", "-fPIC")
        program = self.compile("cc", "uses_stubs", USES_STUBS, f"-L{self.folder}", f"-Wl,-rpath,{self.folder}", "-lstubs")
        done = self.both(program)
        self.assertEqual(done.stdout, "alone\n")
        self.assertIn("is not recorded: it uses another MPI", done.stderr)


class Libraries(LibraryTest):
    def test_loaded_late_and_for_its_loader_only(self):
        plugin = self.compile(f"mpicc.{MPI}", "exchange", EXCHANGE, "-shared", "-fPIC")
        done = self.both(self.compile("cc", "loader", LOADER, "-ldl"), plugin)
        self.assertEqual(done.stdout, "sum 1 0\n")
        self.assertEqual(self.called(), self.exchanged)

    def test_a_binding_whose_functions_have_fortran_names(self):
        binding = self.compile(f"mpicc.{MPI}", "binding", BINDING, "-shared", "-fPIC")
        for how in ("RTLD_LOCAL", "RTLD_GLOBAL"):
            loader = self.compile("cc", f"loader_{how}", LOADER.replace("RTLD_LOCAL", how), "-ldl")
            self.assertEqual(self.both(loader, binding).stdout, "3 65.5 66.5 right\n")
            self.assertEqual(self.called(), ["MPI_Init", "MPI_Barrier", "MPI_Barrier", "MPI_Finalize"])
            (self.folder / "x.rondo").unlink()

    def test_children_that_leave_at_once_are_no_ranks(self):
        done = self.both(self.compile(f"mpicc.{MPI}", "children", CHILDREN))
        self.assertEqual((done.returncode, done.stdout), (5, "sum 21\n"))
        subprocess.run([RONDO, "convert", "x.rondo.parts", "x.rondo"], cwd=self.folder, check=True, capture_output=True)
        self.assertEqual(self.called(), ["MPI_Init"] + ["MPI_Barrier"] * 3)

    def test_fortran_names_without_underscore(self):
        done = self.both(self.compile(f"mpifort.{MPI}", "plain", FORTRAN.replace("use mpi", "include 'mpif.h'"), "-fno-underscoring"))
        self.assertEqual(done.stdout, "sum 1\n")
        self.assertEqual(self.called(), ["MPI_Init", "MPI_Allreduce", "MPI_Finalize"])

    @unittest.skipUnless(MPI == "mpich", "the family with one ABI under many names")
    def test_kin_under_another_name(self):
        """As Intel MPI, Cray MPICH and MVAPICH are: the same functions in libmpi.so.12 and libmpifort.so.12."""
        renamed = {b"libmpich.so.12\0": b"libmpi.so.12\0\0\0", b"libmpichfort.so.12\0": b"libmpifort.so.12\0\0\0"}

        def rename(path, to):
            content = path.read_bytes()
            for old, new in renamed.items():
                content = content.replace(old, new)
            to.write_bytes(content)
            to.chmod(0o755)

        for compiler, name, text in (("mpicc.mpich", "kin", EXCHANGE + "int main(void) { return exchange(); }\n"),
                                     ("mpifort.mpich", "kin_f", FORTRAN)):
            program = self.compile(compiler, name, text)
            shown = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
            for line in shown.splitlines():
                library = line.split()[0].encode() + b"\0"
                if library in renamed:
                    rename(pathlib.Path(line.split()[2]), self.folder / renamed[library].rstrip(b"\0").decode())
            rename(program, program)
            variables = {"LD_LIBRARY_PATH": str(self.folder)}
            shown = subprocess.run(["ldd", program], capture_output=True, text=True, check=True,
                                   env=environment() | variables | {"LD_PRELOAD": RECORDER}).stdout
            self.assertNotIn("libmpich", shown)
            self.assertIn(f"{self.folder}/libmpi.so.12", shown)
            self.assertIn("sum 1", self.both(program, **variables).stdout)
            (self.folder / "x.rondo").unlink()
            done = subprocess.run([RONDO, "record", "-o", "x.rondo", "--", program], cwd=self.folder, capture_output=True, text=True,
                                  env=environment() | variables, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)  # which recorder to take is seen, too
            self.assertEqual(self.called(), self.exchanged if name == "kin" else ["MPI_Init", "MPI_Allreduce", "MPI_Finalize"])
            (self.folder / "x.rondo").unlink()

    @unittest.skipUnless(MPI == "openmpi", "the family whose library keeps its name when functions come")
    def test_functions_that_came_later(self):
        self.compile("mpicc.openmpi", "young", YOUNG, "-shared", "-fPIC")
        program = self.compile("mpicc.openmpi", "uses_young", USES_YOUNG, f"-L{self.folder}", f"-Wl,-rpath,{self.folder}", "-lyoung")
        self.assertEqual(self.both(program).stdout, "got 1\n")
        lines = self.calls(0)
        self.assertEqual(self.called(), ["MPI_Init", "MPI_Session_init", "MPI_Isendrecv", "MPI_Wait", "MPI_Session_finalize",
                                         "MPI_Finalize"])
        self.assertIn("sendtag=7", lines[2])
        self.assertIn("datatype=MPI_INT", lines[2].replace("sendtype", "datatype"))


if __name__ == "__main__":
    unittest.main()
