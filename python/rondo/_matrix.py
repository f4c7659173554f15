# SPDX-License-Identifier: Apache-2.0
"""Who sends how much to whom."""
from __future__ import annotations

import os
import typing

import numpy

from . import _arrow

if typing.TYPE_CHECKING:
    import scipy.sparse

QUANTITIES = ("bytes", "messages")


class Matrix:
    """A sparse square matrix of messages: row is the source, column the destination, both ranks of MPI_COMM_WORLD.

    `entries` is a structured array of shape (pairs,) with the fields source, destination (int64), messages, bytes
    (uint64), sorted by pair. It and the four attributes of these names are views, read-only and without copy, which
    keep what they show alive. numpy.asarray(matrix) is the dense matrix of `quantity`.
    """

    def __init__(self, sent, quantity: str):
        self._sent = sent
        self.quantity = quantity
        self.ranks: int = sent.ranks
        self.entries: numpy.ndarray = sent.entries

    @property
    def shape(self) -> tuple[int, int]:
        return (self.ranks, self.ranks)

    @property
    def sources(self) -> numpy.ndarray:
        return self.entries["source"]

    @property
    def destinations(self) -> numpy.ndarray:
        return self.entries["destination"]

    @property
    def messages(self) -> numpy.ndarray:
        return self.entries["messages"]

    @property
    def bytes(self) -> numpy.ndarray:
        return self.entries["bytes"]

    @property
    def values(self) -> numpy.ndarray:
        """Of each entry, the quantity that was asked for: bytes, or messages."""
        return self.entries[self.quantity]

    def dense(self) -> numpy.ndarray:
        """shape (ranks, ranks), uint64: ranks^2 * 8 bytes of memory."""
        dense = numpy.zeros(self.shape, dtype=numpy.uint64)
        dense[self.sources, self.destinations] = self.values
        return dense

    def __array__(self, dtype=None):
        dense = self.dense()
        return dense if dtype is None else dense.astype(dtype)

    def __arrow_c_stream__(self, requested_schema=None):
        """The entries for Arrow, one batch of four columns: pyarrow.table(matrix), polars.DataFrame(matrix)."""
        return _arrow.stream_capsule(self.entries.dtype, [self.entries])

    def to_arrow_file(self, path: str | os.PathLike) -> int:
        """Writes the entries as an Arrow IPC file, and gives their number."""
        return _arrow.write_file(path, self.entries.dtype, [self.entries])

    def to_scipy(self) -> scipy.sparse.coo_matrix:
        """scipy.sparse.coo_matrix of the quantity; needs SciPy."""
        from scipy.sparse import coo_matrix
        return coo_matrix((self.values, (self.sources, self.destinations)), shape=self.shape)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return (f"<rondo.Matrix of {self.ranks} ranks: {len(self)} pairs, {int(self.messages.sum())} messages, "
                f"{int(self.bytes.sum())} bytes>")

    def _repr_html_(self) -> str:
        most = 16
        if self.ranks > most:
            return f"<p>{repr(self)[1:-1]}</p>"
        head = "".join(f"<th>{rank}</th>" for rank in range(self.ranks))
        rows = "".join(f"<tr><th>{source}</th>" + "".join(f"<td>{value or ''}</td>" for value in row) + "</tr>"
                       for source, row in enumerate(self.dense().tolist()))
        return f"<table><caption>{self.quantity}, from row to column</caption><tr><th></th>{head}</tr>{rows}</table>"
