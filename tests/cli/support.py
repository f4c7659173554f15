# SPDX-License-Identifier: Apache-2.0
"""For tests of the command line: runs `rondo`, records examples, and reads what `rondo print --flat` says.

    from support import CommandTest, record

    class Info(CommandTest):
        def test_names_the_program(self):
            done = self.rondo("info", record("ring"))
            self.assertIn("ring", done.stdout)

RONDO_BUILD_DIR names the build folder; ctest sets it. What is made there is shared by all tests.
"""
import atexit
import fcntl
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("RONDO_BUILD_DIR", "build/dev")).resolve()
RONDO = BUILD / "bin" / "rondo"
SHARED = BUILD / "tests" / "shared"
TIMEOUT_SECONDS = 120
ALL_CASES = os.environ.get("RONDO_TEST_CASES") == "all"  # see tests/README.md


def clean_environment(extra=None):
    """Without what would change the output: colours, widths, and Rondo's own settings."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("RONDO_") and name not in ("NO_COLOR", "COLUMNS")}
    return kept | (extra or {})


@functools.cache
def _recordings():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rondo-cli-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def mpirun(mpi, ranks, *command, environment):
    """The command line and environment that run `command` under this MPI, also with more ranks than cores and as root."""
    if mpi == "openmpi":
        exports = [word for name in environment for word in ("-x", name)]
        line = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks), *exports]
        environment = environment | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        # The recorder is for the ranks only, not for mpirun itself.
        preload = environment.pop("LD_PRELOAD")
        line[line.index("LD_PRELOAD")] = f"LD_PRELOAD={preload}"
        return [*line, *map(str, command)], environment
    preload = environment.pop("LD_PRELOAD")
    both = f"{preload}:{BUILD / 'lib' / 'libmpich_yield.so'}"
    return ["mpirun.mpich", "-n", str(ranks), "-genv", "LD_PRELOAD", both, *map(str, command)], environment


def made_once(name, sources, make):
    """A file or folder in the build, made by `make(path)` for the first test that asks for it, and made anew if one of its
    sources has changed. Nobody may change it."""
    SHARED.mkdir(parents=True, exist_ok=True)
    path = SHARED / name
    with open(SHARED / f".{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run beside each other
        stamp = SHARED / f".{name}.stamp"
        if not stamp.exists() or stamp.stat().st_mtime_ns <= max(source.stat().st_mtime_ns for source in sources):
            stamp.unlink(missing_ok=True)
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            started = time.time_ns()
            make(path)
            stamp.touch()
            os.utime(stamp, ns=(started, started))  # a source that changed meanwhile counts
    return path


@functools.cache
def record(example, ranks=4, *arguments, mpi="openmpi"):
    """The path of a recording of an example, which must not be changed."""
    program = BUILD / "examples" / mpi / example
    library = BUILD / "lib" / f"librondo_record_{mpi}.so"

    def make(path):
        line, environment = mpirun(mpi, ranks, program, *arguments,
                                   environment={"RONDO_OUTPUT": str(path), "LD_PRELOAD": str(library)})
        done = subprocess.run(line, env=clean_environment(environment), capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        if done.returncode != 0 or not path.exists():
            raise RuntimeError(f"recording {example} with {ranks} ranks failed\n{done.stdout}{done.stderr}")
    return made_once("-".join([example, mpi, str(ranks), *arguments]) + ".rondo", [program, library, RONDO], make)


def run(*arguments, stdin=None, environment=None, cwd=None):
    """Runs rondo; stdout is bytes if it is no text."""
    done = subprocess.run([str(RONDO), *map(str, arguments)], input=stdin.encode() if stdin is not None else None,
                          capture_output=True, env=clean_environment(environment), cwd=cwd, timeout=TIMEOUT_SECONDS)
    done.stderr = done.stderr.decode()
    try:
        done.stdout = done.stdout.decode()
    except UnicodeDecodeError:
        pass
    return done


def flat_lines(archive):
    """What `rondo print --flat --rank R` says of each rank, by one start of rondo."""
    done = run("print", archive, "--flat")
    assert done.returncode == 0, done.stderr
    parts = re.split(r"^rank (\d+):\n", done.stdout, flags=re.MULTILINE)
    found = dict(zip(map(int, parts[1::2]), parts[2::2]))  # in the order of rank classes
    assert parts[0] == "" and sorted(found) == list(range(len(found))), f"{archive}: {parts[0]}, ranks {list(found)}"
    return [found[rank] for rank in range(len(found))]


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rondo-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rondo(self, *arguments, status=0, **keywords):
        """Runs rondo in an empty folder and demands this exit status."""
        done = run(*arguments, cwd=self.folder, **keywords)
        self.assertEqual(done.returncode, status, f"rondo {arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def refuses(self, *arguments, saying, **keywords):
        """Demands exit status 2, one line on stderr that has all of `saying`, and no result."""
        done = self.rondo(*arguments, status=2, **keywords)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("rondo: "), done.stderr)
        for words in [saying] if isinstance(saying, str) else saying:
            self.assertIn(words, done.stderr)

    def file(self, name, contents):
        """A new file in the test's folder."""
        path = self.folder / name
        if isinstance(contents, bytes):
            path.write_bytes(contents)
        else:
            path.write_text(contents, encoding="utf-8")
        return path
