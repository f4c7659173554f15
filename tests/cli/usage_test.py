#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said to people who ask for help, mistype a word, or start a program with the wrong launcher."""
import csv
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import termios
import unittest

from support import BUILD, RONDO, CommandTest, clean_environment, mpirun, record

OPEN_MPI = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]


def example(name, mpi):
    return BUILD / "examples" / mpi / name


def on_terminal(columns, *arguments):
    """What rondo prints on a terminal that is this wide."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    child = subprocess.Popen([RONDO, *arguments], stdout=slave, env=clean_environment())
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        text += piece
    os.close(master)
    assert child.wait() == 0
    return text.decode().replace("\r\n", "\n")


class Help(CommandTest):
    def test_commands_that_are_not_there(self):
        self.refuses("matrx", "x.rondo", saying=["no command 'matrx'", "Did you mean 'matrix'?"])
        self.refuses("topo", saying="Did you mean 'topology'?")
        self.refuses("help", "simulat", saying="Did you mean 'simulate'?")
        self.refuses("qqqqqq", saying=["no command 'qqqqqq'", "'rondo help' lists them"])

    def test_options_that_are_not_there(self):
        self.refuses("info", "x.rondo", "--mesages", saying=["has no option '--mesages'", "Did you mean '--messages'?"])
        self.refuses("patterns", "x.rondo", "--by", "x", saying="has no option '--by'; 'rondo help patterns' says more")
        self.refuses("replay", "x.rondo", "-o", "y", "--", "mpirun", "--oversubscribe", "-n", "4", saying="has no option '-o'; 'rondo help replay' says more")

    def test_help_is_a_command(self):
        self.assertEqual(self.rondo("help").stdout, self.rondo("--help").stdout)
        for command in ("record", "stats"):
            self.assertEqual(self.rondo("help", command).stdout, self.rondo(command, "--help").stdout)
        self.assertEqual(self.rondo("help", "help").stdout, self.rondo("--help").stdout)

    def test_help_is_as_wide_as_the_terminal(self):
        for columns in (60, 80, 132):
            with self.subTest(columns=columns):
                text = on_terminal(columns, "record", "--help")
                inside = text[text.index("Options:"):text.index("Examples:")].splitlines()
                self.assertLessEqual(max(map(len, inside)), columns)
                self.assertGreater(max(map(len, inside)), columns * 2 // 3)
                self.assertEqual(" ".join(text.split()).count("beyond it times are given up, calls never"), 1)

    def test_help_in_a_pipe_is_as_wide_as_columns_says(self):
        text = self.rondo("record", "--help", environment={"COLUMNS": "60"}).stdout
        inside = text[text.index("Options:"):text.index("Examples:")].splitlines()
        self.assertLessEqual(max(map(len, inside)), 60)
        self.assertEqual(self.rondo("record", "--help", environment={"COLUMNS": "wide"}).stdout,
                         self.rondo("record", "--help").stdout)


class Numbers(CommandTest):
    def test_values_that_are_no_whole_numbers(self):
        archive = str(record("ring", 2))
        for words in (["patterns", archive, "--top"], ["info", archive, "--sites"], ["efficiency", archive, "--top"],
                      ["simulate", archive, "--network", "latency=1us,bandwidth=1GB/s", "--top"]):
            for value in ("-3", "x", "1.5", "9" * 20):
                self.refuses(*words, value, saying=[f"'{value}' is no whole number"])
            self.assertEqual(self.rondo(*words, "2").returncode, 0)
        self.refuses("print", archive, "--rank", "1.5", saying="--rank: '1.5' is no whole number")

    def test_ranks_of_a_timeline(self):
        archive = str(record("ring", 2))
        self.refuses("convert", archive, "x.chrome.json", "--ranks", "0,7", saying="has no rank 7; its ranks are 0 to 1")
        self.refuses("convert", archive, "x.chrome.json", "--ranks", "3-1", saying="and not '3-1'")


class Output(CommandTest):
    def test_what_cannot_be_written_is_said(self):
        """Short answers stay in a buffer to the end; long ones fail on the way."""
        archive = record("ring", 2)
        for words in (["info"], ["print"], ["print", "--flat"], ["topology"], ["patterns"], ["stats"], ["matrix"], ["logical", "--json"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([RONDO, *words, archive], stdout=full, stderr=subprocess.PIPE, text=True, env=clean_environment())
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1:]),
                             (2, ["rondo: standard output: cannot write: No space left on device"]), words)


class Tables(CommandTest):
    def test_stats_as_a_table(self):
        archive = record("collectives")
        self.rondo("stats", archive, "-o", "x.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "x.csv").read_text())))
        values = {row["quantity"]: row["value"] for row in rows}
        said = json.loads(self.rondo("stats", archive, "--json").stdout)
        self.assertEqual({row["run"] for row in rows}, {"collectives.4"})
        self.assertEqual(int(values["message_density.total_messages"]), said["message_density"]["total_messages"])
        for one in said["collectives"]:
            self.assertEqual(int(values[f"collectives.{one['function']}.bytes"]), one["bytes"])
        self.rondo("stats", archive, record("ring"), "-o", "both.csv")
        self.assertEqual((self.folder / "both.csv").read_text().count("message_density.total_messages"), 2)


class Launchers(CommandTest):
    def test_launcher_of_the_other_mpi(self):
        self.refuses("record", "--", "mpirun.mpich", "-n", "2", example("ring", "openmpi"),
                     saying=["launches programs of MPICH", "of Open MPI", "rank 0 of 1", "start it with 'mpirun"])
        self.refuses("record", "--", *OPEN_MPI, example("ring", "mpich"),
                     saying=["launches programs of Open MPI", "start it with 'mpi"])
        self.refuses("replay", record("ring", 2), "--mpi", "openmpi", "--", "mpirun.mpich", "-n", "2",
                     saying=["launches programs of MPICH", "rank 0 of 1"])

    def test_recorder_of_the_other_mpi(self):
        self.refuses("record", "--mpi", "mpich", "--", *OPEN_MPI, example("ring", "openmpi"),
                     saying=["is linked with Open MPI", "leave out --mpi mpich"])

    def test_what_was_looked_at(self):
        self.file("app.in", "")
        self.file("app", "")
        self.refuses("record", "--", *OPEN_MPI, "./ap", "app.in",
                     saying=["there is no file './ap'", "'app.in' is not in PATH"])
        self.refuses("record", "--", *OPEN_MPI, "./app", saying="'./app' may not be executed")
        self.refuses("record", "--", *OPEN_MPI, "app", saying="say './app'")
        self.refuses("record", "--", *OPEN_MPI, ".", "/tmp", saying="'/tmp' is a folder")

    def test_values_of_launchers_options_are_no_programs(self):
        done = self.rondo("record", "--", *OPEN_MPI, "--mca", "btl", "self", "-x", "A=1", "./ap", status=2)
        self.assertIn("there is no file './ap'", done.stderr)
        self.assertNotIn("'self'", done.stderr)
        done = self.rondo("record", "--", *OPEN_MPI, "--host", "mg", "--map-by", "core", "-wdir", "mg", "./ap", status=2)
        self.assertIn("there is no file './ap'", done.stderr)
        self.assertNotRegex(done.stderr, "'(mg|core)'")
        agent = self.file("agent", "#!/bin/sh\nexit 3\n")  # no launcher would start it
        agent.chmod(0o755)
        self.refuses("record", "--", *OPEN_MPI, "--mca", "plm_rsh_agent", "./agent", "./ap", saying="there is no file './ap'")

    def test_parts_are_made_into_an_archive_first(self):
        (self.folder / "a b.rondo.parts").mkdir()
        (self.folder / "a b.rondo.parts" / "run.0.0.part").write_bytes(b"")
        for command in ("info", "print", "topology", "stats", "simulate"):
            options = ("--network", "latency=1us,bandwidth=1GB/s") if command == "simulate" else ()
            self.refuses(command, "a b.rondo.parts/", *options, saying="rondo convert 'a b.rondo.parts' 'a b.rondo'")

    def test_singletons_are_noticed_where_the_launcher_is_hidden(self):
        script = self.file("start", f"#!/bin/sh\nexec mpirun.mpich -n 2 {example('ring', 'openmpi')}\n")
        script.chmod(0o755)
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = self.rondo("record", "--mpi", "openmpi", "-o", "x.rondo", "--", script, environment=root)
        said = "2 processes were started by a launcher of MPICH, but the program uses Open MPI: each runs alone"
        self.assertIn(said, done.stderr)
        self.assertIn(said, self.rondo("info", "x.rondo").stdout)


LATE_PLUGIN = """
#include <mpi.h>
#include <stdio.h>
int late(int number) {
  int one = 1, sum = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  printf("sum %d\\n", sum);
  MPI_Finalize();
  return number != 41;
}
"""
LATE_LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int number = 0;
  printf("begun\\n"); // into a pipe: not sent before the end
  if (scanf("%d", &number) == 1) printf("read %d\\n", number);
  void* library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  int (*late)(int) = library == NULL ? NULL : (int (*)(int))dlsym(library, "late");
  return late == NULL ? 9 : late(number);
}
"""


class StepsAside(CommandTest):
    """A job script exports one recorder; a program of the other MPI runs as without it."""

    def run_under(self, recorder, mpi, program, *more):
        library = str(BUILD / "lib" / f"librondo_record_{recorder}.so")
        variables = {"LD_PRELOAD": library, "RONDO_OUTPUT": str(self.folder / "x.rondo")}
        line, environment = mpirun(mpi, 2, program, *more, environment=variables)
        if program == "sh":  # the library that makes MPICH yield does not find one that is loaded late and for its loader only
            line = [library if word.startswith(library) else word for word in line]
        return subprocess.run(line, env=clean_environment(environment), capture_output=True, text=True, timeout=100)

    def test_programs_in_c_and_fortran(self):
        for recorder, mpi in (("openmpi", "mpich"), ("mpich", "openmpi")):
            for name in ("ring", "twin_f08", "twin_mpif"):
                with self.subTest(mpi=mpi, name=name):
                    done = self.run_under(recorder, mpi, example(name, mpi))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(f"{name}: ok, 2 ranks", done.stdout)
                    self.assertEqual(done.stderr.count("rondo: "), 1, done.stderr)
                    self.assertIn(f"rondo: {name} is not recorded: it uses", done.stderr)
                    self.assertEqual(list(self.folder.iterdir()), [])

    def test_libraries_that_are_loaded_late(self):
        """By an interpreter, which is linked with no MPI and may read its program from a file."""
        plugin = self.file("late.c", LATE_PLUGIN)
        loader = self.file("loads.c", LATE_LOADER)
        subprocess.run(["cc", loader, "-o", self.folder / "loads", "-ldl"], check=True)
        (self.folder / "input").write_text("41\n")
        for recorder, mpi in (("openmpi", "mpich"), ("mpich", "openmpi")):
            with self.subTest(mpi=mpi):
                subprocess.run([f"mpicc.{mpi}", "-shared", "-fPIC", plugin, "-o", self.folder / "late.so"], check=True)
                done = self.run_under(recorder, mpi, "sh", "-c", f"{self.folder}/loads {self.folder}/late.so < {self.folder}/input")
                self.assertEqual(done.returncode, 0, done.stderr)
                words = done.stdout.split()
                self.assertEqual((words.count("sum"), words.count("1")), (2, 2), done.stdout)
                self.assertEqual((words.count("begun"), words.count("41")), (2, 2), done.stdout)  # once a rank
                self.assertEqual(done.stderr.count("rondo: loads is not recorded: late.so uses"), 1, done.stderr)
                self.assertFalse((self.folder / "x.rondo").exists())
                (self.folder / "late.so").unlink()

    def test_mpi4py_of_another_mpi(self):
        probe = subprocess.run(["/usr/bin/python3", "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"],
                               env=clean_environment({}), capture_output=True, text=True, timeout=60)
        if "Open MPI" not in probe.stdout:
            self.skipTest("there is no mpi4py of Open MPI")
        done = self.rondo("record", "--mpi", "mpich", "-o", "x.rondo", "--", "/usr/bin/python3", "-c",
                          "from mpi4py import MPI; print(MPI.COMM_WORLD.allreduce(7))", status=2,
                          environment={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        self.assertEqual(done.stdout, "7\n")
        self.assertRegex(done.stderr, "python3 is not recorded: (MPI|lib).*so.* uses Open MPI")

    def test_shells_keep_it(self):
        done = self.run_under("openmpi", "mpich", "sh", "-c", f"{example('ring', 'mpich')} && echo \"left: $LD_PRELOAD\"")
        self.assertIn("ring: ok, 2 ranks", done.stdout)  # the shell is of no MPI and keeps the recorder
        self.assertIn("librondo_record_openmpi.so", done.stdout)


if __name__ == "__main__":
    unittest.main()
