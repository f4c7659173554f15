#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every number of a page equals what the commands print with --json: figures, tables as they are copied, lines of the program, charts.
Pages of recorded examples, and of the recordings that RONDO_TEST_DATA says the place of."""
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import programs  # noqa: E402
import report_test  # noqa: E402
from support import ALL_CASES, BUILD, CommandTest, record, run  # noqa: E402

MODULES = BUILD / "report" / "web"
CHROMIUM = shutil.which("chromium")
NODE = shutil.which("node") or shutil.which("nodejs")
LIVE = pathlib.Path(os.environ.get("RONDO_TEST_DATA", "/nowhere")) / "live"
LATENCIES = "0.5us,1us,2us,5us,20us,100us"
BANDWIDTHS = "0.1GB/s,1GB/s,5GB/s,12.5GB/s,50GB/s"
COMMANDS = {
    "info": ["info"], "stats": ["stats"], "functions": ["stats", "--functions"], "sites": ["stats", "--sites"], "matrix": ["matrix"],
    "matrix_with_collectives": ["matrix", "--collectives", "pairs"], "topology": ["topology"], "patterns": ["patterns", "--communication"],
    "efficiency": ["efficiency"], "logical": ["logical"], "sweep": ["simulate", "--latency", LATENCIES, "--bandwidth", BANDWIDTHS],
}
MOST_LISTED = 200  # states and causes on a page
MOST_CALLS = 2000  # of a rank in a list


def answers(archive):
    said = {}
    for name, (command, *options) in COMMANDS.items():
        done = run(command, archive, *options, "--json")
        said[name] = json.loads(done.stdout) if done.returncode == 0 else None
    flat = run("print", archive, "--flat", "--rank", "0", "--json").stdout.splitlines()
    said["text"] = run("logical", archive, "--no-times").stdout
    said["calls"] = [json.loads(line) for line in flat[:MOST_CALLS + 1]]
    return said


def percent(share):
    value = 100 * share
    if 0 < value < 0.1:
        return "<0.1 %"
    if 99.95 <= value < 100:
        return ">99.9 %"
    return f"{value:.0f} %" if value >= 99.95 or value == 0 else f"{value:.1f} %"


def where(row):
    site = (row.get("site") or {}).get("text", "")
    return f" in {site}" if site else ""


def value_of(documents, path):
    """Of "efficiency.waits.seconds", or of a sum of two such."""
    if " + " in path:
        return sum(value_of(documents, part) for part in path.split(" + "))
    found = documents
    for word in path.split("."):
        found = found[int(word) if isinstance(found, list) else word]
    return found


def call_rows(table):
    total = table["total"]["inside_mpi_ns"]["sum"]
    for row in table["rows"]:
        inside = row["inside_mpi_ns"]
        share = 0 if row["is_start_or_end"] or total == 0 else inside["sum"] / total
        site = [row["site"]["text"] if row.get("site") else ""] if table["rows_are"] == "call sites" else []
        yield [row["function"], *site, row["calls"]["sum"], inside["sum"], share, inside["most"], row["bytes"]["sum"]]


def rank_rows(efficiency):
    waits = efficiency["waits"] or {}
    kinds = list(waits.get("by_rank_and_kind_seconds", {}).values())
    for row in efficiency["by_rank"]:
        waiting = waits["by_rank_seconds"][row["rank"]] if waits else 0
        by_kind = [kind[row["rank"]] for kind in kinds] if len(kinds) > 1 else []
        yield [row["rank"], row["useful_seconds"], waiting, max(0, row["inside_mpi_seconds"] - waiting), *by_kind]


def wait_rows(waits):
    causes = [[c["seconds"], c["seconds"] / (waits["seconds"] or 1), c["rank"],
               ("computing before " if c["what"] == "computation" else "in ") + c["function"] + where(c)] for c in waits["causes"][:MOST_LISTED]]
    states = [[s["kind"], s["seconds"], s["waits"], s["worst_rank"], s["function"] + where(s)] for s in waits["states"][:MOST_LISTED]]
    return {"causes": causes, "states": states}


def pair_rows(matrix):
    entries = sorted(matrix["entries"], key=lambda entry: (-entry["bytes"], entry["source"], entry["destination"]))
    return [[entry[key] for key in ("source", "destination", "messages", "bytes")] for entry in entries]


def place_rows(matrix, topology):
    """Of each rank: its place, with how many it talks, what it sends and receives."""
    entries = [entry for entry in matrix["entries"]]
    for rank in range(matrix["ranks"]):
        sent = [entry for entry in entries if entry["source"] == rank]
        received = [entry for entry in entries if entry["destination"] == rank]
        partners = ({entry["destination"] for entry in sent} | {entry["source"] for entry in received}) - {rank}
        place = [", ".join(map(str, topology["coordinates"][rank]))] if "coordinates" in topology else []
        yield [rank, *place, len(partners), sum(e["messages"] for e in sent), sum(e["messages"] for e in received), sum(e["bytes"] for e in sent)]


def measurement_rows(stats):
    against = stats["collectives_against_point_to_point"]
    messages, data = stats["message_density"], stats["data_density"]
    return [["pairs that talk", stats["pairs"]], ["messages", messages["total_messages"]],
            ["messages of a pair, mean", messages["messages_per_pair"]["mean"]], ["bytes", data["total_bytes"]],
            ["bytes of a pair, mean", data["bytes_per_pair"]["mean"]], ["one-sided messages", against["one_sided_messages"]],
            ["collective calls", against["collective_calls"]], ["bytes of collectives", against["collective_bytes"]]]


def size_rows(stats):
    keys = ["point_to_point_messages", "point_to_point_bytes", "collective_calls"]
    if stats["collectives_against_point_to_point"]["one_sided_messages"] > 0:
        keys[2:2] = ["one_sided_messages", "one_sided_bytes"]
    for b in stats["message_sizes"]:
        yield [b["up_to_bytes"] if b["up_to_bytes"] is not None else "Infinity", *(b[key] for key in keys)]


def pattern_rows(patterns):
    for pattern in patterns:
        known = (pattern.get("documented") or [{}])[0]
        name = known.get("what") or known.get("name") or "without a name"
        yield [pattern["number"], name, pattern["ranks"], pattern["executions"], pattern["messages"], pattern["bytes"], pattern["topology"]]


def tables_of(said):
    """What a page's tables should have, without heads."""
    stats, topology, efficiency = said["stats"], said["topology"], said["efficiency"]
    tables = {"functions": list(call_rows(said["functions"])), "sites": list(call_rows(said["sites"])), "pairs": pair_rows(said["matrix"])}
    tables["ranks"] = list(rank_rows(efficiency))
    tables["balanced"] = [[b["balanced_runtime_seconds"], b["instead_of_seconds"], b["won_share"], b["mean_seconds"], b["most_seconds"],
                           b["function"] + where(b)] for b in efficiency["if_balanced"]]
    if efficiency["waits"]:
        tables |= wait_rows(efficiency["waits"])
    tables["offsets"] = [[f"({','.join(map(str, o['offset']))})", o["pairs"], o["forward"]["bytes"] + o["backward"]["bytes"]]
                         for o in topology.get("offsets") or []]
    if said["matrix"]["entries"]: # else there is no topology to have parts of
        tables["parts"] = [[p["where"], p.get("topology") or "collectives only", p.get("messages", 0), p.get("bytes", 0)]
                           for p in topology.get("parts") or []]
        tables["places"] = list(place_rows(said["matrix"], topology))
    tables["measurements"] = measurement_rows(stats)
    tables["patterns"] = list(pattern_rows(said["patterns"]["patterns"]))
    tables["collectives"] = [[c["function"], c["calls"], c["bytes"]] for c in stats["collectives"]]
    tables["bins"] = list(size_rows(stats))
    if said["sweep"]:
        tables["sweep"] = [[p["network"]["latency_seconds"], float(f"{1 / p['network']['seconds_per_byte']:.6g}"), p["predicted_seconds"],
                            p["computing_seconds"], p["communicating_seconds"], p["waiting_seconds"]] for p in said["sweep"]["predictions"]]
    return {name: rows for name, rows in tables.items() if rows}


class Numbers(CommandTest):
    """All pages are opened by one browser, before the first test."""
    runs = None  # name -> (page, what the commands say)
    compared = None

    def setUp(self):
        super().setUp()
        if Numbers.runs is None:
            Numbers.runs = {}
            self.read()
        self.assertTrue(self.runs, "no page could be read: see the first test")

    def archives(self):
        stamped, _ = programs.record(BUILD / "examples" / "openmpi" / "halo2d", 6, times="full", archive=self.folder / "stamped.rondo")
        found = {"stamped": stamped, "mixed": record("mixed", 8), "collectives": record("collectives", 5), "alone": record("collectives", 1)}
        found["irregular"] = record("irregular", 9)  # something comes in some rounds only
        found["one_sided"] = programs.record(report_test.built(self.folder, "one_sided", report_test.ONE_SIDED), 5)[0]
        live = [LIVE / f"{name}.rondo" for name in ("mg.W.16", "lu.W.16.cut", *["sp.W.16"] * ALL_CASES)]
        return found | {archive.stem: archive for archive in live if archive.exists()}

    def read(self):
        archives = self.archives()
        pages = [self.page(name, archive) for name, archive in archives.items()]
        pages.append(self.page("two", record("ring", 4), record("ring", 7)))
        done = subprocess.run([NODE, HERE / "numbers.mjs", MODULES, CHROMIUM, *pages], capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        *found, Numbers.compared = json.loads(done.stdout)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            said = pool.map(answers, archives.values())
        Numbers.runs = {name: (page, mine) for name, page, mine in zip(archives, found, said)}

    def page(self, name, *archives):
        page = self.folder / f"{name}.html"
        self.assertEqual(run("report", *archives, "-o", page).returncode, 0)
        return page

    def equal_rows(self, copied, wanted, about):
        rows = list(csv.reader(copied.splitlines()))[1:]
        self.assertEqual(len(rows), len(wanted), about)
        for row, right in zip(rows, wanted):
            self.assertEqual(len(row), len(right), about)
            for cell, value in zip(row, right):
                if isinstance(value, str):
                    self.assertEqual(cell.removeprefix("'"), value, about)
                else:
                    self.assertAlmostEqual(float(cell), value, delta=1e-12 * abs(value), msg=f"{about}: {row} {right}")

    def test_figures(self):
        for name, (page, said) in self.runs.items():
            with self.subTest(run=name):
                self.assertGreater(len(page["figures"]), 10)
                documents = said | {"patterns": said["patterns"]["patterns"]}
                for of, value, _ in page["figures"]:
                    self.assertEqual(value, value_of(documents, of), of)

    def test_tables(self):
        for name, (page, said) in self.runs.items():
            wanted = tables_of(said)
            shown = {table: found["csv"] for table, found in page["tables"].items() if found["csv"] and table != "calls"}
            with self.subTest(run=name):
                self.assertEqual(sorted(shown), sorted(wanted))
            for table, rows in wanted.items():
                with self.subTest(run=name, table=table):
                    self.equal_rows(shown.get(table, ""), rows, f"{name}: {table}")

    def test_calls_in_view(self):
        for name, (page, said) in self.runs.items():
            rows = list(csv.reader(page["tables"]["calls"]["csv"].splitlines()))[1:]
            with self.subTest(run=name):
                first = int(rows[0][0])  # a view begins where the first rank leaves MPI_Init
                self.assertIn(first, (1, 2))
                calls = said["calls"][first - 1:]
                self.assertEqual(len(rows), min(MOST_CALLS, len(calls)))
                for row, call in zip(rows, calls):
                    self.assertEqual(row[1:3], [call["call"], call["site"]["text"] if call.get("site") else ""])
                    if name == "stamped":
                        self.assertAlmostEqual(int(row[4]), call["inside_ns"], delta=100 + 1e-4 * call["inside_ns"])  # by a clock for all

    def test_lists_say_what_they_leave_out(self):
        for name, (page, said) in self.runs.items():
            for key in ("causes", "states"):
                in_all = len((said["efficiency"]["waits"] or {}).get(key, []))
                if in_all > MOST_LISTED:
                    self.assertIn(f"the first {MOST_LISTED} of {in_all}", page["tables"][key]["caption"], name)

    def test_pairs_with_collectives_as_messages(self):
        for name, (page, said) in self.runs.items():
            with self.subTest(run=name):
                if said["matrix_with_collectives"]["entries"] == said["matrix"]["entries"]:
                    self.assertNotIn("with_collectives", page)
                else:
                    self.equal_rows(page["with_collectives"]["csv"], pair_rows(said["matrix_with_collectives"]), name)

    def test_lines_of_the_program_have_all_calls(self):
        for name, (page, said) in self.runs.items():
            with self.subTest(run=name):
                calls = collections.Counter()
                for what, count in said["logical"]["local_calls"].items():
                    calls[what.removesuffix(" that found nothing")] += count
                for line, remark in zip(page["lines"], page["remarks"]):
                    call, executions = line.split()
                    calls[call] += int(executions)
                    number = int(re.match(r"# ([\d\u202f]+) calls?", remark)[1].replace("\u202f", ""))
                    self.assertEqual(number, int(executions))
                self.assertEqual(calls, {row["function"].lower().removeprefix("mpi_"): row["calls"]["sum"] for row in said["functions"]["rows"]})

    def test_heads_of_the_program_are_those_of_the_text(self):
        for name, (page, said) in self.runs.items():
            with self.subTest(run=name):
                lines = {line.strip() for line in said["text"].splitlines()}
                # A page has what a procedure does where it is called, too.
                self.assertEqual({head for head in page["heads"] if not head.startswith("call ")}, {line for line in lines if line.endswith(":")})

    def test_patterns_are_drawn_with_all_their_messages(self):
        for name, (page, said) in self.runs.items():
            patterns = said["patterns"]["patterns"]
            self.assertEqual(len(page["cards"]), len(patterns), name)
            for card, pattern in zip(page["cards"], patterns):
                if card["heads"] > 0:
                    self.assertEqual(card["heads"], len(pattern["links"]), name)

    def test_networks(self):
        for name, (page, said) in self.runs.items():
            with self.subTest(run=name):
                predictions = said["sweep"]["predictions"] if said["sweep"] else []
                cells = iter(page["cells"])
                at = {(l, b): next(cells) for l in page["latencies"] for b in page["bandwidths"]}
                self.assertEqual(len(at), len(predictions))
                for p in predictions:
                    network = p["network"]
                    self.assertEqual(at[network["latency_seconds"], float(f"{1 / network['seconds_per_byte']:.6g}")], p["predicted_seconds"])

    def test_sentences(self):
        for name, (page, said) in self.runs.items():
            with self.subTest(run=name):
                topology, efficiency = said["topology"], said["efficiency"]
                if topology["recognized"] and said["matrix"]["entries"]:
                    self.assertIn(f"explains {percent(topology['bytes_explained'])} of the bytes", page["sentences"][0])
                mpi = 1 - efficiency["parallel_efficiency"]
                self.assertIn("All of" if mpi < 0.0005 else percent(mpi), page["sentences"][1])

    def test_runs_side_by_side(self):
        archives = [record("ring", 4), record("ring", 7)]
        said = [answers(archive) for archive in archives]
        scaling = json.loads(run("efficiency", *archives, "--json").stdout)["runs"]
        compared = [(of.split(" ", 1), value) for of, value, _ in self.compared["figures"] if re.match(r"\d ", of)]
        self.assertEqual(len(compared), 2 * 13)
        for (index, of), value in compared:
            document = said[int(index)] | {"scaling": scaling[int(index)]}
            self.assertEqual(value, value_of(document, of), of)


if __name__ == "__main__":
    if not (CHROMIUM and NODE and (MODULES / "node_modules" / "playwright-core").exists()):
        print("skipped: needs chromium, and a build with rondo report")
        sys.exit(77)
    unittest.main()
