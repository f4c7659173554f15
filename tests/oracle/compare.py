#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Rondo's recording of an MPI program with the oracle's lines, call by call, for every rank.

  compare.py --build BUILD --mpi openmpi --ranks 1,2,4 [--more-ranks 9,16] [--together] [--input FILE]... PROGRAM [ARGUMENT]...

The program runs twice for each number of ranks: with Rondo alone and with the oracle alone. Both must see the same
calls, and the program must print the same and end with the expected exit status (0, or --status). Where the calls vary from run to run
(--together), a third run has both: Rondo first, the oracle behind it, so that it sees what Rondo lets through. The
separate runs then agree at least in how often each function is called, if it does not ask whether something has come;
--counts-vary where not even that holds.
Exit status: 0 they agree, 1 they do not, 2 a run failed, 77 the program is not installed.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple

CONTEXT = 3  # lines shown before and after the first difference
LIMIT_SECONDS = 240  # for one run; machines may be busy
# How often a program asks whether something has come depends on time.
ASKING = re.compile(r"MPI_(Test\w*|I?m?probe|Improbe|Waitsome|Request_get_status|Win_test|Parrived)$")


class RunFailed(Exception):
    pass


class Run(NamedTuple):
    output: str  # of the program
    lines: list  # of each rank, from the recorder asked for


class Site:
    """A build folder, one of its MPIs, the files a program wants to find where it runs, how it should end, and how many
    ranks it spawns; their lines come after those of the others."""

    def __init__(self, build, mpi, inputs=(), status=0, spawned=0):
        self.build = pathlib.Path(build).resolve()
        self.mpi = mpi
        self.inputs = [pathlib.Path(file).resolve() for file in inputs]
        self.status = status
        self.spawned = spawned

    def library(self, name):
        return str(self.build / "lib" / f"lib{name}_{self.mpi}.so")

    def launch(self, ranks, preload, variables):
        """The words of mpirun: many ranks may share few cores, so they must yield while they wait."""
        if self.mpi == "openmpi":
            words = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
            for name, value in (variables | {"LD_PRELOAD": ":".join(preload)}).items():
                words += ["-x", f"{name}={value}"]
        else:
            words = ["mpirun.mpich"]
            preload = [*preload, str(self.build / "lib" / "libmpich_yield.so")]
            for name, value in (variables | {"LD_PRELOAD": ":".join(preload)}).items():
                words += ["-genv", name, value]
        words += ["-n", str(ranks)]
        # Ranks that think they have a processor each leave calls for later (record/call_log.hpp). Those of MPICH record them
        # at once wherever processors are fewer than ranks.
        return words + (["env", "OMPI_COMM_WORLD_LOCAL_SIZE=1"] if self.mpi == "openmpi" else [])

    def run(self, ranks, command, *recorders):
        """Runs the command under the recorders, "rondo", "oracle" or both; gives one Run for each, and one
        without lines if there is none."""
        with tempfile.TemporaryDirectory(prefix="rondo_oracle_") as folder:
            place = pathlib.Path(folder)
            for file in self.inputs:
                shutil.copy(file, place)
            (place / "lines").mkdir()
            variables = {"RONDO_OUTPUT": str(place / "run.rondo"), "RONDO_ORACLE_DIR": str(place / "lines")}
            names = {"rondo": "rondo_record", "oracle": "oracle"}
            preload = [self.library(names[recorder]) for recorder in recorders]
            words = self.launch(ranks, preload, variables) + list(command)
            output = run_and_wait(words, place, self.status)
            read = {"rondo": self.rondo_lines, "oracle": oracle_lines}
            worlds = [("", ranks)] + ([("spawned", self.spawned)] if self.spawned else [])
            return [Run(output, [lines for world in worlds for lines in read[recorder](place, *world)])
                    for recorder in recorders] or [Run(output, [])]

    def rondo_lines(self, place, world, ranks):
        """The lines of each rank, each below its heading."""
        archive = place / (f"run.{world}.rondo" if world else "run.rondo")
        done = subprocess.run([self.build / "bin" / "rondo", "print", "--flat", archive], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RunFailed(f"rondo print: exit status {done.returncode}: {done.stderr.strip()}")
        parts = re.split(r"^rank (\d+):\n", done.stdout, flags=re.MULTILINE)
        found = dict(zip(map(int, parts[1::2]), parts[2::2]))  # in the order of rank classes
        if parts[0] or sorted(map(int, parts[1::2])) != list(range(ranks)):
            raise RunFailed(f"rondo print: ranks {parts[1::2]} of {ranks}, and before them: {parts[0]}")
        return [numbered_communicators(found[rank].splitlines()) for rank in range(ranks)]


def numbered_communicators(lines):
    """Rondo names communicators for all ranks alike ("split#1"), the oracle numbers those of its rank: a communicator is
    new where its members are shown."""
    numbers, result = {}, []
    for line in lines:
        def number(match):
            name, members = match.group(2), match.group(3) or ""
            if members:
                number.made += 1
                numbers[name] = number.made
            return f"{match.group(1)}=comm#{numbers[name]}{members}" if name in numbers else match.group(0)
        number.made = max(numbers.values(), default=0)
        result.append(re.sub(r"\b(\w*comm\w*|parent)=([^\s,(){}\"]+)(\{[^}]*\})?", number, line))
    return result


def oracle_lines(place, world, ranks):
    files = [place / "lines" / f"{world or 'rank'}.{rank}.txt" for rank in range(ranks)]
    return [[without_empty_bottom(line) for line in file.read_text().splitlines()] if file.exists() else [] for file in files]


def without_empty_bottom(line):
    """MPI_BOTTOM is a null pointer: in front of a count of 0 it says nothing, as empty messages may have one too."""
    return re.sub(r"\w+=MPI_BOTTOM, (?=(?:\w*count|size)=0\b)", "", line)


def run_and_wait(words, place, status):
    """Runs the words in the folder; what they printed. Leaves no process behind."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(words, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                   text=True, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=LIMIT_SECONDS)
        except BaseException as reason:
            process.terminate()  # mpirun ends its ranks
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
            if isinstance(reason, subprocess.TimeoutExpired):
                raise RunFailed(f"{' '.join(words)}: still running after {LIMIT_SECONDS} s") from None
            raise
        errors.seek(0)
        text = errors.read()
    if process.returncode != status or "rondo:" in text:
        raise RunFailed(f"{' '.join(words)}: exit status {process.returncode}\n{output}{text}")
    return output


def counts(lines):
    return collections.Counter(line.partition("(")[0] for line in lines)


def difference_of_counts(left, right, names, ignored=None):
    rows = [f"  {function}: {names[0]} {left[function]}, {names[1]} {right[function]}"
            for function in sorted(left | right)
            if left[function] != right[function] and not (ignored and ignored.match(function))]
    return "\n".join(rows)


def difference(left, right, names=("rondo", "oracle")):
    """What differs first between the lines of one rank, in words; empty if nothing does."""
    if left == right:
        return ""
    at = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
    text = [f"line {at + 1} differs ({names[0]} has {len(left)} lines, {names[1]} {len(right)}):"]
    for name, lines in zip(names, (left, right)):
        text.append(f"{name}:")
        first = max(0, at - CONTEXT)
        text += [("> " if i == at else "  ") + line for i, line in enumerate(lines[first:at + CONTEXT + 1], first)]
    how_often = difference_of_counts(counts(left), counts(right), names)
    text += ["calls:", how_often] if how_often else ["each function is called equally often"]
    return "\n".join(text)


def differences(left, right, names=("rondo", "oracle")):
    """What differs first on each rank; at most two ranks, the others are seldom news."""
    found = [(rank, difference(a, b, names)) for rank, (a, b) in enumerate(zip(left, right))]
    found = [f"rank {rank}: {text}" for rank, text in found if text]
    return found[:2] + ([f"and {len(found) - 2} more ranks differ"] if len(found) > 2 else [])


def kept_lines(folder, mpi, program, ranks):
    return folder / f"{mpi}.{pathlib.Path(program).name}.{ranks}.json"


def compare(site, ranks, options):
    """All that is wrong, in words."""
    command = options.command
    rondo, = site.run(ranks, command, "rondo")
    oracle, = site.run(ranks, command, "oracle")
    wrong = []
    shown = (lambda text: re.sub(r"[-+.\d]+(e[-+]?\d+)?", "0", text).split()) if options.ignore_numbers else str
    if shown(rondo.output) != shown(oracle.output):
        wrong.append(f"the program prints something else:\nrondo:\n{rondo.output}\noracle:\n{oracle.output}")
    if options.bare:
        bare, = site.run(ranks, command)
        if shown(rondo.output) != shown(bare.output):
            wrong.append(f"the program prints something else:\nrondo:\n{rondo.output}\nalone:\n{bare.output}")
    if not any(oracle.lines):
        wrong.append("the oracle saw no calls")
    if options.together:
        first, second = site.run(ranks, command, "rondo", "oracle")
        wrong += differences(first.lines, second.lines)
        total = [sum((counts(lines) for lines in run.lines), collections.Counter()) for run in (rondo, oracle)]
        how_often = difference_of_counts(*total, ("rondo", "oracle"), ASKING)
        if how_often and not options.counts_vary:
            wrong.append(f"separate runs, all ranks:\n{how_often}")
    else:
        wrong += differences(rondo.lines, oracle.lines)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        kept_lines(options.keep, site.mpi, command[0], ranks).write_text(json.dumps(rondo.lines), encoding="utf-8")
    if not wrong:
        print(f"{site.mpi} {pathlib.Path(command[0]).name} {ranks} ranks: {sum(map(len, oracle.lines))} calls agree")
    return wrong


def numbers_of_ranks(options):
    texts = [options.ranks]
    if options.more_ranks and os.environ.get("RONDO_TEST_CASES") == "all":
        texts.append(options.more_ranks)
    return [int(number) for text in texts for number in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with lib/ and bin/rondo")
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("--ranks", required=True, help="numbers of ranks, as in 1,2,4")
    parser.add_argument("--more-ranks", help="further ones where RONDO_TEST_CASES is all (tests/README.md)")
    parser.add_argument("--together", action="store_true", help="the calls vary from run to run")
    parser.add_argument("--bare", action="store_true", help="the program alone must print the same, too")
    parser.add_argument("--counts-vary", action="store_true", help="and so does how many there are")
    parser.add_argument("--ignore-numbers", action="store_true", help="the program prints times")
    parser.add_argument("--input", action="append", default=[], help="file to find in the working directory")
    parser.add_argument("--status", type=int, default=0, help="the exit status that the program should have")
    parser.add_argument("--spawned", type=int, default=0, help="ranks of the world that the program spawns")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for Rondo's lines, which another test reads")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the program's ranks are ended too
    if shutil.which(options.command[0]) is None:
        print(f"{options.command[0]} is not installed: not tested")
        return 77
    site = Site(options.build, options.mpi, options.input, options.status, options.spawned)
    status = 0
    for ranks in numbers_of_ranks(options):
        try:
            wrong = compare(site, ranks, options)
        except RunFailed as reason:
            print(f"{options.mpi} {ranks} ranks: {reason}")
            return 2
        for text in wrong:
            print(f"{options.mpi} {options.command[0]} {ranks} ranks: {text}\n")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
