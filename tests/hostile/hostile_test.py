# SPDX-License-Identifier: Apache-2.0
"""Text that others wrote never becomes code: hostile texts go through every escaping function and, as every string of a
recording, through every writer; a parser of each language reads what comes out.

    RONDO_BUILD_DIR=build/dev python3 tests/hostile/hostile_test.py build/dev/bin/hostile_text
"""
import ast
import csv
import functools
import html
import io
import json
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import programs  # noqa: E402
import support  # noqa: E402

TOOL = pathlib.Path(sys.argv.pop(1)).resolve()

# None of them has a blank or a slash unless that is what it is about: a program's name ends there.
TEXTS = [text if isinstance(text, bytes) else text.encode() for text in [
    'q"w\'e`r', "back\\", "\\\"", "\\n\\x41\\u0041\\N{DIGIT ONE}", "*/", "/*", "/**//", "//\\", "a??/", "??/\n*/",
    "line\nINJECTED\rINJECTED", "tab\tbell\a", "\x1b[2J\x1b]0;INJECTED\x07", "\x9b2J", "\x7f", b"\x9b2J", b"\xff\xfe\xc0\xaf",
    b"half\xe2\x80", b"\xed\xa0\x80", "right\u202eleft\u2066", "\u200b\ufeff\u2028\u2029", "\U000e0041", "$(touch INJECTED)",
    "`touch\tINJECTED`", "';touch\tINJECTED;'", '");INJECTED();("', "$(shell\ttouch\tINJECTED)", "#\\#", "${HOME}$HOME", "%s%n%1$s",
    "{}{0}{{x}}{{{x}}}", "]]>", "</script><script>INJECTED()</script>", "<b\tx='\"'>&amp;", "<!--", "\\N\\G\\\"];INJECTED[", '"""', "'''",
    '"""\nINJECTED\n"""', "=INJECTED()", "a,b;c", " edge ", "[x](javascript:INJECTED)", "a" * 90 + ", " + "b" * 90, "Größe µs 行列",
    ""]]
# Each kind of bad end, and a name before it that survives the cutting of paths and arguments.
RECORDED = [b"".join(text.replace(b" ", b"\t").replace(b"/", b"!") for text in TEXTS), b'x"""', b"x*/\\", b"x\nINJECTED(", b"\xff"]

OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]")


@functools.cache
def escaped(function):
    """What the function makes of each text."""
    lines = "".join(f"{function} {text.hex() or ' '}\n" for text in TEXTS if text)
    done = subprocess.run([TOOL, "words"], input=lines, capture_output=True, text=True, check=True, timeout=60)
    made = [bytes.fromhex(line) for line in done.stdout.splitlines()]
    assert len(made) == len(TEXTS) - 1, done.stderr
    return list(zip(TEXTS, made))


def shown(text):
    """What terminal() makes of it."""
    return dict(escaped("terminal")).get(text, b"").decode()


def compiles(folder, *sources):
    line = ["mpicc.openmpi", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Wtrigraphs", "-Werror", *sources]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=60)


class Functions(support.CommandTest):
    def test_terminals_get_plain_lines(self):
        for function in ("terminal", "quoted", "c_comment", "python_comment", "makefile", "xml", "dot", "csv", "markdown"):
            for text, made in escaped(function):
                with self.subTest(function=function, text=text):
                    self.assertIsNone(OBEYED.search(made.decode()))
                    self.assertNotIn(b"\n", made)

    def test_c_reads_strings_and_comments(self):
        pairs = escaped("c_string")
        source = "#include <stdio.h>\n#include <string.h>\nstatic const char *text[] = {\n"
        source += "".join(f"{made.decode()},\n" for _, made in pairs) + "};\n"
        source += "".join(f"/* {made.decode()} */\n// {made.decode()}\n" for _, made in escaped("c_comment"))
        source += f"int main(void) {{ for (int i = 0; i < {len(pairs)}; ++i) fwrite(text[i], strlen(text[i]) + 1, 1, stdout); return 0; }}\n"
        self.file("texts.c", source)
        for standard in ("gnu11", "c99"): # trigraphs count in the second
            flags = ["-std=" + standard, "-Wall", "-Wextra", "-Werror", "-o", "texts", "texts.c"]
            done = subprocess.run(["gcc", *flags], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            printed = subprocess.run(["./texts"], cwd=self.folder, capture_output=True, timeout=60).stdout
            self.assertEqual(printed.split(b"\0")[:-1], [text for text, _ in pairs])

    def test_python_reads_strings_comments_and_docstrings(self):
        for text, made in escaped("python_string"):
            value = ast.literal_eval(made.decode())
            if text.isascii():
                self.assertEqual(value.encode(), text)
        for _, made in escaped("python_comment"):
            tree = ast.parse(f'# {made.decode()}\ndef f():\n    """{made.decode()}"""\n    # {made.decode()}\n')
            self.assertEqual(len(tree.body[0].body), 1)

    def test_shells_and_make_take_them_as_words(self):
        words = escaped("shell")
        script = b"printf '%s\\0' " + b" ".join(made for _, made in words) + b"\n"
        done = subprocess.run(["sh", "-s"], input=script, cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.stdout.split(b"\0")[:-1], [text for text, _ in words])
        for i, (text, made) in enumerate(escaped("makefile")):
            makefile = b"TEXT = " + made + b"\n$(info [$(TEXT)])\nall:\n"
            done = subprocess.run(["make", "-n", "-f", "-"], input=makefile, cwd=self.folder, capture_output=True, timeout=60)
            line = done.stdout.decode().splitlines()[0]
            self.assertEqual(line[1:-1].strip(), shown(text).strip(), made)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_markup_and_tables_hold_them(self):
        for text, made in escaped("xml"):
            page = f"<a b=\"{made.decode()}\" c='{made.decode()}'>{made.decode()}</a>"
            element = xml.etree.ElementTree.fromstring(page)
            self.assertEqual(element.text or "", shown(text))
            self.assertEqual(element.attrib["c"], shown(text))
            self.assertEqual(html.unescape(made.decode()), shown(text))
        for text, made in escaped("csv"):
            rows = list(csv.reader(io.StringIO(made.decode() + ",next\n")))
            self.assertEqual(len(rows), 1)
            self.assertEqual(rows[0][0].removeprefix("'") if text[:1] == b"=" else rows[0][0], shown(text))
        for text, made in escaped("dot"):
            self.assertTrue(re.fullmatch(r'"(?:[^"\\]|\\["\\])*"', made.decode()), made)


class Writers(support.CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = support._recordings()
        cls.tame, _ = programs.record(programs.build(folder, "names.c"), 4)
        cls.archives = []
        for i, text in enumerate(RECORDED):
            for kind in ("archive", "chosen") if i == 0 else ("archive",):
                hostile = folder / f"hostile{i}.{kind}.rondo"
                subprocess.run([TOOL, kind, cls.tame, hostile, text.hex()], check=True, timeout=60)
                cls.archives.append((kind, hostile))

    def runs(self, *arguments):
        """Status 0 or 1, and nothing on the terminal that it would obey."""
        done = subprocess.run([str(support.RONDO), *map(str, arguments)], cwd=self.folder, capture_output=True,
                              env=support.clean_environment(), timeout=60)
        command = f"rondo {' '.join(map(str, arguments))}"
        self.assertIn(done.returncode, (0, 1), f"{command}\n{done.stderr}")
        for stream in (done.stdout, done.stderr):
            text = stream.decode(errors="surrogateescape")
            self.assertIsNone(re.search("[\udc80-\udcff]", text), f"{command}\n{text!r}")
            self.assertIsNone(OBEYED.search(text), f"{command}\n{text!r}")
            self.assertFalse(re.search("^INJECTED", text, re.MULTILINE), command)
        return done

    def hostile(self, kinds=("archive",)):
        return [archive for kind, archive in self.archives if kind in kinds]

    def tearDown(self):
        self.assertFalse((self.folder / "INJECTED").exists())
        super().tearDown()

    def test_texts_on_the_terminal(self):
        network = ("--network", "latency=1us,bandwidth=1GB/s")
        for archive in self.hostile(("archive", "chosen")):
            for arguments in (["info", archive, "--messages"], ["print", archive], ["print", archive, "--flat", "--sites"],
                              ["print", archive, "--rank", "1", "--sites"], ["stats", archive], ["stats", archive, archive],
                              ["stats", archive, "--functions"], ["stats", archive, "--sites"],
                              ["topology", archive, "--by", "phase"], ["topology", archive, "--by", "site"], ["logical", archive],
                              ["logical", archive, "--expand", "0"], ["patterns", archive], ["patterns", archive, "--communication"],
                              ["compare", archive, self.tame], ["compare", "--logical", archive, self.tame], ["matrix", archive],
                              ["simulate", archive, *network, "--critical-path"]):
                self.runs(*arguments)

    def test_json(self):
        for archive in self.hostile(("archive", "chosen")):
            for arguments in (["info", archive], ["print", archive], ["stats", archive], ["stats", archive, archive],
                              ["stats", archive, "--sites"], ["topology", archive],
                              ["topology", archive, "--by", "site"], ["logical", archive], ["patterns", archive],
                              ["patterns", archive, "--communication"], ["compare", archive, self.tame], ["matrix", archive],
                              ["simulate", archive, "--network", "latency=1us,bandwidth=1GB/s"]):
                text = self.runs(*arguments, "--json").stdout.decode()
                json.loads(text)
                self.assertNotIn("</", text)
            for line in self.runs("print", archive, "--flat", "--json").stdout.decode().splitlines():
                json.loads(line)
            self.runs("convert", archive, "out.json", "--force")
            json.loads((self.folder / "out.json").read_text())

    def test_pictures_and_graphs(self):
        for archive in self.hostile():
            for arguments in (["topology", archive, "-o", "t.graphml"], ["topology", archive, "-o", "t.svg"], ["matrix", archive, "-o", "m.svg"],
                              ["stats", archive, "-o", "s.svg"], ["stats", archive, archive, "-o", "r.svg"],
                              ["patterns", archive, "--communication", "-o", "p.svg"],
                              ["simulate", archive, "--network", "latency=1us,bandwidth=1GB/s", "--latency", "1us,2us", "-o", "w.svg"]):
                self.runs(*arguments, "--force")
                xml.etree.ElementTree.parse(self.folder / arguments[arguments.index("-o") + 1])
            self.runs("topology", archive, "-o", "t.dot", "--force")
            self.runs("topology", archive, "-o", "t.png", "--force")

    def test_tables(self):
        for archive in self.hostile():
            self.runs("convert", archive, "calls.csv", "--to", "csv", "--force")
            text = (self.folder / "calls.csv").read_bytes().decode()
            self.assertEqual(len({len(row) for row in csv.reader(io.StringIO(text.split("\n", 1)[1]))}), 1)
            self.assertIsNone(OBEYED.search(text))
            for what in ([], ["--functions"], ["--sites"]):
                self.runs("stats", archive, *what, "-o", "stats.csv", "--force")
                text = (self.folder / "stats.csv").read_bytes().decode()
                self.assertEqual(len({len(row) for row in csv.reader(io.StringIO(text))}), 1)
                self.assertIsNone(OBEYED.search(text))

    def test_benchmarks(self):
        self.rondo("generate", self.tame, "-o", "tame", "--names")
        for archive in self.hostile():
            self.runs("generate", archive, "-o", "c", "--names", "--force")
            done = compiles(self.folder / "c", "benchmark.c")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / "c" / "Makefile").read_bytes(), (self.folder / "tame" / "Makefile").read_bytes())
            self.runs("generate", archive, "-o", "py", "--language", "python", "--names", "--force")
            source = (self.folder / "py" / "benchmark.py").read_text()
            self.assertEqual(self.calls_in(source), self.calls_in_tame)
            self.runs("generate", archive, "-o", "json", "--language", "json", "--names", "--force")
            json.loads((self.folder / "json" / "benchmark.json").read_text())
            for made in self.folder.glob("*/*"):
                if made.name not in ("benchmark.json", "Makefile"):
                    self.assertIsNone(OBEYED.search(made.read_bytes().decode()), made)
                    self.assertFalse(re.search("^INJECTED", made.read_text(), re.MULTILINE), made)

    @functools.cached_property
    def calls_in_tame(self):
        self.rondo("generate", self.tame, "-o", "tame_py", "--language", "python", "--names")
        return self.calls_in((self.folder / "tame_py" / "benchmark.py").read_text())

    @staticmethod
    def calls_in(source):
        """Names of what the program calls, in order."""
        return [ast.unparse(node.func) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]


class Environment(support.CommandTest):
    def test_a_shell_takes_print_env_as_words(self):
        folder = self.folder / "x'$(touch INJECTED)'y; z"
        folder.mkdir()
        program = programs.build(self.folder, "names.c")
        printed = self.rondo("record", "--print-env", "-o", folder / "a b;c,d.rondo", "--", program).stdout
        script = f"{printed}\nprintf %s \"$RONDO_OUTPUT\"\n"
        done = subprocess.run(["sh", "-s"], input=script.encode(), cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.stdout.decode(), str(folder / "a b;c,d.rondo"))
        self.assertFalse((self.folder / "INJECTED").exists())

    def test_launchers_do_not_split_names_of_files(self):
        for mpi, line in (("openmpi", ["mpirun.openmpi", "--oversubscribe"]), ("mpich", ["mpirun.mpich"])):
            program = programs.build(self.folder, "names.c", mpi=mpi, name=f"names_{mpi}")
            output = f"{mpi} a;b, c'd\"e=f.rondo"
            environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
            self.rondo("record", "-o", output, "--", *line, "-n", "2", program, environment=environment)
            self.assertTrue((self.folder / output).exists(), sorted(self.folder.iterdir()))


if __name__ == "__main__":
    unittest.main()
