#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines for Perfetto and Chrome have what rondo stats counts, and are what their readers take.

usage: timeline_test.py RONDO [PROTOC PROTO]     without PROTOC: a build that writes no Perfetto traces"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

RANKS = 5
ACTIONS = """init
compute 1000000
isend {next} 7 1000 0
irecv {last} 7 1000 0
waitall 2
compute 5000
send {next} 8 10 6
recv -333 8 10 6
allreduce 20 0 0
finalize"""


def run(*words, status=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{words} gave {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def make_trace(folder):
    for rank in range(RANKS):
        text = ACTIONS.format(next=(rank + 1) % RANKS, last=(rank - 1) % RANKS)
        (folder / f"{rank}.txt").write_text("".join(f"{rank} {line}\n" for line in text.splitlines()))


def expected(rondo, trace):
    functions = json.loads(run(rondo, "stats", trace, "--functions", "--json")[0])
    calls = {one["function"]: one["calls"]["sum"] for one in functions["rows"]}
    density = json.loads(run(rondo, "stats", trace, "--json")[0])
    return calls, density["message_density"]["total_messages"], density["data_density"]["total_bytes"]


def check_chrome(path, wanted):
    calls, messages, sent = wanted
    events = json.loads(path.read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert collections.Counter(event["name"] for event in slices) == calls
    begins = collections.Counter(event["id"] for event in events if event["ph"] == "s")
    ends = collections.Counter(event["id"] for event in events if event["ph"] == "f")
    assert begins == ends and len(begins) == messages, (begins, ends)
    assert sum(event["args"].get("bytes sent", 0) for event in slices) == sent
    assert sum(event["args"].get("bytes received", 0) for event in slices) == sent
    assert {event["pid"] for event in slices} == set(range(RANKS))
    return slices


def check_perfetto(path, wanted, protoc, proto):
    calls, messages, sent = wanted
    text = subprocess.run([protoc, f"--proto_path={proto.parent}", "--decode=rondo.perfetto.Trace", proto.name],
                          input=path.read_bytes(), capture_output=True, check=True).stdout.decode()
    names, keys, counts = {}, {}, collections.Counter()
    for packet in text.split("\npacket {")[0:]:
        sequence = re.search(r"trusted_packet_sequence_id: (\d+)", packet).group(1)
        for kind, table in (("event_names", names), ("debug_annotation_names", keys)):
            for number, name in re.findall(kind + r' {\s*iid: (\d+)\s*name: "([^"]*)"', packet):
                table[sequence, number] = name
        if "TYPE_SLICE_BEGIN" in packet:
            number = re.search(r"name_iid: (\d+)\s*(?:flow|term|source|}|$)", packet.split("type: TYPE_SLICE_BEGIN")[1])
            counts[names[sequence, number.group(1)]] += 1
            for key, value in re.findall(r"debug_annotations {\s*name_iid: (\d+)\s*int_value: (-?\d+)", packet):
                counts["=" + keys[sequence, key]] += int(value)
        counts["END"] += packet.count("TYPE_SLICE_END")
    flows = re.findall(r"\bflow_ids: (\d+)", text)
    ended = re.findall(r"terminating_flow_ids: (\d+)", text)
    assert {name: count for name, count in counts.items() if name.startswith("MPI_")} == calls, counts
    assert counts["END"] == sum(calls.values())
    assert sorted(flows) == sorted(ended) and len(set(flows)) == messages, (flows, ended)
    assert counts["=bytes sent"] == sent == counts["=bytes received"]
    assert "times are reconstructed from means, not measured" in text
    assert not re.search(r"^\s*\d+: ", text, re.MULTILINE), "a field that the schema does not have"


def main():
    rondo = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "ti").mkdir()
        make_trace(folder / "ti")
        trace = folder / "run.rondo"
        run(rondo, "convert", folder / "ti", trace)
        wanted = expected(rondo, trace)
        assert wanted[1] == 2 * RANKS
        stderr = run(rondo, "convert", trace, folder / "run.chrome.json")[1]
        assert "reconstructed from means" in stderr, stderr
        slices = check_chrome(folder / "run.chrome.json", wanted)
        assert slices[0]["ts"] >= 0 and all(event["dur"] >= 0 for event in slices)
        run(rondo, "convert", trace, folder / "cut.chrome.json", "--ranks", "0-1,4", "--from", "1us")
        cut = [event for event in json.loads((folder / "cut.chrome.json").read_text())["traceEvents"] if event["ph"] == "X"]
        assert {event["pid"] for event in cut} == {0, 1, 4} and "MPI_Init" not in {event["name"] for event in cut}
        run(rondo, "convert", trace, folder / "bad.chrome.json", "--ranks", "3-1", status=2)
        run(rondo, "convert", trace, folder / "bad.chrome.json", "--from", "soon", status=2)
        run(rondo, "convert", trace, folder / "bad.csv", "--ranks", "0", status=2)
        assert not (folder / "bad.chrome.json").exists()
        if len(sys.argv) > 3:
            run(rondo, "convert", trace, folder / "run.pftrace")
            check_perfetto(folder / "run.pftrace", wanted, sys.argv[2], pathlib.Path(sys.argv[3]))
        else:
            assert "libprotobuf" in run(rondo, "convert", trace, folder / "run.pftrace", status=2)[1]
    print("timelines: 1 passed, 0 failed")


if __name__ == "__main__":
    main()
