#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cut and changed OTF2 archives: every command ends with status 0, 1 or 2, soon, and if it is 2 with a line that names the
archive. tests/fuzz/otf2_fuzz.cpp is for the reader alone.

usage: otf2_hostile_test.py RONDO [RUNS [SEED]]"""
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile

MOST_CPU_SECONDS = 20
MOST_BYTES = 3 << 30
ACTIONS = """init
bcast 12 0
isend {next} 7 1000 0
irecv {last} 7 1000 0
waitall 2
compute 5000
allreduce 20 0 0
finalize"""
COMMANDS = [["info"], ["stats"], ["print"], ["logical"], ["topology"], ["patterns"], ["matrix"],
            ["simulate", "--network", "latency=5us,bandwidth=1GB/s"], ["convert", "FILE", "OUT.rondo"],
            ["convert", "FILE", "OUT.otf2"], ["convert", "FILE", "OUT.json"]]


def bound():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_SECONDS, MOST_CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def bound_memory():
    bound()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def make_archive(rondo, folder):
    text = folder / "text"
    text.mkdir()
    for rank in range(3):
        lines = ACTIONS.format(next=(rank + 1) % 3, last=(rank - 1) % 3).splitlines()
        (text / f"{rank}.txt").write_text("".join(f"{rank} {line}\n" for line in lines))
    sound = folder / "sound"
    sound.mkdir()
    subprocess.run([rondo, "convert", text, sound / "run.otf2"], check=True, capture_output=True)
    return sound


def spoil(chance, file):
    """One of the archive's files is cut, changed, or gone."""
    data = bytearray(file.read_bytes())
    at = chance.randrange(len(data)) if data else 0
    way = chance.choice(["cut", "bytes", "fill", "insert", "gone"])
    if way == "gone":
        file.unlink()
        return way
    if way == "cut":
        del data[at:]
    elif way == "insert":
        data[at:at] = chance.randbytes(chance.randrange(1, 9))
    elif way == "fill":
        data[at:at + 8] = bytes([chance.choice([0, 255])]) * len(data[at:at + 8])
    elif data:
        for _ in range(chance.choice([1, 2, 8])):
            data[chance.randrange(len(data))] = chance.randrange(256)
    file.write_bytes(data)
    return f"{way} at {at}"


def ends(rondo, anchor, out, command, has_shadow):
    words = [str(anchor) if word == "FILE" else word.replace("OUT", str(out)) for word in command]
    words += ["--force"] if command[0] == "convert" else [str(anchor)]
    done = subprocess.run([rondo, *words, "--limit", "0.05"], stdin=subprocess.DEVNULL, capture_output=True, cwd=out.parent,
                          preexec_fn=bound if has_shadow else bound_memory, timeout=300, check=False)
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2):
        return f"status {done.returncode}: {said[-1500:]}"
    if done.returncode == 2 and not ("rondo: " in said and anchor.name.split(".")[0] in said):
        return f"status 2 without a line that names the archive: {said[-1500:]}"
    return ""


def main():
    rondo = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    has_shadow = b"__asan_init" in rondo.read_bytes()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="rondo-otf2-") as name:
        folder = pathlib.Path(name)
        sound = make_archive(rondo, folder)
        files = sorted(file.relative_to(sound) for file in sound.rglob("*") if file.is_file())
        for i in range(runs):
            shutil.rmtree(folder / "spoilt", ignore_errors=True)
            shutil.copytree(sound, folder / "spoilt")
            which = files[i % len(files)]
            how = spoil(chance, folder / "spoilt" / which)
            command = COMMANDS[chance.randrange(len(COMMANDS))]
            said = ends(rondo, folder / "spoilt" / "run.otf2", folder / "out", command, has_shadow)
            if said:
                wrong += 1
                print(f"{which}, {how}, rondo {' '.join(command)}: {said}")
    return 1 if wrong else 0


sys.exit(main())
