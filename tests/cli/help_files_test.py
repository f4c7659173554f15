#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and completions: whole, read by man and by the shells, and about what --help is about."""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from support import BUILD, RONDO, CommandTest, clean_environment

SHARE = BUILD / "share"
BASH = SHARE / "bash-completion" / "completions" / "rondo"
FISH = SHARE / "fish" / "vendor_completions.d" / "rondo.fish"


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


class HelpFiles(CommandTest):
    def commands(self):
        return re.findall(r"^  ([\w-]+) ", self.rondo("--help").stdout.split("Subcommands:")[1], re.MULTILINE)

    def shown(self, page):
        """The page as people read it, as one line."""
        done = subprocess.run(["man", "--warnings", "-l", str(SHARE / "man" / "man1" / page)], capture_output=True, text=True,
                              env=clean_environment({"MANWIDTH": "400", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"}), check=True)
        self.assertEqual(done.stderr, "", page)
        return " ".join(re.sub(".\b", "", done.stdout).split())

    def test_a_page_for_each_command_with_each_option(self):
        self.assertIn("doctor", self.commands())
        whole = self.shown("rondo.1")
        for command in self.commands():
            self.assertIn(f"rondo-{command}(1)", whole)
            help_text = self.rondo(command, "--help").stdout
            page = self.shown(f"rondo-{command}.1")
            options = options_in(help_text.split("Options:")[1])
            self.assertLessEqual(options, options_in(page), command)
            self.assertIn(" ".join(help_text.splitlines()[0].split()).lower(), page.lower())
        topology = self.shown("rondo-topology.1")
        self.assertIn("One of: bytes, messages. Default: bytes.", topology)
        self.assertIn("rondo topology matrix.csv --filter 5% --coordinates", topology)

    def test_installed_pages_are_those_of_this_build(self):
        self.rondo("help-files", "again")
        written = sorted(path.relative_to(self.folder / "again") for path in (self.folder / "again").rglob("*") if path.is_file())
        self.assertEqual(len(written), len(self.commands()) + 1 + 3)
        for path in written:
            self.assertEqual((self.folder / "again" / path).read_bytes(), (SHARE / path).read_bytes(), path)

    def test_version_says_what_is_built(self):
        said = self.rondo("--version").stdout
        self.assertRegex(said, r"^rondo \d+\.\d+\.\d+( \(commit [0-9a-f]{9,}\))?\n")
        for mpi in ("Open MPI", "MPICH"):
            has = (BUILD / "lib" / f"librondo_record_{mpi.lower().replace(' ', '')}.so").exists()
            self.assertEqual(mpi in said, has)
        listed = [line.split() for line in self.rondo("convert", "--list").stdout.splitlines()[1:]]
        self.assertGreater(len(listed), 10)
        for way, head in ((1, "reads"), (2, "writes")):
            names = re.search(rf"^{head} +([^;\n]*)", said, re.MULTILINE)[1].split(", ")
            self.assertEqual(names, [words[0] for words in listed if words[way] == "yes"])
        self.assertRegex(said, "report: (yes|no)")


class Completion(CommandTest):
    def in_bash(self, *words):
        quoted = " ".join(f"'{word}'" for word in words)
        script = f"source {BASH}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _rondo; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "--norc", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
        unexpected = [line for line in done.stderr.splitlines() if "compopt: not currently executing" not in line]
        self.assertEqual(unexpected, [])
        return set(done.stdout.split())

    def test_bash(self):
        self.file("run.rondo", "")
        self.assertEqual(self.in_bash("rondo", "top"), {"topology"})
        self.assertIn("doctor", self.in_bash("rondo", ""))
        self.assertEqual(self.in_bash("rondo", "help", "mat"), {"matrix"})
        self.assertEqual(self.in_bash("rondo", "topology", "--we"), {"--weight"})
        self.assertEqual(self.in_bash("rondo", "topology", "--weight", ""), {"bytes", "messages"})
        self.assertEqual(self.in_bash("rondo", "topology", "--weight", "=", "b"), {"bytes"})
        self.assertEqual(self.in_bash("rondo", "topology", "r"), {"run.rondo"})
        self.assertEqual(self.in_bash("rondo", "topology", "-o", "r"), {"run.rondo"})
        self.assertEqual(self.in_bash("rondo", "topology", "--filter", ""), set())
        self.assertIn("bash", self.in_bash("rondo", "record", "-o", "x", "--", "bas"))

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        def in_fish(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {FISH}; complete -C '{line}'"], cwd=self.folder,
                                  capture_output=True, text=True, check=True, env=clean_environment({"HOME": str(self.folder)}))
            self.assertEqual(done.stderr, "")
            return {each.split("\t")[0] for each in done.stdout.splitlines()}
        self.file("run.rondo", "")
        self.assertIn("topology", in_fish("rondo top"))
        self.assertEqual(in_fish("rondo topology --weight "), {"bytes", "messages"})
        self.assertIn("--weight", in_fish("rondo topology --w"))
        self.assertNotIn("--weight", in_fish("rondo matrix --w"))
        self.assertIn("run.rondo", in_fish("rondo info run"))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        self.file("run.rondo", "")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], clean_environment({"TERM": "dumb", "PS1": "> ", "HOME": str(self.folder)}))
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.close, terminal)

        def until(wanted, seconds=60):
            text = ""
            end = time.monotonic() + seconds
            while time.monotonic() < end and not all(word in text for word in wanted):
                if select.select([terminal], [], [], 0.2)[0]:
                    text += os.read(terminal, 1 << 16).decode(errors="replace")
            for word in wanted:
                self.assertIn(word, text)
        os.write(terminal, f"fpath=({SHARE}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; echo IS''READY\n".encode())
        until(["ISREADY"])
        for line, wanted in (("rondo topology --weight=\t\t", ["bytes", "messages"]), ("rondo doc\t", ["rondo doctor"]),
                             ("rondo info run\t", ["run.rondo"]), ("rondo record --bud\t", ["--budget"])):
            os.write(terminal, line.encode())
            until(wanted)
            os.write(terminal, b"\x15")  # the line is taken away
        os.write(terminal, b"exit\n")


if __name__ == "__main__":
    unittest.main()
