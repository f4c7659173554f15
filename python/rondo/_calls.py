# SPDX-License-Identifier: Apache-2.0
"""A rank's calls, chunk by chunk."""
from __future__ import annotations

import os
from collections.abc import Iterator

import numpy

from . import _arrow


class Calls(Iterator[numpy.ndarray]):
    """An iterator over structured arrays, which reads calls as it goes on: each chunk comes once.

    It is an Arrow stream, too (`__arrow_c_stream__`), a record batch for each chunk: pyarrow.table(t.calls(0)),
    polars.DataFrame(t.calls(0)). `dtype` is that of the chunks, `left` the number of calls that are still to come.
    """

    def __init__(self, found, rows: int):
        self._found = found
        self._rows = rows
        self.dtype: numpy.dtype = found.dtype

    @property
    def left(self) -> int:
        return self._found.left

    def __next__(self) -> numpy.ndarray:
        chunk = self._found.next(self._rows)
        if chunk is None:
            raise StopIteration
        return chunk

    def __arrow_c_stream__(self, requested_schema=None):
        """Of what is left; takes it."""
        return _arrow.stream_capsule(self.dtype, self)

    def to_arrow_file(self, path: str | os.PathLike) -> int:
        """Writes what is left as an Arrow IPC file, with one chunk in memory at a time, and gives the number of calls.

        It is read by pyarrow.ipc, polars.read_ipc(), Arrow.jl, R's arrow::read_feather() and others.
        """
        return _arrow.write_file(path, self.dtype, self)

    def __repr__(self) -> str:
        return f"<rondo.Calls: {self.left} left, columns {', '.join(_arrow.names_of(self.dtype))}>"
