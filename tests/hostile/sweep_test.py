# SPDX-License-Identifier: Apache-2.0
"""Whatever the file is, every command ends by itself: with status 0, 1 or 2, soon, within its memory, and if it is 2
with a line that names the file. The files of tests/data/hostile were crafted to claim much in few bytes; the archives of
mutated_archives are a real run's with some bytes changed, behind right checksums."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("RONDO_BUILD_DIR", "build/dev")).resolve()
SOURCE = pathlib.Path(os.environ.get("RONDO_SOURCE_DIR", ".")).resolve()
CORPUS = SOURCE / "tests" / "data" / "hostile"
MOST_CPU_SECONDS = 20  # of one command: far more than it needs, on any machine
MOST_BYTES = 3 << 30
MUTANTS = int(os.environ.get("RONDO_TEST_MUTANTS", "12"))
LIMIT = "0.05"  # what is asked for is refused sooner, so that the test is quick

NETWORK = ["--network", "latency=5us,bandwidth=1GB/s"]
OF_ARCHIVES = [
    ["info"], ["info", "--messages"], ["info", "--json"],
    ["print"], ["print", "--flat", "--rank", "0"], ["print", "--json"],
    ["stats", "--collectives", "algorithm", "--json"],
    ["logical"], ["logical", "--json"],
    ["compare", "FILE"], ["compare", "--logical", "FILE"],
    ["matrix"], ["matrix", "--collectives", "pairs", "-o", "OUT.png"],
    ["topology"],
    ["patterns"], ["patterns", "--communication"],
    ["simulate", *NETWORK],
    ["efficiency"],
    ["generate", "-o", "OUT.bench"],
    ["convert", "FILE", "OUT.json"], ["convert", "--to", "ti", "--approximate", "FILE", "OUT.ti"],
]
OF_MATRICES = [["matrix"], ["matrix", "--json"], ["matrix", "-o", "OUT.svg"], ["topology"], ["topology", "--explain"]]
# Under AddressSanitizer, whose shadow is larger than any bound, memory is the sanitizer's business, and all takes longer.
HAS_SHADOW = b"__asan_init" in (BUILD / "bin" / "rondo").read_bytes()
CPU_SECONDS = MOST_CPU_SECONDS * (10 if HAS_SHADOW else 1)


def bound():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not HAS_SHADOW:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rondo-hostile-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def ends(self, file, command):
        words = [str(file) if word == "FILE" else word.replace("OUT", str(self.folder / "out")) for word in command]
        if "convert" not in words:
            words.append(str(file))
        force = ["--force"] if "-o" in words or "convert" in words else []
        done = subprocess.run([str(BUILD / "bin" / "rondo"), *words, *force, "--limit", LIMIT], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=bound)
        said = done.stderr.decode(errors="replace")
        with self.subTest(file=file.name, command=" ".join(command)):
            self.assertIn(done.returncode, (0, 1, 2), said[-2000:])
            if done.returncode == 2:
                self.assertIn("rondo: ", said)
                self.assertIn(file.name, said)
        return done.returncode

    def test_crafted_archives(self):
        files = sorted(CORPUS.glob("*.rondo"))
        self.assertGreater(len(files), 20)
        for file in files:
            # What cannot be opened is refused in the same place by all.
            if self.ends(file, OF_ARCHIVES[0]) != 2:
                for command in OF_ARCHIVES[1:]:
                    self.ends(file, command)

    def test_crafted_matrices(self):
        files = [*CORPUS.glob("*.csv"), *CORPUS.glob("*.mtx")]
        self.assertGreater(len(files), 9)
        for file in sorted(files):
            for command in OF_MATRICES:
                self.ends(file, command)

    def test_mutated_archives(self):
        made = subprocess.run([BUILD / "bin" / "mutated_archives", SOURCE / "tests/data/fuzz/archive", self.folder, str(MUTANTS)],
                              check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(len(made), MUTANTS)
        for name in made:
            for command in OF_ARCHIVES:
                self.ends(self.folder / name, command)

    def test_limits_can_be_lifted(self):
        file = CORPUS / "ranks4m.rondo"
        command = [str(BUILD / "bin" / "rondo"), "info", str(file)]
        refused = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--limit", refused.stderr)
        self.assertEqual(subprocess.run([*command, "--limit", "10"], capture_output=True).returncode, 0)

    def test_walks_say_how_long_they_take(self):
        file = CORPUS / "trip40.rondo"
        for command in (["print", "--flat"], ["info", "--messages"], ["simulate", *NETWORK]):
            done = subprocess.run([str(BUILD / "bin" / "rondo"), *command, str(file)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            for words in ("calls to go through one by one", "about", "--limit", file.name):
                self.assertIn(words, done.stderr)

    def test_efficiency_says_what_it_did_not_play(self):
        file = CORPUS / "trip40.rondo"
        for more in ([], ["--json"], [str(file)]):
            done = subprocess.run([str(BUILD / "bin" / "rondo"), "efficiency", *more, str(file)], capture_output=True, text=True,
                                  preexec_fn=bound)
            self.assertEqual(done.returncode, 0, done.stderr)
            for words in ("not played", "about", "--limit", file.name):
                self.assertIn(words, done.stderr)

    def test_playing_is_within_what_the_file_is_worth(self):
        """A thousand ranks in 8 kB, each with a thousand calls of its own, which it keeps while it is played."""
        file = CORPUS / "classes_1k.rondo"
        for command, status in ([["simulate", *NETWORK], 2], [["efficiency"], 0]):
            done = subprocess.run([str(BUILD / "bin" / "rondo"), *command, str(file), "--limit", "0.7"],
                                  capture_output=True, text=True, preexec_fn=bound)
            self.assertEqual(done.returncode, status, done.stderr)
            for words in ("times the memory to play", "--limit 2 allows it", file.name):
                self.assertIn(words, done.stderr)

    def test_reading_is_within_what_the_file_is_worth(self):
        """The same file: what goes through the programs of all ranks takes 8 us and 500 B for each of their calls."""
        file = CORPUS / "classes_1k.rondo"
        for command in (["logical"], ["patterns"], ["patterns", "--communication"], ["compare", "--logical", str(file)]):
            done = subprocess.run([str(BUILD / "bin" / "rondo"), *command, str(file)], capture_output=True, text=True,
                                  preexec_fn=bound)
            self.assertEqual(done.returncode, 2, done.stderr)
            for words in ("times the memory or work to read", "--limit 2 allows it", file.name):
                self.assertIn(words, done.stderr)
        done = subprocess.run([str(BUILD / "bin" / "rondo"), "report", "--json", str(file)], capture_output=True, text=True,
                              preexec_fn=bound)
        self.assertEqual(done.returncode, 0, done.stderr)
        left_out = " ".join(json.loads(done.stdout)["runs"][0]["left_out"])
        for words in ("the logical program is left out", "patterns are left out", "--limit 2"):
            self.assertIn(words, left_out)

    def test_no_memory_is_a_message(self):
        file = CORPUS / "ranks4m.rondo"
        done = subprocess.run([str(BUILD / "bin" / "rondo"), "--limit", "0.001", "stats", str(file)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(file.name, done.stderr)

    def test_limits_are_numbers(self):
        for bad in ("0", "-1", "nan", "inf", "10x"):
            done = subprocess.run([str(BUILD / "bin" / "rondo"), f"--limit={bad}", "info", "x"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--limit", done.stderr)


if __name__ == "__main__":
    unittest.main()
