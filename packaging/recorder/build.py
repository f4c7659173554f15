#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a recorder for one MPI, from the sources in the folder of this file. `rondo build-recorder` runs it.

usage: build.py --mpicc MPICC --into DIR[,DIR...] [--name NAME] [--cxx CXX] [--jobs N] [--force]

The first DIR that may be written to is taken. Needs Python 3.9, a compiler of C++20 and the MPI's compiler wrapper, which is
asked for mpi.h and where its libraries are. On success the only line on stdout is the recorder's file.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-ffunction-sections",
         "-fdata-sections", "-w"]
OF_RECORDER = ["-ftls-model=initial-exec", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
NO_EXCEPTIONS = {"complete.cpp", "complete_in_log.cpp", "markers.cpp", "mpi_errors.cpp", "process_end.cpp", "wrappers.cpp"}  # record/CMakeLists.txt says why
ALONE = {"doors.cpp", "no_endings.cpp", "wrappers.cpp"}
LEAST_BATCH = 12
FORTRAN_LIBRARY = re.compile(r"^lib(mpi_mpifh|mpi_usempif08|mpi_usempi_ignore_tkr|mpi_usempi|mpichfort|mpifort|fmpich)[^/]*\.so")
VERSIONS = {"openmpi": [r"#define OMPI_MAJOR_VERSION (\d+)", r"#define OMPI_MINOR_VERSION (\d+)", r"#define OMPI_RELEASE_VERSION (\d+)"],
            "mpich": [r'#define (?:CRAY_MPICH_VERSION|MVAPICH2?_VERSION|I_MPI_VERSION|MPICH_VERSION) +"?([\w.+-]+)']}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


class Trouble(Exception):
    """A sentence for the user."""


def tried(words, what):
    try:
        return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              env=dict(os.environ, LC_ALL="C"))
    except OSError as error:
        raise Trouble(f"cannot run {what} '{words[0]}': {error.strerror}") from None


def first_lines(text, most=12):
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join("  " + line for line in lines[:most]) + ("\n  ..." if len(lines) > most else "")


def preprocessed_header(mpicc):
    done = tried([*mpicc, "-E", "-dD", "-include", "mpi.h", "-x", "c", os.devnull], "the compiler wrapper")
    if done.returncode != 0:
        raise Trouble(f"'{shlex.join(mpicc)}' finds no mpi.h that it can read; is it the MPI's compiler wrapper?\n{first_lines(done.stderr)}")
    return done.stdout


def header_folder(header, mpicc):
    for path in re.findall(r'^# \d+ "([^"]+)"', header, re.MULTILINE):
        if path.endswith("/mpi.h"):
            return pathlib.Path(path).resolve().parent
    raise Trouble(f"'{shlex.join(mpicc)} -E' does not say where its mpi.h is")


def family_of(header, folder):
    if re.search(r"#define OPEN_MPI\b", header):
        return "openmpi"
    if re.search(r"#define (MPICH|MPICH_VERSION|MVAPICH2?_VERSION|I_MPI_VERSION|CRAY_MPICH_VERSION)\b", header):
        return "mpich"
    if re.search(r"#define MPI_ABI_VERSION\b", header):
        raise Trouble(f"{folder}/mpi.h is that of the standard ABI: there is one recorder for all such libraries, --mpi abi")
    raise Trouble(f"{folder}/mpi.h is neither of Open MPI nor of MPICH and its kin, nor of the standard ABI: Rondo has no recorder for it")


def version_of(header, family):
    found = [match[1] for match in (re.search(pattern, header) for pattern in VERSIONS[family]) if match]
    return ".".join(found)


def library_folders(mpicc, include):
    """Where the MPI's libraries may be: the wrapper says it, or they are beside the headers."""
    folders = []
    for word in ("-show", "-showme", "--cray-print-opts=libs"):
        done = tried([*mpicc, word], "the compiler wrapper")
        if done.returncode == 0:
            folders += [pathlib.Path(part[2:]) for part in done.stdout.split() if part.startswith("-L")]
    for up in (include.parent, include.parent.parent):
        folders += [up / "lib", up / "lib64"]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def fortran_symbols(folders):
    libraries = {path.resolve() for folder in folders for path in sorted(folder.iterdir()) if FORTRAN_LIBRARY.match(path.name)}
    symbols = set()
    for library in sorted(libraries):
        done = tried(["nm", "-D", "--defined-only", library], "binutils'")
        symbols |= {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines() if line}
    return symbols


def batches(sources, own, jobs):
    """Groups of sources that are compiled as one; with those of the recorder, those without exceptions apart. The fewer there
    are, the less is read twice; with many jobs there are more."""
    most = max(LEAST_BATCH, len(sources) // (2 * jobs))
    groups = {}
    for source in sources:
        top = next((folder for folder in source.parents if folder.parent == HERE), own)
        of_recorder = top in (HERE / "record", own)
        key = (top.name, source.name in NO_EXCEPTIONS, source.name if source.name in ALONE else "")
        groups.setdefault((of_recorder, *key), []).append(source)
    for (of_recorder, _, no_exceptions, _), files in groups.items():
        for i in range(0, len(files), most):
            yield of_recorder, no_exceptions, files[i:i + most]


def compile_all(cxx, work, sources, include, version, jobs):
    here = ["-I", HERE, "-I", HERE / "include", "-I", HERE / "generated", "-isystem", HERE / "third_party"]
    commands = []
    for i, (of_recorder, no_exceptions, files) in enumerate(batches(sources, work, jobs)):
        unity = work / f"unity_{i}.cpp"
        unity.write_text("".join(f'#include "{file}"\n' for file in files), encoding="utf-8")
        more = [*OF_RECORDER, f'-DRONDO_VERSION="{version}"', "-I", work, "-isystem", include, "-include", work / "handles.hpp"]
        commands.append([cxx, *FLAGS, *(more if of_recorder else []), *(["-fno-exceptions"] if no_exceptions else []), *here,
                         "-c", unity, "-o", unity.with_suffix(".o")])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in pool.map(lambda words: tried(words, "the C++ compiler"), commands):
            if done.returncode != 0:
                raise Trouble(f"'{cxx}' does not compile the recorder; it needs C++20 (g++ 11 or newer, clang 14 or newer): --cxx\n"
                              f"{first_lines(done.stderr)}")
    return [words[-1] for words in commands]


def static_zstd():
    """Beside the sources in a build tree, beside the recorders where installed."""
    prefix = HERE.parents[2]
    for place in (HERE / "third_party", *prefix.glob("lib*/rondo"), *prefix.glob("lib/*/rondo")):
        if (place / "libzstd.a").is_file():
            return place / "libzstd.a"
    raise Trouble(f"there is no libzstd.a beside the recorders of {prefix}; this Rondo was not installed whole")


def link(cxx, work, objects):
    library = work / "recorder.so"
    done = tried([cxx, "-shared", *objects, static_zstd(), f"-Wl,--version-script={work / 'exports.map'}",
                  "-Wl,--exclude-libs,ALL", "-Wl,--gc-sections", "-Wl,-u,rondo_built_for", "-Wl,-z,defs",
                  "-static-libstdc++", "-static-libgcc", "-ldl", "-pthread", "-o", library], "the C++ compiler")
    if done.returncode != 0:
        raise Trouble(f"'{cxx}' does not link the recorder; it needs a static libstdc++ (libstdc++-static on some systems)\n"
                      f"{first_lines(done.stderr)}")
    loaded = subprocess.run(["/bin/sh", "-c", ":"], env=dict(os.environ, LD_PRELOAD=str(library)), capture_output=True, text=True, check=False)
    if loaded.returncode != 0 or loaded.stderr:
        raise Trouble(f"the recorder was built, but cannot be loaded\n{first_lines(loaded.stderr)}")
    return library


def place_for(name, folders, force):
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK | os.X_OK):
            target = folder / f"librondo_record_{name}.so"
            if target.exists() and not force:
                raise Trouble(f"{target} is there already; --force builds it anew, --name gives another name")
            return target
    raise Trouble(f"cannot write to {' nor to '.join(map(str, folders))}; --into names another folder")


def facts_code(facts):
    lines = "".join(f'"{key} {value}\\n"' for key, value in facts.items())
    return f'extern "C" __attribute__((used, visibility("hidden"))) const char rondo_built_for[] = "rondo recorder\\n" {lines};\n'


def build(options):
    if sys.version_info < (3, 9):
        raise Trouble(f"needs Python 3.9 or newer; python3 in PATH is {sys.version.split()[0]}")
    if options.name in NAMES or options.name == "abi":
        raise Trouble(f"'{options.name}' is the name of a recorder that comes with Rondo; give another")
    mpicc, cxx = shlex.split(options.mpicc), options.cxx
    if not mpicc or not shutil.which(mpicc[0]):
        raise Trouble(f"there is no compiler wrapper '{options.mpicc}'")
    if not shutil.which(cxx):
        raise Trouble(f"there is no C++ compiler '{cxx}'; --cxx names another")
    header = preprocessed_header(mpicc)
    include = header_folder(header, mpicc)
    family = family_of(header, include)
    version = version_of(header, family)
    name = options.name or f"{family}-{version}".rstrip("-")
    target = place_for(name, [pathlib.Path(folder) for folder in options.into.split(",")], options.force)
    told = json.loads((HERE / "sources.json").read_text(encoding="utf-8"))
    symbols = fortran_symbols(library_folders(mpicc, include))
    with tempfile.TemporaryDirectory(prefix="rondo-recorder-") as folder:
        work = pathlib.Path(folder)
        (work / "mpi.i").write_text(header, encoding="utf-8")
        (work / "fortran_symbols.txt").write_text("\n".join(sorted(symbols)), encoding="utf-8")
        made = tried([sys.executable, "-B", HERE / "tools" / "generate_wrappers.py", HERE / "record" / "mpi_calls.json", "--header", work / "mpi.i",
                      "--fortran-symbols", work / "fortran_symbols.txt", "--output-dir", work], "Python")
        if made.returncode != 0:
            raise Trouble(f"the wrappers for {include}/mpi.h cannot be written\n{first_lines(made.stderr[-2000:])}")
        facts = {"family": family, "mpi": f"{NAMES[family]} {version}".strip(), "header": include / "mpi.h", "rondo": told["version"]}
        (work / "facts.cpp").write_text(facts_code(facts), encoding="utf-8")
        sources = [HERE / source for source in told["sources"]] + [work / f"{name}.cpp" for name in ("wrappers", "doors", "predefined", "facts")]
        library = link(cxx, work, compile_all(cxx, work, sources, include, told["version"], options.jobs))
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        shutil.copyfile(library, beside)
        beside.chmod(0o755)
        beside.replace(target)
    has_fortran = any(symbol.startswith("mpi_") for symbol in symbols)
    print(f"rondo: recorder '{name}' for {facts['mpi']}{'' if has_fortran else ' (no Fortran library of it was found: calls from C only)'}: "
          f"rondo record --mpi {name} -- ...", file=sys.stderr)
    print(target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--into", required=True)
    parser.add_argument("--name", default="")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--force", action="store_true")
    try:
        build(parser.parse_args())
    except (Trouble, OSError) as trouble:
        print(f"rondo: {trouble}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
