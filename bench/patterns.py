#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast patterns are found and messages matched: one command for the whole record.

usage: patterns.py BUILD TRACES [--runs N] [--quick] -o FOLDER

BUILD is a build folder with patterns_bench, matching_bench and rondo; TRACES a folder of SimGrid traces (*.tar.zst).
FOLDER gets engines.csv (the benchmarks), traces.csv (rondo on real runs: seconds of `patterns` and `patterns
--communication` on an archive, the start of the process and reading it included, the least of N) and summary.md with
both as tables and the figures of the paper beside them.
"""
import argparse
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import time

TRACES = ("lu.B.16", "sp.A.16", "bt.A.16", "cg.B.16", "mg.B.16")
PAPER = (("WRF", 336_960, 37), ("SP", 38_544, 12), ("FLASH", 633_490, 228))  # events, seconds: [patternrecognition, sec. V]
COMMANDS = {"patterns": (), "communication": ("--communication",)}


def benchmarks(build, quick):
    """Rows of both benchmarks: name, CPU seconds, items per second."""
    rows = []
    for name in ("patterns_bench", "matching_bench"):
        options = ["--benchmark_format=csv"]
        if quick:
            options += ["--benchmark_min_time=0.01", "--benchmark_filter=-/100000000$|/10000000$|irregular/1000000"]
        done = subprocess.run([build / "bin" / name, *options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"patterns.py: {name}: {done.stderr}")
        text = done.stdout[done.stdout.index("name,"):]
        for row in csv.DictReader(io.StringIO(text)):
            if row["error_occurred"] == "true":
                sys.exit(f"patterns.py: {row['name']}: {row['error_message']}")
            unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[row["time_unit"]]
            rows.append({"benchmark": row["name"], "cpu_seconds": f"{float(row['cpu_time']) * unit:.3g}",
                         "items_per_second": f"{float(row['items_per_second']):.3g}" if row['items_per_second'] else ""})
    return rows


def run(rondo, *words):
    start = time.perf_counter()
    done = subprocess.run([rondo, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"patterns.py: rondo {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout, time.perf_counter() - start


def traces(build, folder, runs):
    rondo = build / "bin" / "rondo"
    for name in TRACES:
        with tempfile.TemporaryDirectory() as scratch:
            archive = pathlib.Path(scratch) / "trace.rondo"
            run(rondo, "convert", folder / f"{name}.tar.zst", archive)
            row = {"trace": name, "calls": json.loads(run(rondo, "info", "--json", archive)[0])["calls"]}
            for command, options in COMMANDS.items():
                row[f"{command}_seconds"] = f"{min(run(rondo, 'patterns', archive, *options)[1] for _ in range(runs)):.3f}"
            yield row


def table(rows, columns):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(row[column]) for column in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write(path, rows):
    with path.open("w") as out:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("traces", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="without the longest streams, to see that it works")
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    engines = benchmarks(options.build, options.quick)
    write(options.out / "engines.csv", engines)
    runs = list(traces(options.build, options.traces, options.runs))
    write(options.out / "traces.csv", runs)
    paper = [{"trace": name, "events": events, "seconds": seconds} for name, events, seconds in PAPER]
    (options.out / "summary.md").write_text(
        "# Summary\n\n## Engines\n\n" + table(engines, ("benchmark", "cpu_seconds", "items_per_second")) +
        "\n## Real runs\n\n" + table(runs, ("trace", "calls", "patterns_seconds", "communication_seconds")) +
        "\nThe paper's, on other runs and a machine of 2011:\n\n" + table(paper, ("trace", "events", "seconds")))


if __name__ == "__main__":
    main()
