#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the logical programs of real applications are: records, lines, seconds, as CSV.

usage: applications.py BUILD_FOLDER ARCHIVES [--again] [--limit SECONDS] [NAME ...] > bench/runs/NAME/raw.csv

Applications of the distribution are recorded live under Open MPI, each once, into the folder ARCHIVES: PETSc's examples (petsc-dev and
libpetsc3.18-dev-examples), LAMMPS, pw.x of Quantum ESPRESSO, ScaLAPACK's testers with their own input files (scalapack-mpi-test). Archives that are there
are read, not recorded again, unless with --again. What else lies in ARCHIVES as *.rondo is measured too. NAMEs choose some. Guards the goals of the logical
program's length: records and lines do not depend on the machine, but PETSc's differ a little from recording to recording.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
PETSC = sorted(pathlib.Path("/usr/share/petsc").glob("*/share/petsc/examples/src"))
SCALAPACK = pathlib.Path("/usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests")
LAUNCHER = ("mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n")
MULTIGRID = ("-da_refine", "3", "-pc_type", "mg")
# name: (ranks, program, arguments, goal). A program that ends in .c is one of PETSc's.
APPLICATIONS = {
    "melt": (8, "lmp", ("-in", str(TESTS / "oracle" / "inputs" / "melt.in")), 110),
    "ex5": (9, "snes/tutorials/ex5.c", (), 90),
    "ex54": (4, "ksp/ksp/tutorials/ex54.c", (), 180),
    "ex19": (4, "snes/tutorials/ex19.c", MULTIGRID, 400),
    "pwx": (4, "pw.x", ("-nk", "2", "-in", str(TESTS / "behaviour" / "inputs" / "aluminium.in")), 250),
    "xdlu": (6, str(SCALAPACK / "xdlu"), (), 600),
    "xdllt": (6, str(SCALAPACK / "xdllt"), (), None),
    "xdqr": (6, str(SCALAPACK / "xdqr"), (), None),
}


def build(source, folder):
    program = folder / pathlib.Path(source).stem
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["mpicc.openmpi", "-g", "-O1", "-w", str(PETSC[0] / source), "-o", str(program), "-Wl,--no-as-needed", *flags, "-lm"], check=True)
    return str(program)


def record(rondo, archive, ranks, program, arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if program.endswith(".c"):
            program = build(program, folder)
        if program.startswith(str(SCALAPACK)):
            for data in SCALAPACK.glob("*.dat"):
                (folder / data.name).write_bytes(data.read_bytes())
        command = [str(rondo), "record", "--force", "-o", str(archive), "--", *LAUNCHER, str(ranks), program, *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if not archive.exists():
        sys.exit(f"applications.py: {' '.join(command)}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def text_of(rondo, limit, *words):
    """Records, lines and seconds; nothing of a text that takes too long."""
    begun = time.monotonic()
    try:
        done = subprocess.run([str(rondo), "logical", "--no-times", *map(str, words)], capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return "", "", f">{limit}"
    if done.returncode != 0:
        sys.exit(f"applications.py: logical {words}: {done.stderr}")
    lines = done.stdout.splitlines()
    return lines[0].rsplit(",", 1)[1].split()[0], len(lines), f"{time.monotonic() - begun:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("archives", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--limit", type=float, default=600)
    options = parser.parse_intermixed_args()
    rondo = options.build.resolve() / "bin" / "rondo"
    options.archives.mkdir(parents=True, exist_ok=True)
    others = [path.stem for path in sorted(options.archives.glob("*.rondo")) if path.stem not in APPLICATIONS]
    print("recording,ranks,calls,archive_bytes,goal,records,lines,seconds,records_inline,lines_inline", flush=True)
    for name in options.names or [*APPLICATIONS, *others]:
        archive = options.archives.resolve() / f"{name}.rondo"
        ranks, program, arguments, goal = APPLICATIONS.get(name, (0, "", (), None))
        if program and (options.again or not archive.exists()):
            record(rondo, archive, ranks, program, arguments)
        info = json.loads(subprocess.run([str(rondo), "info", "--json", str(archive)], check=True, capture_output=True, text=True).stdout)
        records, lines, seconds = text_of(rondo, options.limit, archive)
        inline = text_of(rondo, options.limit, "--inline", archive)
        print(name, info["ranks"], info["calls"], archive.stat().st_size, goal or "", records, lines, seconds, *inline[:2], sep=",", flush=True)


if __name__ == "__main__":
    main()
