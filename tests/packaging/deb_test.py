#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cpack -G DEB: three packages with what belongs to each, no MPI among what they depend on, lintian without errors."""
import hashlib
import os
import re
import shutil
import unittest

from support import BUILD, HAS_SIMGRID, PackageTest, need, run


class Packages(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run(os.environ.get("CPACK_COMMAND", "cpack"), "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder)
        cls.packages = {path.name.partition("_")[0]: path for path in cls.folder.glob("*.deb")}

    def field(self, package, name):
        return run("dpkg-deb", "--field", self.packages[package], name).strip()

    def files(self, package):
        return set(re.findall(r" \./(\S+)", run("dpkg-deb", "--contents", self.packages[package])))

    def test_what_belongs_to_each(self):
        expected = {"rondo": ["usr/bin/rondo", "usr/lib/rondo/librondo_record_openmpi.so", "usr/share/man/man1/rondo-record.1.gz",
                              "usr/share/zsh/vendor-completions/_rondo", "usr/share/doc/rondo/rondo.spdx.json"],
                    "librondo-dev": ["usr/include/rondo/rondo_phase.h", "usr/include/rondo/rondo.hpp", "usr/lib/librondo.a"]}
        if list((BUILD / "python" / "rondo").glob("_rondo*.so")):
            expected["python3-rondo"] = ["usr/lib/python3/dist-packages/rondo/__init__.py"]
        self.assertEqual(set(self.packages), set(expected))
        for package, names in expected.items():
            files = self.files(package)
            self.assertLessEqual({*names, f"usr/share/doc/{package}/copyright", f"usr/share/doc/{package}/changelog.Debian.gz"}, files)
            for other in expected:
                if other != package:
                    shared = {name for name in files & self.files(other) if not name.endswith("/")}
                    self.assertEqual(shared, set())

    def test_depend_on_what_they_need_and_no_mpi(self):
        needs = self.field("rondo", "Depends")
        for library in ("libc6", "libfmt9", "libarchive13", "libcairo2", "libdw1"):
            self.assertRegex(needs, rf"\b{library}\b")
        self.assertNotRegex(needs, "mpi|mpich")
        if HAS_SIMGRID:  # of the module, which the program itself does not need
            self.assertRegex(needs, r"\blibsimgrid3")
            self.assertIn("usr/lib/rondo/librondo_simgrid.so", self.files("rondo"))
        self.assertNotIn("simgrid", self.field("librondo-dev", "Depends"))
        self.assertIn("libopenmpi", self.field("rondo", "Suggests"))
        if "python3-rondo" in self.packages:
            own = self.field("rondo", "Version")
            self.assertRegex(self.field("python3-rondo", "Depends"), rf"python3-numpy, rondo \(= {re.escape(own)}\)")

    def with_less_code(self, package):
        """The same package with one member of its static library, whose symbols lintian looks at for a minute."""
        root, made = self.folder / "less", self.folder / package.name.replace(".deb", ".less.deb")
        run("dpkg-deb", "--raw-extract", package, root)
        library, sums = root / "usr" / "lib" / "librondo.a", root / "DEBIAN" / "md5sums"
        first = run("ar", "t", library).splitlines()[0]
        run("ar", "x", library, first, cwd=self.folder)
        library.unlink()
        run("ar", "rcsD", library, first, cwd=self.folder)
        digest = hashlib.md5(library.read_bytes(), usedforsecurity=False).hexdigest()
        sums.write_text(re.sub(r"\w+(?=  usr/lib/librondo\.a\n)", digest, sums.read_text(encoding="ascii")), encoding="ascii")
        run("dpkg-deb", "--build", "--root-owner-group", root, made)
        return made

    def test_lintian_finds_no_error(self):
        if shutil.which("lintian") is None:
            self.skipTest("lintian is missing")
        packages = [self.with_less_code(path) if name == "librondo-dev" else path for name, path in self.packages.items()]
        said = run("lintian", "--allow-root", "--fail-on", "none", *packages)
        self.assertEqual([line for line in said.splitlines() if line.startswith("E:")], [], said)

    def test_unpacked_program_records(self):
        root = self.folder / "root"
        run("dpkg-deb", "--extract", self.packages["rondo"], root)
        self.records(root / "usr" / "bin" / "rondo")


if __name__ == "__main__":
    need("dpkg-deb", "dpkg-shlibdeps", "gzip")
    unittest.main()
