#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures 4 to 14 of R. Riesen, Communication Patterns (2006), from recorded runs of the same benchmarks, as one HTML page.

usage: paper_figures.py [--data FOLDER] [--rondo RONDO] [-o FILE]

FOLDER (default: $RONDO_TEST_DATA) has ti/BENCH.CLASS.RANKS.tar.zst, traces in SimGrid's format, and npb/BENCH.CLASS.RANKS.csv
with .calls.csv, point-to-point matrices and numbers of calls of more runs. Whatever is drawn or counted is done by rondo:
of a trace from its archive; of a matrix after the messages of collectives, which all go to rank 0 and back, were added to it.
"""
import argparse
import base64
import collections
import csv
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TRACES = ("bt.A.16", "cg.A.16", "ft.A.16", "is.A.16", "lu.A.8", "mg.A.16", "sp.A.9", "sp.A.16")
UP = {"reduce", "barrier", "allreduce", "alltoall", "alltoallv"}  # to rank 0
DOWN = {"bcast", "barrier", "allreduce", "alltoall", "alltoallv"}  # and back
STYLE = """body { font: 15px/1.5 sans-serif; color: #222; max-width: 1100px; margin: 32px auto; padding: 0 20px; }
h1 { font-size: 26px; } h2 { font-size: 19px; margin: 40px 0 4px; }
figure { margin: 12px 0; } img { max-width: 100%; } .map { display: grid; grid-template-columns: 640px auto; gap: 24px; align-items: center; }
dl { margin: 8px 0; } dt { font-weight: bold; } dd { margin: 0 0 10px; }
table { border-collapse: collapse; margin: 12px 0; } th, td { padding: 3px 14px; text-align: right; white-space: nowrap; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
code { background: #f3f3f3; padding: 1px 4px; }"""


class Tool:
    def __init__(self, rondo, data, folder):
        self.rondo, self.data, self.folder = rondo.resolve(), data, folder
        if not self.rondo.exists():
            sys.exit(f"paper_figures.py: there is no {self.rondo}; build it first")

    def run(self, *words):
        done = subprocess.run([self.rondo, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"paper_figures.py: rondo {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def archive(self, name):
        path = self.folder / f"{name}.rondo"
        if not path.exists():
            self.run("convert", self.data / "ti" / f"{name}.tar.zst", path)
        return path

    def matrix(self, name):
        """The run's matrix with collectives as the paper counts them: an archive if there is a trace, else a CSV file."""
        if name in TRACES:
            return self.archive(name)
        ranks = int(name.split(".")[2])
        messages = collections.Counter()
        for row in csv.DictReader((self.data / "npb" / f"{name}.csv").open(encoding="ascii")):
            messages[int(row["src"]), int(row["dst"])] += int(row["messages"])
        for rank, call, count in self.calls(name):
            if rank != 0:
                messages[rank, 0] += count * (call in UP)
                messages[0, rank] += count * (call in DOWN)
        path = self.folder / f"{name}.csv"
        lines = [f"{source},{destination},{count},0" for (source, destination), count in sorted(messages.items()) if count]
        path.write_text("\n".join([f"# ranks={ranks}", "src,dst,messages,bytes", *lines, ""]), encoding="ascii")
        return path

    def calls(self, name):
        for row in csv.DictReader((self.data / "npb" / f"{name}.calls.csv").open(encoding="ascii")):
            yield int(row["rank"]), row["call"], int(row["count"])

    def entries(self, name, quantity="messages"):
        """{(source, destination): messages or bytes}"""
        path = self.matrix(name)
        counting = ["--collectives", "paper"] if path.suffix == ".rondo" else []
        found = json.loads(self.run("matrix", path, "--json", *counting))["entries"]
        return {(e["source"], e["destination"]): e[quantity] for e in found}

    def picture(self, *words):
        path = self.folder / "picture.png"
        self.run(*words, "-o", path, "--force")
        return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")

    def map(self, name, title, quantity="messages"):
        path = self.matrix(name)
        counting = ["--collectives", "paper"] if path.suffix == ".rondo" else []
        return self.picture("matrix", path, "--grey", "--scale", "linear", "--quantity", quantity, "--title", title, *counting)

    def statistics(self, *names):
        return json.loads(self.run("stats", *map(self.archive, names), "--collectives", "paper", "--json"))["runs"]


def share(part, whole):
    percent = 100 * part / whole
    return "<0.1 %" if 0 < percent < 0.05 else f"{percent:.0f} %" if percent in (0, 100) else f"{percent:.1f} %"


def near_in_groups(entries, size):
    return share(sum(n for (a, b), n in entries.items() if a // size == b // size), sum(entries.values()))


def table(head, rows):
    cells = ["".join(f"<th>{html.escape(str(cell))}</th>" for cell in head)]
    cells += ["".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


class Page:
    def __init__(self):
        self.parts = []

    def figure(self, title, picture, paper, ours, extra="", kind="map"):
        self.parts.append(f"<h2>{html.escape(title)}</h2><figure class='{kind}'><img alt='{html.escape(title)}' src='{picture}'>"
                          f"<dl><dt>Paper</dt><dd>{html.escape(paper)}</dd><dt>Here</dt><dd>{html.escape(ours)}</dd></dl></figure>"
                          + extra)

    def text(self):
        head = ("<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Figures of Communication Patterns</title>"
                f"<style>{STYLE}</style></head><body><h1>Figures 4 to 14 of <em>Communication Patterns</em>, from recorded runs</h1>"
                "<p>R. Riesen, <em>Communication Patterns</em>, 2006, measured the NAS Parallel Benchmarks (NPB 2) on a Myrinet "
                "cluster, classes A, B and C on 4, 16 and 64 nodes. The runs below are NPB 3.3, class A (EP: class S), recorded under "
                "SimGrid's SMPI. Densities and sizes count collectives as the paper does, to the root and back; operations without a "
                "root go through rank 0. Darker means more; scales are linear.</p>")
        return head + "".join(self.parts) + "</body></html>\n"


def density_figures(tool, page):
    four = tool.entries("cg.A.4")
    page.figure("Figure 4: CG message density, 4 nodes", tool.map("cg.A.4", "CG, class A, 4 ranks: messages"),
                "Node 0 sends 416 messages to itself, 1265 to node 1, and one each to nodes 2 and 3.",
                f"Rank 0 sends {four[0, 0]} to itself, {four[0, 1]} to rank 1, {four[0, 2]} and {four[0, 3]} to ranks 2 and 3.")
    sixteen = tool.entries("cg.A.16")
    page.figure("Figure 5: CG message density, 16 nodes", tool.map("cg.A.16", "CG, class A, 16 ranks: messages"),
                "Most messages are exchanged among nodes 0 to 3, 4 to 7, 8 to 11 and 12 to 15.",
                f"{near_in_groups(sixteen, 4)} of {sum(sixteen.values()):,} messages stay in those groups of four.")
    for number, name, bench in ((6, "ft.A.16", "FT"), (7, "is.A.16", "IS")):
        entries = tool.entries(name)
        band = share(sum(n for (a, b), n in entries.items() if 0 in (a, b)), sum(entries.values()))
        page.figure(f"Figure {number}: {bench} message density", tool.map(name, f"{bench}, class A, 16 ranks: messages"),
                    "Collective operations almost exclusively, all of which originate and terminate at node 0: a band in row 0 and "
                    "column 0.",
                    f"{band} of {sum(entries.values()):,} messages are in row 0 and column 0."
                    + (" The rest are the messages by which a rank tells the next one its largest key." if bench == "IS" else "")
                    + " The paper does not say how it counts MPI_Alltoall, which both use; its figures have nothing off the bands, "
                    "so alltoall goes through rank 0 here too (--collectives pairs would fill the square).")
    for number, name in ((8, "mg.A.16"), (9, "mg.A.64")):
        entries = tool.entries(name)
        ranks = name.rsplit(".", 1)[1]
        note = "" if name in TRACES else " (Point-to-point from the recorded matrix, collectives from the numbers of calls.)"
        page.figure(f"Figure {number}: MG message density, {ranks} nodes", tool.map(name, f"MG, class A, {ranks} ranks: messages"),
                    "Groups of 4 as in CG, themselves grouped in clusters of 16; long diagonal bands from each cluster to nodes in the "
                    "next one.",
                    f"{near_in_groups(entries, 4)} of {sum(entries.values()):,} messages stay in groups of 4, "
                    f"{near_in_groups(entries, 16)} in clusters of 16.{note}")
    messages, size = tool.entries("bt.A.16"), tool.entries("bt.A.16", "bytes")
    sizes = {pair: size[pair] / messages[pair] for pair in messages if messages[pair] > 100}
    busy = f"{len(sizes)} pairs exchange nearly everything, {min(messages[p] for p in sizes):,} to {max(messages[p] for p in sizes):,} messages each"
    page.figure("Figure 10: BT message density, 16 nodes", tool.map("bt.A.16", "BT, class A, 16 ranks: messages"),
                "To be compared with Figure 11: the number of messages exchanged is the same, but the data flow is not.", busy + ".")
    page.figure("Figure 11: BT data density, 16 nodes", tool.map("bt.A.16", "BT, class A, 16 ranks: bytes", "bytes"),
                "The data density of the same run.",
                f"The same pairs, but their messages are {min(sizes.values()):,.0f} to {max(sizes.values()):,.0f} bytes long on average.")


def ratio_figure(tool, page):
    names = ("bt.A.16", "cg.A.16", "ft.A.16", "is.A.16", "mg.A.16", "sp.A.16")
    rows = []
    for bench in ("bt.A", "cg.A", "ep.S", "ft.A", "is.A", "lu.A", "mg.A", "sp.A"):
        row = [bench]
        for ranks in (4, 16, 64):
            calls = collections.Counter()
            for rank, call, count in tool.calls(f"{bench}.{ranks}"):
                kind = "messages" if call in ("send", "isend") else "collectives" if call in UP | DOWN else "other"
                calls[kind] += count if kind == "messages" or rank == 0 else 0
            row += [f"{calls['messages'] / ranks:,.1f}", calls["collectives"],
                    share(calls["collectives"], calls["messages"] / ranks + calls["collectives"])]
        rows.append(row)
    head = ["per rank", *(word.format(n) for n in (4, 16, 64) for word in ("messages ({})", "coll.", "share"))]
    page.figure("Figure 12: collectives and point-to-point",
                tool.picture("stats", *map(tool.archive, (*names, "lu.A.8")), "--figure", "ratio"),
                "On 64 nodes BT, CG, LU and SP use point-to-point almost exclusively, EP, FT and IS make heavy use of collectives, MG "
                "uses a few. Messages are divided by the number of nodes; a collective operation counts as one.",
                "The same. Whole traces are of 16 ranks (LU: 8); the table, from the numbers of calls, has 4, 16 and 64 ranks, and EP. "
                "The paper finds that the ratio does not depend on the size; here messages per rank grow with the ranks in BT, CG, LU "
                "and SP while collectives do not, so their share falls.",
                table(head, rows), "bars")


def collectives_figure(tool, page):
    counts = {ranks: collections.Counter({call: count for rank, call, count in tool.calls(f"ft.A.{ranks}") if rank == 0})
              for ranks in (4, 8, 16, 32, 64)}
    kinds = [call for call, _ in counts[4].most_common() if call in UP | DOWN]
    others = {name: {call: count for rank, call, count in tool.calls(name) if rank == 0 and call in UP | DOWN}
              for name in ("cg.A.16", "ep.S.16", "is.A.16")}
    said = "; ".join(f"{name}: " + ", ".join(f"{count} {call}" for call, count in sorted(kinds_of.items()))
                     for name, kinds_of in others.items())
    page.figure("Figure 13: collectives used by FT",
                tool.picture("stats", tool.archive("ft.A.16"), "--figure", "collectives"),
                "FT uses five of six kinds; MPI_Bcast is called more often on more nodes, the others a fixed number of times. CG has one "
                "reduce and one barrier; EP four allreduces and one barrier; IS two reduces and eleven each of allreduce, alltoall and "
                "alltoallv.",
                f"FT of NPB 3.3 uses four kinds, none of them more often on more ranks. The others as in the paper: {said}.",
                table(["FT, class A", *kinds], [[f"{ranks} ranks", *(counts[ranks][kind] for kind in kinds)] for ranks in counts]),
                "bars")


def elements(tool, name):
    """Point-to-point messages by the paper's buckets, but of numbers of elements: {bucket: messages}."""
    buckets = collections.Counter()
    for rank in range(int(name.rsplit(".", maxsplit=1)[1])):
        for count in re.findall(r"^MPI_I?send\(count=(\d+)", tool.run("print", "--flat", "--rank", rank, tool.archive(name)), re.M):
            buckets[next(b for b in range(13) if int(count) <= 16 << 2 * b or b == 12)] += 1
    return buckets


def sizes_figure(tool, page):
    nine, sixteen = elements(tool, "sp.A.9"), elements(tool, "sp.A.16")
    sizes = tool.statistics("sp.A.9", "sp.A.16")[1]["message_sizes"]
    in_bytes = sum(bucket["point_to_point_messages"] for bucket in sizes if bucket["up_to_bytes"] == 65536)
    totals = {ranks: sum(count for _, call, count in tool.calls(f"sp.A.{ranks}") if call in ("send", "isend"))
              for ranks in (4, 16, 64)}
    rows = [["paper, 4 nodes", "", "", "15,000", "5,000"], ["paper, 16 nodes", "", "58,000", "96,000", ""],
            ["paper, 64 nodes", "540,000", "540,000", "155,000", ""]]
    rows += [[f"{name}, elements", *(f"{buckets[b]:,}" if buckets[b] else "" for b in (3, 4, 5, 6))]
             for name, buckets in (("sp.A.9", nine), ("sp.A.16", sixteen))]
    page.figure("Figure 14: message sizes used by SP",
                tool.picture("stats", tool.archive("sp.A.9"), tool.archive("sp.A.16"), "--figure", "sizes", "--collectives", "paper"),
                "On 4 nodes about 5,000 messages up to 64 kB and 15,000 up to 16 kB; on 16 nodes 96,000 up to 16 kB and 58,000 up to 4 "
                "kB; on 64 nodes 155,000, 540,000 and 540,000 up to 16, 4 and 1 kB.",
                f"In bytes all of {in_bytes:,} point-to-point messages on 16 ranks are above 16 KiB and up to 64 KiB. Counted by the number "
                f"of their elements, doubles of 8 bytes, {sixteen[5]:,} are up to 16 Ki and {sixteen[4]:,} up to 4 Ki: the paper's numbers, so "
                f"its sizes seem to be numbers of elements. Traces of 4 and 64 ranks are not at hand; their numbers of messages are "
                f"{totals[4]:,} and {totals[64]:,}, where the paper's add up to 20,000 and 1,235,000.",
                table(["messages", "up to 1 Ki", "up to 4 Ki", "up to 16 Ki", "up to 64 Ki"], rows), "bars")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("RONDO_TEST_DATA"))
    parser.add_argument("--rondo", type=pathlib.Path, default=pathlib.Path("build/dev/bin/rondo"))
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("paper-figures.html"))
    options = parser.parse_args()
    if options.data is None:
        sys.exit("paper_figures.py: where are the recorded runs? Give --data or set RONDO_TEST_DATA")
    with tempfile.TemporaryDirectory() as folder:
        tool, page = Tool(options.rondo, pathlib.Path(options.data), pathlib.Path(folder)), Page()
        density_figures(tool, page)
        ratio_figure(tool, page)
        collectives_figure(tool, page)
        sizes_figure(tool, page)
        options.output.write_text(page.text(), encoding="utf-8")
    print(f"{options.output}: {options.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
