#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the samples in the opening comments of headers in include/: lines that are indented below a blank comment line, of
which one ends with a semicolon. They may use the words of tools/sample_words.hpp without saying where these come from."""
import re
import subprocess
import sys

from check_base import Finding, Tree, parser, report
from check_headers import headers

WORDS = "tools/sample_words.hpp"
CODE = re.compile(r";\s*(//.*)?$")


def samples(lines):
    """Indented blocks of an opening comment, as (number of the first line, lines)."""
    block, start, is_behind_blank = [], 0, False
    for number, line in enumerate([*lines, ""], 1):
        if block and not line.startswith("//   "):
            yield start, block
            block = []
        if line.startswith("//   ") and (block or is_behind_blank):
            start = start if block else number
            block.append(line[2:])
        is_behind_blank = line == "//"
        if number > 1 and not line.startswith("//"):
            return


def words_of(text):
    """What may be used in samples: names declared in namespace rondo::samples, functions with a bracket behind them, by the folder
    that they are for ("" for all)."""
    found, folder = {}, ""
    for line in text.splitlines():
        if opened := re.match(r"namespace for_(\w+) \{", line):
            folder = opened[1]
        elif line.startswith("} // namespace for_"):
            folder = ""
        elif name := re.match(r"(?:struct|using) (\w+) [={]|(?:template|void) .*?(\w+\()|extern .*?(\w+);$", line):
            found.setdefault(folder, set()).add(name[1] or name[2] or name[3])
    return found


def function_of(path, number, block, namespace, words):
    """A sample as a function of its header's namespace."""
    folder = path.parent.name
    # What is no word of the sample: text, members, names with a namespace before them.
    plain = re.sub(r'"(\\.|[^"\\])*"|//.*|(\.|->|::)\s*\w+', " ", "\n".join(block))
    lines = [f"namespace {namespace} {{", f"Result<void> sample_{folder}_{path.stem}_{number}() {{"]
    for name in sorted(set(re.findall(r"[A-Za-z_]\w*\(?", plain))):
        if name in words.get(folder, set()):
            lines.append(f"using samples::for_{folder}::{name.rstrip('(')};")
        elif name in words.get("", set()):
            lines.append(f"using samples::{name.rstrip('(')};")
    return [*lines, "{", f'#line {number} "{path}"', *block, "} return {}; } }"]


def check(tree, compiler):
    paths = [path for path in headers(tree) if path.suffix == ".hpp"]
    words = words_of(tree.text(WORDS))
    includes, lines = [], []
    for path in paths:
        for number, block in samples(tree.lines(path)):
            if any(CODE.search(line) for line in block):
                includes.append(f'#include "{path.relative_to("include")}"')
                namespace = re.search(rf"^namespace (rondo::{path.parent.name}\S*) \{{", tree.text(path), re.M)
                lines += function_of(path, number, block, namespace[1] if namespace else "rondo", words)
            elif any(re.search(r"[\w)]\(.*\)\s*(//|->|$)", line) for line in block):
                yield Finding(path, number, "a sample of calls has a semicolon behind each, so that it is compiled")
    text = "\n".join([*includes, f'#include "{WORDS}"', *lines, ""])
    result = subprocess.run([compiler, "-fsyntax-only", "-x", "c++", "-std=c++20", "-w", "-I", "include", "-I", ".", "-"], input=text,
                            cwd=tree.root, text=True, capture_output=True, check=False)
    errors = re.findall(r"^(include/[^:\n]+):(\d+):\d+: error: (.*)$", result.stderr, re.M)
    for place, line, reason in errors:
        yield Finding(next(path for path in paths if str(path) == place), int(line), f"the sample does not compile: {reason}")
    if result.returncode != 0 and not errors:
        print(result.stderr, file=sys.stderr)
        yield Finding(paths[0], 1, "the samples do not compile")


def main(argv=None):
    arguments = parser(__doc__)
    arguments.add_argument("--compiler", default="g++", help="C++ compiler (default: %(default)s)")
    options = arguments.parse_args(argv)
    return report(check(Tree(options.root), options.compiler))


if __name__ == "__main__":
    sys.exit(main())
