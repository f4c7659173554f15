#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lines of `rondo logical --json` have all calls of a run, each once: statements that are equal are counted together, at however
many places they stand. On recorded runs that RONDO_TEST_DATA says the place of.

usage: counts_test.py RONDO"""
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
            yield json.dumps(statement, sort_keys=True), statement["executions"]
        yield from lines(statement.get("body", []))


class Counts(unittest.TestCase):
    def test_each_call_is_in_one_statement(self):
        for name in ("cg.W.16", "lu.W.8", "ft.W.16", "is.W.16"):
            with self.subTest(run=name):
                archive = DATA / f"{name}.rondo"
                program = answer("logical", archive)
                parts = program["procedures"] + program["programs"]
                counted = dict(line for part in parts for line in lines(part["statements"]))
                self.assertEqual(sum(counted.values()), answer("info", archive)["calls"])


if __name__ == "__main__":
    if not DATA.exists():
        sys.exit(77)
    unittest.main()
