#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes text files into a C++ header as string constants: support.h.mustache becomes kSupport_h_mustache.

usage: embed_texts.py OUTPUT.inc TEXT...
"""
import pathlib
import re
import sys


def constant(path):
    name = "k" + re.sub(r"\W", "_", path.name[0].upper() + path.name[1:])
    text = path.read_text(encoding="utf-8")
    if ')~~"' in text:
        sys.exit(f"{path}: holds the end mark of a raw string")
    # Compilers need not take strings of more than 64 KiB; ours are templates.
    return f'constexpr std::string_view {name} = R"~~({text})~~";\n'


def main():
    output = pathlib.Path(sys.argv[1])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("".join(constant(pathlib.Path(text)) for text in sys.argv[2:]), encoding="utf-8")


if __name__ == "__main__":
    main()
