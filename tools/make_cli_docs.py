#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/cli.md from what `rondo COMMAND --help` prints, so that help and page cannot differ.

usage: make_cli_docs.py RONDO [--check]
"""
import argparse
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "cli.md"
HEAD = """# The command line
Written by `tools/make_cli_docs.py` from the commands' own help; do not edit.

Results go to stdout, talk to stderr. Exit status: 0 done; 1 done and the answer is no; 2 bad usage or input.
A program that preloads the recorder itself is steered by environment variables, which `rondo record --print-env` prints. Those of the
recorder hold what the option of `rondo record` beside them holds:

| variable | holds | option |
|---|---|---|
| `RONDO_OUTPUT` | the archive | `-o` |
| `RONDO_FORCE` | 1: replace it; another number: only what was last written then, in ns since 1970 | `--force` |
| `RONDO_TIMES` | `histogram`, `full` or `none` | `--times` |
| `RONDO_CALLSTACK` | frames of each call | `--callstack` |
| `RONDO_ONLY`, `RONDO_SKIP` | kinds of calls | `--only`, `--skip` |
| `RONDO_MEMORY` | MiB of a rank, above which parts go to disk | `--memory` |
| `RONDO_CHECKPOINT` | seconds between writes of parts, 0 for none | `--checkpoint` |
| `RONDO_BUDGET` | per cent of the run time that recording may cost, 0 for any | `--budget` |
| `RONDO_KEEP` | 0: write nothing, as in a live simulation | `simulate` sets it |
| `RONDO_RUN` | what names the run; its processes and parts are found by it | `record` sets it |
| `RONDO_CLOCK` | where ranks of several hosts ask for the time | `record` sets it |
| `RONDO_LIVE` | where the timekeeper of a live simulation listens | `simulate` sets it |
| `RONDO_LIMIT` | read by every command | `--limit` |
| `RONDO_FAMILIES` | folders of families, read by `topology` | `--family` |

A file may cost memory and work in proportion to its size, and a walk through a run's calls at most 10^9 of them; a file that
wants more is refused with a line that says what allows it: `--limit N`. It and `--resolve` may stand before or behind a command's name.
"""


def help_of(rondo, *words):
    return subprocess.run([rondo, *words, "--help"], check=True, capture_output=True, text=True).stdout.rstrip()


def page(rondo):
    top = help_of(rondo)
    commands = re.findall(r"^  ([\w-]+) ", top.split("Subcommands:", 1)[1], re.MULTILINE)
    parts = [HEAD, "## rondo\n```\n" + top + "\n```\n"]
    parts += [f"## rondo {command}\n```\n{help_of(rondo, command)}\n```\n" for command in commands]
    return "\n".join(parts)


VARIABLE = re.compile(r'"(RONDO_[A-Z]+)"')


def undescribed_variables():
    """Variables of the environment that the sources read or set and the page does not name."""
    root = PAGE.parent.parent
    sources = [path for folder in ("base", "cli", "record", "topology", "simulate") for path in (root / folder).rglob("*.cpp")]
    used = {name for path in sources if not path.stem.endswith("_test") for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    return sorted(name for name in used if f"`{name}`" not in HEAD)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rondo")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not current")
    options = parser.parse_args()
    if unnamed := undescribed_variables():
        sys.exit(f"tools/make_cli_docs.py: HEAD does not name {', '.join(unnamed)}, which the sources use")
    text = page(options.rondo)
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/cli.md: is not what the commands' --help says; run tools/make_cli_docs.py RONDO")


if __name__ == "__main__":
    main()
