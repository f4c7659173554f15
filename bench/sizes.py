#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How large programs and archives are: terms, classes, and bytes by section, as CSV and Markdown.

usage: sizes.py [TRACES] [--examples BUILD_DIR] [--rondo RONDO] [--ranks N,N,...] [-o FOLDER]

TRACES is a folder of SimGrid traces (*.tar.zst). --examples records the example programs of BUILD_DIR under Open MPI.
FOLDER gets sizes.csv and sizes.md. Terms repeat, and so do all bytes of SimGrid traces; those of recordings differ a
little from run to run. Numbers of ranks that a program refuses are left out, and so are runs that take too long; stderr
says which.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 300
SECTIONS = ("programs", "tables", "times")
COLUMNS = ("trace", "ranks", "calls", "terms_of_one_rank", "merged_terms", "classes", "bytes_without_times", "bytes",
           *SECTIONS, "head")
# Terms of one rank, bytes without times, bytes with histograms: at most so many. What a trace has no goal for is None.
GOALS = {
    "bt.A.16": (117, 1500, 15500 / 2),
    "sp.A.16": (85, 1800, 12200 / 2),
    "cg.A.16": (59, 900, 7500 / 2),
    "mg.A.16": (91, 3200, 38500 / 2),
    "lu.A.8": (73, 1500, 34600 / 2),
    "lu.B.16": (73, 1500, 34600 / 2),
}
GROWTH_GOAL = 1.1  # from 16 to 64 ranks
TWINS = ("twin_mpif", "twin_usempi", "twin_f08")  # the same calls as twin_c


class Tool:
    def __init__(self, rondo, folder):
        self.rondo = rondo.resolve()
        self.folder = folder
        if not self.rondo.exists():
            sys.exit(f"sizes.py: there is no {self.rondo}; build it first")

    def run(self, *words):
        done = subprocess.run([self.rondo, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"sizes.py: rondo {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--json"))

    def without_times(self, source):
        result = self.folder / "none.rondo"
        self.run("convert", source, result, "--times", "none", "--force")
        return result.stat().st_size

    def row(self, name, source, archive):
        info = self.json("info", archive)
        programs = self.json("print", archive, "--no-sites")
        stored = {name: part["stored_bytes"] for name, part in info["contents"].items()}
        sizes = [stored.get(name, 0) for name in SECTIONS]
        return dict(zip(COLUMNS, (
            name, info["ranks"], info["calls"], max(c["terms"] for c in programs["classes"]),
            sum(p["terms"] for p in programs["programs"]), info["classes"], self.without_times(source),
            info["archive_bytes"], *sizes, info["archive_bytes"] - sum(stored.values()))))


def of_traces(tool, traces):
    for path in sorted(traces.glob("*.tar.zst")):
        archive = tool.folder / "trace.rondo"
        tool.run("convert", path, archive, "--force")
        yield tool.row(path.name.removesuffix(".tar.zst"), path, archive)


def record(tool, program, ranks):
    """The archive, or nothing if the program does not take so many ranks or takes too long."""
    archive = tool.folder / f"{program.name}.rondo"
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    line = [tool.rondo, "record", "--force", "-o", archive, "--", "mpirun.openmpi", "--oversubscribe",
            "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks), program.resolve()]
    try:
        done = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=tool.folder, check=False,
                              timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"{program.name}, {ranks} ranks: stopped after {TIMEOUT_SECONDS} s", file=sys.stderr)
        return None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith(program.name)]
        print(f"{program.name}, {ranks} ranks: {lines[0] if lines else done.stderr}", file=sys.stderr)
        return None
    return archive


def of_examples(tool, build, counts):
    programs = sorted(path for path in (build / "examples" / "openmpi").iterdir() if path.name not in TWINS)
    for program in programs:
        for ranks in counts:
            archive = record(tool, program, ranks)
            if archive:
                yield tool.row(program.name, archive, archive)


# As tables -------------------------------------------------------------------------------------------------

def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def mark(value, goal):
    """The value with its goal, if it has one."""
    if goal is None:
        return f"{value:,}"
    return f"{value:,} (goal {goal:,.0f}{'' if value <= goal else ', **missed**'})"


def trace_table(rows):
    cells = []
    for row in rows:
        terms, without, with_times = GOALS.get(row["trace"], (None, None, None))
        cells.append((row["trace"], f"{row['calls']:,}", mark(row["terms_of_one_rank"], terms), row["merged_terms"],
                      row["classes"], mark(row["bytes_without_times"], without), mark(row["bytes"], with_times),
                      *(f"{row[name]:,}" for name in (*SECTIONS, "head"))))
    return table(("trace", "calls", "terms of one rank", "merged terms", "classes", "bytes without times",
                  "bytes with histograms", "of that programs", "tables", "times", "head"), cells)


def example_table(rows):
    return table(("program", "ranks", "calls", "terms of one rank", "merged terms", "classes", "bytes without times",
                  "bytes with histograms", "of that programs", "tables", "times", "head"),
                 [(row["trace"], row["ranks"], f"{row['calls']:,}", row["terms_of_one_rank"], row["merged_terms"],
                   row["classes"], *(f"{row[name]:,}" for name in ("bytes_without_times", "bytes", *SECTIONS, "head")))
                  for row in rows])


def growth_table(rows):
    by_key = {(row["trace"], row["ranks"]): row for row in rows}
    cells = []
    for name in dict.fromkeys(row["trace"] for row in rows):
        small, large = by_key.get((name, 16)), by_key.get((name, 64))
        if not small or not large:
            continue
        cells.append((name, f"{small['classes']} to {large['classes']}",
                      *(f"x{large[key] / max(small[key], 1):.2f}" for key in ("merged_terms", *SECTIONS)),
                      *(growth_mark(large[key] / small[key]) for key in ("bytes_without_times", "bytes"))))
    goal = f"(goal x{GROWTH_GOAL})"
    return table(("program", "classes", "merged terms", "bytes of programs", "of tables", "of times",
                  f"all without times {goal}", f"all with histograms {goal}"), cells)


def growth_mark(growth):
    return f"x{growth:.2f}{'' if growth <= GROWTH_GOAL else ' **missed**'}"


def markdown(traces, examples):
    lines = ["# Sizes", "", "Written by `bench/sizes.py`. *Programs*, *tables* and *times* are the stored bytes that `rondo info` names; the",
             "*head* is the rest of the file. Terms of one rank are those of the rank with most.", ""]
    if traces:
        lines += ["## SimGrid traces", *trace_table(traces), ""]
    if examples:
        lines += ["## Examples", "### Growth from 16 to 64 ranks", *growth_table(examples), "",
                  "### All", *example_table(examples), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", type=pathlib.Path, nargs="?")
    parser.add_argument("--examples", type=pathlib.Path, metavar="BUILD_DIR")
    parser.add_argument("--rondo", type=pathlib.Path, help="default: that of BUILD_DIR, or of build/release")
    parser.add_argument("--ranks", default="4,8,16,32,64")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path())
    options = parser.parse_args()
    rondo = options.rondo or (options.examples or pathlib.Path("build/release")) / "bin" / "rondo"
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(rondo, pathlib.Path(folder))
        traces = list(of_traces(tool, options.traces)) if options.traces else []
        counts = [int(count) for count in options.ranks.split(",")]
        examples = list(of_examples(tool, options.examples, counts)) if options.examples else []
    options.output.mkdir(parents=True, exist_ok=True)
    with (options.output / "sizes.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(traces + examples)
    (options.output / "sizes.md").write_text(markdown(traces, examples), encoding="utf-8")


if __name__ == "__main__":
    main()
