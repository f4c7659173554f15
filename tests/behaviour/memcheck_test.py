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
ALL_CASES = os.environ.get("RONDO_TEST_CASES") == "all"  # tests/README.md
UNDER_VALGRIND = ["persistent", "twin_f08"] if ALL_CASES else {"openmpi": ["twin_f08"], "mpich": ["persistent"]}[MPI]  # each under one


OURS = r"librondo_record|\brondo(::|_)"


def without_us(paragraph):
    """What valgrind would say had the program called MPI itself; addresses and numbers differ from run to run."""
    lines = [line for line in paragraph.splitlines() if not re.search(OURS, line)]
    return re.sub(r"0x[0-9A-F]+|\d[\d,]*", "N", "\n".join(lines).strip())


def complaints(folder, name):
    """Valgrind's paragraphs over the ranks of a run."""
    logs = [path.read_text() for path in folder.glob(f"{name}.*")]
    assert len(logs) == 2 and all("ERROR SUMMARY" in log for log in logs), logs
    return [part for log in logs for part in re.split(r"^==\d+== *$", log, flags=re.M) if " at 0x" in part]


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
        """MPI has complaints of its own, below our wrappers as below the program: those that it has without us do not count."""
        for name in UNDER_VALGRIND:
            with self.subTest(name):
                self.under_valgrind("recorded", name, self.preloaded())
                self.assertTrue((self.folder / "x.rondo").exists())
                self.under_valgrind("plain", name, [])
                known = {without_us(part) for part in complaints(self.folder, f"plain.{name}")}
                ours = [part for part in complaints(self.folder, f"recorded.{name}") if re.search(OURS, part)]
                self.assertEqual([part for part in ours if without_us(part) not in known], [])

    def under_valgrind(self, how, name, environment):
        run([*launcher(2, environment), "valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--trace-children=no",
             "--num-callers=60", f"--log-file={self.folder}/{how}.{name}.%p", str(BUILD / "examples" / MPI / name)], self.folder)


if __name__ == "__main__":
    unittest.main()
