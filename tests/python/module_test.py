#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python module: its answers are those of the commands, its arrays are views, its errors have classes."""
import ast
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy
import rondo

from support import BUILD, RONDO, CommandTest, record

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have what runs in the background ignore it, and it would be inherited

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Answers(CommandTest):
    def said(self, *words):
        return json.loads(self.rondo(*words, "--json").stdout)

    def test_they_are_those_of_the_commands(self):
        path = record("halo2d", 9)
        t = rondo.open(path)
        self.assertEqual((t.ranks, t.path), (9, str(path)))
        self.assertEqual(t.info, self.said("info", path))
        self.assertEqual(t.topology(), self.said("topology", path))
        self.assertEqual(t.topology(by="loop", tolerance="0%"), self.said("topology", path, "--by", "loop", "--tolerance", "0%"))
        self.assertEqual(t.logical(), self.said("logical", path))
        self.assertEqual(t.patterns(communication=True), self.said("patterns", path, "--communication"))
        self.assertEqual(t.efficiency(), self.said("efficiency", path))
        self.assertEqual(t.stats(collectives="paper"), self.said("stats", path, "--collectives", "paper"))
        network = "latency=5us,bandwidth=1GB/s"
        self.assertEqual(t.simulate(network), self.said("simulate", path, "--network", network))
        sweep = t.simulate(latency=["1us", "10us"], bandwidth=["1GB/s"])
        self.assertEqual(sweep, self.said("simulate", path, "--latency", "1us,10us", "--bandwidth", "1GB/s"))
        self.assertEqual(t.messages(), self.said("info", path, "--messages")["messages"])
        self.assertIn("9 ranks", repr(t))
        self.assertIn("<th>ranks</th><td>9</td>", t._repr_html_())

    def test_comparing(self):
        a, b = rondo.open(record("ring", 4)), rondo.open(record("ring", 2))
        self.assertTrue(a.compare(a)["same"])
        self.assertFalse(a.compare(b)["same"])

    def test_files(self):
        t = rondo.open(record("ring"))
        bench = self.folder / "bench"
        self.assertEqual(t.generate(bench), str(bench))
        self.assertTrue((bench / "Makefile").exists())
        with self.assertRaises(rondo.ExistsError):
            t.generate(bench)
        page = self.folder / "page.html"
        if "report: yes" in self.rondo("--version").stdout:
            t.report(page)
            self.assertIn(b"<html", page.read_bytes())
        else:
            self.assertRaises(rondo.UnsupportedError, t.report, page)

    def test_matrix_files(self):
        self.rondo("matrix", record("halo2d", 9), "-o", "m.csv")
        m = rondo.open(self.folder / "m.csv")
        self.assertEqual(m.dense().tolist(), rondo.open(record("halo2d", 9)).matrix().dense().tolist())
        self.assertEqual(int(m.matrix("messages").values.sum()), int(m.messages.sum()))
        self.assertEqual(m.topology(), self.said("topology", self.folder / "m.csv"))
        self.assertIn("m.csv': 9 ranks", repr(m))
        with self.assertRaises(rondo.FormatError) as caught:
            rondo.open(self.file("bad.csv", "0,1,x,2\n"))
        self.assertEqual(caught.exception.line, 1)

    def test_a_limit_is_for_one_opening(self):
        path = record("ring")
        with self.assertRaises(rondo.UnsupportedError):
            rondo.open(path, limit=0.000001)
        self.assertEqual(rondo.open(path).ranks, 4)
        self.assertEqual(rondo.open(path, limit="none").info["ranks"], 4)
        self.assertRaises(rondo.UsageError, rondo.open, path, limit="much")

    def test_traces_of_others(self):
        self.rondo("convert", record("ring"), "ring.ti")
        self.assertEqual(rondo.open(self.folder / "ring.ti").topology()["topology"], "ring of 4 ranks")


class Arrays(CommandTest):
    def test_a_matrix_is_a_view_that_keeps_its_trace(self):
        path = record("halo2d", 9)
        m = rondo.open(path).matrix("messages")
        values = m.bytes
        total = int(values.sum())
        said = json.loads(self.rondo("matrix", path, "--json").stdout)
        self.assertIsNotNone(m.entries.base)
        self.assertFalse(m.entries.flags.owndata)
        with self.assertRaises(ValueError):
            m.entries["bytes"] = 0
        self.assertEqual(sum(e["bytes"] for e in said["entries"]), total)
        self.assertEqual(numpy.asarray(m).sum(), m.messages.sum())
        self.assertEqual(m.dense().shape, (9, 9))
        del m
        gc.collect()
        self.assertEqual(int(values.sum()), total)

    def test_calls_are_those_that_print_says(self):
        path = record("ring")
        t = rondo.open(path)
        for rank in range(4):
            lines = self.rondo("print", path, "--flat", "--rank", rank).stdout.splitlines()
            chunks = list(t.calls(rank, columns=["function", "peer", "bytes"], rows=7))
            self.assertEqual({len(chunk) for chunk in chunks[:-1]}, {7})
            calls = numpy.concatenate(chunks)
            self.assertEqual([rondo.functions[f] for f in calls["function"]], [line.split("(")[0] for line in lines])
            self.assertEqual(calls.dtype.names, ("function", "peer", "bytes"))
            senders = [rondo.functions.index(name) for name in ("MPI_Send", "MPI_Sendrecv")]
            sends = calls[numpy.isin(calls["function"], senders)]
            matrix = t.matrix()
            mine = matrix.entries[matrix.sources == rank]
            self.assertEqual(int(sends["bytes"].sum()), int(mine["bytes"].sum()))
            self.assertEqual(set(sends["peer"].tolist()), set(mine["destination"].tolist()))

    def test_communicators_are_told_apart_from_none(self):
        calls = next(rondo.open(record("rowscols")).calls(0, columns=["function", "comm"]))
        comms = {}
        for function, comm in calls.tolist():
            comms.setdefault(rondo.functions[function], set()).add(comm)
        self.assertEqual((comms["MPI_Init"], comms["MPI_Finalize"], comms["MPI_Barrier"]), ({-3}, {-3}, {-1}))
        self.assertEqual(comms["MPI_Allreduce"] & {-1, -2, -3}, set())  # of a row
        self.assertNotEqual(comms["MPI_Allreduce"], comms["MPI_Bcast"])  # of its duplicate

    def test_sites_are_those_of_print(self):
        path = record("ring")
        t = rondo.open(path)
        lines = self.rondo("print", path, "--flat", "--rank", 1, "--json").stdout.splitlines()
        calls = next(t.calls(1, columns=["site"]))
        self.assertEqual([t.sites[site] for site in calls["site"]], [json.loads(line)["site"] for line in lines])
        self.assertIn("main at ring.c:", t.sites[calls["site"][0]]["text"])

    def test_threads_share_an_iterator(self):
        t = rondo.open(record("halo2d", 9))
        wanted = sum(len(chunk) for chunk in t.calls(0))
        shared, sizes = t.calls(0, rows=1), []

        def read():
            for chunk in shared:
                sizes.append(len(chunk))
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(sizes), wanted)

    def test_times_of_every_call(self):
        ring = BUILD / "examples" / "openmpi" / "ring"
        os.environ.update(AS_ROOT)
        t = rondo.record(["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2", ring],
                         self.folder / "x.rondo", times="full")
        self.assertTrue(t.has_all_times)
        calls = numpy.concatenate(list(t.calls(1)))
        self.assertTrue((numpy.diff(calls["start_ns"].astype(numpy.int64)) >= 0).all())
        first = json.loads(self.rondo("print", "x.rondo", "--flat", "--rank", "1", "--json").stdout.splitlines()[1])
        self.assertEqual((first["start_ns"], first["inside_ns"]), (calls["start_ns"][1], calls["inside_ns"][1]))


class Programs(CommandTest):
    def test_a_program_is_a_tree(self):
        t = rondo.open(record("halo2d", 9))
        functions = [term.call.function for term in t.program.calls()]
        self.assertEqual((functions[0], functions[-1]), ("MPI_Init", "MPI_Finalize"))
        loops = [term for _, term in t.program.walk() if term.loop is not None]
        self.assertTrue(loops)
        self.assertTrue(all(term.call is None and len(term.loop) > 0 for term in loops))
        sums = {}
        for program in t.programs:
            for term in program.calls():
                sums[term.call.text] = term.times
        self.assertTrue(all(times.min_ns <= times.mean_ns <= times.max_ns for times in sums.values()))
        self.assertEqual(sum(times.count for times in sums.values()), t.info["calls"])
        own = t.program_of(4)
        self.assertEqual(own.ranks, (4,))
        self.assertIn("MPI_Init", str(own))


class Signatures(unittest.TestCase):
    def test_stubs_have_what_the_module_has(self):
        stubs = ast.parse((pathlib.Path(rondo.__file__).parent / "_rondo.pyi").read_text())
        classes = {node.name: node for node in stubs.body if isinstance(node, ast.ClassDef)}

        def public(names):
            return {name for name in names if not name.startswith("_")}
        top = {node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else node.target.id
               for node in stubs.body if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AnnAssign))}
        self.assertEqual(top, public(dir(rondo._rondo)))
        for name, node in classes.items():
            self.assertEqual({each.name for each in node.body}, public(dir(getattr(rondo._rondo, name))), name)

    def test_all_that_is_public_says_what_it_is(self):
        for name in rondo.__all__:
            thing = getattr(rondo, name)
            if not callable(thing):
                continue
            self.assertTrue(thing.__doc__, name)
            for member, value in vars(thing).items() if name in ("Trace", "Matrix", "Calls", "Program") else ():
                if not member.startswith("_") and callable(value):
                    self.assertTrue(value.__doc__, f"{name}.{member}")
                    self.assertIn("return", value.__annotations__, f"{name}.{member}")


class Errors(CommandTest):
    def test_each_code_has_a_class(self):
        with self.assertRaises(rondo.NotFoundError) as caught:
            rondo.open(self.folder / "missing.rondo")
        self.assertEqual(caught.exception.file, str(self.folder / "missing.rondo"))
        self.assertIsInstance(caught.exception, rondo.Error)
        with self.assertRaises(rondo.FormatError):
            rondo.open(self.file("text.rondo", "hello"))
        good = record("ring").read_bytes()
        with self.assertRaises(rondo.DamagedError) as caught:
            rondo.open(self.file("cut.rondo", good[:-10]))
        self.assertIsNotNone(caught.exception.offset)
        newer = bytearray(good)
        newer[8] = 99
        with self.assertRaises(rondo.NewerVersionError):
            rondo.open(self.file("newer.rondo", bytes(newer)))
        t = rondo.open(record("ring"))
        for wrong in (lambda: t.topology(by="colour"), lambda: t.topology(nonsense=1), lambda: t.matrix("weight"),
                      lambda: t.matrix(collectives="some"), lambda: t.calls(0, columns=["colour"]),
                      lambda: t.calls(0, columns=["peer", "peer"]), lambda: t.calls(0, rows=0), lambda: t.simulate()):
            self.assertRaises(rondo.UsageError, wrong)
        self.assertRaises(rondo.NotFoundError, lambda: t.calls(4))
        self.assertRaises(rondo.UnsupportedError, lambda: t.calls(0, columns=["start_ns"]))
        with self.assertRaises(rondo.RecordError) as caught:
            rondo.record(["./nowhere"])
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("no program './nowhere'", str(caught.exception))


class LongWork(CommandTest):
    def long_archive(self):
        """A message that goes around a ring again and again: small to keep, long to play. A run of it takes minutes where
        ranks yield to others."""
        (self.folder / "long").mkdir()
        for rank in range(4):
            right, left = (rank + 1) % 4, (rank + 3) % 4
            steps = [f"{rank} send {right} 7 100 0\n", f"{rank} recv {left} 7 100 0\n"]
            text = "".join(steps if rank == 0 else reversed(steps)) * 20000
            self.file(f"long/{rank}.txt", f"{rank} init\n{text}{rank} finalize\n")
        self.rondo("convert", "long", "long.rondo")
        return self.folder / "long.rondo"

    def test_other_threads_run_and_ctrl_c_ends_it(self):
        script = self.file("long.py", "import sys, threading, time, rondo\n"
                           "t = rondo.open(sys.argv[1])\n"
                           "ticks = []\n"
                           "def tick():\n"
                           "    while True: ticks.append(1); time.sleep(0.01)\n"
                           "threading.Thread(target=tick, daemon=True).start()\n"
                           "print('ready', flush=True)\n"
                           "begin = time.monotonic()\n"
                           "try:\n"
                           "    while True: t.simulate('latency=5us,bandwidth=1GB/s', what_if=True)\n"
                           "except KeyboardInterrupt:\n"
                           "    print('interrupted', len(ticks), time.monotonic() - begin, flush=True)\n")
        process = subprocess.Popen([sys.executable, script, self.long_archive()], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        word, ticks, seconds = process.stdout.readline().split()
        self.assertEqual(word, "interrupted")
        self.assertGreater(int(ticks), 5)
        self.assertIn(process.wait(60), (0, 130))
        process.stdout.close()

    def test_two_threads_ask_at_once(self):
        t = rondo.open(record("halo2d", 9))
        wanted = t.topology()
        found = []
        threads = [threading.Thread(target=lambda: found.append(t.topology())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [wanted] * 4)


if __name__ == "__main__":
    unittest.main()
