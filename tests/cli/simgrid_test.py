#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""rondo simulate on platforms with contention: exact cases, agreement with the model without contention where there is
none, and what it says of networks that cannot be or without SimGrid's module.

usage: simgrid_test.py RONDO INSTALLED, the folder where an installed module is found by every program
Exit status 77 (skipped) where rondo was built without SimGrid."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LATENCY_S = 1e-6
BANDWIDTH = 1e9
LINKS = "1GB/s, 1us"


def run(*words, status=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{words} gave {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout if status == 0 else done.stderr


class Traces:
    """Archives made of actions."""

    def __init__(self, rondo, work):
        self.rondo, self.work, self.made = rondo, work, 0

    def of(self, *texts):
        self.made += 1
        folder = self.work / f"trace-{self.made}"
        folder.mkdir()
        for rank, text in enumerate(texts):
            lines = ["init", *text.split("; "), "finalize"] if text else ["init", "finalize"]
            (folder / f"{rank}.txt").write_text("".join(f"{rank} {line}\n" for line in lines), encoding="ascii")
        archive = folder.with_suffix(".rondo")
        run(self.rondo, "convert", folder, archive, "--times", "full")
        return archive

    def seconds(self, archive, network, *options):
        said = json.loads(run(self.rondo, "simulate", archive, "--network", network, "--json", *options))
        for rank in said["ranks"]:
            parts = rank["computing_seconds"] + rank["communicating_seconds"] + rank["waiting_seconds"]
            assert abs(parts - rank["end_seconds"]) <= 1e-12, rank
        return said["predicted_seconds"]

    def expect(self, what, archive, network, expected):
        seconds = self.seconds(archive, network)
        assert abs(seconds - expected) <= 1e-9 * expected, f"{what} on '{network}': {seconds}, expected {expected}"


def check_exact(traces):
    size = 100000
    one = LATENCY_S + size / BANDWIDTH
    pingpong = traces.of(f"send 1 0 {size} 6; recv 1 0 {size} 6", f"recv 0 0 {size} 6; compute 1e6; send 0 0 {size} 6")
    traces.expect("ping-pong", pingpong, f"complete 2, {LINKS}", 2 * one + 1e-3)
    traces.expect("ping-pong", pingpong, f"complete 2, {LINKS}, overhead=2us", 2 * one + 1e-3 + 4 * 2e-6)
    # The question and the permission, each one way, before the bytes.
    traces.expect("rendezvous", pingpong, f"complete 2, {LINKS}, rendezvous=1kB", 2 * (one + 2 * LATENCY_S) + 1e-3)
    traces.expect("rendezvous", pingpong, f"complete 2, {LINKS}, rendezvous=1kB, handshake=5us",
                  2 * (one + 2 * 5e-6) + 1e-3)

    # Two messages share the link to rank 0: each has half of it.
    fan_in = traces.of(f"recv 1 0 {size} 6; recv 2 0 {size} 6", f"send 0 0 {size} 6", f"send 0 0 {size} 6")
    traces.expect("fan-in", fan_in, f"crossbar 3, {LINKS}", 2 * LATENCY_S + 2 * size / BANDWIDTH)
    traces.expect("fan-in", fan_in, f"complete 3, {LINKS}", one)
    # The second begins when half of the first is there: half alone, two halves shared, half alone.
    late = traces.of(f"recv 1 0 {size} 6; recv 2 0 {size} 6", f"send 0 0 {size} 6", f"compute {size / 2}; send 0 0 {size} 6")
    traces.expect("late fan-in", late, f"crossbar 3, {LINKS}", 2 * LATENCY_S + 2 * size / BANDWIDTH)

    # Links of a torus: 0 to 2 are two steps on a ring of five, and the message uses all of them at once.
    far = traces.of(f"send 2 0 {size} 6", "", f"recv 0 0 {size} 6", "", "")
    traces.expect("two steps", far, f"torus 5, {LINKS}", 2 * LATENCY_S + size / BANDWIDTH)
    # 0 to 2 and 1 to 2 meet on the link into 2, which is busy from the shorter way's latency on.
    meeting = traces.of(f"send 2 0 {size} 6", f"send 2 1 {size} 6", f"recv 0 0 {size} 6; recv 1 1 {size} 6", "", "")
    traces.expect("meeting", meeting, f"torus 5, {LINKS}", LATENCY_S + 2 * size / BANDWIDTH)

    to_itself = traces.of(f"isend 0 0 {size} 6; recv 0 0 {size} 6; waitall 1")
    assert traces.seconds(to_itself, f"crossbar 1, {LINKS}") == 0


def full_platform(path, ranks, latency, bandwidth, policy, to_itself=False):
    """Each ordered pair has a link of its own, and each host one to itself if that is wanted."""
    pairs = [(a, b) for a in range(ranks) for b in range(ranks) if a != b or to_itself]
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1"><zone id="z" routing="Full">', *[f'<host id="h{i}" speed="1Gf"/>' for i in range(ranks)],
             *[f'<link id="l{a}-{b}" bandwidth="{bandwidth}" latency="{latency}" sharing_policy="{policy}"/>' for a, b in pairs],
             *[f'<route src="h{a}" dst="h{b}" symmetrical="NO"><link_ctn id="l{a}-{b}"/></route>' for a, b in pairs],
             "</zone></platform>", ""]
    path.write_text("\n".join(lines), encoding="ascii")
    return path


def check_like_model(traces, work):
    """Where links have room for all, messages take as long as without contention."""
    def text(rank):
        right, left = (rank + 1) % 5, (rank - 1) % 5
        return "; ".join([f"compute {1000 * rank + 500}", f"isend {right} 1 5000 6", f"irecv {left} 1 5000 6", "waitall 2",
                          "allreduce 100 0 0", "bcast 1000 2 0", "alltoall 300 300 6 6", "barrier", "compute 70000",
                          "reduce 10 0 1 0", "allgather 4000 4000 6 6", "gather 10 10 3 6 6", "scan 7 0 0"])
    archive = traces.of(*[text(rank) for rank in range(5)])
    platform = full_platform(work / "full.xml", 5, "1us", "1GBps", "FATPIPE")
    for setting in ("", "overhead=1us"):
        comma = "," if setting else ""
        plain = traces.seconds(archive, f"latency=1us,bandwidth=1GB/s{comma}{setting}")
        carried = traces.seconds(archive, f"{platform}{comma}{setting}")
        assert abs(carried - plain) <= 1e-9 * plain, f"'{setting}': {carried} with SimGrid, {plain} without"
    for network in ("complete 5", "crossbar 5", "torus 3x2", "fat tree 3x2;1x2", "dragonfly 2x1x2x2"):
        assert traces.seconds(archive, f"{network}, {LINKS}") > plain / 2, network
        assert traces.seconds(archive, f"{network}, inf, 0") < plain, network


def points(traces, archive, *words):
    said = json.loads(run(traces.rondo, "simulate", archive, *words, "--json"))
    return said["predictions"]


def check_sweeps(traces, work):
    """Every point is what that network alone gives, in one command."""
    size = 100000
    fan_in = traces.of(f"recv 1 0 {size} 6; recv 2 0 {size} 6", f"send 0 0 {size} 6", f"send 0 0 {size} 6")
    latencies, bandwidths = {"1us": 1e-6, "0": 0, "5us": 5e-6}, {"1GB/s": 1e9, "10GB/s": 1e10}
    table = points(traces, fan_in, "--network", f"crossbar 3, {LINKS}", "--latency", ",".join(latencies), "--bandwidth",
                   ",".join(bandwidths))
    wanted = [2 * latency + 2 * size / bandwidth for latency in latencies.values() for bandwidth in bandwidths.values()]
    for point, expected in zip(table, wanted, strict=True):
        assert abs(point["predicted_seconds"] - expected) <= 1e-9 * expected, f"{point}, expected {expected}"
    assert [point["network"]["latency_seconds"] for point in table[::2]] == list(latencies.values())
    text = run(traces.rondo, "simulate", fan_in, "--network", f"crossbar 3, {LINKS}", "--latency", "1us,5us")
    assert "crossbar 3, by SimGrid" in text and "of each link" in text, text

    # A file's links get the latency or bandwidth that is asked for; the others stay.
    platform = full_platform(work / "sweep.xml", 3, "1us", "1GBps", "SHARED")
    one = [point["predicted_seconds"] for point in points(traces, fan_in, "--network", platform, "--latency", "1us,3us")]
    assert abs(one[0] - (1e-6 + size / 1e9)) <= 1e-12 and abs(one[1] - (3e-6 + size / 1e9)) <= 1e-12, one
    one = points(traces, fan_in, "--network", platform, "--bandwidth", "2GB/s,inf")
    assert abs(one[0]["predicted_seconds"] - (1e-6 + size / 2e9)) <= 1e-12, one
    assert abs(one[1]["predicted_seconds"] - 1e-6) <= 1e-12 and one[0]["network"]["latency_seconds"] is None, one
    picture = work / "sweep.svg"
    run(traces.rondo, "simulate", fan_in, "--network", platform, "--bandwidth", "2GB/s,4GB/s", "-o", picture)
    assert "<svg" in picture.read_text(encoding="utf-8")


def check_what_if(traces):
    size = 100000
    archive = traces.of(f"compute 4e6; send 2 0 {size} 6", f"compute 4e6; send 2 1 {size} 6",
                        f"recv 0 0 {size} 6; recv 1 1 {size} 6", "", "")
    names = {"as given": 4e-3 + 1e-6 + 2e-4, "zero latency": 4e-3 + 2e-4, "infinite bandwidth": 4e-3 + 2e-6,
             "a network for free": 4e-3, "computation x 0.5": 2e-3 + 1e-6 + 2e-4, "no computation": 1e-6 + 2e-4}
    found = points(traces, archive, "--network", f"torus 5, {LINKS}", "--what-if")
    assert [point["name"] for point in found] == list(names)
    for point in found:
        expected = names[point["name"]]
        assert abs(point["predicted_seconds"] - expected) <= 1e-9 * expected, f"{point}, expected {expected}"


def check_who_waits(traces):
    """Rank 1 waits for rank 0's computation; what its message then takes, shared with another, is no waiting."""
    size = 100000
    archive = traces.of(f"compute 3e6; send 1 0 {size} 6", f"recv 0 0 {size} 6; recv 2 0 {size} 6; send 3 0 1 6",
                        f"compute 3e6; send 1 0 {size} 6", "recv 1 0 1 6")
    said = json.loads(run(traces.rondo, "simulate", archive, "--network", f"crossbar 4, {LINKS}", "--critical-path", "--json"))
    waits = {(pair["rank"], pair["waits_for"]): pair["seconds"] for pair in said["waits"]}
    assert abs(waits[1, 0] - 3e-3) <= 1e-12, waits
    end = 3e-3 + 2e-6 + 2 * size / 1e9 + 2e-6 + 1e-9
    assert abs(said["predicted_seconds"] - end) <= 1e-9 * end, said
    path = said["critical_path"]
    assert path["last_rank"] == 3 and path["hops"] == 2, path
    assert abs(path["computing_seconds"] - 3e-3) <= 1e-12, path
    assert abs(path["communicating_seconds"] - (end - 3e-3)) <= 1e-12, path
    named = {share["function"]: share["communicating_seconds"] for share in path["shares"]}
    assert abs(named["MPI_Recv"] - (end - 3e-3)) <= 1e-12, named


def check_formulas(traces, work):
    archive = traces.of("compute 1e6; barrier; send 1 0 1000 6", "barrier; recv 0 0 1000 6", "barrier")
    message = 1e-6 + 1000 / 1e9
    for formula, seconds in (("hardware", 1e-6), ("3*latency*ranks", 9e-6), ("1000/bandwidth", 1e-6)):
        found = traces.seconds(archive, f"complete 3, {LINKS}", "--collectives", formula)
        expected = 1e-3 + seconds + message
        assert abs(found - expected) <= 1e-9 * expected, f"{formula}: {found}, expected {expected}"
    platform = full_platform(work / "formula.xml", 3, "1us", "1GBps", "SHARED")
    words = ("simulate", archive, "--network", platform, "--collectives")
    assert "may have several" in run(traces.rondo, *words, "latency", status=2)
    run(traces.rondo, *words, "ranks*0.000001")


def check_file(traces, work):
    archive = traces.of("send 1 0 1000 6", "recv 0 0 1000 6")
    path = work / "two.xml"
    path.write_text('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                    '<platform version="4.1"><zone id="z" routing="Full">'
                    '<host id="n10" speed="1Gf"/><host id="n9" speed="1Gf"/>'
                    '<link id="l" bandwidth="1GBps" latency="3us"/>'
                    '<route src="n9" dst="n10"><link_ctn id="l"/></route></zone></platform>\n', encoding="ascii")
    traces.expect("a file", archive, str(path), 3e-6 + 1e-6)
    path.write_text(path.read_text(encoding="ascii").replace('<route src="n9" dst="n10"><link_ctn id="l"/></route>', ""), encoding="ascii")
    assert "no route from host" in run(traces.rondo, "simulate", archive, "--network", path, status=2)
    path.write_text("<platform", encoding="ascii")
    assert "SimGrid cannot simulate this platform" in run(traces.rondo, "simulate", archive, "--network", path, status=2)
    assert "no such platform" in run(traces.rondo, "simulate", archive, "--network", work / "none.xml", status=2)


def check_errors(traces):
    archive = traces.of(*["send 0 0 1 6; recv 0 0 1 6"], *[""] * 3)
    for network, said in [("torus 3x1, 1GB/s, 1us", "3 hosts for 4 ranks"), ("torus 4, 1GB/s", "'torus 4, 100Gbps, 1us'"),
                          ("torus 4x, 1GB/s, 1us", "'torus 8x8x4'"), ("fat tree 2x2;1, 1us, 1GB/s", "'fat tree 4x4;1x2'"),
                          ("dragonfly 4, 1us, 1GB/s", "'dragonfly 4x3x2x2'"), ("torus 4, 1GB/s, 1us, G=3", "no 'G'"),
                          ("torus 4, 1GB/s, 1us, 2us", "'2us'")]:
        error = run(traces.rondo, "simulate", archive, "--network", network, status=2)
        assert said in error, f"{network}: {error}"
    stuck = traces.of("recv 1 0 1 6", "")
    assert "does not go on" in run(traces.rondo, "simulate", stuck, "--network", f"torus 4, {LINKS}", status=2)


def check_module(traces, work, installed):
    """SimGrid is no business of other commands: rondo is not linked with it, and without the module all else works."""
    rondo, archive = traces.rondo, traces.of("send 1 0 1000 6", "recv 0 0 1000 6")
    assert "libsimgrid" not in run("readelf", "-d", rondo)
    assert "libsimgrid" in run("readelf", "-d", rondo.parents[1] / "lib" / "librondo_simgrid.so")
    alone = work / "alone" / "bin" / "rondo"
    alone.parent.mkdir(parents=True)
    shutil.copy2(rondo, alone)
    run(alone, "simulate", archive, "--network", "latency=1us,bandwidth=1GB/s")
    contended = (alone, "simulate", archive, "--network", f"torus 2, {LINKS}")
    missing = "" if (installed / "librondo_simgrid.so").exists() else run(*contended, status=2)
    assert not missing or f"librondo_simgrid.so, which is not there (looked in {alone.parents[1]}/lib/rondo" in missing, missing
    assert not missing or "package rondo" in missing and "cannot simulate this platform" not in missing, missing
    assert not missing or "contention by SimGrid: no" in run(alone, "--version")
    module = alone.parents[1] / "lib" / "rondo" / "librondo_simgrid.so"
    module.parent.mkdir(parents=True)
    module.write_bytes(b"no library")
    broken = run(*contended, status=2)
    assert str(module) in broken and "does not load" in broken, broken
    stranger = rondo.parents[1] / "lib" / "liboracle_openmpi.so"
    if stranger.is_file():  # a library that has not the function that is wanted
        shutil.copy2(stranger, module)
        other = run(*contended, status=2)
        assert str(module) in other and "another version of Rondo" in other, other
    shutil.copy2(rondo.parents[1] / "lib" / module.name, module)
    run(*contended)


def main():
    rondo = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as work:
        traces = Traces(rondo, pathlib.Path(work))
        probe = subprocess.run([rondo, "simulate", traces.of("barrier"), "--network", f"torus 2, {LINKS}"],
                               capture_output=True, text=True, check=False)
        if "libsimgrid-dev" in probe.stderr:
            print("skipped: rondo was built without SimGrid")
            return SKIPPED
        check_module(traces, pathlib.Path(work), pathlib.Path(sys.argv[2]))
        check_exact(traces)
        check_like_model(traces, pathlib.Path(work))
        check_sweeps(traces, pathlib.Path(work))
        check_what_if(traces)
        check_who_waits(traces)
        check_formulas(traces, pathlib.Path(work))
        check_file(traces, pathlib.Path(work))
        check_errors(traces)
    return 0


if __name__ == "__main__":
    sys.exit(main())
