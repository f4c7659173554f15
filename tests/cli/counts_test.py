#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lines of `rondo logical --json` have all calls of a run, each once, also where procedures stand for several places. On recorded runs that RONDO_TEST_DATA says the place of.

usage: counts_test.py RONDO"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import unittest

RONDO = pathlib.Path(sys.argv.pop(1)).resolve()
DATA = pathlib.Path(os.environ.get("RONDO_TEST_DATA", "/nowhere")) / "live"


def answer(*words):
    return json.loads(subprocess.run([RONDO, *map(str, words), "--json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def lines(statements):
    for statement in statements:
        if "call" in statement:
            yield statement["call"], statement["executions"]
        yield from lines(statement.get("body", []))


def counted(program):
    calls = collections.Counter(program["local_calls"])
    for part in program["procedures"] + program["programs"]:
        for name, executions in lines(part["statements"]):
            calls[name] += executions
    return calls


class Counts(unittest.TestCase):
    def test_each_call_is_in_one_line(self):
        for archive in sorted(DATA.glob("*.rondo")):
            with self.subTest(run=archive.stem):
                functions = answer("stats", archive, "--functions")["rows"]
                made = {row["function"].lower().removeprefix("mpi_"): row["calls"]["sum"] for row in functions}
                self.assertEqual(counted(answer("logical", archive)), made)


if __name__ == "__main__":
    if not DATA.exists():
        sys.exit(77)
    unittest.main()
