#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no source or document says what it should not: paths of somebody's machine, open ends without an
issue, documents that are not in this tree, left-over conflict marks, advertising."""
import re
import sys

from check_base import Finding, run

TEXT_SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".cmake", ".toml", ".fbs", ".json", ".md", ".txt", ".in",
                 ".f", ".f90", ".F90", ".ts", ".html", ".css", ".yml", ".yaml"}
# Patterns are written so that they do not match themselves.
FORBIDDEN = [
    (r"(?<![\w.~$}])/(?:work|root|home)/", "a path of one machine; use a relative path or an environment variable"),
    (r"\bTO[D]O\b(?!\(#\d+\))", "an open end without an issue; open one and write TODO(#12)"),
    (r"\b(?:FIX[M]E|XX[X])\b", "an open end without an issue; open one and write TODO(#12)"),
    (r"(?<![\w/-])(?:design|style|algorithm[s])\.md\b", "a document that is not in this tree; say here what it says"),
    (r"^(?:<{7}|>{7}|={7})(?: |$)", "a conflict mark of a merge; finish the merge"),
    (r"(?i)\b(?:bl[a]zing(?:ly)?|seam[l]ess(?:ly)?|cutting[- ]edge|state[- ]of[- ]the[- ]art|eff[o]rtless(?:ly)?)\b",
     "advertising; say what it does, with a number if it is fast"),
]
EMBEDDED = re.compile(r"base64,[A-Za-z0-9+/=]+")  # pictures in a page are no words
PATTERNS = [(re.compile(pattern), reason) for pattern, reason in FORBIDDEN]


def is_text(tree, path):
    if path.suffix:
        return path.suffix in TEXT_SUFFIXES
    with open(tree.root / path, "rb") as file:
        return file.read(2) == b"#!"


def check(tree):
    for path in tree.files:
        if not is_text(tree, path):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for pattern, reason in PATTERNS:
                match = pattern.search(EMBEDDED.sub("", line))
                if match:
                    yield Finding(path, number, f"`{match.group()}`: {reason}")


def main(argv=None):
    return run(check, __doc__, argv)


if __name__ == "__main__":
    sys.exit(main())
