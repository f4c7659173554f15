# SPDX-License-Identifier: Apache-2.0
"""Compiles and records the small programs in tests/cli/programs/, and finds the lines that they mark."""
import pathlib
import subprocess

import support

SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpif90"}


def line_of(source, mark):
    """The number of the line that ends in the comment "at MARK"."""
    lines = (SOURCES / source).read_text(encoding="utf-8").splitlines()
    found = [i for i, line in enumerate(lines, 1) if line.removesuffix("*/").rstrip().endswith(f"at {mark}")]
    assert len(found) == 1, f"{source}: {len(found)} lines are marked 'at {mark}'"
    return found[0]


def build(folder, source, *flags, mpi="openmpi", name=None):
    """The path of the program; `source` is a file of tests/cli/programs or a path."""
    source = SOURCES / source
    program = folder / (name or source.stem)
    line = [f"{COMPILERS[source.suffix]}.{mpi}", *flags, source, "-o", program]
    subprocess.run(line, check=True, cwd=folder, capture_output=True)
    return program


def record(program, ranks=2, *arguments, mpi="openmpi", archive=None, **settings):
    """Records a program; settings are variables of the recorder without RONDO_. The archive's path and what was said."""
    archive = archive or program.with_suffix(".rondo")
    variables = {f"RONDO_{name.upper()}": str(value) for name, value in settings.items()}
    variables |= {"RONDO_OUTPUT": str(archive), "RONDO_FORCE": "1",
                  "LD_PRELOAD": str(support.BUILD / "lib" / f"librondo_record_{mpi}.so")}
    line, environment = support.mpirun(mpi, ranks, program, *arguments, environment=variables)
    done = subprocess.run(line, env=support.clean_environment(environment), capture_output=True, text=True,
                          timeout=support.TIMEOUT_SECONDS, cwd=program.parent)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return archive, done
