#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording that cannot be written, or not all of it, never looks like one that is whole."""
import os
import subprocess
import unittest

from support import RONDO, SurvivalTest, launcher, program, run

CALLS = 30_000


class Disk(SurvivalTest):
    def mount(self, options):
        """A small file system in the folder `small`; skipped where that may not be."""
        small = self.folder / "small"
        small.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(small)], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"this needs a file system of its own, by mount: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(small)])
        return small

    def record_to(self, output, *command, options=(), ranks=2):
        line = [RONDO, "record", "-o", output, *options, "--", *launcher(ranks), *command]
        return run(line, self.folder)

    def calls_in(self, file):
        return self.info(file)["calls"]

    def test_full_from_the_start(self):
        small = self.mount("size=64k")
        (small / "ballast").write_bytes(b"x" * (60 << 10))
        done = self.record_to("small/x.rondo", program("irregular"), str(CALLS))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertRegex(done.stderr, rf"2 of 2 ranks could not write .* {2 * (CALLS + 2)} calls are lost")
        self.assertIn("left on the file system", done.stderr)
        self.assertFalse((small / "x.rondo").exists())

    def test_full_along_the_way(self):
        """Checkpoints are there, what came later is not."""
        small = self.mount("size=256k")
        done = self.record_to("small/x.rondo", program("irregular"), str(4 * CALLS), "0", "1000",
                              options=["--checkpoint", "0.2"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"could not write what they recorded: [1-9]\d* of \d+ calls are lost")
        self.assertIn("the ranks' parts are kept: rondo convert", done.stderr)
        self.assertTrue(list((small / "x.rondo.parts").glob("*.part")))
        self.assertIn("the recording is incomplete", done.stderr)
        self.assertFalse(self.info("small/x.rondo")["complete"])
        self.assertGreater(self.info("small/x.rondo")["calls"], 1000)

    def test_sealed_chunks_that_find_no_place(self):
        small = self.mount("size=1m")
        done = self.record_to("small/x.rondo", program("irregular"), "400000", options=["--memory", "8", "--checkpoint", "0"])
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn("recording stopped: its memory was used up, and nothing could be written to disk", done.stderr)
        self.assertTrue(list((small / "x.rondo.parts").glob("*.part")))

    def test_limit_on_the_size_of_files(self):
        """The program is not ended by SIGXFSZ, which it does not do without the recorder."""
        done = self.record_to("x.rondo", program("irregular"), str(CALLS), "8192")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertFalse((self.folder / "x.rondo").exists())

    def test_folder_that_becomes_read_only(self):
        small = self.mount("size=1m")
        waits = self.folder / "waits"
        waits.write_text(f"#!/bin/sh\nmount -o remount,ro {small}\nexec \"$@\"\n")
        waits.chmod(0o755)
        done = self.record_to("small/x.rondo", program("irregular"), "100")
        self.assertEqual(done.returncode, 0, done.stderr)
        line = [RONDO, "record", "-o", "small/y.rondo", "--mpi", os.environ.get("RONDO_TEST_MPI", "openmpi"), "--", str(waits),
                *launcher(2), program("irregular"), "100"]
        done = run(line, self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("Read-only file system", done.stderr)

    def test_enough_place_is_no_loss(self):
        small = self.mount("size=8m")
        done = self.record_to("small/x.rondo", program("irregular"), str(CALLS))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls_in("small/x.rondo"), 2 * (CALLS + 2))
        self.assertEqual([path.name for path in small.iterdir()], ["x.rondo"])


if __name__ == "__main__":
    unittest.main()
