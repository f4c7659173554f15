#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorder touches no memory that it should not, and leaks none.

In a build with sanitizers: AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer over all examples. Else valgrind
over some; it cannot look into the memory that the recorder hands out to itself, but sees what passes through libc and MPI.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survival"))
from support import BUILD, MPI, RECORDER, SurvivalTest, launcher, run  # noqa: E402

IS_SANITIZED = "address" in os.environ.get("RONDO_TEST_SANITIZER", "")
EXAMPLES = {"ring": 3, "halo2d": 4, "collectives": 4, "persistent": 3, "workers": 3, "neighbors": 4, "butterfly": 4,
            "rowscols": 4, "irregular": 2, "transpose": 4, "twin_mpif": 2, "twin_f08": 2}
UNDER_VALGRIND = ["persistent", "twin_f08"]


def complaints_about_us(log):
    """Valgrind's paragraphs that have a frame of the recorder in them."""
    paragraphs = re.split(r"^==\d+== *$", log, flags=re.M)
    return [paragraph for paragraph in paragraphs if "librondo_record" in paragraph and " at 0x" in paragraph]


class Memcheck(SurvivalTest):
    def preloaded(self, *libraries):
        return [("LD_PRELOAD", ":".join([*libraries, RECORDER])), ("RONDO_OUTPUT", str(self.folder / "x.rondo")),
                ("RONDO_FORCE", "1"), ("RONDO_CHECKPOINT", "0.02"),
                ("LSAN_OPTIONS", "print_suppressions=0:suppressions=" + str(self.folder / "suppressions")),
                ("ASAN_OPTIONS", "detect_leaks=1:exitcode=77")]

    @unittest.skipUnless(IS_SANITIZED, "a build with sanitizers (the asan preset)")
    def test_sanitizers(self):
        """Leaks of MPI and its libraries are theirs; ours have functions of ours on the stack. (Libraries that MPI has
        unloaded are taken for the one that is mapped below them, without names.)"""
        runtime = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
        (self.folder / "suppressions").write_text("")
        for name, ranks in EXAMPLES.items():
            with self.subTest(name):
                line = launcher(ranks, self.preloaded(os.path.realpath(runtime)))
                done = run([*line, str(BUILD / "examples" / MPI / name)], self.folder)
                self.assertTrue((self.folder / "x.rondo").exists(), done.stderr)
                self.assertNotRegex(done.stderr, r"runtime error: |ERROR: AddressSanitizer")
                leaks = [leak for leak in re.split(r"\n\n", done.stderr) if "leak of" in leak and " in rondo::" in leak]
                self.assertEqual(leaks, [])

    @unittest.skipIf(IS_SANITIZED or shutil.which("valgrind") is None, "valgrind, and a build without sanitizers")
    def test_valgrind(self):
        for name in UNDER_VALGRIND:
            with self.subTest(name):
                line = launcher(2, self.preloaded())
                run([*line, "valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--trace-children=no",
                     "--log-file=" + str(self.folder / f"{name}.%p"), str(BUILD / "examples" / MPI / name)], self.folder)
                self.assertTrue((self.folder / "x.rondo").exists())
                logs = [path.read_text() for path in self.folder.glob(f"{name}.*")]
                self.assertEqual(len(logs), 2)
                for log in logs:
                    self.assertIn("ERROR SUMMARY", log)
                    self.assertEqual(complaints_about_us(log), [])


if __name__ == "__main__":
    unittest.main()
