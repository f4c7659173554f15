# SPDX-License-Identifier: Apache-2.0
"""Columns for Apache Arrow, with nothing but NumPy: the C stream interface, and files in Arrow's IPC format.

Both are given chunks, structured arrays of one dtype, and make a record batch of each. Arrow wants each column by itself, so
a chunk is copied once, column by column; there are no nulls. Numbers are little-endian, as on all machines that Rondo runs on.
"""
from __future__ import annotations

import ctypes
import itertools
import os
import struct
import typing
from collections.abc import Iterable, Iterator

import numpy

FORMATS = {"i1": b"c", "u1": b"C", "i2": b"s", "u2": b"S", "i4": b"i", "u4": b"I", "i8": b"l", "u8": b"L", "f8": b"g"}


def names_of(dtype: numpy.dtype) -> tuple[str, ...]:
    """Of the columns of a structured array."""
    return dtype.names or ()


def columns_of(chunk: numpy.ndarray) -> list[numpy.ndarray]:
    return [numpy.ascontiguousarray(chunk[name]) for name in names_of(chunk.dtype)]


# ---- The C stream interface: https://arrow.apache.org/docs/format/CStreamInterface.html --------------


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
                    ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private", ctypes.c_void_p)]
_Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                   ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                   ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.c_void_p),
                   ("release", ctypes.c_void_p), ("private", ctypes.c_void_p)]
_Stream._fields_ = [("get_schema", _GET), ("get_next", _GET), ("get_last_error", _LAST_ERROR), ("release", ctypes.c_void_p),
                    ("private", ctypes.c_void_p)]

_alive: dict[int, tuple] = {}  # what structures point to, by their `private`, until they are released
_numbers = itertools.count(1)


def _keep(*things) -> int:
    number = next(_numbers)
    _alive[number] = things
    return number


def _release(address: int, kind: type[ctypes.Structure]) -> None:
    released: typing.Any = kind.from_address(address)
    for i in range(released.n_children):  # a consumer may have taken some for itself
        child = released.children[i].contents
        if child.release:
            _RELEASE(child.release)(ctypes.addressof(child))
    _alive.pop(released.private, None)
    released.release = None


@_RELEASE
def _release_schema(address):
    _release(address, _Schema)


@_RELEASE
def _release_array(address):
    _release(address, _Array)


def _address(callback) -> int:
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def _pointers(kind: type, children: list):
    return (ctypes.POINTER(kind) * len(children))(*[ctypes.pointer(child) for child in children])


def _fill_schema(schema: _Schema, format_: bytes, name: bytes, children: list) -> None:
    pointers = _pointers(_Schema, children)
    schema.format, schema.name, schema.n_children = format_, name, len(children)
    schema.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(_Schema)))
    schema.release = _address(_release_schema)
    schema.private = _keep(format_, name, pointers, children)


def _fill_array(array: _Array, length: int, buffers: list, children: list) -> None:
    addresses = (ctypes.c_void_p * len(buffers))(*[None if each is None else each.ctypes.data for each in buffers])
    pointers = _pointers(_Array, children)
    array.length, array.null_count, array.n_buffers, array.n_children = length, 0, len(buffers), len(children)
    array.buffers = ctypes.cast(addresses, ctypes.POINTER(ctypes.c_void_p))
    array.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(_Array)))
    array.release = _address(_release_array)
    array.private = _keep(buffers, addresses, pointers, children)


class _Source:
    """What a stream gives; lives until the consumer releases the stream."""

    def __init__(self, dtype: numpy.dtype, chunks: Iterator[numpy.ndarray]):
        self.dtype, self.chunks = dtype, chunks
        self.error: ctypes.Array[ctypes.c_char] | None = None

    def schema(self, address: int) -> None:
        ctypes.memset(address, 0, ctypes.sizeof(_Schema))
        children = []
        for name in names_of(self.dtype):
            children.append(_Schema())
            _fill_schema(children[-1], FORMATS[self.dtype[name].str[1:]], name.encode(), [])
        _fill_schema(_Schema.from_address(address), b"+s", b"", children)

    def next(self, address: int) -> None:
        ctypes.memset(address, 0, ctypes.sizeof(_Array))  # released: the end
        chunk = next(self.chunks, None)
        if chunk is None:
            return
        children = []
        for column in columns_of(chunk):
            children.append(_Array())
            _fill_array(children[-1], len(column), [None, column], [])
        _fill_array(_Array.from_address(address), len(chunk), [None], children)


def _source_at(stream: int) -> _Source:
    return _alive[_Stream.from_address(stream).private][0]


def _guarded(stream: int, what) -> int:
    """Errors go to whoever asks get_last_error(); 5 is EIO."""
    source = _source_at(stream)
    try:
        what(source)
        return 0
    except BaseException as error:  # nothing may pass through C
        source.error = ctypes.create_string_buffer(f"{type(error).__name__}: {error}".encode())
        return 5


@_GET
def _get_schema(stream, out):
    return _guarded(stream, lambda source: source.schema(out))


@_GET
def _get_next(stream, out):
    return _guarded(stream, lambda source: source.next(out))


@_LAST_ERROR
def _get_last_error(stream):
    error = _source_at(stream).error
    return None if error is None else ctypes.addressof(error)


@_RELEASE
def _release_stream(address):
    stream = _Stream.from_address(address)
    _alive.pop(stream.private, None)
    stream.release = None


_CAPSULE_NAME = ctypes.c_char_p(b"arrow_array_stream")
# A capsule that is being destroyed must not be counted again: it is a plain address here.
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
_streams: dict[int, _Stream] = {}  # by address, as long as their capsules


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroy_capsule(capsule):
    address = _pointer_of(capsule, _CAPSULE_NAME)
    stream = _streams.pop(address)
    if stream.release:  # nobody took it
        _release_stream(address)


def stream_capsule(dtype: numpy.dtype, chunks: Iterable[numpy.ndarray]):
    """A capsule "arrow_array_stream" of struct batches: what __arrow_c_stream__ returns."""
    stream = _Stream(_get_schema, _get_next, _get_last_error, _address(_release_stream), _keep(_Source(dtype, iter(chunks))))
    address = ctypes.addressof(stream)
    _streams[address] = stream
    return _new_capsule(address, _CAPSULE_NAME, ctypes.cast(_destroy_capsule, ctypes.c_void_p))


# ---- Files: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format ------------------------

_MAGIC = b"ARROW1"
_VERSION = 4  # V5
_INT, _SCHEMA, _RECORD_BATCH = 2, 1, 3  # members of unions


class _Builder:
    """Writes a FlatBuffer from its end to its front, as offsets lead forwards. A position counts from the end."""

    def __init__(self):
        self.bytes = b""

    def put(self, size: int, data: bytes) -> int:
        """Data behind which all is aligned to `size`."""
        padding = -(len(self.bytes) + len(data)) % size
        self.bytes = data + b"\0" * padding + self.bytes
        return len(self.bytes)

    def offset(self, position: int) -> bytes:
        """To what stands at a position, for a place of 4 bytes that comes next, aligned."""
        padding = -len(self.bytes) % 4
        self.bytes = b"\0" * padding + self.bytes
        return struct.pack("<I", len(self.bytes) + 4 - position)

    def string(self, text: str) -> int:
        data = text.encode()
        return self.put(4, struct.pack("<I", len(data)) + data + b"\0" * (4 - len(data) % 4))

    def structs(self, data: list[bytes]) -> int:
        """A vector of structs that are aligned to 8; its length stands before them."""
        self.put(8, b"".join(data))
        return self.put(4, struct.pack("<I", len(data)))

    def tables(self, positions: list[int]) -> int:
        self.put(4, b"")
        for position in reversed(positions):
            self.bytes = self.offset(position) + self.bytes
        return self.put(4, struct.pack("<I", len(positions)))

    def table(self, fields: list[tuple[str, typing.Any] | None]) -> int:
        """Fields in the order of the schema: (format of struct, value), ("table", position), None."""
        places: list[int] = []
        end = len(self.bytes)
        for field in reversed(fields):
            place = 0
            if field is not None:
                kind, value = field
                if kind == "table":
                    self.bytes = self.offset(value) + self.bytes
                    place = len(self.bytes)
                else:
                    place = self.put(struct.calcsize(kind), struct.pack("<" + kind, value))
            places.insert(0, place)
        self.put(4, b"")
        table = len(self.bytes) + 4  # its first word leads to the table of fields, which stands just before it
        entries = [table - place if place else 0 for place in places]
        vtable = struct.pack(f"<HH{len(entries)}H", 4 + 2 * len(entries), table - end, *entries)
        self.bytes = vtable + struct.pack("<i", len(vtable)) + self.bytes
        return table

    def finished(self, root: int) -> bytes:
        padding = -(len(self.bytes) + 4) % 8
        size = len(self.bytes) + padding + 4
        return struct.pack("<I", size - root) + b"\0" * padding + self.bytes


def _schema(builder: _Builder, dtype: numpy.dtype) -> int:
    fields = []
    for name in names_of(dtype):
        column = dtype[name]
        type_ = builder.table([("i", 8 * column.itemsize), ("?", column.kind == "i")])
        children = builder.tables([])
        text = builder.string(name)
        fields.append(builder.table([("table", text), ("?", False), ("B", _INT), ("table", type_), None, ("table", children)]))
    return builder.table([("h", 0), ("table", builder.tables(fields))])


def _message(builder: _Builder, kind: int, header: int, body_length: int) -> bytes:
    root = builder.table([("h", _VERSION), ("B", kind), ("table", header), ("q", body_length)])
    data = builder.finished(root)
    return struct.pack("<Ii", 0xFFFFFFFF, len(data)) + data


def _batch(chunk: numpy.ndarray) -> tuple[bytes, list[bytes]]:
    """The message, and the buffers behind it: each column is a bitmap of nulls, left out, and its values."""
    body, buffers, offset = [], [], 0
    for column in columns_of(chunk):
        data = column.tobytes()
        buffers += [struct.pack("<qq", offset, 0), struct.pack("<qq", offset, len(data))]
        body += [data, b"\0" * (-len(data) % 8)]
        offset += len(data) + -len(data) % 8
    builder = _Builder()
    nodes = [struct.pack("<qq", len(chunk), 0)] * len(names_of(chunk.dtype))
    buffers_at, nodes_at = builder.structs(buffers), builder.structs(nodes)
    header = builder.table([("q", len(chunk)), ("table", nodes_at), ("table", buffers_at)])
    return _message(builder, _RECORD_BATCH, header, offset), body


def write_file(path: str | os.PathLike, dtype: numpy.dtype, chunks: Iterable[numpy.ndarray]) -> int:
    """Writes an Arrow file, batch by batch: no more than one chunk is in memory. Gives the number of rows."""
    rows, blocks = 0, []
    with open(path, "wb") as file:
        builder = _Builder()
        file.write(_MAGIC + b"\0\0" + _message(builder, _SCHEMA, _schema(builder, dtype), 0))
        for chunk in chunks:
            message, body = _batch(chunk)
            blocks.append(struct.pack("<qi4xq", file.tell(), len(message), sum(map(len, body))))
            file.write(message)
            file.writelines(body)
            rows += len(chunk)
        file.write(struct.pack("<Ii", 0xFFFFFFFF, 0))
        footer = _Builder()
        blocks_at, none_at = footer.structs(blocks), footer.structs([])
        schema_at = _schema(footer, dtype)
        data = footer.finished(footer.table([("h", _VERSION), ("table", schema_at), ("table", none_at), ("table", blocks_at)]))
        file.write(data + struct.pack("<i", len(data)) + _MAGIC)
    return rows
