#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/tour.md: its program compiles, its commands run and print what the page says, sizes aside, and the archive begins as it says."""
import os
import pathlib
import re
import subprocess
import unittest

from support import BUILD, CommandTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tour.md"


def blocks(language):
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for name, text in fences if name == language]


def steps():
    """Pairs of a command and the lines that follow it."""
    for block in blocks(""):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = step.partition("\n")
            yield command, output


def without_sizes(text):
    """Sizes of archives differ a little from run to run: times are in them."""
    return re.sub(r"\d+(\.\d+)? k?B\)", "SIZE)", text)


class Tour(CommandTest):
    def test_commands_print_what_the_page_says(self):
        source = self.file("ring.c", blocks("c")[0])
        subprocess.run(["mpicc.openmpi", "-w", source, "-o", self.folder / "ring"], check=True)
        environment = os.environ | {"PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        count = 0
        for command, expected in steps():
            with self.subTest(command=command):
                done = subprocess.run(command, shell=True, cwd=self.folder, env=environment, check=True, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(without_sizes(done.stdout), without_sizes(expected))
                count += 1
        self.assertEqual(count, 8)
        begins = re.search(r"begins with its name, `([0-9a-f ]+)`, and its version, `([0-9a-f ]+)`", PAGE.read_text(encoding="utf-8"))
        self.assertEqual((self.folder / "ring.rondo").read_bytes()[:12], bytes.fromhex(begins[1] + begins[2]))


if __name__ == "__main__":
    unittest.main()
