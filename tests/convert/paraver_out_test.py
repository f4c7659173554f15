#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Paraver traces that are written: what their records say by a reader of this test's own, and that Rondo reads back what it
wrote, calls, times and efficiency. Dimemas traces: messages have both ends, offsets point to their ranks.

usage: paraver_out_test.py RONDO"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from paraver_commands_test import call, ring
from timeline_test import RANKS, expected, make_trace

STATES = {1, 3, 4, 5, 6, 8, 10, 11, 12, 13, 15, 16, 25}


def to_itself():
    """One rank, whose messages go to itself: in MPI_Sendrecv, and in MPI_Isend and MPI_Irecv."""
    lines = [line for _, line in call(1, 10, 20, "50000003:31")]
    for step in range(1, 6):
        at = 1000 * step
        lines += [line for _, line in call(1, at, at + 10, "50000001:41")]
        lines.insert(-1, f"3:1:1:1:1:{at}:{at}:1:1:1:1:{at}:{at + 10}:{step * 8}:5")
        for _, line in call(1, at + 20, at + 30, "50000001:4") + call(1, at + 40, at + 50, "50000001:3"):
            lines.append(line)
        lines.insert(-1, f"3:1:1:1:1:{at + 40}:{at + 40}:1:1:1:1:{at + 20}:{at + 70}:{step * 4}:6")
        lines += [line for _, line in call(1, at + 60, at + 70, "50000001:6")]
    lines += [line for _, line in call(1, 9000, 9000, "50000003:32")]
    return "\n".join(["#Paraver (09/10/2019 at 16:08):9010_ns:0:1:1(1:0),1", "c:1:1:1:1"] + lines) + "\n"


def run(*words, status=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{words} gave {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def read_prv(path):
    """Header, and by kind the records as lists of numbers, in their order."""
    lines = path.read_text().splitlines()
    records = collections.defaultdict(list)
    for line in lines[1:]:
        if not line.startswith("#"):
            records[line[0]].append([int(word) for word in line[2:].split(":")])
    body = [line for line in lines if line[0] in "123"]
    times = [int(line.split(":")[5]) for line in body]
    assert times == sorted(times), "records are not sorted by time"
    return lines[0], records


def names_of(pcf):
    """Values of events of MPI calls by type, as the .pcf names them."""
    names, types, inside = collections.defaultdict(dict), [], False
    for line in pcf.read_text().splitlines():
        words = line.split()
        if words[:1] == ["EVENT_TYPE"]:
            types, inside = [], False
        elif words[:1] == ["VALUES"]:
            inside = True
        elif len(words) >= 2 and inside and words[1].startswith("MPI_"):
            names[types[0]][int(words[0])] = words[1]
        elif len(words) >= 3 and not inside and words[1].isdigit():
            types.append(int(words[1]))
    return names


def check_prv(path, wanted):
    calls, messages, sent = wanted
    header, records = read_prv(path)
    names = names_of(path.with_suffix(".pcf"))
    duration = int(header.split("):")[1].split("_ns")[0])
    begun, open_calls = collections.Counter(), {}
    for _, _, task, thread, time, kind, value, *_ in records["2"]:
        assert time <= duration
        if value == 0:
            assert open_calls.pop((task, thread))[0] == kind
            continue
        assert (task, thread) not in open_calls, "calls do not overlap"
        open_calls[task, thread] = (kind, value)
        begun[names[kind][value]] += 1
    assert not open_calls and begun == calls, (begun, calls)
    free = collections.Counter()
    for _, _, task, thread, begin, end, state in records["1"]:
        assert state in STATES and free[task, thread] <= begin <= end <= duration, "states overlap"
        free[task, thread] = end
    assert len(records["3"]) == messages
    assert sum(message[-2] for message in records["3"]) == sent
    for message in records["3"]:
        assert message[4] == message[5] and message[10] <= message[11]
    return records


def check_row(path, ranks):
    rows = path.read_text().splitlines()
    at = rows.index(f"LEVEL THREAD SIZE {ranks}")
    assert rows[at + 1:at + 1 + ranks] == [f"THREAD 1.{rank + 1}.1" for rank in range(ranks)]


def check_round(rondo, trace, place):
    """Paraver -> rondo -> Paraver -> rondo."""
    once, again = place / "once.rondo", place / "again.rondo"
    run(rondo, "convert", trace, once, "--times", "full", "--force")
    run(rondo, "convert", once, place / "out.prv", "--force")
    _, talk = run(rondo, "convert", place / "out.prv", again, "--times", "full", "--force")
    assert "outside of the calls" not in talk, talk
    ranks = json.loads(run(rondo, "info", "--json", once)[0])["ranks"]
    for rank in range(ranks):
        for how in (["--flat"], ["--flat", "--json"]):
            first, second = (run(rondo, "print", *how, "--rank", rank, file)[0].splitlines() for file in (once, again))
            assert first == second, [pair for pair in zip(first, second) if pair[0] != pair[1]][:4]
    efficiency = [json.loads(run(rondo, "efficiency", "--json", file)[0].replace(str(file), "FILE")) for file in (once, again)]
    for answer in efficiency:
        drop_names(answer)
    assert efficiency[0] == efficiency[1], "efficiency differs"
    run(rondo, "convert", again, place / "second.prv", "--force")
    for kind in (".prv", ".pcf"):
        assert (place / "second.prv").with_suffix(kind).read_text() == (place / "out.prv").with_suffix(kind).read_text()


def drop_names(answer):
    """Names of the input, which differ."""
    if isinstance(answer, dict):
        for key in ("command", "input", "file", "trace", "name"):
            answer.pop(key, None)
    for value in answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else []:
        drop_names(value)


def check_windows(rondo, trace, place):
    whole = read_prv(place / "whole.prv")[1]
    last = max(record[4] for record in whole["2"])
    _, talk = run(rondo, "convert", trace, place / "part.prv", "--ranks", "0-1", "--until", f"{last - 1000}ns", "--force")
    part = read_prv(place / "part.prv")[1]
    assert {record[2] for record in part["2"]} == {1, 2}
    assert all(record in whole["2"] for record in part["2"]) and part["2"] != whole["2"]
    assert 0 < len(part["3"]) < len(whole["3"]) and all(record in whole["3"] for record in part["3"])
    assert "outside of the ranks and times" in talk, talk


def check_dimemas(rondo, trace, place, wanted):
    _, talk = run(rondo, "convert", trace, place / "run.dim", "--force")
    calls, messages, sent = wanted
    text = (place / "run.dim").read_bytes()
    head = text.split(b"\n", 1)[0].decode()
    assert head.startswith('#DIMEMAS:"run.dim":1,') and head.endswith(f"{RANKS}({','.join('1' * RANKS)}),{1 + RANKS},0"), head
    offsets = text[int(head.split(":1,")[1].split(":")[0]):].decode().splitlines()
    assert len(offsets) == RANKS
    for rank, line in enumerate(offsets):
        begin = int(line.removeprefix(f"s:{rank}:"))
        assert text[begin:].split(b"\n")[0].split(b":")[1] == str(rank).encode(), "an offset points to another rank"
    sends, receives, waits, operations = (collections.Counter() for _ in range(4))
    size = 0
    for line in text.decode().splitlines():
        words = line.split(":")
        if words[0] == "2":
            sends[words[1], words[3], words[6], words[7]] += 1
            size += int(words[5])
        if words[0] == "3":
            (waits if words[8] == "2" else receives)[words[3], words[1], words[6], words[7]] += 1
        if words[0] == "10":
            operations[words[3]] += 1
    assert sends == receives and sum(sends.values()) == messages and size == sent
    assert operations == {"11": calls["MPI_Allreduce"]}
    assert "mean of each place" not in talk, talk


def check_refusals(rondo, trace, place):
    run(rondo, "convert", trace, "-", "--to", "paraver", status=2)
    run(rondo, "convert", trace, "-", "--to", "dimemas", status=2)
    _, talk = run(rondo, "convert", trace, place / "whole.prv", status=2)
    assert "--force" in talk, talk


def main():
    rondo = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        trace = place / "trace"
        trace.mkdir()
        make_trace(trace)
        wanted = expected(rondo, trace)
        run(rondo, "convert", trace, place / "means.rondo")
        _, talk = run(rondo, "convert", place / "means.rondo", place / "means.prv")
        assert "reconstructed" in talk and "# times are reconstructed" in (place / "means.prv").read_text(), talk
        check_prv(place / "means.prv", wanted)
        _, talk = run(rondo, "convert", trace, place / "whole.prv")
        assert "reconstructed" not in talk, talk
        check_prv(place / "whole.prv", wanted)
        check_row(place / "whole.row", RANKS)
        check_windows(rondo, trace, place)
        check_dimemas(rondo, trace, place, wanted)
        check_refusals(rondo, trace, place)
        (place / "ring.prv").write_text(ring(), encoding="ascii")
        check_round(rondo, place / "ring.prv", place)
        (place / "own.prv").write_text(to_itself(), encoding="ascii")
        check_round(rondo, place / "own.prv", place)
        assert len(read_prv(place / "out.prv")[1]["3"]) == 10
        data = os.environ.get("RONDO_TEST_DATA")
        if not data:
            print("RONDO_TEST_DATA is not set: real traces are skipped")
            return
        for real in sorted((pathlib.Path(data) / "epoch").glob("*.prv.gz")):
            check_round(rondo, real, place)


if __name__ == "__main__":
    main()
