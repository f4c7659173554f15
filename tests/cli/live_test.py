#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo simulate -- COMMAND: programs that run while a network model keeps their time."""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from collections import Counter

import programs
import support

MPIS = ("openmpi", "mpich")
NETWORK = "latency=5us,bandwidth=1GB/s"
LATENCY, BYTE = 5e-6, 1e-9
INPUTS = pathlib.Path(__file__).resolve().parents[1] / "oracle" / "inputs"
EXAMPLES = ("ring", "halo2d", "halo3d", "butterfly", "mixed", "wavefront", "multipartition", "transpose", "vcycle", "workers",
            "rowscols", "persistent", "neighbors", "irregular", "collectives", "twin_c", "twin_mpif", "twin_usempi", "twin_f08")
# Under the second MPI those that have calls, languages or orders that the others do not have.
UNDER_MPICH = EXAMPLES if support.ALL_CASES else ("mixed", "wavefront", "vcycle", "workers", "persistent", "neighbors", "irregular",
                                                  "collectives", "twin_f08")


def message(size):
    return LATENCY + size * BYTE


def launcher(mpi, ranks):
    if mpi == "openmpi":
        return ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks)]
    return ["mpirun.mpich", "-n", str(ranks), "-genv", "LD_PRELOAD", str(support.BUILD / "lib" / "libmpich_yield.so")]


# Says hello with a wrong secret, and sends what is none, by each way that is open, before it becomes the program.
KNOCKS = """
import os, socket, struct, sys
here, there = os.environ["RONDO_LIVE"].split("@")[1].split(",")
doors = ["\\0" + here]
if there != ":":
    doors.append((there.rsplit(":", 1)[0], int(there.rsplit(":", 1)[1])))
for door in doors:
    for words in ((6 << 8 | 1, 0x6f646e6f5201, 1, 2, 0, 2, 0), (1 << 50,) * 9):
        with socket.socket(socket.AF_UNIX if isinstance(door, str) else socket.AF_INET) as rank:
            rank.connect(door)
            rank.settimeout(60)
            try:
                rank.sendall(struct.pack(f"={len(words)}q", *words))
                gone = rank.recv(1) == b""
            except (ConnectionResetError, BrokenPipeError):
                gone = True
            except TimeoutError:
                gone = False
        with open(sys.argv[1], "a") as log: # not to the launcher, which may lose a rank's lines
            log.write(("sent away" if gone else "let in") + " by " + ("here" if isinstance(door, str) else "TCP") + "\\n")
os.execv(sys.argv[2], sys.argv[2:])
"""
# Rank 0 leaves somebody behind who says one byte after another, more slowly than a rank would, and lists who could read the secret.
DRIPS = """
import glob, os, socket, sys, time
secret = os.environ["RONDO_LIVE"].split("@")[0].encode()
if os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK")) == "0":
    lines = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            lines.append(open(path, "rb").read())
        except OSError:
            pass
    print("secret in", sum(secret in line for line in lines), "of some command lines", flush=True)
    print("TCP open" if os.environ["RONDO_LIVE"].split(",")[1] != ":" else "TCP closed", flush=True)
    if os.fork() == 0:
        for file in range(3):
            os.close(file)
        os.setsid()
        del os.environ["RONDO_RUN"]
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect("\\0" + os.environ["RONDO_LIVE"].split("@")[1].split(",")[0])
            for _ in range(200):
                stranger.sendall(b"x")
                time.sleep(0.5)
        os._exit(0)
os.execv(sys.argv[1], sys.argv[1:])
"""
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Live(support.CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.programs = {}

    def program(self, mpi, source="live.c"):
        """A program of tests/cli/programs, built once for each MPI."""
        key = (mpi, source)
        if key not in Live.programs:
            folder = support._recordings() / f"{mpi}-{source}"
            folder.mkdir(exist_ok=True)
            Live.programs[key] = programs.build(folder, source, "-O1", "-w", mpi=mpi)
        return Live.programs[key]

    def live(self, mpi, ranks, *command, options=(), network=NETWORK, status=0):
        """Runs the command live; the prediction, and what it and the program said."""
        done = self.rondo("simulate", "--network", network, "--json", *options, "--", *launcher(mpi, ranks), *command,
                          environment=ROOT, status=status)
        return json.loads(done.stdout), done.stderr

    def pattern(self, mpi, ranks, *words, scale="0", **keywords):
        options = ("--scale-compute", scale, *keywords.pop("options", ()))
        prediction, said = self.live(mpi, ranks, self.program(mpi), *words, options=options, **keywords)
        prediction["wtime"] = float(re.search(r"^\s*(\d+\.\d{12})$", said, re.MULTILINE)[1])
        return prediction

    def assert_close(self, found, wanted):
        self.assertAlmostEqual(found, wanted, delta=1e-9 * wanted + 1e-15)

    def test_patterns_take_what_the_formula_says(self):
        one = message(1000)
        for mpi in MPIS:
            for ranks, words, seconds in ((2, ["pingpong"], 200 * one), (5, ["ring"], 5 * one), (8, ["bcast"], 3 * one),
                                          (5, ["fan-in"], one), (5, ["anybody"], one), (4, ["head-to-head"], 3 * one)):
                with self.subTest(mpi=mpi, pattern=words):
                    self.assert_close(self.pattern(mpi, ranks, *words)["predicted_seconds"], seconds)

    def test_the_clock_is_virtual(self):
        for mpi in MPIS:
            with self.subTest(mpi=mpi):
                result = self.pattern(mpi, 2, "pingpong")
                self.assertAlmostEqual(result["wtime"], result["predicted_seconds"], delta=2e-9)
                slow = self.pattern(mpi, 2, "pingpong", network="latency=1s,bandwidth=1GB/s")
                self.assertAlmostEqual(slow["wtime"], 200 * (1 + 1e-6), delta=1e-6)
                _, said = self.live(mpi, 2, self.program(mpi, "live.f90"), options=("--scale-compute", "0"))
                self.assertAlmostEqual(float(re.search(r"^\s*(\d+\.\d{12})$", said, re.MULTILINE)[1]), 200 * message(1000),
                                       delta=2e-9)

    def test_a_program_that_waits_for_time_to_pass_gets_it(self):
        for scale in ("0", "1"):
            with self.subTest(scale=scale):
                self.assertGreaterEqual(self.pattern("openmpi", 1, "clock", scale=scale)["wtime"], 0.02)

    def expect_same_again(self, mpi, example, network):
        """Runs an example live, and simulates the trace that it wrote."""
        archive = self.folder / f"{mpi}-{example}.rondo"
        live, _ = self.live(mpi, 4, support.BUILD / "examples" / mpi / example, network=network,
                            options=("-o", archive, "--force", "--times", "full"))
        again = json.loads(self.rondo("simulate", archive, "--network", network, "--json").stdout)
        self.assertGreater(live["predicted_seconds"], 0)
        self.assertGreater(sum(rank["computing_seconds"] for rank in live["ranks"]), 0)
        for key in ("predicted_seconds", "calls", "messages", "bytes"):
            self.assert_close(live[key], again[key])
        for mine, its in zip(live["ranks"], again["ranks"], strict=True):
            for key in ("end_seconds", "computing_seconds", "waiting_seconds"):
                self.assertAlmostEqual(mine[key], its[key], delta=1e-9 * its["end_seconds"])

    def test_all_examples_give_their_answers_and_say_what_their_traces_say(self):
        for mpi, examples in (("openmpi", EXAMPLES), ("mpich", UNDER_MPICH)):
            for example in examples:
                with self.subTest(mpi=mpi, example=example):
                    self.expect_same_again(mpi, example, NETWORK)

    def test_other_networks_agree_with_the_trace(self):
        for network in (NETWORK + ",rendezvous=100", "L=2us,o=0.5us,g=1us,G=0.1ns"):
            for example in ("mixed", "irregular", "neighbors"):
                with self.subTest(network=network, example=example):
                    self.expect_same_again("openmpi", example, network)

    def test_networks_with_contention_agree_with_the_trace(self):
        """SimGrid plays calls as they come to the same end as those of the trace, however the ranks are ahead of each other."""
        self.need_simgrid()
        for mpi, example in (("openmpi", "halo2d"), ("openmpi", "workers"), ("openmpi", "collectives"), ("mpich", "wavefront")):
            with self.subTest(mpi=mpi, example=example):
                self.expect_same_again(mpi, example, "torus 2x2, 1GB/s, 5us")
        crowd = self.pattern("openmpi", 5, "fan-in", "100000", network="crossbar 8, 1GB/s, 5us")
        self.assertGreater(crowd["predicted_seconds"], 4 * 100000 / 1e9) # one link to rank 0 for all
        clock = self.pattern("mpich", 2, "pingpong", network="torus 2, 1GB/s, 5us") # ranks wait in MPI for those that ask
        self.assertAlmostEqual(clock["wtime"], clock["predicted_seconds"], delta=1e-7)

    def served(self, mpi, how, seed, *words, options=()):
        """Which workers a master has served, in their order, and the prediction."""
        options = ("--scale-compute", "0", "--order", "virtual", *options)
        prediction, said = self.live(mpi, 4, self.program(mpi, "order.c"), how, str(seed), *words, options=options)
        return re.search("^served((?: [0-9])+)$", said, re.MULTILINE)[1].split(), prediction

    def test_wildcards_follow_virtual_arrival(self):
        """Whatever noise there is in real time, and also where MPI holds up senders until they are received from."""
        for mpi, how, words in (("openmpi", "recv", ()), ("mpich", "probe", ()), ("openmpi", "mprobe", ("300000",)),
                                ("mpich", "recv", ("300000",)), ("openmpi", "irecv", ()), ("mpich", "waitany", ("300000",)),
                                ("openmpi", "waitany", ()), ("mpich", "test", ())):
            with self.subTest(mpi=mpi, how=how):
                first, one = self.served(mpi, how, 1, *words, options=("-o", "order.rondo", "--force", "--times", "full"))
                second, other = self.served(mpi, how, 2, *words)
                self.assertEqual(first, second)
                self.assertEqual(one["predicted_seconds"], other["predicted_seconds"])
                self.assertFalse([remark for remark in one["remarks"] if "any source" in remark], one["remarks"])
                if not words: # where results cost next to nothing, long tasks decide
                    self.assertGreater(first.count("1"), first.count("2"))
                    self.assertGreater(first.count("2"), first.count("3"))
                again = json.loads(self.rondo("simulate", "order.rondo", "--network", NETWORK, "--scale-compute", "0",
                                              "--json").stdout)
                self.assert_close(one["predicted_seconds"], again["predicted_seconds"])

    def test_persistent_receives_are_never_held_and_platforms_refused(self):
        served, prediction = self.served("openmpi", "persistent", 1)
        self.assertEqual(len(served), 40)
        self.assertEqual([remark for remark in prediction["remarks"] if "any source" in remark],
                         ["40 receives from any source took what came first in the real run: persistent and combined ones, and "
                          "nonblocking ones that were open in a call that waits for something else"])
        self.need_simgrid()
        self.refuses("simulate", "--network", "torus 2x2, 1GB/s, 5us", "--order", "virtual", "--", *launcher("openmpi", 2), "true",
                     saying="without contention")

    def test_a_platform_that_is_too_small_is_said_so(self):
        self.need_simgrid()
        command = ["--", *launcher("openmpi", 5), support.BUILD / "examples" / "openmpi" / "ring"]
        done = self.rondo("simulate", "--network", "torus 2x2, 1GB/s, 5us", *command, environment=ROOT, status=2)
        self.assertIn("has 4 hosts for 5 ranks", done.stderr)
        self.assertIn("ring: ok", done.stdout)
        self.file("bad.xml", "<platform version='4.1'><nothing/></platform>")
        self.assertIn("bad.xml", self.rondo("simulate", "--network", "bad.xml", *command, environment=ROOT, status=2).stderr)

    def need_simgrid(self):
        done = support.run("simulate", "--network", "torus 2x2, 1GB/s, 5us", support.record("ring"))
        if "libsimgrid-dev" in done.stderr:
            self.skipTest("rondo was built without SimGrid")

    def test_computation_is_the_processors_time(self):
        sixteen = self.pattern("openmpi", 16, "work", "100", scale="1")
        seconds = [rank["computing_seconds"] for rank in sixteen["ranks"]]
        self.assertGreater(min(seconds), 0.5 * max(seconds))
        half = self.pattern("openmpi", 4, "work", "100", scale="0")
        self.assertEqual(sum(rank["computing_seconds"] for rank in half["ranks"]), 0)

    def test_programs_that_rely_on_buffering_go_on(self):
        for mpi in MPIS:
            for pattern, ranks in (("head-to-head", 4), ("buffered", 2)):
                with self.subTest(mpi=mpi, pattern=pattern):
                    result = self.pattern(mpi, ranks, pattern, network=NETWORK + ",rendezvous=100")
                    self.assertTrue(any("relies on more buffering" in remark for remark in result["remarks"]), result["remarks"])

    def test_what_no_model_has_ends_the_simulation_and_not_the_program(self):
        program = self.program("openmpi", "connects.c")
        done = self.rondo("simulate", "--network", NETWORK, "--", *launcher("openmpi", 2), program, environment=ROOT, status=2)
        self.assertEqual(done.stdout, "done\n")
        self.assertRegex(done.stderr, "MPI_Comm_(connect|accept)")
        self.assertIn("goes on in real time", done.stderr)

    def expect_refused(self, mpi, source, saying, *options):
        """The program runs to its end in real time, and the list says why; nobody hangs."""
        done = self.rondo("simulate", "--network", NETWORK, *options, "--", *launcher(mpi, 2), self.program(mpi, source), environment=ROOT,
                          status=2)
        self.assertEqual(done.stdout, "done\n")
        self.assertRegex(done.stderr, "can not be simulated:\n  " + saying)
        self.assertIn("goes on in real time", done.stderr)

    def test_several_threads_of_a_rank(self):
        for mpi in MPIS:
            with self.subTest(mpi=mpi):
                live, said = self.live(mpi, 2, self.program(mpi, "threads.c"),
                                       options=("--scale-compute", "0", "-o", f"{mpi}.rondo", "--times", "full"))
                self.assertIn("done", said)
                self.assertIn("2 ranks had calls of 2 further threads", " ".join(live["remarks"]))
                self.assert_close(live["predicted_seconds"], 1000 * message(0))  # the barriers; the other threads are faster
                calls = self.rondo("print", "--flat", "--rank", "1", f"{mpi}.rondo").stdout
                self.assertEqual((calls.count("MPI_Barrier("), calls.count("MPI_Recv(")), (1000, 10))

    def test_threads_wait_for_each_other(self):
        """What a thread computes while another waits for it counts, and what they do side by side counts once."""
        for mpi, own, wanted in (("openmpi", 0, 0.15), ("mpich", 80, 0.15), ("openmpi", 400, 0.4)):
            with self.subTest(mpi=mpi, own=own):
                _, said = self.live(mpi, 3, self.program(mpi, "joins.c"), str(own), network="latency=1us,bandwidth=inf")
                took = float(re.search(r"^took ([0-9.]+)$", said, re.MULTILINE)[1])
                self.assertAlmostEqual(took, wanted, delta=0.03)

    def test_threads_on_a_network_with_contention(self):
        """Who sleeps for a thread holds up nobody's time: what that does takes as long as what a rank without threads does."""
        self.need_simgrid()
        torus = "torus 3x3, 1GB/s, 5us"
        free = ("--scale-compute", "0")
        alone, _ = self.live("openmpi", 5, self.program("openmpi", "threads.c"), "ring", "alone", network=torus,
                             options=(*free, "-o", "alone.rondo", "--times", "full"))
        again = json.loads(self.rondo("simulate", "alone.rondo", "--network", torus, *free, "--json").stdout)
        self.assert_close(alone["predicted_seconds"], again["predicted_seconds"])
        for mpi in MPIS:
            live, _ = self.live(mpi, 5, self.program(mpi, "threads.c"), "ring", network=torus, options=free)
            self.assert_close(live["predicted_seconds"], again["predicted_seconds"])
            self.assertIn("5 ranks had calls of 5 further threads", " ".join(live["remarks"]))

    def test_second_threads_are_refused_where_receives_are_held(self):
        saying = "calls of a second thread, with --order virtual"
        self.expect_refused("openmpi", "threads.c", saying, "--order", "virtual")

    def test_processes_that_are_started_are_further_ranks(self):
        """Open MPI alone: Debian's MPICH cannot start processes."""
        free = ("--scale-compute", "0")
        live, _ = self.live("openmpi", 2, self.program("openmpi", "parent.c"), options=(*free, "-o", "parent.rondo", "--force"))
        # The parents' barrier, a message there and one back, and the children hear that their parents disconnect.
        self.assert_close(live["predicted_seconds"], LATENCY + message(4000) + message(40) + LATENCY)
        self.assertEqual(live["spawned"], [{"first_rank": 2, "ranks": 2, "parent_rank": 0, "start_seconds": LATENCY}])
        for rank in live["ranks"]:
            began = LATENCY if rank["rank"] >= 2 else 0
            self.assert_close(rank["end_seconds"] - began, rank["communicating_seconds"] + rank["waiting_seconds"])
        for archive in ("parent.rondo", "parent.spawned.rondo"):
            self.assertNotIn("MPI_Init alone", self.rondo("info", archive).stdout) # that took real time
        live, _ = self.live("openmpi", 2, self.program("openmpi", "merges.c"), options=free)
        self.assert_close(live["predicted_seconds"], 4 * LATENCY + message(800))  # start, merge (the others, then all), exchange, disconnect
        self.need_simgrid()
        program = self.program("openmpi", "merges.c")
        live, _ = self.live("openmpi", 2, program, options=free, network="crossbar 5, 1GB/s, 5us")
        self.assertEqual(len(live["ranks"]), 5)
        small = self.rondo("simulate", "--network", "crossbar 4, 1GB/s, 5us", "--", *launcher("openmpi", 2), program, environment=ROOT,
                           status=2)
        self.assertIn("has 4 hosts: they are too few for 2 ranks and 3 that were spawned", small.stderr)

    def test_processes_that_are_started_at_once_are_whose_they_are(self):
        live, said = self.live("openmpi", 2, self.program("openmpi", "kin.c"), options=("--scale-compute", "0"))
        times = sorted(re.findall(r"^(\w+) at ([0-9.]+)$", said, re.MULTILINE))
        child, grandchild = f"{message(1000):.9f}", f"{2 * message(1000):.9f}"
        self.assertEqual(times, [("child", child)] * 4 + [("grandchild", grandchild)] * 2)
        self.assertEqual([each["ranks"] for each in live["spawned"]], [2, 2, 1, 1])
        self.assertEqual(sorted(each["parent_rank"] for each in live["spawned"]), [0, 1, 2, 4])

    def test_a_program_that_is_not_there_is_said_so(self):
        for word in ("nosuch", "./nosuch"):
            self.refuses("simulate", "--network", NETWORK, "--", word, saying=f"there is no program '{word}'")
            self.refuses("simulate", "--network", NETWORK, "--", word, "-n", "2", saying=f"there is no program '{word}'")
        self.refuses("simulate", "--network", NETWORK, "nosuch", saying="cannot open")

    def test_ranks_that_never_come_are_said_to(self):
        """Programs without MPI: at once if they end, after ten seconds if not; what they return is kept."""
        words = ("simulate", "--network", NETWORK, "--mpi", "openmpi", "--", *launcher("openmpi", 2))
        self.refuses(*words, "true", saying="no rank came", environment=ROOT)
        failed = self.rondo(*words, "sh", "-c", "exit 5", environment=ROOT, status=5)
        self.assertIn("the program ended with status 5 before a rank had come", failed.stderr)
        slow = self.rondo(*words, "sleep", "11", environment=ROOT, status=2)
        self.assertEqual(slow.stderr.count("no rank has come yet"), 1)
        # One that dies before MPI_Init takes the others with it.
        dies = self.file("dies.sh", '#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then kill -ABRT $$; fi\nexec "$@"\n')
        dies.chmod(0o755)
        died = self.rondo(*words, dies, self.program("openmpi"), "ring", environment=ROOT, status=128 + signal.SIGABRT)
        self.assertIn("before a rank had come", died.stderr)

    def test_ranks_of_other_hosts_come_by_tcp(self):
        elsewhere = self.file("elsewhere.sh", '#!/bin/sh\nRONDO_LIVE=$(echo "$RONDO_LIVE" | sed "s/@[^,]*,/@none,/") exec "$@"\n')
        elsewhere.chmod(0o755)
        for mpi in MPIS:
            with self.subTest(mpi=mpi):
                live, said = self.live(mpi, 4, elsewhere, self.program(mpi), "ring",
                                       options=("--scale-compute", "0", "--mpi", mpi, "--listen", "any"))
                self.assert_close(live["predicted_seconds"], 4 * message(1000))
                self.assertNotIn("real time", said)

    def test_strangers_are_sent_away(self):
        """Who does not know the run's secret gets no answer, and disturbs nobody."""
        knocks = self.file("knocks.py", KNOCKS)
        for listen, tcp in (("any", 4), ("auto", 0)):
            log = self.file(f"knocks-{listen}.txt", "")
            live, said = self.live("openmpi", 2, sys.executable, knocks, log, self.program("openmpi"), "ring",
                                   options=("--scale-compute", "0", "--mpi", "openmpi", "--listen", listen))
            self.assert_close(live["predicted_seconds"], 2 * message(1000))
            knocked = Counter(log.read_text().splitlines())
            self.assertEqual(knocked, Counter({"sent away by TCP": tcp, "sent away by here": 4}), said)

    def test_strangers_prolong_nothing_and_secrets_are_in_no_command_line(self):
        drips = self.file("drips.py", DRIPS)
        for mpi in MPIS:
            with self.subTest(mpi=mpi):
                began = time.monotonic()
                live, said = self.live(mpi, 2, sys.executable, drips, self.program(mpi), "ring", options=("--scale-compute", "0", "--mpi", mpi))
                self.assert_close(live["predicted_seconds"], 2 * message(1000))
                self.assertIn("secret in 0 of", said)
                self.assertIn("TCP closed", said)
                self.assertLess(time.monotonic() - began, 60) # it would take 100 s

    def test_hydra_hands_the_secret_on_where_it_hands_on_little(self):
        for words in (["-genvnone"], ["-genvlist", "HOME"]):
            command = ["mpirun.mpich", *words, "-n", "2", self.program("mpich"), "ring"]
            done = self.rondo("simulate", "--network", NETWORK, "--scale-compute", "0", "--json", "--", *command, environment=ROOT)
            self.assert_close(json.loads(done.stdout)["predicted_seconds"], 2 * message(1000))

    def test_keeps_the_programs_status_and_output(self):
        failing = self.file("fails.sh", "#!/bin/sh\n\"$@\"\nexit 7\n")
        failing.chmod(0o755)
        done = self.rondo("simulate", "--network", NETWORK, "--mpi", "openmpi", "--", *launcher("openmpi", 2), failing,
                          self.program("openmpi"), "ring", environment=ROOT, status=7)
        self.assertRegex(done.stdout, r"\d\.\d{12}")
        self.assertIn("predicted", done.stdout)
        self.refuses("simulate", "--network", NETWORK, "--what-if", "--", "mpirun.openmpi", "-n", "2", "./app", saying="-o")

    def test_the_program_goes_on_without_the_timekeeper(self):
        for mpi in MPIS:
            with self.subTest(mpi=mpi):
                command = [support.RONDO, "simulate", "--network", NETWORK, "--", *launcher(mpi, 2), self.program(mpi), "work",
                           "40000"]
                environment = support.clean_environment(ROOT)
                with subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
                    self.assertEqual(process.stdout.readline(), "begun\n")
                    process.send_signal(signal.SIGKILL)
                    said, talk = process.communicate(timeout=support.TIMEOUT_SECONDS)
                self.assertRegex(said, r"\d\.\d{12}")
                self.assertIn("goes on in real time", talk)

    @unittest.skipUnless(shutil.which("lmp"), "LAMMPS is not installed")
    def test_lammps(self):
        command = ["lmp", "-log", "none", "-in", INPUTS / "melt.in"]
        plain = subprocess.run([*launcher("openmpi", 4), *map(str, command)], capture_output=True, text=True, cwd=self.folder,
                               env=support.clean_environment(ROOT), timeout=support.TIMEOUT_SECONDS, check=True).stdout
        live, said = self.live("openmpi", 4, *command)
        def thermo(text):
            return re.findall(r"^ +\d+ +[-\d.]+ +[-\d.]+ +0 +[-\d.]+ +[-\d.]+ *$", text, re.MULTILINE)
        self.assertEqual(len(thermo(plain)), 6)
        self.assertEqual(thermo(said), thermo(plain))
        loop = float(re.search(r"Loop time of ([\d.e-]+)", said)[1])
        self.assertLess(loop, live["predicted_seconds"])
        self.assertGreater(loop, 0.5 * live["predicted_seconds"])

    @unittest.skipUnless(shutil.which("hpcc"), "hpcc is not installed")
    def test_hpcc(self):
        shutil.copy(INPUTS / "hpccinf.txt", self.folder)
        live, _ = self.live("openmpi", 4, "hpcc")
        self.assertGreater(live["predicted_seconds"], 0)
        text = (self.folder / "hpccoutf.txt").read_text()
        self.assertIn("Success=1", text)
        self.assertNotIn("FAILED", text)


if __name__ == "__main__":
    unittest.main()
