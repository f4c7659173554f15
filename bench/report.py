#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pages of `rondo report` weigh: the archive's and the page's size, CPU time to write it, time until a browser shows something, all of
it, and the timeline, its heap and what its process holds with its worker, and of steps of zooming and moving the one that 95 of 100 do not exceed and the slowest: by the clock (0: not more than 50 ms), in CPU time, and until what was asked of the worker is drawn; of
moves of the sliders of What if the time until they are answered.

usage: bench/report.py BUILD ARCHIVE... [-- options of rondo report, as --limit none]
needs: a build in developer mode with rondo report, and chromium; large archives: many_ranks.cpp
"""
import json
import math
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ("first_ms", "ready_ms", "timeline_ms", "heap_bytes", "memory_bytes")
CANVASES = ("matrix", "graph", "timeline")


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write(rondo, archive, page, options):
    start = cpu_seconds()
    subprocess.run([rondo, "report", archive, "-o", page, *options], check=True, stderr=subprocess.DEVNULL)
    return cpu_seconds() - start


def steps_of(times):
    """The 95th of 100 and the slowest."""
    ordered = sorted(map(round, times))
    return f"{ordered[math.ceil(0.95 * len(ordered)) - 1]},{ordered[-1]}" if ordered else ","


def main():
    arguments = sys.argv[1:]
    options = arguments[arguments.index("--") + 1:] if "--" in arguments else []
    build, *archives = arguments[:arguments.index("--")] if "--" in arguments else arguments or [None]
    if not archives:
        sys.exit(__doc__)
    build = pathlib.Path(build).resolve()
    print("archive,archive_bytes,page_bytes,write_cpu_seconds," + ",".join(COLUMNS) + "," + ",".join(f"{name}_p95_ms,{name}_most_ms,{name}_cpu_p95_ms,{name}_cpu_most_ms,{name}_drawn_p95_ms,{name}_drawn_most_ms" for name in CANVASES) + ",sliders_p95_ms,sliders_most_ms")
    with tempfile.TemporaryDirectory() as folder:
        for archive in map(pathlib.Path, archives):
            page = pathlib.Path(folder) / "page.html"
            page.unlink(missing_ok=True)
            seconds = write(build / "bin" / "rondo", archive, page, options)
            done = subprocess.run(["node", HERE / "report.mjs", build / "report" / "web", shutil.which("chromium"), page],
                                  check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)[0]
            print(f"{archive.name},{archive.stat().st_size},{page.stat().st_size},{seconds:.2f},"
                  + ",".join(str(found[name]) for name in COLUMNS) + ","
                  + ",".join(steps_of(found[f"{name}_steps_ms"][of]) for name in CANVASES for of in ("longest", "cpu", "drawn"))
                  + "," + steps_of(found["sliders_answer_ms"]), flush=True)


if __name__ == "__main__":
    main()
