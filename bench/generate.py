#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a generated benchmark takes beside its program, and how well a skeleton foresees it.

usage: generate.py BUILD_FOLDER [--pairs N] > bench/runs/NAME/generate.csv

Each program is recorded once; then program and benchmark run in turn, N pairs (5). The program's time is that
between MPI_Init and MPI_Finalize, as a PMPI library of a few lines prints it for programs in C, so that starting up does not count; the
benchmark prints the same. Columns: program, MPI, ranks, how the benchmark computes, medians in seconds, error of the
medians, error of the skeleton of a tenth (its own prediction against the program's median) and the skeleton's own time.
"""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
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


def measure(rondo, folder, timer, name, command, ranks, compute, pairs):
    mpirun = launcher(ranks)
    run([*mpirun, *command], folder)  # files and memory are warm when it is recorded
    run([rondo, "record", "--force", "-o", "app.rondo", "--", *mpirun, *command], folder)
    has_skeleton = True
    for made, options in ("whole", []), ("skeleton", ["--skeleton", "10%"]):
        done = subprocess.run([rondo, "generate", "app.rondo", "-o", made, "--force", *options], cwd=folder, check=False)
        has_skeleton = done.returncode == 0
        if has_skeleton:
            run(["make", "-s", "-C", made, "CC=mpicc.openmpi"], folder)
    program, benchmark, foreseen, short = [], [], [], []
    for _ in range(pairs):
        done = run([*mpirun, "-x", f"LD_PRELOAD={timer}", *command], folder)
        program.append(seconds(r"span ([\d.]+)", done.stderr))
        benchmark.append(seconds(r"([\d.]+) seconds", run([*mpirun, "whole/benchmark", "--compute", compute], folder).stdout))
        if not has_skeleton:
            continue
        text = run([*mpirun, "skeleton/benchmark", "--compute", compute], folder).stdout
        short.append(seconds(r"([\d.]+) seconds", text))
        foreseen.append(seconds(r"([\d.]+) seconds for the whole", text))
    real, made = statistics.median(program), statistics.median(benchmark)
    skeleton = f"{statistics.median(foreseen) / real - 1:+.2%},{statistics.median(short):.3f}" if has_skeleton else ","
    print(f"{name},openmpi,{ranks},{compute},{real:.3f},{made:.3f},{made / real - 1:+.2%},{skeleton},"
          f"{min(program):.3f}..{max(program):.3f},{min(benchmark):.3f}..{max(benchmark):.3f}", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    pairs = int(sys.argv[sys.argv.index("--pairs") + 1]) if "--pairs" in sys.argv else 5
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    print("program,mpi,ranks,compute,program_s,benchmark_s,error,skeleton_error,skeleton_s,program_range_s,benchmark_range_s")
    with tempfile.TemporaryDirectory(prefix="rondo-bench-") as name:
        folder = pathlib.Path(name)
        (folder / "timer.c").write_text(TIMER)
        timer = folder / "timer.so"
        run(["mpicc.openmpi", "-shared", "-fPIC", "-O2", "-o", timer, "timer.c"], folder)
        examples = build / "examples" / "openmpi"
        for title, command, ranks, compute in (
                ("lmp melt 4 k atoms", melt(folder, 2000, 10), 2, "spin"),
                ("lmp melt 4 k atoms", melt(folder, 400, 10), 16, "sleep"),
                ("halo2d", [examples / "halo2d"], 2, "spin"),
                ("halo2d", [examples / "halo2d"], 16, "sleep")):
            measure(build / "bin" / "rondo", folder, timer, title, command, ranks, compute, pairs)


if __name__ == "__main__":
    main()
