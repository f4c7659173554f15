#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake --install: what is installed records programs by itself, also after the folder was moved."""
import os
import pathlib
import subprocess
import unittest

import programs
from support import BUILD, CommandTest, clean_environment

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Install(CommandTest):
    def test_installed_folder_records(self):
        prefix = self.folder / "first"
        subprocess.run([os.environ.get("CMAKE_COMMAND", "cmake"), "--install", BUILD, "--prefix", prefix], check=True,
                       capture_output=True)
        prefix = prefix.rename(self.folder / "moved")
        for name in ("include/rondo/rondo_phase.h", "include/rondo/rondo_phase.f90", "share/doc/rondo/docs/recording.md",
                     "share/doc/rondo/LICENSE", "share/man/man1/rondo-record.1", "share/bash-completion/completions/rondo"):
            self.assertTrue((prefix / name).is_file(), name)
        program = programs.build(self.folder, "phases.c", f"-I{prefix / 'include'}")
        done = subprocess.run([prefix / "bin" / "rondo", "record", "-o", "x.rondo", "--", program], cwd=self.folder,
                              env=clean_environment(AS_ROOT), capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "phases: ok\n")
        shown = subprocess.run([prefix / "bin" / "rondo", "print", "x.rondo"], cwd=self.folder, capture_output=True,
                               text=True, check=True).stdout
        self.assertIn('phase begin "solve"', shown)
        environment = subprocess.run([prefix / "bin" / "rondo", "record", "--print-env", "--", program], text=True,
                                     cwd=self.folder, capture_output=True, check=True).stdout
        preload = environment.splitlines()[0].partition("='")[2].rstrip("'")
        self.assertTrue(pathlib.Path(preload).is_relative_to(prefix.resolve()), preload)


if __name__ == "__main__":
    unittest.main()
