#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Memory and time of `rondo convert` by several processes that read one OTF2 archive together.

usage: convert_processes.py RONDO -o FOLDER [--ranks 64] [--calls 20000]

Two archives that do not fold, so that programs are as long as the trace: in one every rank does the same (what is merged is as
long as one rank), in the other each rank does something else (what is merged is as long as all). Times of every call are kept, which
differ in both. One core a process. Writes
FOLDER/raw.csv: the largest resident set and CPU seconds of every process, the wall clock of all, and whether the bytes are
those that one process writes. The numbers guard that a process needs memory for its own ranks, and the first one for what comes out."""
import argparse
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

COLUMNS = ("trace", "processes", "process", "peak_bytes", "cpu_s", "wall_s", "same_bytes", "archive_bytes")


def make_ti(folder, ranks, calls, alike):
    """A ring with random tags and sizes."""
    folder.mkdir()
    for rank in range(ranks):
        chance = random.Random(0 if alike else rank)
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        steps = [(chance.randrange(1000), chance.randrange(1 << 20)) for _ in range(calls // 2)]
        pauses = random.Random(ranks + rank)
        text = "".join(f"{rank} compute {pauses.randrange(1000, 90000)}\n{rank} send {right} {tag} {size} 0\n{rank} recv {left} {tag} {size} 0\n"
                       for tag, size in steps)
        (folder / f"{rank}.txt").write_text(f"{rank} init\n{text}{rank} finalize\n", encoding="ascii")


def measure(rondo, anchor, output, processes):
    """Peak bytes and CPU seconds of each process, and the wall clock of all."""
    start = time.perf_counter()
    started = [subprocess.Popen([str(rondo), "convert", str(anchor), str(output), "--force", "--times", "full", "-j", "1", "--part", f"{i}/{processes}"],
                                stderr=subprocess.DEVNULL) for i in range(processes)]
    used = []
    for one in started:
        _, status, usage = os.wait4(one.pid, 0)
        one.returncode = os.waitstatus_to_exitcode(status)
        if one.returncode != 0:
            sys.exit(f"convert_processes.py: a process of {processes} ended with {one.returncode}")
        used.append((usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime))
    return used, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("rondo", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--calls", type=int, default=20000)
    options = parser.parse_args()
    rows = []
    for trace in ("alike", "different"):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            make_ti(place / "ti", options.ranks, options.calls, trace == "alike")
            for source, made in (("ti", "a.rondo"), ("a.rondo", "a.otf2")):
                subprocess.run([str(options.rondo), "convert", str(place / source), str(place / made), *(("--times", "full") if source == "ti" else ())], check=True, stderr=subprocess.DEVNULL)
            expected = None
            for processes in (1, 2, 4, 8):
                used, wall = measure(options.rondo, place / "a.otf2", place / "out.rondo", processes)
                made = (place / "out.rondo").read_bytes()
                expected = expected or made
                for process, (peak, cpu) in enumerate(used):
                    rows.append(dict(zip(COLUMNS, (trace, processes, process, peak, f"{cpu:.2f}", f"{wall:.2f}", made == expected, len(made)))))
                print(trace, processes, [f"{peak >> 20} MiB {cpu:.1f} s" for peak, cpu in used], f"{wall:.1f} s", made == expected)
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / "raw.csv", "w", encoding="ascii", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
