#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo matrix: every output, every refusal, and the matrix itself against counting call by call."""
import json
import re
import struct
import unittest

import flat_calls
import programs
from support import CommandTest, record

CSV = "src,dst,messages,bytes\n0,1,10,1000\n1,2,10,1000\n2,0,1,10\n"


class MatrixOfATrace(CommandTest):
    def test_agrees_with_counting_call_by_call(self):
        for example, ranks in [("ring", 3), ("halo2d", 6), ("butterfly", 4), ("workers", 5), ("persistent", 4), ("irregular", 6),
                               ("halo3d", 4), ("transpose", 4), ("multipartition", 4), ("vcycle", 4), ("wavefront", 6),
                               ("rowscols", 4)]:
            with self.subTest(example=example):
                archive = record(example, ranks)
                done = self.rondo("matrix", archive, "-o", "-")
                self.assertEqual(done.stdout.splitlines(), flat_calls.matrix_of(archive, ranks))
                self.assertEqual(done.stderr, "")

    def test_prints_a_map_and_totals(self):
        done = self.rondo("matrix", record("ring"))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^all .* that the run handed to MPI: point-to-point messages$")
        self.assertIn("bytes from row to column, 4 ranks", lines[1:3])
        self.assertRegex(lines[-1], r"^4 of 16 pairs talk: \d+ messages, ")
        self.assertNotIn("\x1b", done.stdout)

    def test_says_when_nobody_sends(self):
        done = self.rondo("matrix", record("collectives"))
        self.assertTrue(done.stdout.endswith("\nno messages\n"), done.stdout)

    def test_collectives_are_messages_if_asked_for(self):
        archive = record("collectives")
        self.assertEqual(self.rondo("matrix", archive, "-o", "-").stdout.count("\n"), 2)

        def entries(how, call):
            lines = self.rondo("matrix", archive, "--collectives", how, "--calls", call, "-o", "-").stdout.splitlines()[2:]
            return {(int(source), int(destination)): int(messages) for source, destination, messages, _ in
                    (line.split(",") for line in lines)}
        barriers, alltoalls = flat_calls.collective_calls(archive, 4)["MPI_Barrier"] // 4, entries("pairs", "MPI_Alltoall")
        self.assertEqual(entries("paper", "MPI_Barrier"), {pair: barriers for rank in (1, 2, 3) for pair in ((0, rank), (rank, 0))})
        self.assertEqual(set(alltoalls), {(a, b) for a in range(4) for b in range(4) if a != b})
        self.assertEqual(len(set(alltoalls.values())), 1)
        self.file("m.csv", CSV)
        self.refuses("matrix", "m.csv", "--collectives", "paper", saying="m.csv: a matrix file does not say which call")

    def test_files_are_a_layer(self):
        archive, _ = programs.record(programs.build(self.folder, "shared_file.c"), 3)
        table = ["files: 80 B read, 24 kB written",
                 "  ranks                      read a rank  written a rank  file",
                 "  0                                 80 B          8.0 kB  shared.dat",
                 "  1-2                                  -          8.0 kB  shared.dat"]
        lines = self.rondo("matrix", archive).stdout.splitlines()
        self.assertEqual(lines[-4:], table)
        self.assertIn("not counted: 24 kB to and from files, 99.9 % of messages, collectives and files together; "
                      "rondo matrix --layers files says who", lines[1])
        self.assertEqual(self.rondo("matrix", archive, "--layers", "files").stdout.splitlines(), table)
        self.assertNotIn("shared.dat", self.rondo("matrix", archive, "--layers", "point-to-point").stdout)
        self.assertEqual(self.rondo("matrix", archive, "--layers", "files", "-o", "-").stdout.splitlines(),
                         ["file,rank,direction,kind,calls,bytes", "shared.dat,0,read,independent,1,80"]
                         + [f"shared.dat,{rank},write,collective,1,8000" for rank in range(3)])
        files = json.loads(self.rondo("stats", archive, "--json").stdout)["files"]
        for options in [], ["--layers", "files"]:
            self.assertEqual(json.loads(self.rondo("matrix", archive, "--json", *options).stdout)["files"], files)
        self.refuses("matrix", archive, "--layers", "files", "-o", "a.svg", saying="a.svg: files and other processes are written as .csv or .json")
        self.refuses("matrix", archive, "--layers", "files", "--calls", "MPI_Send", saying="choose among messages")
        for command in ["topology"], ["patterns"], ["patterns", "--communication"]:
            self.assertIn("24 kB to and from files, 99.9 %", self.rondo(*command, archive).stdout)

    def test_messages_to_spawned_processes_are_said_first(self):
        archive, _ = programs.record(programs.build(self.folder, "parent.c"), 2)
        for command in "matrix", "topology":
            lines = self.rondo(command, archive).stdout.splitlines()
            self.assertIn("0 B of the 4.0 kB that the run handed to MPI (0 %)", lines[0])
            self.assertRegex(lines[1], r"^not counted:? +spawned \(comm spawn#1\): 1 message \(4\.0 kB\) from rank 0 to process 0 of 2")
        for command in ["patterns"], ["patterns", "--communication"]:
            self.assertIn("spawned (comm spawn#1): 1 message (4.0 kB)", self.rondo(*command, archive).stdout)
        self.assertIn("send spawned 0 ", self.rondo("logical", archive).stdout)
        self.assertIn("recv parent 0 ", self.rondo("logical", archive.with_name(archive.stem + ".spawned.rondo")).stdout)

    def test_processes_that_were_merged_with_keep_their_numbers(self):
        archive, _ = programs.record(programs.build(self.folder, "merges.c"), 2)
        children = archive.with_name(archive.stem + ".spawned.rondo")
        for end, words in (archive, "spawned (comm intercomm_merge#1): 1 message (800 B) from rank 1 to process 0 of 3 processes"), \
                          (children, "parents (comm intercomm_merge#1): 1 message (800 B) from rank 2 to process 0 of 2 processes"):
            self.assertIn(words, self.rondo("stats", end).stdout)

    def test_neighbourhood_collectives_stand_with_point_to_point_messages(self):
        archive = record("neighbors")
        said = "messages of neighbourhood collectives among them"
        self.assertIn(said, self.rondo("matrix", archive).stdout.splitlines()[0])
        self.assertIn(said, self.rondo("topology", archive).stdout.splitlines()[0])
        for options in (["--collectives", "none"], ["--layers", "one-sided"]):
            done = self.rondo("matrix", archive, *options)
            self.assertNotIn(said, done.stdout)
            self.assertIn("neighbor", done.stdout.splitlines()[1].lower())
        left_out = {how: json.loads(self.rondo("topology", archive, "--json", "--collectives", how).stdout)["traffic"]
                    ["collective_bytes_not_counted"] for how in ("none", "neighbors", "pairs")}
        self.assertGreater(left_out["none"], left_out["neighbors"])
        self.assertEqual(left_out["pairs"], 0)

    def test_counting_collectives_does_not_hide_what_is_left_out(self):
        archive, _ = programs.record(programs.build(self.folder, "spawns.c"), 2)
        written, _ = programs.record(programs.build(self.folder, "shared_file.c"), 3)
        for command in "matrix", "topology":
            for options in [], ["--collectives", "pairs"]:
                first, second = self.rondo(command, archive, *options).stdout.splitlines()[:2]
                self.assertIn("messages of collectives among them" if options else "of the 4 B that the run handed", first)
                self.assertIn("spawned (comm spawn#1): 2 collective calls (4 B) with 1 process" if options
                              else "--collectives pairs adds them as far as they stay among the ranks", second)
            first, second = self.rondo(command, written, "--collectives", "pairs").stdout.splitlines()[:2]
            self.assertIn("all 4 B that the run handed to MPI", first)  # it has no collectives
            self.assertIn("24 kB to and from files", second)

    def test_spawned_processes_are_a_layer(self):
        archive, _ = programs.record(programs.build(self.folder, "parent.c"), 2)
        children = archive.with_name(archive.stem + ".spawned.rondo")
        for end, layer, comm, processes, size in (archive, "spawned", "spawn#1", 2, 4000), (children, "parents", "parent#1", 2, 40):
            line = f"{layer},{comm},0,0,1,{size}"
            self.assertEqual(self.rondo("matrix", end, "--layers", "spawned", "-o", "-").stdout.splitlines(),
                             ["layer,comm,rank,process,messages,bytes", line])
            others = json.loads(self.rondo("stats", end, "--json").stdout)["other_processes"]
            self.assertEqual((others[0]["layer"], others[0]["processes"], others[0]["bytes"]), (layer, processes, size))
            for options in [], ["--layers", "spawned"]:
                self.assertEqual(json.loads(self.rondo("matrix", end, "--json", *options).stdout)["other_processes"], others)
            for command in "matrix", "stats":
                self.assertIn(f"{layer} (comm {comm}): 1 message (", self.rondo(command, end).stdout)
        self.assertEqual(self.rondo("matrix", record("ring"), "--layers", "spawned").stdout, "no processes outside MPI_COMM_WORLD\n")
        self.refuses("matrix", archive, "--layers", "spawned,files", "-o", "a.csv", saying="choose --layers files or spawned")

    def test_pictures_may_be_grey(self):
        archive = record("ring")
        self.rondo("matrix", archive, "-o", "grey.svg", "--grey")
        svg = (self.folder / "grey.svg").read_text()
        colours = set(re.findall(r"rgb\(([^)]*)\)", svg))
        self.assertGreater(len(colours), 3)
        for colour in colours:
            self.assertEqual(len(set(colour.split(","))), 1, colour)

    def test_bytes_per_second_use_the_length_of_the_run(self):
        self.rondo("matrix", record("ring"), "--quantity", "bytes/s", "-o", "ring.csv")
        self.assertIn("bytes_per_second", (self.folder / "ring.csv").read_text())

    def test_chosen_calls_are_counted_alone(self):
        all_lines = self.rondo("matrix", record("ring"), "-o", "-").stdout
        self.assertIn("0,1,", all_lines)
        sends = {name for name, arguments in flat_calls.calls_of(record("ring"), 0) if "dest" in arguments}
        self.assertEqual(self.rondo("matrix", record("ring"), "--calls", ",".join(sorted(sends)), "-o", "-").stdout, all_lines)
        others = self.rondo("matrix", "--calls", "MPI_Rsend,MPI_Bsend", record("ring"), "-o", "-").stdout
        self.assertEqual(others, "# ranks=4\nsrc,dst,messages,bytes\n")

    def test_chosen_communicators_are_counted_alone(self):
        archive = record("halo2d", 6)
        on_any = self.rondo("matrix", archive, "-o", "-").stdout
        by_comm = [self.rondo("matrix", archive, "-o", "-", "--comm", comm).stdout for comm in ("MPI_COMM_WORLD", "cart#1")]
        self.assertEqual(sorted(by_comm, key=len)[1], on_any)

    def test_refuses_calls_and_communicators_that_are_not_there(self):
        ring = record("ring")
        self.refuses("matrix", ring, "--calls", "MPI_Bcast", saying=[str(ring), "MPI_Bcast sends no messages that are counted here"])
        self.refuses("matrix", ring, "--calls", "Isend", saying="Isend is no MPI function that Rondo knows")
        self.refuses("matrix", ring, "--comm", "split#9", saying="has no communicator 'split#9'; it has MPI_COMM_WORLD")


class MatrixOfAFile(CommandTest):
    def setUp(self):
        super().setUp()
        self.file("m.csv", CSV)

    def test_writes_every_format(self):
        for name, head in [("a.csv", b"# ranks=3\nsrc,dst"), ("a.mtx", b"%%MatrixMarket matrix coordinate"), ("a.npy", b"\x93NUMPY"),
                           ("a.json", b"{"), ("a.svg", b"<?xml"), ("a.png", b"\x89PNG")]:
            with self.subTest(name=name):
                done = self.rondo("matrix", "m.csv", "-o", name)
                self.assertEqual(done.stdout + done.stderr, "")
                self.assertTrue((self.folder / name).read_bytes().startswith(head))

    def test_numpy_holds_the_chosen_quantity(self):
        self.rondo("matrix", "m.csv", "-o", "a.npy", "--quantity", "messages")
        raw = (self.folder / "a.npy").read_bytes()
        self.assertEqual(struct.unpack("<9Q", raw[-72:]), (0, 10, 0, 0, 0, 10, 1, 0, 0))

    def test_json_goes_to_stdout_or_into_the_file(self):
        self.assertEqual(json.loads(self.rondo("matrix", "m.csv", "--json").stdout),
                         {"schema": 1, "ranks": 3, "entries": [
                             {"source": 0, "destination": 1, "messages": 10, "bytes": 1000},
                             {"source": 1, "destination": 2, "messages": 10, "bytes": 1000},
                             {"source": 2, "destination": 0, "messages": 1, "bytes": 10}]})
        self.rondo("matrix", "m.csv", "--json", "-o", "out")
        self.assertEqual(json.loads((self.folder / "out").read_text())["ranks"], 3)

    def test_filter_leaves_out_the_light_pairs_and_says_so(self):
        done = self.rondo("matrix", "m.csv", "--filter", "5%")
        self.assertTrue(done.stdout.endswith("2 of 9 pairs talk: 20 messages, 2.0 kB\n"
                                             "left out: 1 pair below 5 % of the heaviest, 1 message, 10 B\n"), done.stdout)
        self.assertEqual(self.rondo("matrix", "m.csv", "--filter", "0.05", "-o", "-").stdout,
                         "# ranks=3\nsrc,dst,messages,bytes\n0,1,10,1000\n1,2,10,1000\n")

    def test_reads_standard_input(self):
        self.assertEqual(self.rondo("matrix", "-", "-o", "-", stdin=CSV).stdout, "# ranks=3\n" + CSV)

    def test_round_trips_through_matrix_market(self):
        self.rondo("matrix", "m.csv", "-o", "m.mtx")
        again = self.rondo("matrix", "m.mtx", "-o", "-").stdout
        self.assertEqual(again, "# ranks=3\nsrc,dst,messages,bytes\n0,1,1,1000\n1,2,1,1000\n2,0,1,10\n")

    def test_keeps_an_existing_output_unless_forced(self):
        self.file("out.csv", "precious")
        self.refuses("matrix", "m.csv", "-o", "out.csv", saying=["out.csv: exists already", "--force"])
        self.assertEqual((self.folder / "out.csv").read_text(), "precious")
        self.rondo("matrix", "m.csv", "-o", "out.csv", "--force")
        self.assertEqual((self.folder / "out.csv").read_text(), "# ranks=3\n" + CSV)

    def test_refuses_bad_input(self):
        self.file("bad.csv", "src,dst,messages,bytes\n0,1,2,3\n0,one,2,3\n")
        self.file("junk.mtx", "hello\n")
        self.file("text.txt", "hello, I am no archive at all\n")
        self.refuses("matrix", "none.rondo", saying="none.rondo: cannot open: No such file")
        self.refuses("matrix", "none.csv", saying="none.csv: cannot open: No such file")
        self.refuses("matrix", "bad.csv", saying="bad.csv:3: ")
        self.refuses("matrix", "junk.mtx", saying="junk.mtx:1: ")
        self.refuses("matrix", "text.txt", saying=["text.txt: is no .rondo archive", ".csv"])
        self.refuses("matrix", "m.csv", "-o", "out.bmp", saying=["out.bmp: unknown extension", ".png"])
        self.refuses("matrix", "m.csv", "-o", "nowhere/out.csv", saying="nowhere/out.csv: cannot create: No such file")
        self.refuses("matrix", "m.csv", "-o", "/dev/full", "--json", saying="/dev/full: cannot write: No space left")

    def test_refuses_bad_options(self):
        for bad in ("5", "-1%", "101%", "five", "nan", "%"):
            with self.subTest(filter=bad):
                self.refuses("matrix", "m.csv", f"--filter={bad}", saying=f"'{bad}' is no share; write it as 5% or 0.05")
        self.refuses("matrix", "m.csv", "--quantity", "bits", saying=["bits", "bytes/s"])
        self.refuses("matrix", "m.csv", "--quantity", "bytes/s", saying=["m.csv", "how long the run took"])
        self.refuses("matrix", "m.csv", "--calls", "MPI_Send", saying="m.csv: a matrix file does not say which call")

    def test_damaged_archives_are_refused(self):
        good = record("ring").read_bytes()
        self.file("cut.rondo", good[: len(good) // 2])
        middle = len(good) // 2
        self.file("changed.rondo", good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1:])
        self.file("empty.rondo", b"")
        self.refuses("matrix", "cut.rondo", saying="cut.rondo: ")
        self.refuses("matrix", "changed.rondo", saying="changed.rondo: ")
        self.refuses("matrix", "empty.rondo", saying="empty.rondo: ")

    def test_bad_usage_is_status_2(self):
        self.assertIn("file is required", self.rondo("matrix", status=2).stderr)
        self.assertIn("--sepia", self.rondo("matrix", "m.csv", "--sepia", status=2).stderr)

    def test_help_is_complete(self):
        text = self.rondo("matrix", "--help").stdout
        for option in ("--output", "--quantity", "--filter", "--calls", "--comm", "--scale", "--title", "--json", "--force",
                       "Examples:"):
            self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
