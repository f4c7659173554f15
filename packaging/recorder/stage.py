#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts together the folder from which `rondo build-recorder` builds: sources of the recorder and of all that it links, each
header that they include, third parties' too, what is generated without an MPI, and the tools that generate the rest.

usage: stage.py --source ROOT --generated DIR --output DIR --zstd libzstd.a --version V [--include DIR]... --sources FILE...
"""
import argparse
import json
import pathlib
import re
import shutil
import sys
import tomllib

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
THIRD_PARTIES = re.compile(r"^(flatbuffers|tl)/|^(xxhash|xxh3|zstd|zstd_errors)\.h$")
MADE_FOR_AN_MPI = {"real_calls.hpp", "handles.hpp", "mpi.h"}
# Sources of the folders' libraries that nothing in the recorder asks for; that it links without them, each build proves.
NOT_LINKED = {"fold/again/refold.cpp", *(f"trace/{name}.cpp" for name in """text/call_text text/call_writer text/line_times
    text/program_text messages/channels messages/collective_part messages/collective_steps messages/matching messages/open_requests
    messages/posted_calls messages/posted_requests messages/resolved_receives messages/unmatched_text model/communicator_names
    model/communicators model/computation model/expression model/process_topology model/rank_formulas model/sharing""".split())}
TOOLS = "generate_functions generate_wrappers mpi_doors mpi_fields mpi_table".split()


class Stage:
    def __init__(self, options):
        self.root, self.generated, self.output = (pathlib.Path(p) for p in (options.source, options.generated, options.output))
        self.third = [pathlib.Path(p) for p in options.include] + [pathlib.Path("/usr/include")]
        self.done = set()

    def find(self, name, includer):
        """The file, and its name in the folder; None for headers of the system."""
        for base, folder in ((self.root, ""), (self.root / "include", "include"), (self.generated, "generated")):
            if (base / name).is_file():
                return base / name, pathlib.Path(folder, name)
        places = [includer.parent] + self.third if includer else self.third
        for base in places:
            file = (base / name).resolve()
            top = next((t for t in self.third if t.resolve() in file.parents), None)
            if file.is_file() and top and THIRD_PARTIES.search(str(file.relative_to(top.resolve()))):
                return file, pathlib.Path("third_party", file.relative_to(top.resolve()))
        return None

    def add(self, name, includer=None):
        found = self.find(name, includer)
        if not found:
            own = name.startswith(("rondo/", "record/")) and pathlib.Path(name).name not in MADE_FOR_AN_MPI
            if own or THIRD_PARTIES.search(name):
                sys.exit(f"stage.py: there is no {name}, which {includer} includes")
            return
        file, place = found
        if place in self.done:
            return
        self.done.add(place)
        self.copy(file, place)
        for quoted, angled in INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace")):
            self.add(quoted or angled, file)

    def copy(self, file, place):
        target = self.output / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "generated", "output", "zstd", "version"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--sources", nargs="+", required=True)
    options = parser.parse_args()
    stage = Stage(options)
    shutil.rmtree(stage.output, ignore_errors=True)
    sources = [source for source in options.sources if source not in NOT_LINKED]
    for source in sources:
        stage.add(source)
    for header in sorted((stage.root / "record").rglob("*.hpp")):  # also what the wrappers alone include
        stage.add(str(header.relative_to(stage.root)))
    for tool in TOOLS:
        stage.copy(stage.root / "tools" / f"{tool}.py", pathlib.Path("tools", f"{tool}.py"))
    stage.copy(stage.root / "packaging" / "recorder" / "build.py", pathlib.Path("build.py"))
    stage.copy(stage.root / "LICENSE", pathlib.Path("LICENSE"))
    stage.copy(pathlib.Path(options.zstd), pathlib.Path("third_party", "libzstd.a"))
    licence = pathlib.Path("/usr/share/doc/libzstd-dev/copyright")  # Debian's; with another zstd its headers name it
    if licence.is_file():
        stage.copy(licence, pathlib.Path("third_party", "zstd.copyright"))
    table = tomllib.loads((stage.root / "record" / "mpi_calls.toml").read_text(encoding="utf-8"))
    (stage.output / "record" / "mpi_calls.json").write_text(json.dumps(table, separators=(",", ":")), encoding="utf-8")
    facts = {"version": options.version, "sources": sources}
    (stage.output / "sources.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
