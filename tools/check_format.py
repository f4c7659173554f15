#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that clang-format 14 would change nothing in C and C++ files. Where clang-format 14 is not installed the
check says so and passes: other versions format differently."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

from check_base import Finding, Tree, parser, report

VERSION = "14"
FILES_PER_RUN = 16


def find_clang_format():
    """The command's path, or nothing."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        command = shutil.which(name)
        if command:
            text = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
            if re.search(rf"version {VERSION}\.", text):
                return command
    return None


def check_files(tree, command, paths):
    result = subprocess.run([command, "--dry-run", "--Werror", "--style=file", *map(str, paths)],
                            cwd=tree.root, capture_output=True, text=True, check=False)
    first = {}
    for name, line in re.findall(r"^(.+?):(\d+):\d+: error: ", result.stderr, re.M):
        first.setdefault(name, int(line))
    by_name = {str(path): path for path in paths}
    for name, line in first.items():
        yield Finding(by_name.get(name, paths[0]), line, f"is not formatted; run clang-format -i {name}")
    if result.returncode != 0 and not first:
        yield Finding(paths[0], 1, f"clang-format failed: {result.stderr.strip()}")


def check(tree, command):
    paths = tree.code()
    runs = [paths[start:start + FILES_PER_RUN] for start in range(0, len(paths), FILES_PER_RUN)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(lambda run: list(check_files(tree, command, run)), runs):
            yield from findings


def main(argv=None):
    options = parser(__doc__).parse_args(argv)
    command = find_clang_format()
    if not command:
        print(f"skipped: clang-format {VERSION} is not installed")
        return 0
    return report(check(Tree(options.root), command))


if __name__ == "__main__":
    sys.exit(main())
