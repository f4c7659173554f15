#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same runs simulated three ways on one network: by Rondo's own model, by Rondo with SimGrid as engine, and by
SimGrid's replay of the converted trace.

usage: simgrid.py TRACES RONDO -o FOLDER [TRACE ...]

TRACES is a folder of SimGrid traces (*.tar.zst). Writes FOLDER/raw.csv and FOLDER/summary.md. The network has a link of
its own for every pair of ranks, so that the three should agree; SimGrid's correction factors are 1, all its
sends are eager and leave at once, and it does collective operations by the algorithms that Rondo's simulation names.
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LATENCY_S = 5e-6
BANDWIDTH = 1e9  # bytes per second
SPEED = 1e9  # flops per second
COLUMNS = ("trace", "ranks", "calls", "messages", "model_s", "engine_s", "replay_s", "engine_off_percent", "replay_off_percent",
           "model_wall_s", "engine_wall_s", "replay_wall_s")
CONFIG = ("smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/latency-factor:1", "network/bandwidth-factor:1",
          "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0", "network/loopback-lat:0",
          "smpi/send-is-detached-thresh:1000000000", "smpi/async-small-thresh:1000000000", "smpi/test:0", "smpi/iprobe:0", f"smpi/host-speed:{SPEED:.0f}f",
          "smpi/barrier:ompi_bruck", "smpi/bcast:binomial_tree", "smpi/reduce:binomial", "smpi/allreduce:rdb",
          "smpi/alltoallv:pair")


def platform_xml(ranks):
    """Every pair of hosts has a link for each direction; a host reaches itself by one of its own."""
    link = f'bandwidth="{BANDWIDTH}Bps" latency="{LATENCY_S}s"'
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1">', '<zone id="network" routing="Full">']
    lines += [f'<host id="host-{i}" speed="{SPEED}f"/>' for i in range(ranks)]
    pairs = [(i, j) for i in range(ranks) for j in range(ranks)]
    lines += [f'<link id="link-{i}-{j}" {link}/>' for i, j in pairs]
    lines += [f'<route src="host-{i}" dst="host-{j}" symmetrical="NO"><link_ctn id="link-{i}-{j}"/></route>'
              for i, j in pairs]
    return "\n".join([*lines, "</zone>", "</platform>", ""])


def run(*words, may_fail=False):
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"simgrid.py: {' '.join(map(str, words))}: {done.stdout[-500:]}{done.stderr[-1500:]}")
    return done, time.perf_counter() - start


def simulated(rondo, archive, network):
    done, seconds = run(rondo, "simulate", archive, "--network", network, "--json")
    return json.loads(done.stdout), seconds


def replayed(folder, ranks, alltoall):
    """SimGrid's own replay of the folder that rondo convert wrote."""
    platform = folder.parent / "platform.xml"
    hosts = folder.parent / "hosts"
    platform.write_text(platform_xml(ranks), encoding="ascii")
    hosts.write_text("".join(f"host-{i}\n" for i in range(ranks)), encoding="ascii")
    options = [f"--cfg={each}" for each in (*CONFIG, f"smpi/alltoall:{alltoall}")]
    done, seconds = run("smpirun", "-np", ranks, "-platform", platform, "-hostfile", hosts, "-replay",
                        folder / "trace.list", *options, may_fail=alltoall != "pair")
    times = re.findall(r"Simulation time ([0-9.]+)", done.stdout + done.stderr)
    if not times:  # SimGrid 3.32 crashes in its Bruck algorithm where messages leave before their receives
        return replayed(folder, ranks, "pair")
    return float(times[-1]), seconds


def measured(rondo, raw, name, work):
    archive = work / f"{name}.rondo"
    folder = work / f"{name}.ti"
    run(rondo, "convert", raw, archive, "--times", "full", "--flops-per-second", SPEED)
    run(rondo, "convert", archive, folder, "--flops-per-second", SPEED)
    ranks = len(list(folder.glob("rank-*.txt")))
    model, model_wall = simulated(rondo, archive, f"latency={LATENCY_S}s,bandwidth={BANDWIDTH}B/s")
    (work / "platform.xml").write_text(platform_xml(ranks), encoding="ascii")
    engine, engine_wall = simulated(rondo, archive, f"{work}/platform.xml")
    # What Rondo's simulation takes for blocks of up to 256 bytes on 8 ranks at least is Bruck's.
    small = any(re.search(r"^\d+ alltoall (\d+) ", line) and int(line.split()[2]) * 8 <= 256
                for line in (folder / "rank-0.txt").open(encoding="ascii"))
    replay, replay_wall = replayed(folder, ranks, "bruck" if small else "pair")
    base = model["predicted_seconds"]

    def off(value):
        return f"{100 * (value - base) / base:+.4f}"
    return {"trace": name, "ranks": ranks, "calls": model["calls"], "messages": model["messages"], "model_s": f"{base:.9f}",
            "engine_s": f"{engine['predicted_seconds']:.9f}", "replay_s": f"{replay:.6f}",
            "engine_off_percent": off(engine["predicted_seconds"]), "replay_off_percent": off(replay),
            "model_wall_s": f"{model_wall:.2f}", "engine_wall_s": f"{engine_wall:.2f}", "replay_wall_s": f"{replay_wall:.2f}"}


def summary(rows):
    lines = ["| trace | ranks | calls | own model | SimGrid as engine | smpirun -replay | wall clock: own, engine, replay |",
             "|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['trace']} | {row['ranks']} | {row['calls']} | {float(row['model_s']):.6f} s "
                     f"| {row['engine_off_percent']} % | {row['replay_off_percent']} % "
                     f"| {row['model_wall_s']} s, {row['engine_wall_s']} s, {row['replay_wall_s']} s |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("traces", type=pathlib.Path)
    parser.add_argument("rondo")
    parser.add_argument("names", nargs="*")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_intermixed_args()
    names = options.names or sorted(path.name.removesuffix(".tar.zst") for path in options.traces.glob("*.tar.zst"))
    options.output.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in names:
        with tempfile.TemporaryDirectory() as work:
            rows.append(measured(options.rondo, options.traces / f"{name}.tar.zst", name, pathlib.Path(work)))
        print(rows[-1], flush=True)
    with open(options.output / "raw.csv", "w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (options.output / "summary.md").write_text(summary(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
