#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a generated benchmark takes beside its program, and how well a skeleton foresees it.

usage: generate.py BUILD_FOLDER [--pairs N] [--only TEXT | --program TITLE RANKS spin|sleep COMMAND...] > bench/runs/NAME/raw.csv

Of the programs below those that --only chooses, or any other one in C, by its whole command. N times (5) it runs, is recorded, and the
benchmarks of that recording run, one for each of `rondo generate --times`. The program's time is that between MPI_Init and MPI_Finalize, as a PMPI library of a few lines prints it for programs in C, so that starting up does not count; the
benchmark prints the same. Columns: program, MPI, ranks, how the benchmark computes, where its times come from, medians in seconds,
error of the medians, error of a skeleton of a tenth (its own prediction against the program's median) and the skeleton's own time; the
median of the recorded runs, and medians of the errors of a round's benchmark and skeleton beside the run they were made from, which
others on the machine change least. The last lines on stderr are means and worst cases of both kinds of error.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = (  # of kernels.c: size, and rounds by number of ranks
    ("jacobi", 512, {2: 2000, 16: 300}), ("sweep", 128, {2: 40, 16: 8}), ("cg", 256, {2: 600, 16: 80}),
    ("bodies", 1500, {2: 200, 16: 6}), ("transform", 1024, {2: 80, 16: 60}), ("sort", 512, {2: 15, 16: 3}),
    ("fractal", 400, {2: 20, 16: 20}))
TIMES = ("course", "mean", "histogram")  # the first is the default
INPUTS = HERE.parent / "tests" / "oracle" / "inputs"
TIMER = r"""
#include <mpi.h>
#include <stdio.h>
static double begun;
int MPI_Init(int *argc, char ***argv) {
  int r = PMPI_Init(argc, argv);
  PMPI_Barrier(MPI_COMM_WORLD);
  begun = PMPI_Wtime();
  return r;
}
int MPI_Finalize(void) {
  double own = PMPI_Wtime() - begun, all;
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) fprintf(stderr, "span %.6f\n", all);
  return PMPI_Finalize();
}
"""


def melt(folder, steps, size):
    text = (INPUTS / "melt.in").read_text().replace("run 100", f"run {steps}").replace("0 6 0 6 0 6", f"0 {size} 0 {size} 0 {size}")
    name = f"melt.{steps}.in"
    (folder / name).write_text(text)
    return ["lmp", "-in", name, "-log", "none", "-screen", "none"]


def launcher(ranks):
    bind = [] if ranks <= 2 else ["--mca", "mpi_yield_when_idle", "1"]
    return ["mpirun.openmpi", "--oversubscribe", *bind, "-n", str(ranks)]


def run(command, folder, **environment):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True,
                          env=os.environ | environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def seconds(pattern, text):
    return float(re.search(pattern, text)[1])


def error(made, real):
    """Median of the errors of one round each: a machine that is faster in another round does not count."""
    return statistics.median(m / r - 1 for m, r in zip(made, real))


class Benchmark:
    """Generated benchmarks of a program's recordings, and skeletons of a tenth for the default times where there can be one."""

    def __init__(self, times):
        self.times, self.kinds = times, [("whole", [])] + [("skeleton", ["--skeleton", "10%"])] * (times == TIMES[0])
        self.seconds, self.foreseen, self.short = [], [], []

    def run(self, rondo, folder, mpirun, compute):
        for name, options in self.kinds:
            command = [rondo, "generate", "app.rondo", "-o", "made", "--force", "--times", self.times, *options]
            if subprocess.run(command, cwd=folder, check=False).returncode != 0:
                continue
            run(["make", "-s", "-C", "made", "CC=mpicc.openmpi"], folder)
            text = run([*mpirun, "made/benchmark", "--compute", compute], folder).stdout
            (self.seconds if name == "whole" else self.short).append(seconds(r"([\d.]+) seconds", text))
            if name == "skeleton":
                self.foreseen.append(seconds(r"([\d.]+) seconds for the whole", text))


def measure(rondo, folder, timer, name, command, ranks, compute, pairs, errors):
    mpirun = launcher(ranks)
    run([*mpirun, *command], folder)  # files and memory are warm when it is recorded
    benchmarks = [Benchmark(times) for times in TIMES]
    program, recorded = [], []
    for _ in range(pairs):
        done = run([*mpirun, "-x", f"LD_PRELOAD={timer}", *command], folder)
        program.append(seconds(r"span ([\d.]+)", done.stderr))
        run([rondo, "record", "--force", "-o", "app.rondo", "--", *mpirun, *command], folder)
        recorded.append(json.loads(run([rondo, "efficiency", "app.rondo", "--json"], folder).stdout)["runtime_seconds"])
        for b in benchmarks:
            b.run(rondo, folder, mpirun, compute)
    real = statistics.median(program)
    for b in benchmarks:
        made = statistics.median(b.seconds)
        foreseen = statistics.median(b.foreseen) / real - 1 if b.foreseen else None
        skeleton = f"{foreseen:+.2%},{statistics.median(b.short):.3f}" if b.foreseen else ","
        beside = error(b.seconds, recorded), error(b.foreseen, recorded) if b.foreseen else None
        errors.setdefault((ranks, compute, b.times, "program"), []).append((made / real - 1, foreseen))
        errors.setdefault((ranks, compute, b.times, "recorded run"), []).append(beside)
        print(f"{name},openmpi,{ranks},{compute},{b.times},{real:.3f},{made:.3f},{made / real - 1:+.2%},{skeleton},"
              f"{min(program):.3f}..{max(program):.3f},{min(b.seconds):.3f}..{max(b.seconds):.3f},"
              f"{statistics.median(recorded):.3f},{beside[0]:+.2%},{'' if beside[1] is None else f'{beside[1]:+.2%}'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--program", nargs=argparse.REMAINDER, metavar="TITLE RANKS spin|sleep COMMAND")
    options = parser.parse_args()
    build, only = options.build.resolve(), options.only
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    print("program,mpi,ranks,compute,times,program_s,benchmark_s,error,skeleton_error,skeleton_s,program_range_s,benchmark_range_s,"
          "recorded_s,error_of_recorded,skeleton_error_of_recorded")
    with tempfile.TemporaryDirectory(prefix="rondo-bench-") as name:
        folder = pathlib.Path(name)
        (folder / "timer.c").write_text(TIMER)
        timer = folder / "timer.so"
        run(["mpicc.openmpi", "-shared", "-fPIC", "-O2", "-o", timer, "timer.c"], folder)
        kernels = folder / "kernels"
        run(["mpicc.openmpi", "-O2", "-o", kernels, HERE / "kernels.c", "-lm"], folder)
        programs = [("lmp melt 4 k atoms", melt(folder, 2000, 10), 2, "spin"), ("lmp melt 4 k atoms", melt(folder, 400, 10), 16, "spin"),
                    ("lmp melt 4 k atoms", melt(folder, 400, 10), 16, "sleep"), ("lmp melt 32 k atoms", melt(folder, 100, 20), 16, "sleep")]
        for kernel, size, rounds in KERNELS:
            programs += [(kernel + nap, [kernels, kernel, size, rounds[ranks], *nap.split()], ranks, compute)
                         for ranks, compute, nap in ((2, "spin", ""), (16, "spin", ""), (16, "sleep", " nap"))]
        if options.program:
            title, ranks, compute, *command = options.program
            programs, only = [(title, command, int(ranks), compute)], ""
        errors = {}
        for title, command, ranks, compute in programs:
            if only in f"{title} {ranks} {compute}":
                measure(build / "bin" / "rondo", folder, timer, title, command, ranks, compute, options.pairs, errors)
        for (ranks, compute, times, beside), found in errors.items():
            whole, foreseen = [abs(e[0]) for e in found], [abs(e[1]) for e in found if e[1] is not None]
            print(f"{ranks} ranks, {compute}, {times}, beside the {beside}: {len(whole)} benchmarks, mean {statistics.mean(whole):.1%}, "
                  f"worst {max(whole):.1%}; {len(foreseen)} skeletons, mean {statistics.mean(foreseen or [0]):.1%}, "
                  f"worst {max(foreseen or [0]):.1%}", file=sys.stderr)


if __name__ == "__main__":
    main()
