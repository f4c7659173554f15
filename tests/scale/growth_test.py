#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time of commands grows no faster than ranks: an archive of four times as many ranks, of the same size, takes at most
about four times as long. Where work is done for each rank on all ranks it is sixteen times."""
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["RONDO_BUILD_DIR"]) / "bin"
MOST_GROWTH = 8  # between linear and quadratic, in the middle
NOISE_SECONDS = 0.25  # to start, and what others on the machine make of it
SHAPES = {"halo": ("32x32", "64x64"), "torus": ("8x8x16", "16x16x16"), "rows": ("32x32", "64x64")}


def cpu_seconds(words):
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        process = subprocess.Popen(words, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return used.ru_utime + used.ru_stime


class Growth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def archive(self, shape, sizes):
        path = self.folder / f"{shape}-{sizes}.rondo"
        subprocess.run([BIN / "many_ranks", shape, sizes, "10", path], check=True)
        return path

    def test_commands_are_linear_in_ranks(self):
        for shape, sizes in SHAPES.items():
            small, large = (self.archive(shape, each) for each in sizes)
            for command in ("info", "stats", "matrix", "topology", "print", "logical", "patterns", "generate"):
                with self.subTest(f"{command} of {shape}"):
                    times = [cpu_seconds([BIN / "rondo", command, path, *self.output(command, path)]) for path in (small, large)]
                    self.assertLess(times[1], MOST_GROWTH * times[0] + NOISE_SECONDS, f"{times} s")

    def output(self, command, path):
        return ["-o", self.folder / f"{path.stem}-code"] if command == "generate" else []


if __name__ == "__main__":
    unittest.main()
