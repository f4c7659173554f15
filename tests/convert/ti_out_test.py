#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes SimGrid's time-independent traces and reads them back: what is read is what was written, and smpirun -replay,
where it is installed, takes as long as the formula says.

usage: ti_out_test.py RONDO [RUN]     RUN such as lu.A.8: one of $RONDO_TEST_DATA/ti
Exit status 77 (skipped) where that is not set."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
RANKS = 4

# One line for each action that can be written, on every rank r of 4.
ACTIONS = """init
compute 1000000
isend {next} 7 1000 0
irecv {last} 7 1000 0
waitall 2
irecv {last} 8 10 1
irecv {last} 9 10 1
isend {next} 9 10 1
compute 5000
isend {next} 8 10 1
wait {last} {rank} 8
wait {rank} {next} 9
waitall 2
comm_dup
comm_split
barrier
bcast 100 1 0
reduce 10 0 2 0
allreduce 20 0 0
scan 3 0 1
exscan 3 0 1
gather 5 5 1 1 1
scatter 5 5 1 1 1
allgather 6 6 1 1
alltoall 7 7 1 1
gatherv 2 {root_counts} 3 1 1
scatterv {root_counts} 2 3 1 1
allgatherv 2 2 2 2 2 1 1
alltoallv 10 1 2 3 4 {receive_sum} {receives} 1 1
reducescatter 1 2 3 4 0 0
finalize"""


def run(*words, status=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{words} gave {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def write_ranks(folder, texts):
    folder.mkdir()
    for rank, text in enumerate(texts):
        lines = [f"{rank} {line}\n" for line in text.splitlines()]
        (folder / f"rank-{rank}.txt").write_text("".join(lines), encoding="ascii")
    return folder


def text_of(rank):
    at_root = rank == 3
    return ACTIONS.format(rank=rank, next=(rank + 1) % RANKS, last=(rank - 1) % RANKS,
                          root_counts="2 2 2 2" if at_root else "0 0 0 0", receive_sum=RANKS * (rank + 1),
                          receives=" ".join([str(rank + 1)] * RANKS))


def files_of(folder):
    return {path.name: path.read_text(encoding="ascii") for path in folder.glob("rank-*.txt")}


def converted_twice(rondo, source, work):
    """Reads, writes, reads and writes; gives both archives and the folder written first."""
    first, second = work / "first.rondo", work / "second.rondo"
    run(rondo, "convert", source, first, "--times", "full")
    run(rondo, "convert", first, work / "first.ti")
    run(rondo, "convert", work / "first.ti", second, "--times", "full")
    run(rondo, "convert", second, work / "second.ti")
    assert files_of(work / "first.ti") == files_of(work / "second.ti"), "what was written reads differently"
    return first, second, work / "first.ti"


def lines_of(rondo, archive, rank):
    return run(rondo, "print", "--flat", "--rank", rank, archive)


def check_all_actions(rondo, work):
    source = write_ranks(work / "source", [text_of(rank) for rank in range(RANKS)])
    first, second, written = converted_twice(rondo, source, work)
    for rank in range(RANKS):
        assert lines_of(rondo, first, rank) == lines_of(rondo, second, rank), f"calls of rank {rank}"
    assert files_of(source) == files_of(written), "not as it was"
    listed = (written / "trace.list").read_text(encoding="utf-8").split()
    assert [pathlib.Path(name).name for name in listed] == [f"rank-{rank}.txt" for rank in range(RANKS)]
    return written


def check_lowered(rondo, work):
    """Receives from anywhere, MPI_Sendrecv, and messages to nobody."""
    source = write_ranks(work / "source", ["init\nrecv -333 -444 10 6\nsendrecv 5 1 6 1 6 6\nsend -333 1 10 6\nfinalize",
                                           "init\nsend 0 3 10 6\nsendrecv 6 0 5 0 6 6\nfinalize"])
    *_, written = converted_twice(rondo, source, work)
    assert files_of(written)["rank-0.txt"].splitlines() == [
        "0 init", "0 recv 1 3 10 6", "0 irecv 1 0 6 6", "0 isend 1 0 5 6", "0 wait 1 0 0", "0 wait 0 1 0", "0 finalize"]


def check_refusals(rondo, work):
    source = write_ranks(work / "source", ["init\nssend 1 3 10 6\nfinalize", "init\nrecv 0 3 10 6\nfinalize"])
    run(rondo, "convert", source, work / "ssend.rondo")
    said = run(rondo, "convert", work / "ssend.rondo", work / "out.ti", status=2)
    assert "MPI_Ssend: is no standard send (1 times)" in said, said
    assert not (work / "out.ti").exists() and not list(work.glob("out.ti*"))
    run(rondo, "convert", "--to", "ti", source, work / "plain", status=2)  # is a trace with ssend, too

    good = write_ranks(work / "good", ["init\nfinalize"])
    run(rondo, "convert", good, work / "good.ti")
    assert "--force" in run(rondo, "convert", good, work / "good.ti", status=2)
    run(rondo, "convert", good, work / "good.ti", "--force")
    (work / "good.ti" / "thesis.tex").write_text("years of work", encoding="ascii")
    assert "thesis.tex" in run(rondo, "convert", good, work / "good.ti", "--force", status=2)
    assert (work / "good.ti" / "thesis.tex").exists()


def replay_seconds(folder, work, ranks):
    """By SimGrid: a host for each rank, 1 us and 1 GB/s between any two, no correction factors."""
    hosts = [f"node-{rank}" for rank in range(ranks)]
    (work / "hosts").write_text("\n".join(hosts) + "\n", encoding="ascii")
    routes = [(a, b) for a in hosts for b in hosts if a != b]
    (work / "platform.xml").write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1"><zone id="z" routing="Full">\n'
        + "".join(f'<host id="{host}" speed="1Gf"/>' for host in hosts)
        + "".join(f'<link id="{a}{b}" bandwidth="1GBps" latency="1us"/>' for a, b in routes)
        + "".join(f'<route src="{a}" dst="{b}" symmetrical="NO"><link_ctn id="{a}{b}"/></route>' for a, b in routes)
        + "</zone></platform>\n", encoding="ascii")
    config = ["smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0"]
    said = run("smpirun", "-np", ranks, "-platform", work / "platform.xml", "-hostfile", work / "hosts", "-replay",
               folder / "trace.list", *[f"--cfg={each}" for each in config])
    return float(re.findall(r"Simulation time ([0-9.]+)", said)[-1])


def check_replay(rondo, work):
    ping = "init\ncompute 1e6\nsend 1 3 10000 6\nrecv 1 3 10000 6\nfinalize"
    pong = "init\nrecv 0 3 10000 6\nsend 0 3 10000 6\nfinalize"
    source = write_ranks(work / "source", [ping, pong])
    run(rondo, "convert", source, work / "pingpong.ti")
    seconds = replay_seconds(work / "pingpong.ti", work, 2)
    expected = 1e-3 + 2 * (1e-6 + 10000 / 1e9)
    assert abs(seconds - expected) <= 1e-6, f"{seconds} s, expected {expected} s"  # it prints six places
    print(f"smpirun -replay: {seconds} s, formula {expected} s")


def check_real_run(rondo, name, work):
    data = os.environ.get("RONDO_TEST_DATA")
    if not data:
        print("skipped: RONDO_TEST_DATA does not say where recorded runs are")
        return SKIPPED
    source = pathlib.Path(data) / "ti" / f"{name}.tar.zst"
    first, second, _ = converted_twice(rondo, source, work)
    ranks = int(name.rsplit(".", 1)[1])
    for rank in range(ranks):
        before, after = (lines_of(rondo, archive, rank) for archive in (first, second))
        asked = re.compile(r"source=(MPI_ANY_SOURCE|\d+)")
        assert asked.sub("source", before) == asked.sub("source", after), f"calls of rank {rank}"
        assert "MPI_ANY_SOURCE" not in after
    return 0


def main():
    rondo = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        with tempfile.TemporaryDirectory() as work:
            return check_real_run(rondo, sys.argv[2], pathlib.Path(work))
    checks = [check_all_actions, check_lowered, check_refusals]
    if shutil.which("smpirun"):
        checks.append(check_replay)
    else:
        print("smpirun is not installed: nothing is replayed")
    for check in checks:
        with tempfile.TemporaryDirectory() as work:
            check(rondo, pathlib.Path(work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
