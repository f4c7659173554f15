#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/make_sbom.py: every library that the program needs is in the list, with its package's version."""
import json
import re
import subprocess
import unittest

from support import BUILD, HAS_SIMGRID, SOURCE, PackageTest, need, run


class BillOfMaterials(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        output = cls.folder / "rondo.spdx.json"
        run(SOURCE / "packaging" / "make_sbom.py", "--build", BUILD, "--version", "9.8.7", "--output", output)
        cls.document = json.loads(output.read_text())
        cls.packages = {package["name"]: package for package in cls.document["packages"]}

    def test_libraries_of_the_program_are_all_there(self):
        listed = " ".join(package.get("comment", "") + " " + package["name"] for package in self.packages.values())
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", BUILD / "bin" / "rondo"))
        self.assertGreater(len(needed), 5)
        for library in needed:
            self.assertIn(library, listed)

    def test_simgrid_is_there_that_only_its_module_needs(self):
        if not HAS_SIMGRID:
            self.skipTest("built without SimGrid")
        self.assertRegex(" ".join(self.packages), r"\blibsimgrid3")

    def test_versions_are_those_installed(self):
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libfmt9"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.packages["libfmt9"]["versionInfo"], version)
        self.assertEqual(self.packages["libfmt9"]["externalRefs"][0]["referenceLocator"], f"pkg:deb/debian/libfmt9@{version}")
        self.assertEqual(self.packages["rondo"]["versionInfo"], "9.8.7")

    def test_what_is_compiled_in_is_there_and_tests_are_not(self):
        for name in ("nlohmann-json3-dev", "libcli11-dev", "libflatbuffers-dev", "libzstd-dev"):
            self.assertIn(name, self.packages)
        self.assertNotIn("libgtest-dev", self.packages)
        self.assertIn("libzstd.a", self.packages["libzstd-dev"]["comment"])

    def test_recipes_have_the_version_of_the_build(self):
        """They are files of other tools, which do not read CMakeLists.txt."""
        version = re.search(r"^project\(rondo VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
        recipes = [SOURCE / "packaging" / "conda" / "meta.yaml", *(SOURCE / "packaging" / "easybuild").glob(f"rondo-{version}-*.eb")]
        self.assertEqual(len(recipes), 2)
        for recipe in recipes:
            self.assertEqual(re.findall(r"^(?:\{% set )?version = ['\"]([\d.]+)['\"]", recipe.read_text(), re.MULTILINE), [version], recipe)

    def test_identifiers_are_unique_and_relations_lead_somewhere(self):
        names = [package["SPDXID"] for package in self.document["packages"]]
        self.assertEqual(len(names), len(set(names)))
        for relation in self.document["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, {"SPDXRef-DOCUMENT", *names})


if __name__ == "__main__":
    need("dpkg-query", "ninja", "readelf", "ldd")
    unittest.main()
