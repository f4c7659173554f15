# SPDX-License-Identifier: Apache-2.0
"""One class for each error code of Rondo."""
from __future__ import annotations


class Error(Exception):
    """What went wrong, as the command line says it.

    Attributes: `file`, `rank`, `offset` (bytes from the file's start) and `line`, each None where it is not known.
    """

    file: str | None = None
    rank: int | None = None
    offset: int | None = None
    line: int | None = None


class UsageError(Error):
    """Something was asked for that makes no sense."""


class NotFoundError(Error):
    """A file, program or rank is not there."""


class ExistsError(Error):
    """An output would be overwritten; `force=True` allows it."""


class IoError(Error):
    """The operating system refused a read or a write."""


class FormatError(Error):
    """A file is not of the expected format."""


class DamagedError(Error):
    """A file is of the right format, but cut or corrupted."""


class NewerVersionError(Error):
    """A file was written by a newer Rondo."""


class UnsupportedError(Error):
    """Valid, but outside what can be done."""


class RecordError(Error):
    """A program could not be recorded; `status` is the exit status of `rondo record`."""

    status: int | None = None


class RondoWarning(UserWarning):
    """What a command says beside its result, such as what could not be counted."""
