#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every header in include/: it compiles on its own with nothing but include/ and the system's headers,
may be included twice, opens with an SPDX line and two or more lines of comment, and has at most 250 lines."""
import concurrent.futures
import os
import pathlib
import re
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


def included(tree, path):
    """Headers of include/ that this one includes whatever is defined, in its own words."""
    found, depth = set(), 0
    for line in tree.lines(path):
        if re.match(r"\s*#\s*if", line):
            depth += 1
        elif re.match(r"\s*#\s*endif", line):
            depth -= 1
        elif depth == 0 and (match := re.match(r'\s*#\s*include\s*[<"](rondo/[^>"]+)[>"]', line)):
            found.add(pathlib.PurePath("include", match[1]))
    return found


def chains(tree, paths):
    """Lists of headers, as few as there can be, in each of which every header includes the one before it, by others or
    itself: compiled in this order, none sees anything that it does not include, as if it were alone."""
    direct = {path: included(tree, path) & set(paths) for path in paths}
    within = {}
    for path in paths:
        within[path], left = set(), [path]
        while left:
            new = direct[left.pop()] - within[path]
            within[path] |= new
            left += new
        within[path].discard(path)
    follower = {}  # of a header: the one after it; each augmenting path joins two chains

    def join(path, tried):
        for before in sorted(within[path] - tried):
            tried.add(before)
            if before not in follower or join(follower[before], tried):
                follower[before] = path
                return True
        return False

    for path in paths:
        join(path, set())
    for first in sorted(set(paths) - set(follower.values())):
        chain = [first]
        while chain[-1] in follower:
            chain.append(follower[chain[-1]])
        yield chain


def errors_of(tree, chain, language, standard, compiler):
    """Compiles a file that includes each of these headers twice; returns what is wrong, if anything."""
    lines = "".join(f'#include "{path.relative_to("include")}"\n' * 2 for path in chain)
    result = subprocess.run([compiler, "-fsyntax-only", "-x", language, f"-std={standard}", "-w", "-I", "include", "-"],
                            input=lines, cwd=tree.root, text=True, capture_output=True, env=os.environ | {"LC_ALL": "C"}, check=False)
    if result.returncode == 0:
        return ""
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    return errors[0] if errors else result.stderr.strip() or "the compiler failed"


def check_compiles(tree, chain, language, standard, compiler):
    """Most of the time goes into the standard library, once a chain; only where one fails its headers are compiled one by one."""
    reason = errors_of(tree, chain, language, standard, compiler)
    if not reason:
        return []
    alone = [(path, errors_of(tree, [path], language, standard, compiler)) for path in chain]
    wrong = [(path, error) for path, error in alone if error] or [(chain[-1], reason)]
    return [Finding(path, 1, f"does not compile on its own as {language}, include what it uses: {error}") for path, error in wrong]


def check(tree, compiler):
    paths = headers(tree)
    for path in paths:
        yield from check_text(tree, path)
    jobs = []
    for language, standard in sorted({way for ways in LANGUAGES.values() for way in ways}):
        of_language = [path for path in paths if (language, standard) in LANGUAGES[path.suffix]]
        jobs += [(chain, language, standard) for chain in chains(tree, of_language)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(lambda job: check_compiles(tree, *job, compiler), jobs):
            yield from findings


def main(argv=None):
    arguments = parser(__doc__)
    arguments.add_argument("--compiler", default="g++", help="C and C++ compiler (default: %(default)s)")
    options = arguments.parse_args(argv)
    return report(check(Tree(options.root), options.compiler))


if __name__ == "__main__":
    sys.exit(main())
