# SPDX-License-Identifier: Apache-2.0
"""Running the recorder, which is the program `rondo`."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import typing
import warnings
from collections.abc import Sequence

from . import _rondo
from ._errors import NotFoundError, RecordError, RondoWarning
from ._trace import MatrixFile, Trace, option_words


def executable() -> str:
    """The path of `rondo`: of this package, of its build, installed beside it, or in PATH."""
    here = pathlib.Path(__file__).resolve().parent
    for path in (here / "_installed" / "bin" / "rondo", here.parents[1] / "bin" / "rondo", here.parents[3] / "bin" / "rondo"):
        if os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("rondo")
    if found is None:
        raise NotFoundError("there is no program 'rondo', which records; it is in no folder beside the module, nor in PATH")
    return found


def open(path: str | os.PathLike, limit: float | str | None = None) -> Trace | typing.Any:
    """Opens whatever the command line takes: an archive of Rondo, traces of other tools (`rondo convert --list`), and
    a matrix, .csv or .mtx, as a MatrixFile.

    limit: as --limit, allows so many times the memory that a file of its size is trusted with; "none" all.
    """
    file = os.path.abspath(os.fspath(path))
    if file.endswith((".csv", ".mtx")):
        return MatrixFile(file)
    opened, remarks = _rondo.open(file, "" if limit is None else str(limit))
    for remark in remarks:
        warnings.warn(remark, RondoWarning, stacklevel=2)
    return Trace(opened)


def record(command: Sequence[str | os.PathLike], output: str | os.PathLike | None = None, **options) -> Trace:
    """Runs a program under the recorder, record(["mpirun", "-n", "4", "./app"]), and opens its archive.

    output: the archive (default: PROGRAM.rondo here). Options are those of `rondo record`: times="full", force=True.
    What the program prints goes where it always goes. An exit status other than 0 with an archive is a RondoWarning.
    """
    words = [executable(), "record", *option_words(options)]
    if output is not None:
        words += ["-o", os.fspath(output)]
    words += ["--", *[os.fspath(word) for word in command]]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        said = process.communicate()[1]
    except KeyboardInterrupt:
        process.wait()  # it was interrupted, too, and keeps what was recorded
        raise
    lines = said.splitlines()
    archives = [line.rpartition("rondo info ")[2] for line in lines if "; to see it: rondo info " in line]
    if not archives:
        error = RecordError("\n".join(line for line in lines if line.startswith("rondo: "))[7:] or said.strip())
        error.status = process.returncode
        raise error
    if process.returncode != 0:
        warnings.warn(f"the exit status was {process.returncode}: {said.strip()}", RondoWarning, stacklevel=2)
    return open(archives[0])
