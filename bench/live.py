#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a live run costs, and whether its computation is that of ranks which have a processor each.

usage: live.py BUILD_FOLDER [--pairs N] [--order] > bench/runs/NAME/live.csv

With --order only the master with workers.

1. slowdown: each program bare and live in turn, N pairs (5); medians of seconds on the clock, launcher included, and of the
   microseconds that a call takes longer.
   With `--order virtual` a master with workers (tests/cli/programs/order.c) in the same way, whose seed of real noise changes each time; the last column
   is how many different orders the master saw in the live runs: 1 if they repeat.
2. virtual: tests/cli/programs/live.c with real work on 16 ranks, whatever the machine has, N times. Each rank does the work of
   one rank that runs alone, and 10 messages of 8 bytes to its neighbour. What the prediction must be is the sum of the two. A processor's
   speed changes from run to run, and may depend on whether the others are busy: so in each turn the CPU time of one rank alone and the mean
   of two ranks are measured before, and the turn's 16 ranks are compared with both. Columns: predicted seconds; CPU seconds of one
   rank, of two; mean and largest CPU time of the 16; how far the prediction is above the sum with one rank, with two. The last row has
   medians, and instead of the two last columns the spread of the predictions and of one rank alone.
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


def order(build, folder, mpi, pairs):
    program = folder / f"order.{mpi}"
    timed([f"mpicc.{mpi}", "-O1", "-w", PROGRAM.with_name("order.c"), "-o", program], folder)
    bare, slow, orders = [], [], {False: set(), True: set()}
    def served(text):
        return next(line for line in text.splitlines() if line.startswith("served"))
    for seed in range(pairs):
        command = [*launcher(build, mpi, 4), program, "recv", str(seed)]
        seconds, said = timed(command, folder)
        bare.append(seconds)
        orders[False].add(served(said))
        seconds, said = timed([build / "bin" / "rondo", "simulate", "--network", NETWORK, "--scale-compute", "0", "--order", "virtual", "--",
                               *command], folder)
        slow.append(seconds)
        orders[True].add(served(said))
    a, b = statistics.median(bare), statistics.median(slow)
    print(f"order,{mpi},order,4,,{a:.3f},{b:.3f},{b / a:.2f},{len(orders[False])},{len(orders[True])}", flush=True)


def virtual(build, folder, mpi, pairs):
    program = folder / f"live.{mpi}"
    timed([f"mpicc.{mpi}", "-O1", "-w", PROGRAM, "-o", program], folder)
    words = [program, "work", str(WORK)]
    def computing(ranks):
        prediction = live(build, folder, [*launcher(build, mpi, ranks), *words])[1]
        return [rank["computing_seconds"] for rank in prediction["ranks"]], prediction["predicted_seconds"]

    turns = []
    for _ in range(pairs):
        one, two = computing(1)[0][0], statistics.mean(computing(2)[0])
        all_ranks, seconds = computing(16)
        turns.append((seconds, one, two, statistics.mean(all_ranks), max(all_ranks)))
        errors = [seconds / (reference + ROUNDS * MESSAGE_S) - 1 for reference in (one, two)]
        print(f"virtual,{mpi},work,16,,{','.join(f'{each:.6f}' for each in turns[-1])},{errors[0]:+.2%},{errors[1]:+.2%}", flush=True)
    columns = list(zip(*turns, strict=True))
    spreads = [(max(column) - min(column)) / statistics.median(column) for column in columns]
    print(f"virtual,{mpi},work,16,medians,{','.join(f'{statistics.median(column):.6f}' for column in columns)},"
          f"{spreads[0]:.2%},{spreads[1]:.2%}", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    pairs = int(sys.argv[sys.argv.index("--pairs") + 1]) if "--pairs" in sys.argv else 5
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with tempfile.TemporaryDirectory(prefix="rondo-bench-") as name:
        folder = pathlib.Path(name)
        print("what,mpi,program,ranks,calls,bare_s,live_s,factor,us_per_call")
        for mpi in ("openmpi", "mpich"):
            if "--order" in sys.argv:
                break
            for example, ranks in (("halo2d", 4), ("halo2d", 16), ("mixed", 4), ("mixed", 16)):
                slowdown(build, folder, mpi, example, ranks, [build / "examples" / mpi / example], pairs)
        print("what,mpi,program,ranks,,bare_s,live_s,factor,orders_bare,orders_live")
        for mpi in ("openmpi", "mpich"):
            order(build, folder, mpi, pairs)
        if "--order" in sys.argv:
            return
        print("what,mpi,program,ranks,run,predicted_s,one_s,two_s,mean_of_16_s,largest_of_16_s,above_one,above_two")
        for mpi in ("openmpi", "mpich"):
            virtual(build, folder, mpi, pairs)


if __name__ == "__main__":
    main()
