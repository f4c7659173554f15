#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rondo build-recorder, from an installed tree that was moved: recorders for both MPIs, which record what those that came
with Rondo record; and what it says where something is missing."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from support import BUILD, MPIRUN, SOURCE, PackageTest, environment, need, run

LAUNCHERS = {"openmpi": MPIRUN, "mpich": ["mpirun.mpich", "-genv", "LD_PRELOAD", str(BUILD / "lib" / "libmpich_yield.so"), "-n", "2"]}

# Not optimised: with that, a recorder takes a minute. What sees nothing of an MPI was compiled when the project was built: of
# that it is seen that all files are there, and the folder's library is taken for the first list of its sources.
QUICK = """#!/bin/sh
case "$*" in *handles.hpp*|*-shared*) exec c++ "$@" -O0;; esac
for word; do case $word in *.cpp) list=$word;; *.o) object=$word;; esac; done
c++ "$@" -M > /dev/null || exit
folder=$(sed -n '1s|.*/recorder/\\([a-z]*\\)/.*|\\1|p' "$list")
mkdir "$(dirname "$object")/$folder" 2>/dev/null || exec c++ -x c++ -c /dev/null -o "$object"
ld -r --whole-archive "{libraries}/librondo_$folder.a" -o "$object"
"""


class BuildRecorder(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run("cmake", "--install", BUILD, "--component", "rondo", "--prefix", cls.folder / "first")
        cls.prefix = (cls.folder / "first").rename(cls.folder / "moved")
        cls.program = cls.prefix / "bin" / "rondo"
        cls.home = cls.folder / "home"
        cls.home.mkdir()
        cls.quick = cls.folder / "quick-c++"
        cls.quick.write_text(QUICK.replace("{libraries}", str(BUILD / "lib")))
        cls.quick.chmod(0o755)

    def rondo(self, *words, status=0, **variables):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, timeout=1200, cwd=self.folder,
                              env=environment(HOME=str(self.home), **variables), check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def script(self, name, text):
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return file

    def counts(self, recorder, mpi, example):
        """Calls by function, of all ranks together."""
        archive = self.folder / f"{recorder or 'own'}-{mpi}-{example}.rondo"
        named = ["--mpi", recorder] if recorder else []
        self.rondo("record", *named, "-o", archive, "--", *LAUNCHERS[mpi], BUILD / "examples" / mpi / example)
        calls = {}
        for rank in (0, 1):
            for line in self.rondo("print", "--flat", "--rank", rank, archive).stdout.splitlines():
                for function in re.findall(r"\b(MPI_\w+)\(", line)[:1]:
                    calls[function] = calls.get(function, 0) + 1
        self.assertGreater(sum(calls.values()), 4)
        return calls

    def records_alike(self, recorder, mpi):
        for example in ("ring", "twin_f08"):  # one in C, one in Fortran
            if (BUILD / "examples" / mpi / example).exists():
                self.assertEqual(self.counts(recorder, mpi, example), self.counts("", mpi, example), example)
        sound = subprocess.run([sys.executable, SOURCE / "tools" / "check_recorder.py", self.library(recorder)],
                               capture_output=True, text=True, check=False)
        self.assertEqual(sound.returncode, 0, sound.stdout + sound.stderr)

    def library(self, recorder):
        return next(self.folder.rglob(f"librondo_record_{recorder}.so"))

    def test_for_open_mpi_beside_the_others(self):
        done = self.rondo("build-recorder", "--mpicc", "mpicc.openmpi", "--cxx", self.quick, "--jobs", "1")
        built = pathlib.Path(done.stdout.strip())
        name = re.fullmatch(r"librondo_record_(openmpi-[\d.]+)\.so", built.name)[1]
        self.assertTrue((built.parent / "librondo_record_openmpi.so").is_file())
        self.records_alike(name, "openmpi")
        self.assertRegex(self.rondo("--version").stdout, rf"programs of: .*{re.escape(name)} \(Open MPI")
        ring = BUILD / "examples" / "openmpi" / "ring"
        checks = json.loads(self.rondo("doctor", "--look", "--json", "--mpi", name, "--", *MPIRUN, ring).stdout)["checks"]
        self.assertRegex({check["name"]: check["text"] for check in checks}["recorder"], rf"{re.escape(str(built))}, built for Open MPI")
        again = self.rondo("build-recorder", "--mpicc", "mpicc.openmpi", status=2)
        self.assertIn("is there already", again.stderr)
        other = self.rondo("record", "--mpi", name, "--", BUILD / "examples" / "mpich" / "ring", status=2)
        self.assertIn("is linked with MPICH", other.stderr)

    def test_for_mpich_into_the_users_folder(self):
        """Where the installation may not be written to; root may write anywhere, so that its folder is named."""
        into = self.home / ".local" / "share" / "rondo" / "recorders"
        self.rondo("build-recorder", "--mpicc", "mpicc.mpich", "--name", "of-home", "--cxx", self.quick, "--jobs", "1", "--into", into)
        self.assertTrue((into / "librondo_record_of-home.so").is_file())
        self.records_alike("of-home", "mpich")

    def test_what_is_missing_is_said(self):
        bare = self.script("bare-mpicc", 'exec cc "$@"')
        stranger = self.folder / "stranger"
        stranger.mkdir()
        (stranger / "mpi.h").write_text("#define MPI_VERSION 1\n")
        strange = self.script("strange-mpicc", f'exec cc -I{stranger} "$@"')
        old = self.script("old-c++", 'echo "unrecognized option -std=c++20" >&2; exit 1')
        file = self.folder / "a-file"
        file.write_text("")
        for words, saying in (
                (["--mpicc", "no-such-mpicc"], "there is no compiler wrapper 'no-such-mpicc'"),
                (["--mpicc", bare], "finds no mpi.h"),
                (["--mpicc", strange], "neither of Open MPI nor of MPICH"),
                (["--mpicc", "mpicc.openmpi", "--cxx", "no-such-c++"], "there is no C++ compiler 'no-such-c++'"),
                (["--mpicc", "mpicc.openmpi", "--name", "x", "--cxx", old], "needs C++20"),
                (["--mpicc", "mpicc.openmpi", "--name", "x", "--into", file / "below"], "cannot write to"),
                (["--mpicc", "mpicc.openmpi", "--name", "abi"], "comes with Rondo"),
                (["--mpicc", "mpicc.openmpi", "--name", "../x"], "a recorder's name has letters")):
            self.assertIn(saying, self.rondo("build-recorder", *words, status=2).stderr)
        said = self.rondo("record", "--mpi", "unknown", "--", BUILD / "examples" / "openmpi" / "ring", status=2).stderr
        self.assertRegex(said, "there is no recorder 'unknown'; there are .*openmpi")
        self.assertEqual(list(self.folder.rglob("librondo_record_x.so")), [])


if __name__ == "__main__":
    need("c++", "nm", "mpicc.openmpi", "mpicc.mpich", "mpirun.openmpi", "mpirun.mpich")
    os.environ.pop("XDG_DATA_HOME", None)
    unittest.main()
