#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shows every rule of every check failing on a small bad tree, and all checks passing on a small good one."""
import contextlib
import io
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import check_docs
import check_format
import check_headers
import check_layers
import check_samples
import check_words

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
OPENING = SPDX + "// What it is for.\n// What always holds.\n"
HEADER = OPENING + "#pragma once\n"
PUBLIC = "include/rondo/base/a.hpp"
GOOD_TREE = {
    ".clang-format": "BasedOnStyle: LLVM\nColumnLimit: 100\n",
    "README.md": "See [the folders](docs/architecture.md#folders) and [the standard](https://www.mpi-forum.org).\n",
    "base/README.md": "Errors. Tests: `base_test`.\n",
    "base/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\nrondo_add_library(base SOURCES base.cpp)\nrondo_add_test(base_test FILES a)\n",
    "base/base.cpp": SPDX + '#include "rondo/base/result.hpp"\n',
    "docs/README.md": "Documents.\n",
    "docs/architecture.md": "## Folders\n| folder | job |\n|---|---|\n"
                            "| `base/` | a |\n| `docs/` | b |\n| `include/` | c |\n",
    "docs/glossary.md": "| word | meaning |\n|---|---|\n| **call** | a |\n| **event** | b |\n",
    "docs/references.bib": "@article{known1999,\n  author = {A},\n  title = {T},\n  year = {1999}\n}\n",
    "include/rondo/base/result.hpp": HEADER + "#include <cstddef>\n\n/// Folds.\n/// @complexity O(n)\n"
                                     "/// @source [known1999, sec. 2] for the idea\nstd::size_t fold();\n",
}


class Checks(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="rondo_check_"))
        self.addCleanup(shutil.rmtree, self.root)
        for path, text in GOOD_TREE.items():
            self.write(path, text)

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def run_check(self, check, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            status = check.main([*arguments, str(self.root)])
        return status, output.getvalue()

    def fails(self, check, path, text, expected):
        """With `text` at `path` the check fails, and says `expected` (FILE:LINE: words) among other things."""
        self.write(path, text)
        status, output = self.run_check(check)
        self.assertEqual(status, 1, f"passed, but should have said: {expected}")
        self.assertIn(expected, output)

    def passes(self, check, path, text):
        self.write(path, text)
        self.assertEqual(self.run_check(check), (0, ""))


class EveryCheck(Checks):
    def test_passes_on_a_good_tree(self):
        for check in (check_docs, check_headers, check_layers, check_words, check_format):
            status, output = self.run_check(check)
            self.assertEqual(status, 0, output)

    def test_prints_help(self):
        for check in (check_docs, check_headers, check_layers, check_words, check_format):
            with self.assertRaises(SystemExit) as stop, contextlib.redirect_stdout(io.StringIO()) as text:
                check.main(["--help"])
            self.assertEqual(stop.exception.code, 0)
            self.assertIn("Exit status", text.getvalue())

    def test_looks_at_no_build_tree(self):
        self.passes(check_words, "build/x.cpp", "// /ho" + "me/me\n")


class Samples(Checks):
    def opening(self, *sample):
        self.write("tools/sample_words.hpp", "namespace rondo::samples {\nextern const int rows;\n} // namespace rondo::samples\n")
        self.write("include/rondo/base/result.hpp", "#pragma once\nnamespace rondo { template <class> struct Result {}; }\n")
        return SPDX + "// What it is for.\n//\n" + "".join(f"//   {line}\n" for line in sample) + \
            "#pragma once\n#include \"rondo/base/result.hpp\"\nnamespace rondo::base {\nint sum(int of);\n}\n"

    def test_sample_that_compiles(self):
        self.passes(check_samples, PUBLIC, self.opening("const int s = sum(rows);"))

    def test_sample_with_another_name(self):
        self.fails(check_samples, PUBLIC, self.opening("const int s =", "  sums(rows);"), f"{PUBLIC}:5: the sample does not compile: ")

    def test_call_without_a_semicolon(self):
        self.fails(check_samples, PUBLIC, self.opening("sum(rows)  -> 3"), f"{PUBLIC}:4: a sample of calls has a semicolon")

    def test_texts_and_tables_are_no_samples(self):
        self.passes(check_samples, PUBLIC, self.opening("loop 4:", "  send east"))


class Layers(Checks):
    def test_include_to_the_right(self):
        self.fails(check_layers, "fold/a.cpp", SPDX + '#include "rondo/archive/reader.hpp"\n',
                   "fold/a.cpp:2: fold/ may not use archive/")

    def test_include_to_the_right_in_angle_brackets(self):
        self.fails(check_layers, "base/a.cpp", "#include <rondo/trace/trace.hpp>\n",
                   "base/a.cpp:1: base/ may not use trace/")

    def test_names_of_mpi_are_constants(self):
        self.fails(check_layers, "patterns/a.cpp", SPDX + 'bool b = name == "MPI_Send";\n',
                   'patterns/a.cpp:2: "MPI_Send" is a text; write mpi::Send')

    def test_names_of_mpi_in_sentences_are_fine(self):
        self.passes(check_layers, "patterns/a.cpp",
                    'text = "consider MPI_Allreduce"; // "MPI_Send"\nname.starts_with("MPI_");\n')

    def test_arguments_are_not_looked_up_by_name(self):
        self.fails(check_layers, "patterns/a.cpp", SPDX + 'int i = function.word_of("dest");\n',
                   'patterns/a.cpp:2: "dest" is an argument\'s name')

    def test_arguments_that_mean_nothing_to_others_are(self):
        self.passes(check_layers, "generate/a.cpp", SPDX + 'int i = function.word_of("amode");\n')

    def test_types_of_sources_compiled_together_differ(self):
        source = SPDX + "namespace rondo::fold {\nnamespace {\nstruct Range {\n};\n} // namespace\n} // namespace rondo::fold\n"
        self.write("fold/a.cpp", source)
        self.passes(check_layers, "fold/a_test.cpp", source)
        self.passes(check_layers, "archive/a.cpp", source)
        self.fails(check_layers, "fold/b.cpp", source, "fold/b.cpp:4: Range is a type of fold/a.cpp too")

    def test_include_to_the_left_is_fine(self):
        self.passes(check_layers, "archive/a.cpp",
                    '#include "archive/a.hpp"\n#include "rondo/fold/b.hpp"\n#include "fold/c.hpp"\n')

    def test_analyses_use_only_what_is_drawn(self):
        self.fails(check_layers, "simulate/a.cpp", '#include "rondo/matrix/matrix.hpp"\n',
                   "simulate/a.cpp:1: analysis simulate/ may not use matrix/")

    def test_analyses_use_what_is_drawn(self):
        self.passes(check_layers, "topology/a.cpp", '#include "rondo/matrix/matrix.hpp"\n')

    def test_public_header_includes_private_one(self):
        self.fails(check_layers, "include/rondo/fold/a.hpp", '#include "trace/internal.hpp"\n',
                   "include/rondo/fold/a.hpp:1: trace/internal.hpp is private")

    def test_example_includes_private_header(self):
        self.fails(check_layers, "examples/a.cpp", '#include "trace/internal.hpp"\n',
                   "examples/a.cpp:1: trace/internal.hpp is private")

    def test_mpi_outside_the_recorder(self):
        self.fails(check_layers, "convert/a.cpp", "#include <mpi.h>\n", "convert/a.cpp:1: mpi.h is for")

    def test_mpi_in_a_public_header_of_the_recorder(self):
        self.fails(check_layers, "include/rondo/record/a.hpp", "#include <mpi.h>\n",
                   "include/rondo/record/a.hpp:1: mpi.h is for")

    def test_mpi_in_the_recorder_and_in_tests_is_fine(self):
        self.write("tests/a.c", "#include <mpi.h>\n")
        self.passes(check_layers, "record/a.cpp", "#include <mpi.h>\n")

    def test_heavy_include_in_carried_code(self):
        for place in ("fold/a.cpp", "record/a.cpp", "archive/writer.cpp", "include/rondo/archive/archive_writer.hpp"):
            for header in ("fmt/format.h", "spdlog/spdlog.h", "nlohmann/json.hpp", "iostream"):
                with self.subTest(place=place, header=header):
                    self.fails(check_layers, place, f"#include <{header}>\n", f"{place}:1: {header} would be loaded")

    def test_throw_in_carried_code(self):
        self.fails(check_layers, "fold/a.cpp", "int f(int a) {\n  throw a;\n}\n", "fold/a.cpp:2: no exceptions")

    def test_throw_in_a_comment_string_or_test_is_fine(self):
        self.write("fold/a_test.cpp", "int f() { throw 1; }\n")
        self.passes(check_layers, "fold/a.cpp",
                    '// throw\n/* throw\nthrow */ const char* a = "throw";\nint b = 1\'000;\n')

    def test_include_without_folder(self):
        self.fails(check_layers, "fold/a.cpp", '#include "a.hpp"\n', 'fold/a.cpp:1: "a.hpp" names no folder')

    def test_public_header_outside_folders(self):
        self.fails(check_layers, "fold/a.cpp", '#include "rondo/rondo.hpp"\n',
                   "fold/a.cpp:1: rondo/rondo.hpp is in no stage")

    def test_link_line_to_the_right(self):
        self.fails(check_layers, "fold/CMakeLists.txt",
                   "rondo_add_library(fold SOURCES a.cpp\n  DEPENDS trace matrix LINK zstd)\n",
                   "fold/CMakeLists.txt:1: fold/ may not use matrix/")

    def test_link_line_to_no_folder(self):
        self.fails(check_layers, "fold/CMakeLists.txt", "rondo_add_library(fold SOURCES a.cpp DEPENDS common)\n",
                   "fold/CMakeLists.txt:1: DEPENDS names common")


class Headers(Checks):
    def test_needs_what_it_does_not_include(self):
        self.fails(check_headers, PUBLIC, HEADER + "std::vector<int> a();\n",
                   "include/rondo/base/a.hpp:1: does not compile on its own as c++")

    def test_includer_lends_nothing(self):
        """What it is compiled after or with, in one run of the compiler, does not stand in for what it must include."""
        self.write("include/rondo/base/b.hpp", HEADER + "#include <vector>\n#include <rondo/base/a.hpp>\nstd::vector<int> b();\n")
        self.fails(check_headers, PUBLIC, HEADER + "std::vector<int> a();\n",
                   "include/rondo/base/a.hpp:1: does not compile on its own as c++")

    def test_chosen_include_lends_nothing(self):
        self.write("include/rondo/base/b.hpp", HEADER + "#ifdef OTHER\n#include <rondo/base/a.hpp>\n#endif\nstd::vector<int> b();\n")
        self.fails(check_headers, PUBLIC, HEADER + "#include <vector>\nstd::vector<int> a();\n",
                   "include/rondo/base/b.hpp:1: does not compile on its own as c++")

    def test_neighbour_lends_nothing(self):
        self.write("include/rondo/base/b.hpp", HEADER + "std::vector<int> b();\n")
        self.fails(check_headers, PUBLIC, HEADER + "#include <vector>\nstd::vector<int> a();\n",
                   "include/rondo/base/b.hpp:1: does not compile on its own as c++")

    def test_each_wrong_header_of_a_chain_is_named(self):
        self.write("include/rondo/base/b.hpp", HEADER + "#include <rondo/base/a.hpp>\n#include <rondo/base/a.hpp>\nstd::vector<int> b();\n")
        self.fails(check_headers, PUBLIC, HEADER + "int a();\n", "include/rondo/base/b.hpp:1: does not compile on its own as c++")

    def test_c_header_is_cpp_only(self):
        self.fails(check_headers, "include/rondo/base/a.h", HEADER + "class A;\n",
                   "include/rondo/base/a.h:1: does not compile on its own as c,")

    def test_no_spdx(self):
        self.fails(check_headers, PUBLIC, "// A.\n// B.\n#pragma once\n", "a.hpp:1: the first line is to be")

    def test_no_opening_comment(self):
        self.fails(check_headers, PUBLIC, SPDX + "// A.\n#pragma once\n", "a.hpp:2: say in two lines")

    def test_no_pragma_once(self):
        self.fails(check_headers, PUBLIC, OPENING, "a.hpp:4: add #pragma once")

    def test_too_long(self):
        self.fails(check_headers, PUBLIC, HEADER + "\n" * 247, "a.hpp:251: 251 lines, at most 250")


class Docs(Checks):
    def test_unknown_key(self):
        self.fails(check_docs, PUBLIC, HEADER + "/// @complexity O(n)\n/// @source [known1999] and\n"
                   "///   [unknown2000, sec. 3]\nvoid f();\n", "a.hpp:7: @source names [unknown2000]")

    def test_brackets_elsewhere_are_no_keys(self):
        self.passes(check_docs, "base/a.cpp", SPDX + "/// @source [known1999]\n/// @error [none] at a[i]\n")

    def test_source_without_complexity(self):
        self.fails(check_docs, PUBLIC, HEADER + "/// @param a  b\n/// @source [known1999]\nvoid f(int a);\n",
                   "a.hpp:5: a function with @param and @source is an algorithm")

    def test_reference_without_field(self):
        for field in ("author", "title", "year"):
            self.fails(check_docs, "docs/references.bib", GOOD_TREE["docs/references.bib"].replace(field, "note"),
                       f"docs/references.bib:1: known1999 has no {field}")

    def test_reference_twice(self):
        self.fails(check_docs, "docs/references.bib", GOOD_TREE["docs/references.bib"] * 2,
                   "docs/references.bib:6: key known1999 is there twice")

    def test_document_missing(self):
        for path in ("docs/references.bib", "docs/architecture.md", "docs/glossary.md", "README.md", "base/README.md"):
            with self.subTest(path=path):
                (self.root / path).unlink()
                status, output = self.run_check(check_docs)
                self.assertEqual(status, 1)
                self.assertIn(f"{path}:1: is missing", output)
                self.write(path, GOOD_TREE[path])

    def test_folder_not_in_table(self):
        self.fails(check_docs, "fold/README.md", "Folds.\n",
                   "docs/architecture.md:1: the table under ## Folders lacks fold/")

    def test_package_not_in_table(self):
        self.fails(check_docs, "tools/install_packages.sh", "#!/bin/sh\n" + SPDX.replace("//", "#") + 'build="g++ libx-dev"\n',
                   "docs/architecture.md:1: the table under ## Dependencies lacks libx-dev")

    def test_folder_not_in_tree(self):
        self.fails(check_docs, "docs/architecture.md", GOOD_TREE["docs/architecture.md"] + "| `gone/` | d |\n",
                   "docs/architecture.md:7: lists gone/")

    def test_room_that_is_gone(self):
        self.fails(check_docs, "base/README.md", "`base_test`\n| `gone/` | a |\n", "base/README.md:2: lists gone/, which is not in the tree")

    def test_test_that_is_gone(self):
        self.fails(check_docs, "base/README.md", "`base_test`, `gone_test`\n", "base/README.md:1: names gone_test, which is no test")

    def test_stage_without_a_test(self):
        self.fails(check_docs, "base/README.md", "Errors.\n", "base/README.md:1: says of no test")

    def test_variable_that_is_not_listed(self):
        self.write("docs/cli.md", "| `RONDO_A` | a |\n")
        self.write("cli/README.md", "`cli.a`\n")
        self.fails(check_docs, "cli/a.cpp", SPDX + 'getenv("RONDO_B");\n', "cli/a.cpp:2: reads RONDO_B, which is not in the table")
        self.fails(check_docs, "cli/a.cpp", SPDX, "docs/cli.md:1: RONDO_A is read by nothing")

    def test_glossary_unsorted(self):
        self.fails(check_docs, "docs/glossary.md", "| **event** | b |\n| **Call** | a |\n",
                   "docs/glossary.md:2: Call stands after event")

    def test_glossary_twice(self):
        self.fails(check_docs, "docs/glossary.md", "| **event** | b |\n| **Event** | a |\n",
                   "docs/glossary.md:2: Event is there twice")

    def test_link_leads_nowhere(self):
        self.fails(check_docs, "docs/a.md", "\n[b](b.md#c)\n", "docs/a.md:2: the link b.md#c leads nowhere")

    def test_links_in_code_are_no_links(self):
        self.passes(check_docs, "docs/a.md", "`[b](b.md)`\n```\n[b](b.md)\n```\n")

    def test_long_readme(self):
        self.fails(check_docs, "README.md", "\n" * 121, "README.md:121: more than 120 lines")

    def test_no_spdx(self):
        for path in ("base/a.cpp", "base/a.hpp", "base/a.c", "base/a.h", "base/a.py", "base/a.sh",
                     "base/CMakeLists.txt", "base/a.toml", "base/a.f90", "base/a.cmake", "base/a.fbs"):
            with self.subTest(path=path):
                self.fails(check_docs, path, "\n\n\n" + SPDX, f"{path}:1: no SPDX")

    def test_no_spdx_in_a_script(self):
        self.fails(check_docs, "quickstart", "#!/bin/sh\n", "quickstart:1: no SPDX")


class Words(Checks):
    def test_forbidden(self):
        for words in ("see /ho" + "me/me/x", "in /ro" + "ot/x", "cd /wo" + "rk/x", "TO" + "DO: later", "FIX" + "ME",
                      "a seam" + "less way", "<" * 7 + " HEAD", "as in sty" + "le.md"):
            with self.subTest(words=words):
                self.fails(check_words, "docs/a.md", f"\n{words}\n", "docs/a.md:2: ")

    def test_forbidden_in_a_script_without_suffix(self):
        self.fails(check_words, "quickstart", "#!/bin/sh\ncd /ro" + "ot/x\n", "quickstart:2: ")

    def test_allowed(self):
        self.passes(check_words, "docs/a.md", "TODO(#12): later, in build/wo" + "rk/x and ~/wo" + "rk/x\n=====\n")
        self.passes(check_words, "docs/a.html", "<img src='data:image/png;base64,AB+XX" + "X+CD/FIX" + "ME='>\n")


class Format(Checks):
    def test_unformatted(self):
        if not check_format.find_clang_format():
            self.skipTest("clang-format 14 is not installed")
        self.fails(check_format, "base/a.cpp", SPDX + "\nint  a;\n", "base/a.cpp:3: is not formatted")

    def test_without_clang_format(self):
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = str(self.root)
        status, output = self.run_check(check_format)
        self.assertEqual(status, 0)
        self.assertTrue(output.startswith("skipped: clang-format 14 is not installed"))


if __name__ == "__main__":
    sys.exit(unittest.main())
