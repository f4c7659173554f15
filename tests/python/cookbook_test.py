#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cookbook of docs/python.md: its blocks run, and `# ->` is what comes."""
import ast
import os
import pathlib
import re
import unittest

import rondo

from support import BUILD, CommandTest

PAGE = pathlib.Path(os.environ["RONDO_SOURCE_DIR"]) / "docs" / "python.md"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def statements(block):
    """Statements as (text, what its value is said to be, or None)."""
    lines = block.splitlines()
    for node in ast.parse(block).body:
        text = "\n".join(lines[node.lineno - 1:node.end_lineno])
        said = re.search(r"# -> (.*)$", lines[node.end_lineno - 1])
        yield text, said[1] if said else None


class Cookbook(CommandTest):
    def test_every_answer(self):
        os.environ.update(AS_ROOT)
        rondo.record(["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "4",
                      BUILD / "examples" / "openmpi" / "halo2d"], self.folder / "halo.rondo", times="full")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names = {}
        checked = 0
        page = PAGE.read_text(encoding="utf-8")
        self.assertEqual(len(re.findall(r"^\*\*\d+\. ", page, re.MULTILINE)), 12)
        for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
            for text, said in statements(block):
                with self.subTest(text):
                    if said is None:
                        exec(text, names)
                    else:
                        self.assertEqual(str(eval(text.partition("  # ->")[0], names)), said)
                        checked += 1
        self.assertGreater(checked, 15)


if __name__ == "__main__":
    unittest.main()
