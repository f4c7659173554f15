#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rates of the readers and writers of foreign formats, beside otf2-print, python3-otf2 and SimGrid's replay in one run.

usage: convert.py RONDO -o FOLDER [--steps N] [--times 3] [--longer 10]

The trace is a halo exchange on 8 ranks with N steps of 6 calls, times of every call that do not repeat, so that stamps cost
what those of a real run cost. CPU time counts (the best of so many runs, on however busy a machine), of one process, its
start included; memory is the largest resident set. Writes FOLDER/raw.csv and FOLDER/summary.md. The number guards how long
users wait for a trace to come in, and that memory does not follow its length: --longer is a trace so many times as long."""
import argparse
import csv
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

RANKS = 8
CALLS_A_STEP = 6
COLUMNS = ("steps", "what", "calls", "events", "cpu_s", "wall_s", "peak_bytes", "file_bytes", "calls_per_cpu_s", "events_per_cpu_s")
COUNT = ("import otf2, sys\n"
         "with otf2.reader.open(sys.argv[1]) as trace:\n"
         "    print(sum(1 for _ in trace.events))\n")


def make_ti(folder, steps):
    """Left and right neighbours on a ring, a reduction now and then."""
    folder.mkdir()
    for rank in range(RANKS):
        chance = random.Random(rank)
        left, right = (rank - 1) % RANKS, (rank + 1) % RANKS
        with open(folder / f"{rank}.txt", "w", encoding="ascii") as file:
            file.write(f"{rank} init\n")
            for _ in range(steps):
                file.write(f"{rank} compute {chance.randrange(1000, 90000)}\n{rank} irecv {left} 1 1000 0\n{rank} irecv {right} 2 1000 0\n"
                           f"{rank} isend {right} 1 1000 0\n{rank} isend {left} 2 1000 0\n{rank} waitall 4\n"
                           f"{rank} compute {chance.randrange(1000, 9000)}\n{rank} allreduce 1 0 0\n")
            file.write(f"{rank} finalize\n")


def size_of(path):
    if path.is_dir():
        return sum(size_of(one) for one in path.iterdir())
    return path.stat().st_size if path.exists() else 0


def measure(words, times):
    """CPU seconds, seconds and bytes of memory of the best of so many runs."""
    best = None
    for _ in range(times):
        start = time.perf_counter()
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"convert.py: {' '.join(map(str, words))}: {errors.decode()[-1000:]}")
        took = (usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss * 1024)
        best = min(best or took, took)
    return best


def events_in(archive):
    """As the archive's own definitions say."""
    done = subprocess.run(["otf2-print", "-G", str(archive)], capture_output=True, text=True, check=True)
    return sum(int(count) for count in re.findall(r"# Events: (\d+)", done.stdout))


def run_all(rondo, place, steps, options, rows):
    calls = RANKS * (CALLS_A_STEP * steps + 2)
    ti, archive, anchor = place / "trace", place / "a.rondo", place / "a.otf2"
    make_ti(ti, steps)
    events = 0

    def row(what, words, path, counts_events=False):
        cpu, wall, peak = measure(words, options.times)
        entry = (steps, what, calls, events if counts_events else "", f"{cpu:.3f}", f"{wall:.3f}", peak, size_of(path), f"{calls / cpu:.0f}",
                 f"{events / cpu:.0f}" if counts_events else "")
        rows.append(dict(zip(COLUMNS, entry)))
        print(f"{steps:>8} {what:<34} {cpu:8.3f} s {calls / cpu / 1e6:7.2f} M calls/s"
              f"{f' {events / cpu / 1e6:7.2f} M events/s' if counts_events else '':>22} {peak >> 20:6} MiB")

    convert = [rondo, "convert", "--force"]
    row("SimGrid TI in, histograms", [*convert, ti, place / "h.rondo"], ti)
    row("SimGrid TI in, all times", [*convert, ti, archive, "--times", "full"], ti)
    subprocess.run([str(word) for word in [*convert, archive, anchor]], check=True)
    events = events_in(anchor)
    files = place / "a"
    row("OTF2 out", [*convert, archive, anchor], files, True)
    row("OTF2 in, no times", [*convert, anchor, place / "n.rondo", "--times", "none"], files, True)
    row("OTF2 in, histograms", [*convert, anchor, place / "h.rondo"], files, True)
    row("OTF2 in, all times", [*convert, anchor, place / "f.rondo", "--times", "full"], files, True)
    row("otf2-print", ["otf2-print", anchor], files, True)
    if steps <= options.steps:
        row("python3-otf2, counting", ["/usr/bin/python3", "-c", COUNT, anchor], files, True)
    for ending, name in ((".prv", "Paraver"), (".dim", "Dimemas"), (".goal", "GOAL"), (".ti", "SimGrid TI"), (".pftrace", "Perfetto"),
                         (".chrome.json", "Chrome JSON")):
        output = place / f"a{ending}"
        row(f"{name} out", [*convert, archive, output], output)
    for ending, name in ((".prv", "Paraver"), (".goal", "GOAL")):
        row(f"{name} in, all times", [*convert, place / f"a{ending}", place / "b.rondo", "--times", "full"], place / f"a{ending}")
    if steps <= options.steps:
        replay(place, row)


def replay(place, row):
    """SimGrid's own reader, which simulates what it reads."""
    (place / "net.xml").write_text('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'
                                   f'<cluster id="c" prefix="h" suffix="" radical="0-{RANKS - 1}" speed="1Gf" bw="1GBps" lat="1us"/></platform>')
    (place / "hosts").write_text("".join(f"h{i}\n" for i in range(RANKS)))
    row("smpirun -replay (simulates)", ["smpirun", "-np", RANKS, "-platform", place / "net.xml", "-hostfile", place / "hosts", "-replay",
                                        place / "a.ti" / "trace.list", "--log=root.thres:critical", "--cfg=smpi/host-speed:1Gf"], place / "a.ti")


def summary(rows):
    lines = ["| steps | what | CPU s | M calls/s | M events/s | peak MiB | file MB |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        events = f"{float(row['events_per_cpu_s']) / 1e6:.2f}" if row["events_per_cpu_s"] else ""
        lines.append(f"| {row['steps']} | {row['what']} | {row['cpu_s']} | {float(row['calls_per_cpu_s']) / 1e6:.2f} | {events} | "
                     f"{row['peak_bytes'] / 2**20:.0f} | {row['file_bytes'] / 1e6:.1f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("rondo", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--longer", type=int, default=10)
    options = parser.parse_args()
    rows = []
    for steps in dict.fromkeys((options.steps, options.steps * options.longer)):
        with tempfile.TemporaryDirectory() as folder:
            run_all(options.rondo, pathlib.Path(folder), steps, options, rows)
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / "raw.csv", "w", encoding="ascii", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    (options.output / "summary.md").write_text(summary(rows), encoding="ascii")


if __name__ == "__main__":
    main()
