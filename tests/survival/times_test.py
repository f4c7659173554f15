#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo record --times full: every call's times are kept, whatever becomes of the run and however little memory there is."""
import json
import unittest

from support import BUILD, RONDO, SurvivalTest, program, run

FULL = ["--times", "full"]


class FullTimes(SurvivalTest):
    def times(self, rank, file="x.rondo"):
        """Start and time inside of a rank's calls on its first thread."""
        done = run([RONDO, "print", "--flat", "--json", "--no-sites", "--rank", str(rank), file], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return [(line["start_ns"], line["inside_ns"]) for line in lines if "start_ns" in line], len(lines)

    def check_sums(self, file="x.rondo"):
        done = run([str(BUILD / "bin" / "check_stamps"), file], self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_every_call_of_every_rank(self):
        done = self.record(program("irregular"), "20000", options=FULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_sums()
        times, calls = self.times(1)
        self.assertEqual((len(times), calls), (20_002, 20_002))
        self.assertEqual(times[0][0], 0)
        span = self.info()["span_ns"]
        self.assertLessEqual(times[-1][0], span)
        self.assertGreater(times[-1][0], span / 4)

    def test_phases(self):
        done = self.record(program("phases"), "2000", options=FULL, ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_sums()
        done = run([RONDO, "efficiency", "--by", "phase", "--json", "x.rondo"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {part["name"] for part in json.loads(done.stdout)["parts"]["parts"]}
        self.assertEqual(names, {"", "outer", "inner"})

    def test_every_thread(self):
        done = self.record(program("threads"), "4", "60", options=FULL, ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_sums()

    def test_sealed_chunks_lose_nothing(self):
        calls = 120_000  # twice as many as memory has room for
        done = self.record(program("irregular"), str(calls), options=[*FULL, "--memory", "8"], ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual((info["complete"], info["calls"]), (True, 2 * (calls + 2)))
        self.assertLessEqual(info["cost"]["memory_per_rank_bytes"], 8 << 20)
        times, _ = self.times(1)
        self.assertEqual(len(times), calls + 2)
        starts = [start for start, _ in times]
        self.assertEqual(starts, sorted(starts))
        self.check_sums()

    def test_times_of_all_ranks_that_do_not_fit_into_one_are_handed_over(self):
        done = self.record(program("steady"), "400000", options=[*FULL, "--memory", "8"], ranks=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertTrue(info["complete"])
        self.assertLessEqual(info["cost"]["memory_per_rank_bytes"], 8 << 20)
        self.assertFalse((self.folder / "x.rondo.parts").exists())
        self.check_sums()

    def test_a_killed_run_keeps_what_was_written(self):
        self.record(program("endings"), "kill", "2.5", options=FULL)
        self.assertFalse(self.info()["complete"])
        self.check_sums()
        times, _ = self.times(3)
        self.assertGreater(len(times), 500)

    def test_a_budget_ends_them_early(self):
        calls = 800_000  # some three times as many as the budget has time for
        done = self.record(program("irregular"), str(calls), options=[*FULL, "--budget", "0.01%"], ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual(info["calls"], calls + 2)
        self.assertLess(info["full_times"]["calls"], calls)
        line = run([RONDO, "print", "--flat", "x.rondo"], self.folder).stdout.splitlines()[-1]
        self.assertRegex(line, r"^ +- +-  MPI_Finalize\(\)$")
        if list((BUILD / "python" / "rondo").glob("_rondo*.so")):
            script = "import rondo; print(int(next(rondo.open('x.rondo').calls(0))['start_ns'][-1]))"
            said = run(["env", f"PYTHONPATH={BUILD / 'python'}", "/usr/bin/python3", "-B", "-c", script], self.folder)
            self.assertIn(f"the times of the first {info['full_times']['calls']} calls were kept; those of the other", said.stderr)

    def test_other_commands_take_no_notice(self):
        self.record(program("irregular"), "1000", options=FULL, ranks=2)
        info = self.info()
        self.assertEqual(info["full_times"]["calls"], info["calls"])
        self.assertGreater(info["full_times"]["bytes_per_call"], 0.5)
        plain = run([RONDO, "print", "--flat", "--no-times", "--rank", "1", "x.rondo"], self.folder).stdout
        timed = run([RONDO, "print", "--flat", "--rank", "1", "x.rondo"], self.folder).stdout
        self.assertEqual(plain.splitlines(), [line[29:] for line in timed.splitlines()])


if __name__ == "__main__":
    unittest.main()
