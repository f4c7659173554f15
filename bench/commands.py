#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What commands take on an archive: seconds of wall clock and CPU, and MiB at most. Each is stopped after some seconds.

usage: bench/commands.py BUILD SECONDS ARCHIVE... [-- COMMAND...]
needs: a build in developer mode; archives of many ranks come from BUILD/bench/many_ranks
"""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

COMMANDS = ["info", "stats", "matrix", "topology", "print", "logical", "patterns", "patterns --communication", "efficiency", "simulate", "compare", "generate", "report"]


def command_line(rondo, command, archive, folder):
    words = [rondo, *command.split(), archive]
    if command == "compare":
        words.append(archive)
    if command in ("generate", "report"):
        words += ["-o", folder / command]
    return words


def measure(words, seconds):
    """Exit status (or "stopped"), seconds, CPU seconds, MiB."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)))
    _, status, used = os.wait4(process.pid, 0)
    ended = "stopped" if os.WIFSIGNALED(status) else str(os.waitstatus_to_exitcode(status))
    process.returncode = status
    return ended, time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    words, chosen = sys.argv[1:], COMMANDS
    if "--" in words:
        chosen = words[words.index("--") + 1:]
        words = words[:words.index("--")]
    if len(words) < 3:
        sys.exit(__doc__)
    rondo = pathlib.Path(words[0]).resolve() / "bin" / "rondo"
    print("archive,command,status,wall_seconds,cpu_seconds,mib")
    for archive in map(pathlib.Path, words[2:]):
        for command in chosen:
            folder = pathlib.Path(tempfile.mkdtemp())
            ended, wall, cpu, mib = measure(command_line(rondo, command, archive, folder), int(words[1]))
            print(f"{archive.name},{command},{ended},{wall:.2f},{cpu:.2f},{mib:.0f}", flush=True)
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
