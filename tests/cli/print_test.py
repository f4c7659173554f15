#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo print, info and topology: what they say of small programs, and how they refuse."""
import json
import re
import unittest

from support import CommandTest, record


def arguments(text, names):
    """What stands in brackets behind a call, by the names of the procedure's parameters."""
    found = {}
    for name, following in zip(names, [*names[1:], None]):
        end = text.index(f", {following}=") if following else len(text)
        found[name] = text[len(name) + 1:end]
        text = text[end + 2:]
    return found


def with_values(line, values):
    def value(match):
        name, sign, more = match[1], match[2], match[3]
        if not sign:
            return values[name]
        if values[name].isdigit():
            return str(int(values[name]) + int(sign + more))
        return values[name] + sign + more
    return re.sub(r"\$([a-z_0-9]+)(?:([+-])(\d+))?", value, line)


def inlined(text):
    """What rondo print --no-times says, with the bodies of its procedures in the place of their calls."""
    procedures, result, body = {}, [], None
    for line in text.splitlines():
        head = re.fullmatch(r"procedure ([^ (]+)(?:\((.*)\))?:", line)
        if head:
            names, body = procedures.setdefault(head[1], (head[2].split(", ") if head[2] else [], []))
        elif body is not None and line.startswith("  "):
            body.append(line[2:])
        else:
            body = None if not line.startswith(" ") else body
            result.append(line)

    def expand(lines, indent, values):
        for line in lines:
            line = indent + with_values(line, values)
            call = re.fullmatch(r"( *)call ([^ (]+)(?:\((.*)\))?", line)
            if call:
                names, inner = procedures[call[2]]
                yield from expand(inner, call[1], arguments(call[3] or "", names))
            else:
                yield line
    return [line for one in result for line in expand([one], "", {})]


class Print(CommandTest):
    def test_procedures_stand_for_what_they_say(self):
        for example, ranks in (("mixed", 16), ("multipartition", 16), ("vcycle", 16), ("vcycle", 8), ("wavefront", 6), ("transpose", 16)):
            with self.subTest(example=example, ranks=ranks):
                archive = record(example, ranks)
                for words in ([], ["--rank", "1"], ["--sites", "--all"]):
                    short = self.rondo("print", archive, "--no-times", *words).stdout
                    whole = self.rondo("print", archive, "--no-times", "--inline", *words).stdout
                    self.assertEqual(inlined(short), whole.splitlines())
                    self.assertLessEqual(len(short.splitlines()), len(whole.splitlines()))

    def test_loops_and_relative_peers(self):
        text = self.rondo("print", record("persistent", 4), "--no-times").stdout
        self.assertIn("loop 10:", text)
        self.assertIn("MPI_Startall(array_of_requests=[p0 ", text)
        self.assertIn("dest=(rank+1)%size", text)

    def test_flat_agrees_with_the_number_of_calls(self):
        archive = record("halo2d", 4)
        calls = json.loads(self.rondo("info", archive, "--json").stdout)["calls"]
        lines = sum(len(self.rondo("print", archive, "--flat", "--rank", rank).stdout.splitlines()) for rank in range(4))
        self.assertEqual(lines, calls)

    def test_only_some_calls(self):
        lines = self.rondo("print", record("ring"), "--calls", "MPI_Init,MPI_Finalize", "--rank", "2").stdout
        self.assertEqual(lines, "MPI_Init()\nMPI_Finalize()\n")

    def test_json(self):
        program = json.loads(self.rondo("print", record("ring"), "--json").stdout)
        self.assertEqual(program["ranks"], 4)
        self.assertEqual(sorted(rank for c in program["classes"] for rank in c["ranks"]), [0, 1, 2, 3])

    def test_json_has_functions_and_times(self):
        def calls(terms):
            for term in terms:
                yield from calls(term["body"]) if "body" in term else [term]
        archive = record("ring")
        found = json.loads(self.rondo("print", archive, "--json").stdout)
        count = 0
        for term in calls(found["programs"][0]["program"]):
            self.assertTrue(term["call"].startswith(term["function"] + "("))
            self.assertLessEqual(term["times"]["min_ns"], term["times"]["mean_ns"])
            self.assertLessEqual(term["times"]["mean_ns"], term["times"]["max_ns"])
            count += term["times"]["count"]
        self.assertEqual(count, json.loads(self.rondo("info", archive, "--json").stdout)["calls"])

    def test_refusals(self):
        archive = record("ring")
        self.refuses("print", archive, "--rank", "4", saying=["has no rank 4", "0 to 3"])
        self.refuses("print", archive, "--calls", "MPI_Foo", saying="'MPI_Foo'")
        self.refuses("print", "missing.rondo", saying=["missing.rondo", "cannot open"])
        self.refuses("info", self.file("text.rondo", "hello"), saying=["text.rondo", "is no .rondo archive"])
        bytes_ = archive.read_bytes()
        self.refuses("info", self.file("cut.rondo", bytes_[:-10]), saying=["cut.rondo", "cut short", "byte"])
        damaged = bytearray(bytes_)
        damaged[-10] ^= 1
        self.refuses("info", self.file("damaged.rondo", bytes(damaged)), saying=["damaged.rondo", "checksum"])
        newer = bytearray(bytes_)
        newer[8] = 99
        self.refuses("info", self.file("newer.rondo", bytes(newer)), saying=["format version 99", "newer Rondo"])
        self.refuses("nosuchcommand", saying="rondo help")

    def test_files_that_are_no_traces_are_refused_by_what_their_names_promise(self):
        for name, what in (("a.otf2", "an OTF2 archive"), ("a.prv", "a Paraver trace"), ("a.goal", "a GOAL schedule"),
                           ("a.0.et", "a Chakra trace"), ("a.meta", "a DUMPI trace"), ("a.ti", "a time-independent trace of SimGrid")):
            junk = self.file(name, "hello")
            for command in "info", "stats", "matrix", "logical":
                self.refuses(command, junk, saying=f"{name}: is named as {what}, but does not begin as one")
            self.refuses("info", self.file("empty" + name, ""), saying=f"is named as {what}, but is empty")
        self.refuses("info", self.file("a.pftrace", "hello"), saying="a timeline for Perfetto, which Rondo writes but does not read")
        (self.folder / "folder").mkdir()
        self.refuses("info", "folder", saying="folder: is a folder without a trace: ")
        self.refuses("matrix", self.file("damaged.rondo", "hello"), saying="damaged.rondo: is no .rondo archive; record one")


class Topology(CommandTest):
    def name(self, *arguments):
        return json.loads(self.rondo("topology", *arguments, "--json").stdout)["topology"]

    def test_examples(self):
        for example, ranks, name in (("halo2d", 9, "3x3 grid"), ("halo2d", 4, "2x2 grid"), ("butterfly", 8, "hypercube of 3 dimensions"),
                                     ("workers", 6, "star of 6 ranks"), ("persistent", 6, "ring of 6 ranks"),
                                     ("multipartition", 16, "4x4 6-point stencil"), ("wavefront", 6, "3x2 grid"),
                                     ("vcycle", 16, "hypercube of 4 dimensions"), ("transpose", 16, "CG pattern")):
            with self.subTest(example=example, ranks=ranks):
                self.assertEqual(self.name(record(example, ranks)), name)

    def test_parts_of_a_program(self):
        archive = record("mixed", 16)
        parts = json.loads(self.rondo("topology", archive, "--json").stdout)["parts"]
        self.assertEqual([part["topology"] for part in parts],
                         ["4x4 torus", "binomial tree of 16 ranks", "star of 16 ranks"])  # what carries most first
        self.assertEqual([part["messages"] for part in parts], [10 * 5 * 64, 10 * 15, 30])
        self.assertEqual(parts[1]["direction"], "towards rank 0")
        self.assertEqual(parts[0]["coordinates"][7], [1, 3])
        table = self.rondo("topology", archive).stdout
        self.assertIn("loop 10 / loop 5: MPI_Isend in step", table)
        by_comm = json.loads(self.rondo("topology", archive, "--by", "communicator", "--json").stdout)["parts"]
        self.assertEqual([part["where"] for part in by_comm], ["MPI_COMM_WORLD", "cart#1: communicator of 16 ranks"])
        self.assertEqual(by_comm[0]["collective_calls"], 160)

    def test_sweeps(self):
        parts = json.loads(self.rondo("topology", record("wavefront", 6), "--json").stdout)["parts"]
        self.assertEqual([sweep["direction"] for sweep in parts[0]["sweeps"]],
                         ["wavefront from rank 0", "wavefront from rank 5"])

    def test_collectives_only(self):
        output = self.rondo("topology", record("rowscols", 6)).stdout
        self.assertIn("no point-to-point messages", output)
        self.assertIn("3x2 process grid: split#1 and dup#1 join the ranks of each row, split#2 those of each column", output)

    def test_matrix_with_shuffled_ranks(self):
        ring = [3, 0, 5, 1, 4, 2]
        rows = "".join(f"{a},{b},1,8\n" for a, b in zip(ring, ring[1:] + ring[:1]))
        matrix = self.file("ring.csv", "src,dst,messages,bytes\n" + rows)
        self.assertEqual(self.name(matrix), "ring of 6 ranks")
        self.assertEqual(len(json.loads(self.rondo("topology", matrix, "--json").stdout)["coordinates"]), 6)

    def test_irregular(self):
        rows = "0,1,1,8\n1,2,1,8\n2,3,1,8\n3,4,1,8\n4,0,1,8\n0,2,1,8\n1,5,1,8\n5,2,1,8\n"
        matrix = self.file("odd.csv", "src,dst,messages,bytes\n" + rows)
        self.assertIn("irregular", self.rondo("topology", matrix).stdout)
        self.rondo("topology", matrix, "--require", status=1)

    def test_refusals(self):
        bad = self.file("bad.csv", "src,dst,messages,bytes\n0,1,2,3\n1,x,3,4\n")
        self.refuses("topology", bad, saying=["bad.csv:3", "1,x,3,4"])
        self.refuses("topology", record("ring"), "--filter", "7", saying="'7' is no share")


if __name__ == "__main__":
    unittest.main()
