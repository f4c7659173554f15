#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/make_tarball.sh: unpacked anywhere it records, and takes no library from the system but libc's."""
import pathlib
import re
import unittest

from support import BUILD, SOURCE, PackageTest, environment, need, run

OF_LIBC = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|pthread|rt|resolv|util|anl)\.so)")


class Tarball(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        packed = cls.folder / "rondo.tar.gz"
        run(SOURCE / "packaging" / "make_tarball.sh", BUILD, packed)
        run("tar", "-C", cls.folder, "-xzf", packed)
        cls.root = next(cls.folder.glob("rondo-*")).rename(cls.folder / "moved")

    def test_takes_only_libc_from_the_system(self):
        modules = list(self.root.rglob("_rondo*.so"))
        for file in [self.root / "bin" / "rondo", *modules, *self.root.rglob("librondo_convert.so"), *self.root.rglob("librondo_simgrid.so"), *(self.root / "lib/rondo/libraries").iterdir()]:
            for line in run("ldd", file).splitlines():
                name, _, place = line.strip().partition(" => ")
                if "statically linked" not in line and not OF_LIBC.match(pathlib.Path(name.split(" ")[0]).name):
                    self.assertTrue(place.startswith(str(self.root)), f"{file.name}: {line}")

    def test_records_and_opens(self):
        archive = self.records(self.root / "bin" / "rondo")
        modules = list(self.root.rglob("_rondo*.so"))
        if modules:
            said = run("/usr/bin/python3", "-B", "-c", f"import rondo; t = rondo.open('{archive}'); print(t.ranks, rondo._record.executable())",
                       env=environment(PYTHONPATH=str(modules[0].parents[1])))
            self.assertEqual(said.split(), ["2", str(self.root / "bin" / "rondo")])
            self.simulates_in_python(archive, modules[0].parents[1])

    def test_says_what_is_in_it(self):
        self.assertTrue((self.root / "rondo.spdx.json").is_file())
        self.assertIn("may be moved", (self.root / "README").read_text())


if __name__ == "__main__":
    need("patchelf", "ldd", "dpkg-query")
    unittest.main()
