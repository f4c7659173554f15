#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of the whole way from a raw trace to the logical program, stage by stage, as CSV.

usage: logical.py TRACES RONDO [--runs N] [-o FILE] [TRACE ...]

TRACES is a folder of SimGrid traces (*.tar.zst). Each stage is one command, so that its time has the start of a process
and the reading of its input in it: convert (text to archive), topology, logical (which recognizes the topology again).
The figure of a stage is the least of N runs.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

TRACES = ("lu.B.16", "sp.A.16", "bt.A.16", "cg.B.16", "mg.B.16")
STAGES = ("convert", "topology", "logical")
COLUMNS = ("trace", "ranks", "calls", "records", *(f"{stage}_seconds" for stage in STAGES), "whole_seconds",
           "calls_per_second")


def run(rondo, *words):
    """Output and seconds of a command."""
    start = time.perf_counter()
    done = subprocess.run([rondo, *map(str, words)], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"logical.py: rondo {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout, seconds


def records_of(text):
    """The number in the first line: program ...  # 16 ranks, 4x4 grid, 58 records."""
    return int(text.splitlines()[0].rsplit(",", 1)[1].split()[0])


def measured(rondo, raw, runs, folder):
    archive = folder / "trace.rondo"
    commands = {"convert": ("convert", raw, archive), "topology": ("topology", archive),
                "logical": ("logical", "--no-times", archive)}
    best = {}
    text = ""
    for _ in range(runs):
        archive.unlink(missing_ok=True)
        for stage in STAGES:
            text, seconds = run(rondo, *commands[stage])
            best[stage] = min(seconds, best.get(stage, seconds))
    info = json.loads(run(rondo, "info", "--json", archive)[0])
    whole = sum(best.values())
    calls = info["calls"]
    return {"ranks": info["ranks"], "calls": calls, "records": records_of(text),
            **{f"{stage}_seconds": f"{best[stage]:.3f}" for stage in STAGES}, "whole_seconds": f"{whole:.3f}",
            "calls_per_second": round(calls / whole)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", type=pathlib.Path)
    parser.add_argument("rondo", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=TRACES, metavar="TRACE")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("-o", dest="out", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, (options.out.open("w") if options.out else sys.stdout) as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for name in options.names:
            raw = options.traces / f"{name}.tar.zst"
            writer.writerow({"trace": name,
                             **measured(options.rondo.resolve(), raw, options.runs, pathlib.Path(folder))})


if __name__ == "__main__":
    main()
