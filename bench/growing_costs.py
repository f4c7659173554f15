#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs programs that do not repeat: bench/growing.c bare and recorded side by side.

usage: growing_costs.py BUILD_DIR [--mpi openmpi|mpich] [--scale X] [--pairs N] [--csv FILE] [--instructions]

The numbers guard that every lookup stays O(1), that threads which have ended are folded away, and that what does not
fold goes to disk in bounded memory: of each kind two sizes are run, a call of the larger one must not cost more.
Times are those of the processor, which other guests of a machine disturb least. Memory is the recorder's own peak,
from the archive; bytes on disk are those of the recording a call, before the chunks are folded together. --instructions
counts those a call, recorded less bare (valgrind --tool=callgrind), which repeat.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_MIB = 64
KINDS = {"groups": 4000, "datatypes": 4000, "threads": 1000, "numbers": 100_000, "arrays": 25_000, "texts": 20_000,
         "orders": 100_000, "all": 100_000}
GROWTH = 4  # of the larger size


def run(words, environment):
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | environment)
    _, calls, ns = done.stdout.split()
    return int(calls), float(ns), done.stderr


def recorder(library, folder):
    return {"LD_PRELOAD": str(library), "RONDO_OUTPUT": str(folder / "x.rondo"), "RONDO_FORCE": "1",
            "RONDO_MEMORY": str(LIMIT_MIB)}


def clear(folder):
    for left in [folder / "x.rondo", *(folder / "x.rondo.parts").glob("*")]:
        left.unlink(missing_ok=True)


def recording(rondo, folder, calls):
    """Bytes on disk, and the recorder's peak; all calls must be there."""
    parts = folder / "x.rondo.parts"
    files = list(parts.glob("*")) if parts.exists() else []
    disk = sum(file.stat().st_size for file in files or [folder / "x.rondo"])
    if files:
        subprocess.run([rondo, "convert", "--force", parts, folder / "x.rondo"], check=True, capture_output=True)
    info = subprocess.run([rondo, "info", "--json", folder / "x.rondo"], check=True, capture_output=True)
    facts = json.loads(info.stdout)
    if not facts["complete"] or facts["calls"] < calls:
        sys.exit(f"growing_costs.py: {facts['calls']} of {calls} calls are in the recording")
    return disk, facts["cost"]["memory_per_rank_bytes"], len(files)


def measure(program, rondo, library, kind, size, pairs, folder):
    bare, ours = [], []
    for _ in range(pairs):
        calls, ns, _ = run([program, kind, str(size)], {})
        bare.append(ns)
        clear(folder)
        ours.append(run([program, kind, str(size)], recorder(library, folder))[1])
    disk, peak, chunks = recording(rondo, folder, calls)
    added = statistics.median(b - a for a, b in zip(bare, ours))
    return [kind, calls, round(statistics.median(bare)), round(statistics.median(ours)), round(added),
            round(disk / calls, 1), round(peak / 2**20, 1), chunks]


def instructions(program, library, kind, size, folder):
    counts = []
    for environment in ({}, recorder(library, folder)):
        clear(folder)
        line = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect={kind}", program,
                kind, str(size)]
        calls, _, said = run(line, environment)
        counts.append(int(re.search(r"Collected : (\d+)", said)[1]) / calls)
    return [kind, calls, *(round(count) for count in counts), round(counts[1] - counts[0])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build_dir", type=pathlib.Path)
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--scale", type=float, default=1, help="of all sizes")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    library = (options.build_dir / "lib" / f"librondo_record_{options.mpi}.so").resolve()
    rondo = (options.build_dir / "bin" / "rondo").resolve()
    rows = []
    names = ["kind", "calls", "bare", "recorded", "added"]
    names += [] if options.instructions else ["disk_bytes_per_call", "peak_MiB", "chunks"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "growing"
        subprocess.run([f"mpicc.{options.mpi}", "-O2", HERE / "growing.c", "-o", program, "-lpthread"], check=True)
        print("  ".join(names), "(ns of processor time)" if not options.instructions else "(instructions)")
        for kind, size in KINDS.items():
            for factor in (1, GROWTH):
                n = int(size * factor * options.scale)
                row = (instructions(program, library, kind, n, folder) if options.instructions
                       else measure(program, rondo, library, kind, n, options.pairs, folder))
                rows.append(row)
                print("  ".join(map(str, row)), flush=True)
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])


if __name__ == "__main__":
    main()
