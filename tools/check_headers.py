#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every header in include/: it compiles on its own with nothing but include/ and the system's headers,
may be included twice, opens with an SPDX line and two or more lines of comment, and has at most 250 lines."""
import concurrent.futures
import os
import subprocess
import sys

from check_base import Finding, Tree, parser, report

MAX_LINES = 250
LANGUAGES = {".hpp": [("c++", "c++20")], ".h": [("c", "c11"), ("c++", "c++20")]}


def headers(tree):
    return [path for path in tree.files if path.parts[0] == "include" and path.suffix in LANGUAGES]


def check_text(tree, path):
    lines = tree.lines(path)
    if not lines or "SPDX-License-Identifier:" not in lines[0]:
        yield Finding(path, 1, "the first line is to be // SPDX-License-Identifier: Apache-2.0")
    comment = 0
    for line in lines[1:]:
        if not line.startswith(("//", "/*", " *")):
            break
        comment += 1
    if comment < 2:
        yield Finding(path, 2, "say in two lines or more what the header is for and what always holds")
    if "#pragma once" not in lines:
        yield Finding(path, comment + 2, "add #pragma once after the opening comment")
    if len(lines) > MAX_LINES:
        yield Finding(path, MAX_LINES + 1, f"{len(lines)} lines, at most {MAX_LINES}; split it, one idea a header")


def check_compiles(tree, path, compiler):
    """Compiles a file that includes the header twice."""
    name = path.relative_to("include")
    for language, standard in LANGUAGES[path.suffix]:
        result = subprocess.run(
            [compiler, "-fsyntax-only", "-x", language, f"-std={standard}", "-w", "-I", "include", "-"],
            input=f'#include "{name}"\n#include "{name}"\n', cwd=tree.root, text=True, capture_output=True,
            env=os.environ | {"LC_ALL": "C"}, check=False)
        if result.returncode != 0:
            errors = [line for line in result.stderr.splitlines() if "error:" in line]
            reason = errors[0] if errors else result.stderr.strip()
            yield Finding(path, 1, f"does not compile on its own as {language}, include what it uses: {reason}")


def check(tree, compiler):
    paths = headers(tree)
    for path in paths:
        yield from check_text(tree, path)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(lambda path: list(check_compiles(tree, path, compiler)), paths):
            yield from findings


def main(argv=None):
    arguments = parser(__doc__)
    arguments.add_argument("--compiler", default="g++", help="C and C++ compiler (default: %(default)s)")
    options = arguments.parse_args(argv)
    return report(check(Tree(options.root), options.compiler))


if __name__ == "__main__":
    sys.exit(main())
