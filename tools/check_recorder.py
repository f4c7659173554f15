#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves of a built recorder that it lives as long as the process, and that its wrappers can be left.

usage: check_recorder.py LIBRARY...

- Nothing is destroyed at the end of the process or of a thread: no functions for that are called, and of functions
  that run at the library's end there is only the recorder's own, which writes what is there. Handlers of exit() and
  destructors of the program may call MPI after any other.
- Nothing of the recorder's has to be constructed: programs' libraries may call MPI before, and most programs never do. The
  C++ runtime within the library has initialisers, of which the recorder needs none.
- Nothing is asked of an MPI library when the recorder is loaded.
- Nothing is missing that only a rare call would ask for: what the library does not define is libc's.
- No wrapper has a landing pad: exceptions, the end of a thread and longjmp() pass their frames by, so that it does not
  matter whose copy of the unwinder runs.
"""
import re
import subprocess
import sys

REGISTERING = re.compile(r"^(__cxa_atexit|__cxa_at_quick_exit|__cxa_thread_atexit(_impl)?|atexit|at_quick_exit|on_exit)(@|$)")
OWN_ENDING = "rondo::record::(anonymous namespace)::on_exit()"
# Of the compiler, for every library; and of libstdc++.a, by the names of its sources.
RUNTIME_BEGINNINGS = re.compile(r"^(frame_dummy|_GLOBAL__sub_I_\w+\.cc)$")
OF_MPI = re.compile(r"^(P?MPI|ompi|mpi|MPIR|MPIX)_")
RUNTIME_ENDINGS = {"__do_global_dtors_aux"}
WRAPPER = re.compile(r"^(P?MPI_\w+|mpi_\w+|PMPI_\w+|rondo_\w+|ompi_\w+|MPIR_\w+|abort|_?exit|_Exit|rondo::record::(wrap|log)_\w+\(.*\))$")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def code_symbols(library):
    """Names of functions by address."""
    names = {}
    for line in run("nm", "-C", "--defined-only", library).splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tTwW":
            names.setdefault(int(address, 16), set()).add(name)
    return names


def entries(library, section, names):
    """Names of the functions that a section of pointers points to."""
    dump = run("objdump", "-s", "-j", section, library)
    words = "".join("".join(re.match(r"^ [0-9a-f]+ ((?:[0-9a-f]{1,8} ){1,4})", line).group(1).split())
                    for line in dump.splitlines() if re.match(r"^ [0-9a-f]+ ", line))
    addresses = [int.from_bytes(bytes.fromhex(words[i:i + 16]), "little") for i in range(0, len(words), 16)]
    return [" / ".join(sorted(names.get(address, {f"code at {address:#x}"}))) for address in addresses]


def with_landing_pads(library):
    """Addresses of functions that the unwinder would stop at."""
    found, has_pads = [], {}
    frame = None
    for line in run("readelf", "--wide", "--debug-dump=frames-interp", library).splitlines():
        cie = re.match(r"^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ CIE \"(\w*)\"", line)
        fde = re.match(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.", line)
        if cie:
            has_pads[cie.group(1)] = "L" in cie.group(2)
        elif fde:
            frame = fde
            if has_pads[fde.group(1)]:
                found.append(int(frame.group(2), 16))
    if not has_pads:
        raise ValueError(f"{library}: no unwind tables were read")
    return found


def problems(library):
    asked = [line.split()[-2:] for line in run("nm", "-D", "--undefined-only", library).splitlines()]
    undefined = [name for _, name in asked]
    said = [f"needs {name} of an MPI" for name in undefined if OF_MPI.match(name)]
    said += [f"lacks {name}" for kind, name in asked if kind == "U" and "@GLIBC_" not in name and not OF_MPI.match(name)]
    said += [f"calls {name}, which has something run at an end"
            for name in undefined if REGISTERING.match(name)]
    names = code_symbols(library)
    said += [f"is constructed: {name}" for name in entries(library, ".init_array", names)
             if not RUNTIME_BEGINNINGS.match(name)]
    endings = entries(library, ".fini_array", names)
    said += [f"is destroyed: {name}" for name in endings if name not in RUNTIME_ENDINGS | {OWN_ENDING}]
    if OWN_ENDING not in endings:
        said.append("does not write what is there at the end of the process")
    wrappers = {address for address, known in names.items() if any(WRAPPER.match(name) for name in known)}
    if len(wrappers) < 500:
        said.append(f"has only {len(wrappers)} wrappers: were its symbols stripped?")
    said += [f"has a landing pad: {sorted(names[address])[0]}" for address in with_landing_pads(library) if address in wrappers]
    return said


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for library in sys.argv[1:]:
        for problem in problems(library):
            print(f"{library}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
