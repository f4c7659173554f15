#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documents agree with the tree: keys of @source are in docs/references.bib, the folder table of
docs/architecture.md lists the folders there are, every folder has a README.md, each stage's says which tests show that it works,
rooms and tests in them exist, docs/cli.md lists the environment variables that are read, the glossary is sorted, links between
documents lead somewhere, README.md is short, and every source file has an SPDX line."""
import pathlib
import re
import sys

from check_base import CODE_SUFFIXES, STAGES, Finding, run

MAX_README_LINES = 120
SPDX_SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".py", ".sh", ".toml", ".cmake", ".fbs", ".f90", ".F90", ".f"}
# Other people's words and recorded files, kept as they are.
DATA_FOLDERS = {("tests", "data")}
NO_README_NEEDED = {"include"}  # headers only; each folder's own README speaks of them

ARCHITECTURE = pathlib.PurePath("docs/architecture.md")
GLOSSARY = pathlib.PurePath("docs/glossary.md")
REFERENCES = pathlib.PurePath("docs/references.bib")
README = pathlib.PurePath("README.md")
COMMAND_LINE = pathlib.PurePath("docs/cli.md")
PACKAGES = pathlib.PurePath("tools/install_packages.sh")


def is_data(path):
    return path.parts[:2] in DATA_FOLDERS


def top_folders(tree):
    return {path.parts[0] for path in tree.files if len(path.parts) > 1 and not path.parts[0].startswith(".")}


def check_references(tree):
    """Entries have a key of their own, an author, a title and a year."""
    entries = list(re.finditer(r"^@\w+\{([^,\s]+),(.*?)^\}", tree.text(REFERENCES), re.M | re.S))
    known = set()
    for entry in entries:
        line = tree.text(REFERENCES).count("\n", 0, entry.start()) + 1
        if entry[1] in known:
            yield Finding(REFERENCES, line, f"key {entry[1]} is there twice; keep one entry")
        known.add(entry[1])
        for field in ("author", "title", "year"):
            if not re.search(rf"^\s*{field}\s*=", entry[2], re.M):
                yield Finding(REFERENCES, line, f"{entry[1]} has no {field}")


def reference_keys(tree):
    if REFERENCES not in tree.files:
        return set()
    return set(re.findall(r"^@\w+\{([^,\s]+),", tree.text(REFERENCES), re.M))


def comment_blocks(tree, path):
    """Runs of comment lines as (first line number, lines, the code line behind them)."""
    comment = re.compile(r"\s*(//|/?\*)" if path.suffix in CODE_SUFFIXES else r"\s*[#!]")
    start, block = 0, []
    for number, line in enumerate([*tree.lines(path), ""], 1):
        if comment.match(line):
            if not block:
                start = number
            block.append(line)
        elif block:
            yield start, block, line
            block = []


def check_sources(tree, path, known):
    """[key, sec. N] after @source, up to the next @field or the end of the comment."""
    for start, block, code in comment_blocks(tree, path):
        in_source = False
        for number, line in enumerate(block, start):
            field = re.search(r"@(param|return|error|complexity|source)\b", line)
            if field:
                in_source = field[1] == "source"
                line = line[field.end():]
            for key in re.findall(r"\[([A-Za-z]\w*)(?:,[^\]]*)?\]", line) if in_source else []:
                if key not in known:
                    yield Finding(path, number, f"@source names [{key}], which is not in {REFERENCES}; add the entry")
        text = "\n".join(block)
        is_public_function = path.parts[0] == "include" and "(" in code and block[0].lstrip().startswith("///")
        if is_public_function and "@source" in text and "@param" in text and "@complexity" not in text:
            yield Finding(path, start, "a function with @param and @source is an algorithm; say its @complexity")


def check_folder_table(tree):
    """Rows `| `folder/` | ... |` under the heading Folders."""
    folders = top_folders(tree)
    listed, in_section, heading = set(), False, 1
    for number, line in enumerate(tree.lines(ARCHITECTURE), 1):
        if line.startswith("## "):
            in_section = line.strip() == "## Folders"
            heading = number if in_section else heading
        match = re.match(r"\|\s*`(\w+)/`", line)
        if in_section and match:
            listed.add(match[1])
            if match[1] not in folders:
                yield Finding(ARCHITECTURE, number, f"lists {match[1]}/, which is not in the tree; remove the row")
    for folder in sorted(folders - listed):
        yield Finding(ARCHITECTURE, heading, f"the table under ## Folders lacks {folder}/; add a row")


def check_packages(tree):
    """Each package that the build or the tests install is in the table of dependencies."""
    if PACKAGES not in tree.files:
        return
    text = tree.text(ARCHITECTURE).split("## Dependencies", 1)[-1]
    known = set(re.findall(r"[a-z0-9.+-]+", " ".join(re.findall(r"`([^`]*)`", text))))
    for names in re.findall(r'^(?:build|demo|test|fuzz)="([^"]*)"', tree.text(PACKAGES), re.M):
        for package in sorted(set(names.split()) - known):
            yield Finding(ARCHITECTURE, 1, f"the table under ## Dependencies lacks {package}, which {PACKAGES} installs; say what uses it")


def check_readmes(tree):
    for folder in sorted(top_folders(tree) - NO_README_NEEDED):
        readme = pathlib.PurePath(folder, "README.md")
        if readme not in tree.files:
            yield Finding(readme, 1, "is missing; say in half a page what the folder is for")
    if README not in tree.files:
        yield Finding(README, 1, "is missing")
    elif len(tree.lines(README)) > MAX_README_LINES:
        yield Finding(README, MAX_README_LINES + 1, f"more than {MAX_README_LINES} lines; move details to docs/")


def check_rooms(tree):
    """Rows `| `room/` | ... |` of folders' READMEs name folders below them; `x_test` is a test, and stages name some."""
    programs = {path.stem for path in tree.files if path.stem.endswith("_test")}
    for path in tree.files:
        if path.name == "CMakeLists.txt":
            programs |= set(re.findall(r"rondo_add_test\((\w+)", tree.text(path)))
    for readme in [path for path in tree.files if path.name == "README.md" and path.parts[0] in {*STAGES, "tests"}]:
        for number, line in enumerate(tree.lines(readme), 1):
            row = re.match(r"\|\s*`([\w/]+)/`\s*\|", line)
            if row and not (tree.root / readme.parent / row[1]).is_dir():
                yield Finding(readme, number, f"lists {row[1]}/, which is not in the tree; remove the row")
            for name in re.findall(r"`(?:[\w/]+/)?(\w+_test)(?:\.\w+)?`", line):
                if name not in programs:
                    yield Finding(readme, number, f"names {name}, which is no test; name one that shows it")
        is_stage = len(readme.parts) == 2 and readme.parts[0] in STAGES
        if is_stage and not re.search(r"`[\w/]*_test(\.\w+)?`|`(behaviour|cli|convert|generate|python|report)\.[a-z_*]+`", tree.text(readme)):
            yield Finding(readme, 1, "says of no test that it shows what the folder does; name them")


def check_variables(tree):
    """Environment variables that the code reads are in the table of docs/cli.md, and no others."""
    if COMMAND_LINE not in tree.files:
        return
    listed = {name: number for number, line in enumerate(tree.lines(COMMAND_LINE), 1) if line.startswith("| `RONDO_")
              for name in re.findall(r"`(RONDO_\w+)`", line.split("|")[1])}
    read = {}
    for path in tree.code():
        if path.parts[0] in STAGES and not path.stem.endswith(("_test", "_bench")) or path.parts[0] == "include":
            for number, line in enumerate(tree.lines(path), 1):
                read.update({name: (path, number) for name in re.findall(r'"(RONDO_[A-Z_]+)=?"', line)})
    for name in sorted(read.keys() - listed.keys()):
        yield Finding(*read[name], f"reads {name}, which is not in the table of {COMMAND_LINE}; say what it does")
    for name in sorted(listed.keys() - read.keys()):
        yield Finding(COMMAND_LINE, listed[name], f"{name} is read by nothing; remove the row")


def check_glossary(tree):
    """The words in the first column are in alphabetical order, each once."""
    previous = ""
    for number, line in enumerate(tree.lines(GLOSSARY), 1):
        match = re.match(r"\|\s*\*\*(.+?)\*\*\s*\|", line)
        if not match:
            continue
        word = match[1].casefold()
        if word == previous:
            yield Finding(GLOSSARY, number, f"{match[1]} is there twice; one word, one meaning")
        elif word < previous:
            yield Finding(GLOSSARY, number, f"{match[1]} stands after {previous}; keep the alphabetical order")
        previous = max(previous, word)


def check_links(tree, path):
    """Relative links, outside code."""
    in_code = False
    for number, line in enumerate(tree.lines(path), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        if in_code:
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:|#", target):
                continue
            place = tree.root / path.parent / target.split("#")[0]
            if not place.exists():
                yield Finding(path, number, f"the link {target} leads nowhere; correct it or add the file")


def check_spdx(tree, path):
    lines = tree.lines(path)[:3]
    is_script = bool(lines) and lines[0].startswith("#!")
    if path.suffix in SPDX_SUFFIXES or path.name == "CMakeLists.txt" or is_script:
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines):
            yield Finding(path, 1, "no SPDX-License-Identifier: Apache-2.0 in the first three lines; add it")


def check(tree):
    known = reference_keys(tree)
    documents = {REFERENCES: check_references, ARCHITECTURE: check_folder_table, GLOSSARY: check_glossary}
    for path, check_one in documents.items():
        if path in tree.files:
            yield from check_one(tree)
        else:
            yield Finding(path, 1, "is missing")
    yield from check_packages(tree)
    yield from check_readmes(tree)
    yield from check_rooms(tree)
    yield from check_variables(tree)
    for path in tree.files:
        if is_data(path):
            continue
        yield from check_spdx(tree, path)
        if path.suffix == ".md":
            yield from check_links(tree, path)
        elif path.suffix in SPDX_SUFFIXES and path.parts[0] != "tools":
            yield from check_sources(tree, path, known)


def main(argv=None):
    return run(check, __doc__, argv)


if __name__ == "__main__":
    sys.exit(main())
