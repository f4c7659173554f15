#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a live run costs, and whether its computation is that of ranks which have a processor each.

usage: live.py BUILD_FOLDER [--pairs N] > bench/runs/NAME/live.csv

1. slowdown: each program bare and live in turn, N pairs (5); medians of seconds on the clock, launcher included, and of the
   microseconds that a call takes longer.
2. virtual: tests/cli/programs/live.c with real work on 16 ranks, whatever the machine has, N times. Each rank does the work of
   one rank that runs alone, whose CPU time is measured before, and 10 messages of 8 bytes to its neighbour. The sum that it must
   have is that of the two. Columns: predicted seconds, that sum, difference, and the spread of all runs.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parent / "tests" / "cli" / "programs" / "live.c"
NETWORK = "latency=5us,bandwidth=1GB/s"
MESSAGE_S = 5e-6 + 8e-9
ROUNDS = 10
WORK = 20000  # thousand additions a round


def launcher(build, mpi, ranks):
    if mpi == "openmpi":
        return ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks)]
    return ["mpirun.mpich", "-n", str(ranks), "-genv", "LD_PRELOAD", str(build / "lib" / "libmpich_yield.so")]


def timed(command, folder):
    begun = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return time.monotonic() - begun, done.stdout


def live(build, folder, command):
    seconds, text = timed([build / "bin" / "rondo", "simulate", "--network", NETWORK, "--json", "--", *command], folder)
    return seconds, json.loads(text)


def slowdown(build, folder, mpi, title, ranks, command, pairs):
    command = [*launcher(build, mpi, ranks), *command]
    bare, slow, calls = [], [], 0
    for _ in range(pairs):
        bare.append(timed(command, folder)[0])
        seconds, prediction = live(build, folder, command)
        slow.append(seconds)
        calls = prediction["calls"]
    a, b = statistics.median(bare), statistics.median(slow)
    print(f"slowdown,{mpi},{title},{ranks},{calls},{a:.3f},{b:.3f},{b / a:.2f},{(b - a) * 1e6 / calls:.2f}", flush=True)


def virtual(build, folder, mpi, pairs):
    program = folder / f"live.{mpi}"
    timed([f"mpicc.{mpi}", "-O1", "-w", PROGRAM, "-o", program], folder)
    words = [program, "work", str(WORK)]
    alone = [live(build, folder, [*launcher(build, mpi, 1), *words])[1]["ranks"][0]["computing_seconds"] for _ in range(pairs)]
    wanted = statistics.median(alone) + ROUNDS * MESSAGE_S
    found = [live(build, folder, [*launcher(build, mpi, 16), *words])[1]["predicted_seconds"] for _ in range(pairs)]
    middle = statistics.median(found)
    for seconds in found:
        print(f"virtual,{mpi},work,16,,{seconds:.6f},{wanted:.6f},{seconds / wanted - 1:+.2%},{seconds / middle - 1:+.2%}")
    print(f"virtual,{mpi},work,16,spread,{middle:.6f},{wanted:.6f},{middle / wanted - 1:+.2%},"
          f"{(max(found) - min(found)) / middle:.2%}", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    pairs = int(sys.argv[sys.argv.index("--pairs") + 1]) if "--pairs" in sys.argv else 5
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with tempfile.TemporaryDirectory(prefix="rondo-bench-") as name:
        folder = pathlib.Path(name)
        print("what,mpi,program,ranks,calls,bare_s,live_s,factor,us_per_call")
        for mpi in ("openmpi", "mpich"):
            for example, ranks in (("halo2d", 4), ("halo2d", 16), ("mixed", 4), ("mixed", 16)):
                slowdown(build, folder, mpi, example, ranks, [build / "examples" / mpi / example], pairs)
        print("what,mpi,program,ranks,run,predicted_s,wanted_s,error,from_median")
        for mpi in ("openmpi", "mpich"):
            virtual(build, folder, mpi, pairs)


if __name__ == "__main__":
    main()
