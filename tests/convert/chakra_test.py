#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Chakra traces, made by protoc from texts: calls, sizes, waits and times, and what spoilt ones are told.

usage: chakra_test.py RONDO PROTOC SCHEMA"""
import json
import pathlib
import subprocess
import sys
import tempfile

RANKS = 4
STEPS = 5


def run(*words, status=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{words} gave {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


class Schema:
    """Encodes texts, each kind of message in one run of protoc."""

    def __init__(self, protoc, schema):
        self.command = [protoc, f"--proto_path={pathlib.Path(schema).parent}", str(schema)]

    def encode(self, kind, text):
        done = subprocess.run([*self.command, f"--encode=ChakraProtoMsg.{kind}"], input=text.encode(), capture_output=True, check=True)
        return done.stdout

    def file(self, nodes):
        """A list of texts of nodes as a file's bytes."""
        messages = [self.encode("GlobalMetadata", 'version: "0.0.4"'), *(self.encode("Node", text) for text in nodes)]
        return b"".join(varint(len(message)) + message for message in messages)


def number(name, value, kind="int64_val"):
    return f'attr {{ name: "{name}" {kind}: {value} }}'


def step(rank, first):
    """Computes, sends to the right, receives from the left, and reduces when both are done."""
    right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
    ids = [first + i for i in range(4)]
    needs = f"data_deps: {first - 1}" if first > 1 else ""
    return [
        f'id: {ids[0]} name: "gemm" type: COMP_NODE duration_micros: 7 {needs}',
        f'id: {ids[1]} type: COMM_SEND_NODE data_deps: {ids[0]} duration_micros: 2 {number("comm_dst", right, "int32_val")} '
        f'{number("comm_size", 1000, "uint64_val")} {number("comm_tag", 3, "sint32_val")}',
        f'id: {ids[2]} type: COMM_RECV_NODE ctrl_deps: {ids[0]} {number("comm_src", left, "uint32_val")} {number("comm_size", 1000)} '
        f'{number("comm_tag", 3)}',
        f'id: {ids[3]} type: COMM_COLL_NODE data_deps: {ids[1]} data_deps: {ids[2]} duration_micros: 5 {number("comm_type", 0)} '
        f'{number("comm_size", 4096)}',
    ]


def make(schema, folder, group):
    for rank in range(RANKS):
        nodes = [text for index in range(STEPS) for text in step(rank, 1 + 4 * index)]
        nodes.append(f'id: 99 type: COMM_COLL_NODE data_deps: {4 * STEPS} {number("comm_type", 6)} {number("comm_size", 400)}')
        nodes.append(f'id: 100 type: COMM_COLL_NODE {number("comm_type", 5)} {number("comm_size", 8)} data_deps: 99 '
                     f'attr {{ name: "pg_name" string_val: "{group}" }}')
        nodes.reverse()  # dependencies say the order, not the file
        (folder / f"et.{rank}.et").write_bytes(schema.file(nodes))


def check_calls(rondo, folder):
    flat = run(rondo, "print", "--flat", "--rank", "1", folder)[0]
    calls = [line.split("MPI_", 1)[1].split("(")[0] for line in flat.splitlines() if "MPI_" in line.split("(")[0]]
    body = ["Isend", "Irecv", "Waitall", "Iallreduce", "Wait"]
    assert calls == ["Init", *body * STEPS, "Ialltoall", "Wait", "Ibcast", "Wait", "Finalize"] or \
        calls == ["Init", *["Irecv", "Isend", *body[2:]] * STEPS, "Ialltoall", "Wait", "Ibcast", "Wait", "Finalize"], calls
    assert flat.count("dest=2") == STEPS and flat.count("source=0") >= STEPS and flat.count("count=4096") == STEPS, flat
    assert "sendcount=100" in flat and "recvcount=100" in flat, flat
    stats = json.loads(run(rondo, "stats", "--json", folder)[0])
    assert stats["message_density"]["total_messages"] == RANKS * STEPS
    assert stats["data_density"]["total_bytes"] == RANKS * STEPS * 1000
    assert f"ring of {RANKS}" in run(rondo, "topology", folder)[0]


def check_times(rondo, folder, archive):
    _, talk = run(rondo, "convert", folder, archive, "--times", "full")
    assert "operations of groups" not in talk and "root: 4" in talk and "reductions: 20" in talk, talk
    facts = json.loads(run(rondo, "info", "--json", archive)[0])
    assert facts["ranks"] == RANKS and facts["complete"], facts
    lines = [json.loads(line) for line in run(rondo, "print", "--flat", "--json", "--rank", "2", archive)[0].splitlines()]
    assert sum(line["computation_ns"] for line in lines) == STEPS * 7000
    assert sum(line["inside_ns"] for line in lines) == STEPS * (2000 + 5000)
    for command in ("patterns", "logical", "efficiency"):
        run(rondo, command, archive)


def make_grid(schema, folder, skips=None):
    """On a 2x2 grid each rank reduces along its row, twice, and gets a broadcast along its column from the rank in row 0."""
    folder.mkdir()
    for rank in range(RANKS):
        row, column = divmod(rank, 2)
        in_row = [f'type: COMM_COLL_NODE {number("comm_type", 0)} {number("comm_size", 64)} attr {{ name: "pg_name" string_val: "{1 + row}" }}'] * 2
        down = f'type: COMM_COLL_NODE {number("comm_type", 5)} {number("comm_size", 8)} {number("comm_root", column)} ' \
               f'attr {{ name: "pg_name" string_val: "{3 + column}" }}'
        nodes = [*(in_row[:1] if rank == skips else in_row), down]
        texts = [f"id: {i} {'' if i == 1 else f'data_deps: {i - 1}'} {text}" for i, text in enumerate(nodes, 1)]
        (folder / f"g.{rank}.et").write_bytes(schema.file(texts))


def check_groups(rondo, schema, place):
    """Members by name of what communicates, or from the file beside the traces; else they are unknown, and it is said."""
    inferred, told, open_one = place / "inferred", place / "told", place / "open"
    make_grid(schema, inferred)
    make_grid(schema, told, skips=3)
    (told / "comm_group.json").write_text('{"1": [0, 1], "2": [3, 2], "3": [0, 2], "4": [1, 3]}')
    make_grid(schema, open_one, skips=3)
    for folder, unknown in ((inferred, 0), (told, 0), (open_one, 3)):
        archive = place / f"{folder.name}.rondo"
        _, talk = run(rondo, "convert", folder, archive)
        assert (f"operations of groups: {unknown}" in talk) == (unknown > 0) and "with a root" not in talk, talk
        run(rondo, "convert", archive, place / f"{folder.name}.json")
        model = json.loads((place / f"{folder.name}.json").read_text())
        assert len(model["definitions"]["communicators"]) == (4 if unknown == 0 else 3), model["definitions"]["communicators"]
    assert run(rondo, "print", inferred)[0].count("MPI_Iallreduce") == 1, "both rows are one statement"
    network = ("--network", "latency=1us,bandwidth=1GB/s")
    run(rondo, "simulate", inferred, *network)
    assert "2" in run(rondo, "simulate", told, *network, status=2)[1], "rank 3 lacks an operation"
    for text, words in (("[1]", "no JSON object"), ('{"1": [0, 4]}', "group '1'"), ('{"1": [0, 0]}', "group '1'"), ('{"1": 0}', "group '1'")):
        (told / "comm_group.json").write_text(text)
        _, talk = run(rondo, "info", told, status=2)
        assert words in talk and "comm_group.json" in talk, talk
    (told / "comm_group.json").write_text('{"2": [0, 1]}')  # rank 2 is none of its members, and yet has its operations
    assert "operations of groups: 3" in run(rondo, "convert", told, place / "denied.rondo")[1]


def check_spoilt(rondo, schema, place):
    """Each error by its sentence, and any cut or changed byte without a crash."""
    good = schema.file(step(0, 1))

    def wrong(name, contents, words):
        folder = place / name
        folder.mkdir()
        (folder / "a.0.et").write_bytes(contents)
        _, talk = run(rondo, "info", folder / "a.0.et", status=2)
        assert words in talk and "a.0.et" in talk, talk

    wrong("peer", good, "1 as its peer; there are 1")
    wrong("cut", good[:-3], "in the middle of node 4")
    wrong("circle", schema.file(["id: 1 type: COMP_NODE data_deps: 2", "id: 2 type: COMP_NODE data_deps: 1"]), "in a circle")
    wrong("old", schema.file(["id: 1 type: COMM_SEND_NODE", "id: 2 type: COMP_NODE"]), "Chakra before 0.0.2")
    wrong("bytes", good + varint(3) + b"\x0a\x7f\x00", "none of Chakra's")
    gap = place / "gap"
    gap.mkdir()
    for rank in (0, 2):
        (gap / f"b.{rank}.et").write_bytes(good)
    assert "rank 1 has no file" in run(rondo, "info", gap, status=2)[1]
    changed = place / "changed"
    changed.mkdir()
    for at in range(0, len(good), 7):
        spoilt = bytearray(good)
        spoilt[at] ^= 0xff
        (changed / "c.0.et").write_bytes(bytes(spoilt))
        done = subprocess.run([rondo, "info", str(changed / "c.0.et")], capture_output=True, check=False)
        assert done.returncode in (0, 2), (at, done)


def main():
    rondo, schema = sys.argv[1], Schema(*sys.argv[2:4])
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        folder = place / "run"
        folder.mkdir()
        make(schema, folder, "tensor")
        check_calls(rondo, folder)
        check_calls(rondo, folder / "et.2.et")
        check_times(rondo, folder, place / "a.rondo")
        whole = place / "whole"
        whole.mkdir()
        make(schema, whole, "default_pg")
        run(rondo, "simulate", whole, "--network", "latency=1us,bandwidth=1GB/s")
        check_groups(rondo, schema, place)
        check_spoilt(rondo, schema, place)


if __name__ == "__main__":
    main()
