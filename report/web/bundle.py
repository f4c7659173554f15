#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles the page's program and style into a C++ header, with the hashes that the page's policy names them by."""
import argparse
import base64
import gzip
import hashlib
import os
import pathlib
import subprocess
import sys

MOST_COMPRESSED = 60_000  # bytes of program and style, as a browser would get them
PIECE = 8000  # bytes; compilers need not take long literals


def bundled(options, entry, *more):
    command = [options.esbuild, str(entry), "--bundle", "--minify", "--charset=utf8", "--legal-comments=none",
               "--target=chrome100,firefox113,safari16.4", *more]
    environment = dict(os.environ, NODE_PATH=str(options.modules.resolve()))
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout.strip()


def literal(name, data):
    pieces = [data[i:i + PIECE] for i in range(0, len(data), PIECE)]
    text = "\n".join('"' + "".join(character(byte) for byte in piece) + '"' for piece in pieces) or '""'
    return f"constexpr char {name}Bytes[] =\n{text};\nconstexpr std::string_view {name}{{{name}Bytes, {len(data)}}};\n"


def character(byte):
    char = chr(byte)
    if char in '"\\?' or not 32 <= byte < 127:
        return f"\\{byte:03o}"
    return char


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--esbuild", required=True)
    parser.add_argument("--modules", required=True, type=pathlib.Path, help="the folder node_modules")
    parser.add_argument("output", type=pathlib.Path)
    options = parser.parse_args()
    source = pathlib.Path(__file__).parent / "src"
    script = bundled(options, source / "main.tsx", "--format=iife", "--jsx=automatic", "--jsx-import-source=preact")
    loader = bundled(options, source / "loader.ts", "--format=iife")
    style = bundled(options, source / "style.css")
    if b"</script" in loader.lower() or b"</style" in style.lower():
        sys.exit("bundle.py: the loader or the style would end its own element")
    packed = gzip.compress(script, 9, mtime=0)
    size = len(packed) + len(gzip.compress(loader, 9, mtime=0)) + len(gzip.compress(style, 9, mtime=0))
    if size > MOST_COMPRESSED:
        sys.exit(f"bundle.py: {size} bytes of program and style, compressed, are more than {MOST_COMPRESSED}")
    text = literal("kPackedScript", base64.b64encode(packed)) + literal("kLoader", loader) + literal("kStyle", style)
    for name, data in (("kScript", script), ("kLoader", loader), ("kStyle", style)):
        digest = base64.b64encode(hashlib.sha256(data).digest())
        text += f'constexpr std::string_view {name}Hash = "{digest.decode()}";\n'
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
