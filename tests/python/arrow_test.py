#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Columns for Apache Arrow: files are read back by npm's apache-arrow, streams by a consumer in C."""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import numpy
import rondo
from rondo import _arrow

from support import BUILD, CommandTest, record

HERE = pathlib.Path(os.environ["RONDO_SOURCE_DIR"]) / "tests" / "python"
TYPES = {"u2": "Uint16", "i4": "Int32", "u4": "Uint32", "u8": "Uint64", "i8": "Int64"}

# The structures as Arrow's specification has them, and a consumer as there may be any: it takes a column of
# each batch for itself, releases the batch, reads the column and releases that.
CONSUMER = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct ArrowSchema { const char *format, *name, *metadata; int64_t flags, n_children; struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema*); void* private_data; };
struct ArrowArray { int64_t length, null_count, offset, n_buffers, n_children; const void** buffers;
  struct ArrowArray **children, *dictionary; void (*release)(struct ArrowArray*); void* private_data; };
struct ArrowArrayStream { int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*); const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*); void* private_data; };

int consume(struct ArrowArrayStream* given, int column, char* said, uint64_t* sum, int64_t* rows) {
  struct ArrowArrayStream stream = *given; /* moved, as a consumer does */
  given->release = NULL;
  struct ArrowSchema schema;
  int status = stream.get_schema(&stream, &schema);
  if (status != 0) return status;
  said += sprintf(said, "%s", schema.format);
  for (int64_t i = 0; i < schema.n_children; ++i)
    said += sprintf(said, " %s:%s", schema.children[i]->name, schema.children[i]->format);
  const int is_wide = schema.children[column]->format[0] == 'L';
  schema.release(&schema);
  if (schema.release != NULL) return -1;
  struct ArrowArray batch;
  while ((status = stream.get_next(&stream, &batch)) == 0 && batch.release != NULL) {
    struct ArrowArray own = *batch.children[column];
    batch.children[column]->release = NULL;
    *rows += batch.length;
    batch.release(&batch);
    for (int64_t i = 0; i < own.length; ++i)
      *sum += is_wide ? ((const uint64_t*)own.buffers[1])[i] : ((const uint16_t*)own.buffers[1])[i];
    own.release(&own);
  }
  if (status != 0) sprintf(said, " error: %s", stream.get_last_error(&stream));
  stream.release(&stream);
  return status;
}
"""


class ArrowFiles(CommandTest):
    @classmethod
    def setUpClass(cls):
        if shutil.which("node") is None or shutil.which("npm") is None:
            raise unittest.SkipTest("node or npm is missing")
        cls.reader = BUILD / "arrow_test"
        wanted = (HERE / "arrow" / "package-lock.json").read_text()
        installed = cls.reader / "installed.txt"
        if not installed.exists() or installed.read_text() != wanted:
            shutil.copytree(HERE / "arrow", cls.reader, dirs_exist_ok=True)
            done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=cls.reader, capture_output=True)
            if done.returncode != 0:
                raise unittest.SkipTest("npm ci did not get apache-arrow: " + done.stderr.decode(errors="replace")[-300:])
            installed.write_text(wanted)
        shutil.copy(HERE / "arrow" / "read.mjs", cls.reader)

    def read(self, path):
        return json.loads(subprocess.run(["node", self.reader / "read.mjs", path], check=True, capture_output=True, text=True).stdout)

    def check(self, read, array):
        self.assertEqual(read["columns"], [[name, TYPES[array.dtype[name].str[1:]]] for name in array.dtype.names])
        self.assertEqual(read["rows"], [[str(value) for value in row] for row in array.tolist()])

    def test_calls(self):
        t = rondo.open(record("halo2d", 4))
        calls = numpy.concatenate(list(t.calls(1)))
        path = self.folder / "calls.arrow"
        self.assertEqual(t.calls(1, rows=100).to_arrow_file(path), len(calls))
        read = self.read(path)
        self.assertEqual(read["batches"], [100] * (len(calls) // 100) + ([len(calls) % 100] if len(calls) % 100 else []))
        self.check(read, calls)

    def test_a_matrix_and_an_empty_one(self):
        for example, ranks in (("halo2d", 9), ("rowscols", 4)):
            matrix = rondo.open(record(example, ranks)).matrix()
            path = self.folder / f"{example}.arrow"
            self.assertEqual(matrix.to_arrow_file(path), len(matrix))
            self.check(self.read(path), matrix.entries)

    def test_odd_widths_and_lengths(self):
        kind = numpy.dtype([("a", "u2"), ("b", "i4"), ("long name of a column", "u8"), ("c", "i8"), ("d", "u4")])
        chunks = [numpy.array([(i, -i, 2**63 + i, -2**62 - i, 7) for i in range(length)], kind) for length in (1, 3, 0, 8)]
        path = self.folder / "odd.arrow"
        self.assertEqual(_arrow.write_file(path, kind, chunks), 12)
        read = self.read(path)
        self.assertEqual(read["batches"], [1, 3, 0, 8])
        self.check(read, numpy.concatenate(chunks))


class ArrowStreams(CommandTest):
    @classmethod
    def setUpClass(cls):
        folder = BUILD / "arrow_test"
        folder.mkdir(exist_ok=True)
        (folder / "consumer.c").write_text(CONSUMER)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", folder / "consumer.c", "-o", folder / "consumer.so"], check=True)
        cls.consume = ctypes.CDLL(str(folder / "consumer.so")).consume
        cls.consume.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]

    def consumed(self, capsule, column):
        pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
        pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        said, total, rows = ctypes.create_string_buffer(1000), ctypes.c_uint64(), ctypes.c_int64()
        status = self.consume(pointer_of(capsule, b"arrow_array_stream"), column, said, ctypes.byref(total), ctypes.byref(rows))
        return status, said.value.decode(), total.value, rows.value

    def test_calls(self):
        t = rondo.open(record("halo2d", 4))
        calls = numpy.concatenate(list(t.calls(0, columns=["function", "bytes"])))
        for column, name in enumerate(("function", "bytes")):
            stream = t.calls(0, columns=["function", "bytes"], rows=77).__arrow_c_stream__()
            self.assertEqual(self.consumed(stream, column), (0, "+s function:S bytes:L", int(calls[name].sum()), len(calls)))
            del stream
        self.assertEqual(_arrow._alive, {})
        self.assertEqual(_arrow._streams, {})

    def test_a_matrix(self):
        matrix = rondo.open(record("halo2d", 4)).matrix()
        done = self.consumed(matrix.__arrow_c_stream__(), 3)
        self.assertEqual(done, (0, "+s source:l destination:l messages:L bytes:L", int(matrix.bytes.sum()), len(matrix)))

    def test_one_that_nobody_takes_is_released(self):
        stream = rondo.open(record("ring")).calls(0).__arrow_c_stream__()
        self.assertEqual(len(_arrow._alive), 1)
        del stream
        self.assertEqual(_arrow._alive, {})

    def test_errors_reach_the_consumer(self):
        def chunks():
            yield numpy.zeros(3, [("n", "u2")])
            raise ValueError("no more")
        status, said, _, rows = self.consumed(_arrow.stream_capsule(numpy.dtype([("n", "u2")]), chunks()), 0)
        self.assertEqual((status, said, rows), (5, "+s n:S error: ValueError: no more", 3))
        self.assertEqual(_arrow._alive, {})


if __name__ == "__main__":
    unittest.main()
