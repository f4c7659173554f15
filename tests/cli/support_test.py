#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tests share is made once, anew where a source has changed, and again after a failure."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import support


class MadeOnce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rondo-cli-")
        self.addCleanup(folder.cleanup)
        patch = mock.patch.object(support, "SHARED", pathlib.Path(folder.name) / "shared")
        patch.start()
        self.addCleanup(patch.stop)
        self.source = pathlib.Path(folder.name) / "source"
        self.source.write_text("a")
        self.made = []

    def ask(self):
        def make(path):
            self.made.append(path)
            path.write_text(self.source.read_text())
        return support.made_once("thing", [self.source], make).read_text()

    def test_by_the_first_who_asks(self):
        self.assertEqual([self.ask(), self.ask()], ["a", "a"])
        self.assertEqual(len(self.made), 1)

    def test_anew_where_a_source_has_changed(self):
        self.ask()
        self.source.write_text("b")
        later = self.source.stat().st_mtime_ns + 1_000_000_000
        os.utime(self.source, ns=(later, later))
        self.assertEqual(self.ask(), "b")

    def test_again_after_a_failure(self):
        def fail(path):
            path.write_text("half")
            raise RuntimeError("no")
        with self.assertRaises(RuntimeError):
            support.made_once("thing", [self.source], fail)
        self.assertEqual(self.ask(), "a")


if __name__ == "__main__":
    unittest.main()
