# SPDX-License-Identifier: Apache-2.0
"""What the checks share: the files of the tree, findings, and the command line.

A check is a function that takes a Tree and yields Findings; run() turns it into a command with exit
status 0 (nothing found) or 1.
"""
import argparse
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

# Folders in the order in which the data flows; a folder includes only what stands to its left.
STAGES = ("base trace fold archive record convert sites matrix topology logical patterns simulate efficiency generate present "
          "report cli python").split()
SKIPPED_FOLDERS = {".git", "build", "node_modules", "__pycache__"}
CODE_SUFFIXES = {".c", ".h", ".cpp", ".hpp"}


class Finding(NamedTuple):
    path: pathlib.PurePath
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


class Tree:
    """The files below a root: what git knows or would add, or every file if this is no checkout."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = sorted(path for path in self._list() if (self.root / path).is_file())

    def _list(self):
        if (self.root / ".git").exists():
            git = subprocess.run(["git", "-C", self.root, "ls-files", "-z", "--cached", "--others",
                                  "--exclude-standard"], capture_output=True, text=True, check=False)
            if git.returncode == 0:
                return {pathlib.PurePath(name) for name in git.stdout.split("\0") if name}
        below = (path.relative_to(self.root) for path in self.root.rglob("*"))
        return {path for path in below if not SKIPPED_FOLDERS.intersection(path.parts)}

    def code(self):
        """C and C++ files."""
        return [path for path in self.files if path.suffix in CODE_SUFFIXES]

    def text(self, path):
        """The file's text; bytes that are not UTF-8 become replacement characters."""
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, path):
        return self.text(path).splitlines()


def without_comments(text):
    """C or C++ text with comments, strings and character constants blanked; lines stay where they are."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    # A quote inside a number (1'000) is no character constant.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", " ", text)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def parser(description):
    arguments = argparse.ArgumentParser(description=description,
                                        epilog="Exit status: 0 nothing found, 1 findings on stdout.")
    arguments.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent,
                           help="the tree to check (default: the one this script is in)")
    return arguments


def report(findings):
    """Prints the findings in order; the exit status."""
    findings = sorted(set(findings))
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} finding{'s' if len(findings) > 1 else ''}", file=sys.stderr)
    return 1 if findings else 0


def run(check, description, argv=None):
    options = parser(description).parse_args(argv)
    return report(check(Tree(options.root)))
