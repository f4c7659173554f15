# SPDX-License-Identifier: Apache-2.0
"""What does this MPI program say to itself?

    import rondo
    t = rondo.record(["mpirun", "-n", "4", "./app"])   # or rondo.open("app.rondo")
    t.topology()["topology"]                           # '2x2 grid'
    t.matrix().dense()                                 # NumPy, bytes from row to column

docs/python.md has a cookbook.
"""
from . import _rondo
from ._errors import (DamagedError, Error, ExistsError, FormatError, IoError, NewerVersionError, NotFoundError, RecordError,
                      RondoWarning, UnsupportedError, UsageError)
from ._calls import Calls
from ._matrix import Matrix
from ._program import Call, Loop, Program, Term, Times
from ._record import open, record
from ._trace import MatrixFile, Trace

__version__ = _rondo.version
functions: list[str] = _rondo.function_names()
"""Names of MPI functions by the numbers in the column `function`; "" where there is none."""

__all__ = ["Call", "Calls", "DamagedError", "Error", "ExistsError", "FormatError", "IoError", "Loop", "Matrix", "MatrixFile",
           "NewerVersionError", "NotFoundError", "Program", "RecordError", "RondoWarning", "Term", "Times", "Trace", "UnsupportedError", "UsageError",
           "functions", "open", "record"]
