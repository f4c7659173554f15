#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`rondo convert` as a user meets it: formats by content and extension, exit statuses, files kept.

usage: command_test.py RONDO"""
import gzip
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

RONDO = pathlib.Path(sys.argv.pop(1)).resolve()
RING = "{0} init\n{0} compute 2000\n{0} send {1} 7 5 0\n{0} recv {2} 7 5 0\n{0} finalize\n"


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = pathlib.Path(self.folder.name)
        (self.place / "ring").mkdir()
        for rank in range(4):
            text = RING.format(rank, (rank + 1) % 4, (rank - 1) % 4)
            (self.place / "ring" / f"{rank}.txt").write_text(text, encoding="ascii")

    def convert(self, *arguments, status=0):
        done = subprocess.run([RONDO, "convert", *arguments], cwd=self.place, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout if status == 2 else "", "")
        return done.stderr

    def path(self, name):
        return self.place / name

    def test_formats_follow_from_contents_and_extension(self):
        self.assertEqual(self.convert("ring", "ring.rondo"), "")
        self.convert("ring.rondo", "ring.csv")
        self.convert("ring", "direct.csv")
        rows = [row for row in self.path("ring.csv").read_text().splitlines() if row[0].isdigit()]
        self.assertEqual(rows, ["0,1,1,40", "1,2,1,40", "2,3,1,40", "3,0,1,40"])
        self.assertEqual(self.path("ring.csv").read_bytes(), self.path("direct.csv").read_bytes())

    def test_json_of_archive_and_folder_are_equal(self):
        self.convert("ring", "ring.rondo")
        self.convert("ring.rondo", "a.json")
        self.convert("ring", "b.json")
        self.assertEqual(self.path("a.json").read_bytes(), self.path("b.json").read_bytes())
        self.assertEqual(json.loads(self.path("a.json").read_text())["run"]["command"], "ring")

    def test_a_name_does_not_hide_the_contents(self):
        self.convert("ring", "ring.rondo")
        self.path("ring.rondo").rename(self.path("ring.txt"))
        self.convert("ring.txt", "ring.json")

    def test_times_are_kept_or_not(self):
        def times(name):
            return json.loads(self.path(name).read_text())["classes"][0]["times"]

        self.convert("ring", "slow.json", "--flops-per-second", "1e6")
        self.assertEqual(times("slow.json")[1]["computation"]["sum_ns"], 4 * 2_000_000)
        self.convert("ring", "none.json", "--times", "none")
        self.assertEqual(times("none.json"), [])
        self.convert("ring", "ring.rondo")
        self.convert("ring.rondo", "dropped.json", "--times", "none")
        self.assertEqual(times("dropped.json"), [])

    def test_times_of_every_call(self):
        self.convert("ring", "full.rondo", "--times", "full", "--flops-per-second", "1e6")
        lines = self.flat("full.rondo")
        self.assertEqual([(line["start_ns"], line["computation_ns"]) for line in lines if line["rank"] == 2],
                         [(0, 0), (2_000_000, 2_000_000), (2_000_000, 0), (2_000_000, 0)])
        for times in ("full", "histogram", "none"):
            self.convert("full.rondo", f"{times}.2.rondo", "--times", times)
        self.assertEqual(self.flat("full.2.rondo"), lines)
        self.assertEqual([line["text"] for line in self.flat("none.2.rondo")], [line["text"] for line in lines])
        self.assertNotIn("start_ns", self.flat("histogram.2.rondo")[0])
        self.convert("histogram.2.rondo", "histogram.json")
        self.assertNotEqual(json.loads(self.path("histogram.json").read_text())["classes"][0]["times"], [])

    def test_times_that_are_not_there_cannot_be_had(self):
        self.convert("ring", "histogram.rondo")
        self.convert("ring", "none.rondo", "--times", "none")
        error = self.convert("histogram.rondo", "a.rondo", "--times", "full", status=2)
        self.assertRegex(error, r"^rondo: histogram\.rondo: has no times of every call; .*--times full\n$")
        error = self.convert("none.rondo", "a.rondo", "--times", "histogram", status=2)
        self.assertRegex(error, r"^rondo: none\.rondo: has no times; .*--times histogram\n$")

    def test_times_of_every_call_need_an_archive(self):
        self.assertIn("convert to .rondo", self.convert("ring", "a.json", "--times", "full", status=2))

    def classes(self, name):
        self.convert(name, "classes.json", "--force")
        return json.loads(self.path("classes.json").read_text())["classes"]

    def test_folding_goes_as_far_as_wanted(self):
        for rank in range(4):
            text = "{0} init\n" + "{0} send {1} 7 5 0\n{0} recv {2} 7 5 0\n" * 9 + "{0} finalize\n"
            (self.path("ring") / f"{rank}.txt").write_text(text.format(rank, (rank + 1) % 4, (rank - 1) % 4))
        wanted = {"none": (4, 0, 20), "loops": (4, 1, 3), "full": (1, 1, 3)}  # classes, loops, terms
        for source in ("ring", "again.rondo"):
            for fold, (classes, loops, terms) in wanted.items():
                with self.subTest(source=source, fold=fold):
                    self.convert(source, f"{fold}.rondo", "--fold", fold, "--force")
                    got = self.classes(f"{fold}.rondo")
                    self.assertEqual((len(got), len(got[0]["loops"]), len(got[0]["program"])), (classes, loops, terms))
                    self.assertEqual(len(self.flat(f"{fold}.rondo")), 80)
            if source == "ring":  # each rank has times of its own, which come together again
                self.convert("none.rondo", "again.rondo", "--fold", "full")
                self.assertEqual(self.classes("again.rondo"), self.classes("full.rondo"))
        said = self.convert("full.rondo", "loops.rondo", "--fold", "loops", "--force")
        self.assertEqual(said, "rondo: full.rondo: times of 4 streams are left out: they were summed up over ranks\n")

    def test_a_packed_folder_in_any_order(self):
        for rank in range(4, 7):
            self.path("ring").joinpath(f"{rank}.txt").write_text(RING.format(rank, 0, 0))
        self.convert("ring", "ring.rondo")
        for order in ([0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [3, 0, 6, 2, 5, 1, 4]):
            subprocess.run(["tar", "cf", "ring.tar", *(f"ring/{rank}.txt" for rank in order)], cwd=self.place, check=True)
            self.convert("ring.tar", "tar.rondo", "--force")
            self.assertEqual(self.path("tar.rondo").read_bytes(), self.path("ring.rondo").read_bytes())

    def flat(self, name):
        done = subprocess.run([RONDO, "print", "--flat", "--json", "--no-sites", name], cwd=self.place, check=True,
                              capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_all_ranks_in_one_text(self):
        """As examples of SimGrid are: lines alternate, a list names the text, MPI_Waitall has no count, a word stands alone."""
        lines = [(self.path("ring") / f"{rank}.txt").read_text().splitlines() for rank in range(4)]
        lines.append(["# by hand", "", "~   "])
        for rank, peer in ((0, "1 5"), (1, "0 5")):
            lines[rank][3:3] = [f"{rank} isend {peer} 8", f"{rank} irecv {peer} 8", f"{rank} waitall"]
        text = "\n".join(line for step in itertools.zip_longest(*lines) for line in step if line is not None) + "\n"
        self.path("all.txt").write_text(text)
        self.path("one_trace").write_text("all.txt\n")
        for rank in range(4):
            (self.path("ring") / f"{rank}.txt").write_text("\n".join(lines[rank]).replace("waitall", "waitall 2") + "\n")
        self.convert("ring", "ring.rondo")
        for source in ("all.txt", "one_trace", "ring/2.txt"):
            self.convert(source, "one.rondo", "--force")
            self.assertEqual(self.flat("one.rondo"), self.flat("ring.rondo"), source)
        self.path("hole.txt").write_text("0 init\n2 init\n0 finalize\n2 finalize\n")
        self.assertIn("rank 1 has no line, but rank 2 has one", self.convert("hole.txt", "a.rondo", status=2))
        self.path("bad.txt").write_text("0 init\n1 init\n1 fly 2\n")
        self.assertIn("bad.txt:3: 'fly' is no action", self.convert("bad.txt", "a.rondo", status=2))
        self.path("cut.txt").write_text("0 init\n1 init\n0 finalize\n1 final")
        self.assertIn("ends in the middle of this line", self.convert("cut.txt", "a.rondo", status=2))

    def test_an_existing_output_is_kept_without_force(self):
        self.path("out.json").write_text("precious")
        self.assertIn("--force", self.convert("ring", "out.json", status=2))
        self.assertEqual(self.path("out.json").read_text(), "precious")
        self.convert("ring", "out.json", "--force")
        self.assertEqual(json.loads(self.path("out.json").read_text())["schema"], 1)

    def test_bad_input_leaves_no_output(self):
        self.path("ring/2.txt").write_text("2 init\n2 send 9 7 5 0\n")
        error = self.convert("ring", "out.rondo", status=2)
        self.assertRegex(error, r"^rondo: ring/2\.txt:2: found '9' for dest; expected a rank from 0 to 3.*\(rank 2\)\n$")
        self.assertEqual(sorted(p.name for p in self.place.iterdir()), ["ring"])

    def test_usage_errors(self):
        for arguments, part in [(("nowhere", "a.csv"), "cannot open"), (("ring", "a.pdf"), "end it in .rondo"),
                                (("ring",), "output"), (("ring", "a.csv", "--times", "all"), "--times"),
                                (("ring", "a.csv", "--flops-per-second", "0"), "flops"), (("ring", "no/a.csv"), "no/a.csv")]:
            with self.subTest(arguments=arguments):
                self.assertIn(part, self.convert(*arguments, status=2))

    def test_what_a_trace_leaves_open_is_said(self):
        self.path("ring/0.txt").write_text("0 init\n0 allreduce 1 0 0\n0 recv -333 7 5 0\n")
        said = self.convert("ring", "ring.rondo").splitlines()
        self.assertEqual(said, ["rondo: ring: receives from any source: 1; the trace does not say who sent",
                                "rondo: ring: reductions: 1; the trace does not say with which operation",
                                "rondo: ring: ranks without finalize at the end: 1; the trace is incomplete"])

    def alone(self):
        """The program in the folder of a build that has made nothing but it."""
        rondo = self.path("build/bin/rondo")
        rondo.parent.mkdir(parents=True)
        shutil.copy2(RONDO, rondo)
        self.path("build/CMakeCache.txt").touch()
        return rondo

    def said_by(self, rondo, *arguments, status=0):
        done = subprocess.run([rondo, *arguments], cwd=self.place, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def test_without_readers_all_but_foreign_formats_works(self):
        if any(list(pathlib.Path(usr, "lib").glob(f"{deeper}rondo/librondo_convert.so")) for usr in ("/usr", "/usr/local") for deeper in ("", "*/")):
            self.skipTest("Rondo is installed, with its readers")
        self.convert("ring", "ring.rondo")
        rondo = self.alone()
        self.said_by(rondo, "convert", "ring.rondo", "less.rondo", "--times", "none")
        self.said_by(rondo, "convert", "ring.rondo", "ring.csv")
        self.assertRegex(self.said_by(rondo, "info", "less.rondo"), r"ranks +4")
        self.assertRegex(self.said_by(rondo, "--version"), r"reads +rondo; matrices in csv, mtx\nwrites +rondo, csv\n")
        self.path("broken.rondo").write_text("no archive")
        self.assertIn("broken.rondo", self.said_by(rondo, "info", "broken.rondo", status=2))
        advice = f"librondo_convert.so, which is not there .*cmake --build {self.place.resolve()}/build\n"
        for command in (("info", "ring"), ("convert", "ring", "new.rondo"), ("convert", "ring.rondo", "new.json")):
            self.assertRegex(self.said_by(rondo, *command, status=2), advice)
        self.assertRegex(self.said_by(rondo, "convert", "--list"), advice)
        self.assertIn("cannot open", self.said_by(rondo, "info", "nowhere", status=2))
        self.path("build/CMakeCache.txt").unlink()
        self.assertIn("package rondo", self.said_by(rondo, "info", "ring", status=2))

    def test_readers_of_another_build_are_refused(self):
        rondo = self.alone()
        module = self.path("build/lib/librondo_convert.so")
        module.parent.mkdir()
        own = (RONDO.parents[1] / "lib" / module.name).read_bytes()
        door = re.search(rb"rondo_convert_door_[0-9a-f]{16}", own)[0]
        module.write_bytes(own.replace(door, door[:-16] + b"0" * 16))
        self.assertIn("another version of Rondo", self.said_by(rondo, "info", "ring", status=2))
        module.write_bytes(own)
        self.assertRegex(self.said_by(rondo, "info", "ring"), r"ranks +4")

    def test_readers_have_the_limits_of_the_program(self):
        packed = gzip.compress(b"0 init\n" + b"0 compute 1\n" * 200_000 + b"0 finalize\n")
        self.path("long.txt").write_bytes(packed)
        self.assertIn("--limit", self.convert("--limit", "0.001", "long.txt", "a.rondo", status=2))

    def test_help_names_every_format_and_option(self):
        text = subprocess.run([RONDO, "convert", "--help"], capture_output=True, text=True, check=True).stdout
        for word in [".rondo", ".json", ".csv", ".tar.zst", "--times", "--fold", "--force", "--flops-per-second", "Exit status"]:
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
