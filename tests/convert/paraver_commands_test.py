#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every command takes a Paraver trace as it is: one of a ring, packed, and, where RONDO_TEST_DATA says where they are, those of
a real program.

usage: paraver_commands_test.py RONDO"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RANKS = 4
COMMANDS = (["info"], ["info", "--messages"], ["print"], ["print", "--flat", "--rank", "0"], ["topology"], ["logical"],
            ["patterns"], ["patterns", "--communication"], ["stats"], ["stats", "--functions"], ["matrix"],
            ["simulate", "--network", "latency=1us,bandwidth=1GB/s"])


def event(task, time, values):
    return time, f"2:{task}:1:{task}:1:{time}:{values}"


def call(task, begin, end, values):
    kind = values.split(":")[0]
    return [event(task, begin, values), event(task, end, f"{kind}:0")]


def ring():
    """20 times: receive from the left, send to the right, wait for both; now and then a broadcast from rank 2."""
    records = []
    for task in range(1, RANKS + 1):
        records += call(task, 10, 20, "50000003:31")
    for step in range(20):
        start = 1000 * (step + 1)
        for task in range(1, RANKS + 1):
            right = task % RANKS + 1
            records.append((start - 900, f"1:{task}:1:{task}:1:{start - 900}:{start}:1"))
            records += call(task, start, start + 10, "50000001:4")
            records += call(task, start + 20, start + 30, "50000001:3")
            records.append((start + 20, f"3:{task}:1:{task}:1:{start + 20}:{start + 20}:{right}:1:{right}:1:{start}:"
                                        f"{start + 60}:4096:3"))
            records += call(task, start + 40, start + 60, "50000001:6")
            if step % 5 == 4:
                root = ":50100003:1" if task == 3 else ""
                records += call(task, start + 70, start + 80, f"50000002:7:50100001:8:50100002:8:50100004:1{root}")
    for task in range(1, RANKS + 1):
        records += call(task, 30000, 30010, "50000003:32")
    places = ",".join(["1:1"] * RANKS)
    tasks = ":".join(str(task) for task in range(1, RANKS + 1))
    lines = [f"#Paraver (09/10/2019 at 16:08):30010_ns:1(4):1:{RANKS}({places}),1", f"c:1:1:{RANKS}:{tasks}"]
    return "\n".join(lines + [line for _, line in sorted(records, key=lambda record: record[0])]) + "\n"


def run(rondo, *arguments, status=0):
    done = subprocess.run([rondo, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{arguments} gave {done.returncode}:\n{done.stdout}{done.stderr}"
    return done


def check_commands(rondo, trace):
    for command in COMMANDS:
        run(rondo, command[0], trace, *command[1:])


def main():
    rondo = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        packed = str(place / "ring.prv.gz")
        with gzip.open(packed, "wt", encoding="ascii") as file:
            file.write(ring())
        check_commands(rondo, packed)
        assert "ring of 4" in run(rondo, "topology", packed).stdout
        assert "is a Paraver trace" in run(rondo, "stats", packed).stderr
        flat = run(rondo, "print", "--flat", "--rank", "0", packed).stdout
        assert flat.count("MPI_Bcast(count=8, datatype=MPI_BYTE, root=2") == 4, flat

        archive = str(place / "ring.rondo")
        remarks = run(rondo, "convert", packed, archive, "--times", "full").stderr
        assert "requests of sends" in remarks, remarks
        facts = json.loads(run(rondo, "info", archive, "--json").stdout)
        assert facts["ranks"] == RANKS and facts["complete"], facts
        assert run(rondo, "print", "--flat", "--rank", "0", archive).stdout == flat

        assert run(rondo, "topology", folder).stdout == run(rondo, "topology", packed).stdout
        (place / "bad.prv").write_text(ring() + "3:1:1:1\n", encoding="ascii")
        assert "more than one trace, 'bad.prv' and 'ring.prv.gz'" in run(rondo, "topology", folder, status=2).stderr
        line = len(ring().splitlines()) + 1
        assert f"bad.prv:{line}: " in run(rondo, "info", str(place / "bad.prv"), status=2).stderr

    data = os.environ.get("RONDO_TEST_DATA")
    if not data:
        print("RONDO_TEST_DATA is not set: real traces are skipped")
        return
    for trace in sorted((pathlib.Path(data) / "epoch").glob("*.prv.gz")):
        check_commands(rondo, str(trace))


if __name__ == "__main__":
    main()
