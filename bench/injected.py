#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `rondo efficiency` finds the waiting that was injected, kind by kind.

usage: injected.py BUILD_FOLDER [--rounds N] [--delay SECONDS] [--only WORDS] > bench/runs/NAME/raw.csv

injected.c and injected.f90 (four ranks, of which one sleeps while others wait, a phase for each kind) and injected_threads.c (the same of
two threads a rank) are recorded under each MPI with the times of every call and with histograms, N times (1). What is injected is what the program's own clock says of when ranks came and
went. Columns: program, MPI, times, phase, seconds injected, seconds found (of the phase's kind), seconds of other kinds that were found
there, error. A median of all rounds is taken for the summary on stderr: how many of the phases are within 1 %, and the others.
Exit status 1 if charges do not add up to the waits.
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
CLOSE = 0.01


def built(folder, mpi, language):
    program = folder / f"injected.{language}.{mpi}"
    sources = {"c": "injected.c", "threads": "injected_threads.c"}
    if language in sources:
        subprocess.run([f"mpicc.{mpi}", "-O1", "-w", "-pthread", f"-I{INCLUDE}", HERE / sources[language], "-o", program], check=True)
    else:
        subprocess.run([f"mpif90.{mpi}", "-O1", "-w", "-fallow-argument-mismatch", INCLUDE / "rondo" / "rondo_phase.f90",
                        HERE / "injected.f90", "-o", program], check=True, cwd=folder)
    return program


def launched(build, mpi, program, delay):
    if mpi == "openmpi":
        line = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "4"]
    else:
        line = ["mpirun.mpich", "-genv", "LD_PRELOAD", build / "lib" / "libmpich_yield.so", "-n", "4"]
    return [*line, program, str(delay)]


def measured(build, folder, mpi, program, times, delay):
    """(phase, injected, found of its kind, found of others) of each phase, and how far causes are from the waits."""
    archive = folder / f"{program.name}.{times}.rondo"
    rondo = build / "bin" / "rondo"
    done = subprocess.run([rondo, "record", "--force", "--times", times, "-o", archive, "--", *launched(build, mpi, program, delay)],
                          check=True, capture_output=True, text=True, cwd=folder)
    injected = {line.rsplit(maxsplit=1)[0].strip(): float(line.split()[-1]) for line in done.stdout.splitlines() if line.strip()}
    said = json.loads(subprocess.run([rondo, "efficiency", archive, "--by", "phase", "--json"], check=True, capture_output=True,
                                     text=True).stdout)
    parts = {part["name"]: part["waits"]["by_kind_seconds"] for part in said["parts"]["parts"]}
    rows = []
    for phase, seconds in injected.items():
        kind = phase.split(",")[0]
        kinds = parts[phase]
        rows.append((phase, seconds, kinds.get(kind, 0), sum(kinds.values()) - kinds.get(kind, 0)))
    waits = said["waits"]
    return rows, abs(sum(cause["seconds"] for cause in waits["causes"]) - waits["seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--only", default="", help="programs, MPIs or times, such as 'c openmpi full'")
    options = parser.parse_args()
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    build = options.build.resolve()
    only = set(options.only.split())
    table = csv.writer(sys.stdout)
    table.writerow(["program", "mpi", "times", "phase", "injected_s", "found_s", "other_kinds_s", "error"])
    found, unbalanced = {}, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for language in ("c", "f90", "threads"):
            for mpi in ("openmpi", "mpich"):
                program = built(folder, mpi, language)
                for times in ("full", "histogram"):
                    if not only <= {language, mpi, times}:
                        continue
                    for _ in range(options.rounds):
                        rows, difference = measured(build, folder, mpi, program, times, options.delay)
                        unbalanced += difference > 1e-6
                        for phase, injected, kind, others in rows:
                            # Where nothing is injected, what is found is a share of a delay.
                            error = (kind + others - injected) / (injected or options.delay) if injected == 0 else kind / injected - 1
                            found.setdefault((language, mpi, times, phase), []).append(error)
                            table.writerow([language, mpi, times, phase, f"{injected:.6f}", f"{kind:.6f}", f"{others:.6f}", f"{error:+.4f}"])
                        sys.stdout.flush()
    medians = {key: statistics.median(errors) for key, errors in found.items()}
    for times in ("full", "histogram"):
        own = {key: error for key, error in medians.items() if key[2] == times}
        if not own:
            continue
        print(f"{times}: {sum(abs(error) <= CLOSE for error in own.values())} of {len(own)} within 1 %", file=sys.stderr)
        for key, error in own.items():
            if abs(error) > CLOSE:
                print("  {}, {}, {}: {}: {:+.1%}".format(*key, error), file=sys.stderr)
    return 1 if unbalanced else 0


if __name__ == "__main__":
    sys.exit(main())
