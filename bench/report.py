#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pages of `rondo report` weigh: the archive's and the page's size, time to write it, time until a browser shows it, and its heap.

usage: bench/report.py BUILD ARCHIVE...
needs: a build in developer mode with rondo report, and chromium
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parents[1]


def write(rondo, archive, page):
    start = time.monotonic()
    subprocess.run([rondo, "report", archive, "-o", page, "--limit", "none"], check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    print("archive,archive_bytes,page_bytes,write_seconds,ready_ms,heap_bytes")
    with tempfile.TemporaryDirectory() as folder:
        for archive in map(pathlib.Path, sys.argv[2:]):
            page = pathlib.Path(folder) / "page.html"
            page.unlink(missing_ok=True)
            seconds = write(build / "bin" / "rondo", archive, page)
            done = subprocess.run(["node", TREE / "tests" / "report" / "browse.mjs", build / "report" / "web", shutil.which("chromium"), page],
                                  check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)[0]
            print(f"{archive.name},{archive.stat().st_size},{page.stat().st_size},{seconds:.2f},{found['ready_ms']},{found['heap_bytes']}", flush=True)


if __name__ == "__main__":
    main()
