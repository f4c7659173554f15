#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs per call: bench/overhead.c bare and recorded in alternation, medians of all pairs.

usage: record_overhead.py BUILD_DIR [--mpi openmpi|mpich] [--pairs N] [--rounds N] [--csv FILE] [--times T] [--instructions | --cold
       | --crowded] [--shared]

Runs on shared machines are noisy: what counts is the difference and the ratio of runs side by side. --instructions
counts instructions between the start and the end of a mix instead (valgrind --tool=callgrind), which repeats. --cold takes bench/cold.c,
which clears the caches between calls and makes each both recorded and bare, by the clock, and counts the recorder's lines of the cache a call (valgrind --tool=cachegrind, with a first
level of almost nothing and a last one that is cleared), beside a wrapper that does the least that can be done. --crowded takes whole runs of 16 ranks, start and end included, of
bench/kernels.c: cg, and sweep, which sends as LU does. --shared says that ranks share processors, for one rank.
"""
import argparse
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

INSTRUCTION_ROUNDS = 20000
CROWD = 16
CROWDED = (("cg", 256, 1000), ("sweep", 128, 100))  # some ten seconds each on two processors
HERE = pathlib.Path(__file__).resolve().parent


def build(mpi, folder, name="overhead"):
    program = folder / f"{name}.{mpi}"
    subprocess.run([f"mpicc.{mpi}", "-O2", "-w", HERE / f"{name}.c", "-o", program, "-lm"], check=True)
    return program


def command(mpi, ranks, environment):
    words = [f"mpirun.{mpi}", "-n", str(ranks)]
    if mpi == "openmpi":
        words += ["--oversubscribe", "--bind-to", "none"]  # a core may have other guests
        for name, value in environment.items():
            words += ["-x", f"{name}={value}"]
    else:
        for name, value in environment.items():
            words += ["-genv", name, value]
    return words


def run(mpi, ranks, program, rounds, environment):
    """ns per call by mix."""
    text = subprocess.run(command(mpi, ranks, environment) + [program, str(rounds)], check=True, capture_output=True,
                          text=True, env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    lines = [line.split() for line in text.stdout.splitlines()]
    return {mix: float(ns) for mix, _, ns in lines}


def instructions_per_call(program, mix, environment):
    line = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=measure", program,
            str(INSTRUCTION_ROUNDS), mix]
    done = subprocess.run(line, check=True, capture_output=True, text=True, env=os.environ | environment)
    calls = int(done.stdout.split()[1]) * 1.1  # each mix also runs for a tenth of the rounds before it is measured
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]) / calls


def count(program, recorded):
    print(f"{'mix':<12}{'bare':>8}{'recorded':>10}{'added':>8}  instructions per call")
    for mix in ("steady", "nested", "irregular"):
        bare, ours = (instructions_per_call(program, mix, environment) for environment in ({}, recorded))
        print(f"{mix:<12}{bare:>8.0f}{ours:>10.0f}{ours - bare:>8.0f}")


def lines_per_call(program, folder, environment):
    """Lines of code and of data that the recorder's functions fetch for a call."""
    calls = 600
    output = folder / "cachegrind.out"
    subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=256,1,64", "--D1=256,1,64", "--LL=262144,4,64",
                    f"--cachegrind-out-file={output}", program, str(2 * calls), str(1 << 20)],
                   check=True, capture_output=True, env=os.environ | environment)
    lines = output.read_text().splitlines()
    events = next(line for line in lines if line.startswith("events:")).split()[1:]
    found, ours = {"ILmr": 0, "DLmr": 0, "DLmw": 0}, False
    for line in lines:
        if line.startswith("fn="):
            ours = "rondo::record::" in line or "rondo::fold::" in line or "rondo_entry_" in line
        elif ours and line[:1].isdigit():
            for event, count in zip(events, line.split()[1:]):
                found[event] = found.get(event, 0) + int(count)
    calls += 60  # warming up
    return found["ILmr"] / calls, (found["DLmr"] + found["DLmw"]) / calls


# The least that a recorder can do: reads the counter around the call, and writes what it finds to one line of the cache.
FLOOR = r"""
#include <mpi.h>
static _Alignas(64) struct { unsigned long long begun, inside, calls; } line;
#define FLOOR(name, parameters, arguments)          \
  int MPI_##name parameters {                       \
    line.begun = __builtin_ia32_rdtsc();            \
    const int result = PMPI_##name arguments;       \
    line.inside += __builtin_ia32_rdtsc() - line.begun; \
    ++line.calls;                                   \
    return result;                                  \
  }
FLOOR(Irecv, (void* b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Request* r), (b, n, t, p, g, c, r))
FLOOR(Isend, (const void* b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Request* r), (b, n, t, p, g, c, r))
FLOOR(Waitall, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s))
"""


def build_floor(mpi, folder):
    source, library = folder / "floor.c", folder / f"floor.{mpi}.so"
    source.write_text(FLOOR)
    subprocess.run([f"mpicc.{mpi}", "-O2", "-w", "-shared", "-fPIC", source, "-o", library], check=True)
    return {"LD_PRELOAD": str(library)}


def cold(program, folder, recorded, pairs, floor):
    code, data = lines_per_call(program, folder, recorded)
    print(f"lines of the cache a call: {code:.1f} of code, {data:.1f} of data (beginning and end of the run included)")
    for size in (4 << 20, 32 << 20):
        rows = [[list(map(float, subprocess.run([program, "900", str(size)], check=True, capture_output=True, text=True,
                                                env=os.environ | environment).stdout.split()[2:])) for environment in (floor, recorded)]
                for _ in range(pairs)]
        for kind, name in enumerate(("medians of calls", "means of calls of up to 100 us")):
            least, added = (statistics.median(row[i][2 * kind + 1] for row in rows) for i in (0, 1))
            print(f"{size >> 20:>3} MiB written between calls: {statistics.median(row[1][2 * kind] for row in rows):.0f} ns a call bare, "
                  f"{added:.0f} ns added, {least:.0f} by the least wrapper ({name}, of {pairs} rounds)")


def seconds_of_crowd(mpi, words, environment):
    """By the clock, and of CPU time."""
    line = command(mpi, CROWD, environment)
    if mpi == "openmpi":
        line[1:1] = ["--mca", "mpi_yield_when_idle", "1"]
    before = os.times()
    subprocess.run([*line, *map(str, words)], check=True, capture_output=True,
                   env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    after = os.times()
    cpu = [t.children_user + t.children_system for t in (before, after)]
    return after.elapsed - before.elapsed, cpu[1] - cpu[0]


def crowded(mpi, program, recorded, pairs):
    print(f"{'kernel':<8}{'bare s':>9}{'recorded s':>12}{'clock':>9}{'CPU':>9}  medians of {pairs} pairs and of their ratios; clock: all")
    for kernel in CROWDED:
        rows = []
        for pair in range(pairs):
            both = [{}, recorded]
            found = [seconds_of_crowd(mpi, (program, *kernel), environment) for environment in both[::-1 if pair % 2 else 1]]
            rows.append(found[::-1 if pair % 2 else 1])
        bare, ours = (statistics.median(row[i][0] for row in rows) for i in (0, 1))
        clock, cpu = ([row[1][i] / row[0][i] - 1 for row in rows] for i in (0, 1))
        print(f"{kernel[0]:<8}{bare:>9.3f}{ours:>12.3f}{statistics.median(clock):>+9.2%}{statistics.median(cpu):>+9.2%}  "
              f"{' '.join(f'{ratio:+.1%}' for ratio in sorted(clock))}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build_dir", type=pathlib.Path)
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=300000)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--times", default="histogram", choices=["none", "histogram", "full"])
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--crowded", action="store_true")
    parser.add_argument("--shared", action="store_true")
    options = parser.parse_args()
    library = (options.build_dir / "lib" / f"librondo_record_{options.mpi}.so").resolve()
    if not library.exists():
        sys.exit(f"record_overhead.py: there is no {library}; build it first")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = build(options.mpi, folder)
        recorded = {"LD_PRELOAD": str(library), "RONDO_OUTPUT": str(folder / "overhead.rondo"), "RONDO_FORCE": "1",
                    "RONDO_TIMES": options.times}
        if options.shared:
            recorded |= {"OMPI_COMM_WORLD_LOCAL_SIZE": "1000", "MPI_LOCALNRANKS": "1000"}
        if options.crowded:
            crowded(options.mpi, build(options.mpi, folder, "kernels"), recorded, options.pairs)
            return
        if options.cold:
            cold(build(options.mpi, folder, "cold"), folder, recorded, options.pairs, build_floor(options.mpi, folder))
            return
        if options.instructions:
            count(program, recorded)
            return
        for pair in range(options.pairs):
            for ranks in (1, 2):
                bare = run(options.mpi, ranks, program, options.rounds, {})
                ours = run(options.mpi, ranks, program, options.rounds, recorded)
                rows += [(pair, mix, bare[mix], ours[mix]) for mix in bare]
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["pair", "mix", "bare_ns_per_call", "recorded_ns_per_call"])
            writer.writerows(rows)
    print(f"{'mix':<12}{'bare ns':>10}{'recorded ns':>13}{'added ns':>10}{'ratio':>8}")
    for mix in dict.fromkeys(row[1] for row in rows):
        bare, ours = ([row[i] for row in rows if row[1] == mix] for i in (2, 3))
        added = statistics.median(b - a for a, b in zip(bare, ours))
        print(f"{mix:<12}{statistics.median(bare):>10.1f}{statistics.median(ours):>13.1f}{added:>10.1f}"
              f"{statistics.median(b / a for a, b in zip(bare, ours)):>8.2f}")


if __name__ == "__main__":
    main()
