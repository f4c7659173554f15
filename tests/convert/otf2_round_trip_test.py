#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An OTF2 archive that Rondo reads and writes again has the same events as python3-otf2 reads them: the functions of MPI that
are in Rondo's model with their times, and every record of messages and collective operations in them. The records' own times are
not compared: in the model a call has two, and records get one of these.

usage: otf2_round_trip_test.py RONDO"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import otf2
except ImportError:
    sys.exit(77)

RONDO = pathlib.Path(sys.argv.pop(1)).resolve()
DATA = pathlib.Path(os.environ.get("RONDO_TEST_DATA", "/nowhere"))
ASKS = {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Wtime", "MPI_Initialized", "MPI_Get_processor_name"}  # left out, and said to be
STEP = ("{0} compute {3}\n{0} irecv {2} 1 700 0\n{0} irecv {1} 2 40 0\n{0} isend {1} 1 700 0\n{0} isend {2} 2 40 0\n{0} waitall 4\n"
        "{0} allreduce 8 0 0\n{0} bcast 100 1 0\n{0} alltoall 16 16 0 0\n{0} send {1} 9 5 0\n{0} recv {2} 9 5 0\n{0} barrier\n")


class Location:
    """Events of one location as plain values: times in ns, requests in the order in which they come up."""

    def __init__(self, clock, first):
        self.clock = clock
        self.first_ns = self.ns(first)
        self.requests = {}
        self.events = []

    def ns(self, tick):
        return (tick - self.clock.global_offset) * 10**9 // self.clock.timer_resolution

    def add(self, event):
        kind = type(event).__name__
        said = [kind]
        if kind in ("Enter", "Leave"):
            name = event.region.name
            if not name.startswith("MPI_") or name in ASKS:
                return
            said += [name, self.ns(event.time) - self.first_ns]
        for field in ("receiver", "sender", "msg_tag", "msg_length", "root", "size_sent", "size_received"):
            if hasattr(event, field):
                said.append((field, getattr(event, field)))
        if hasattr(event, "collective_op"):
            said.append(str(event.collective_op))
        if hasattr(event, "communicator"):
            said.append(len(event.communicator.group.members))
        if hasattr(event, "request_id"):
            said.append(self.requests.setdefault(event.request_id, len(self.requests)))
        self.events.append(tuple(said))


def events_of(archive):
    """By location; times are those since the first call of the whole archive."""
    with otf2.reader.open(str(archive)) as trace:
        clock = trace.definitions.clock_properties
        all_events = [(location.group.name if location.group else "", event) for location, event in trace.events]
    calls = [event.time for _, event in all_events if type(event).__name__ == "Enter" and event.region.name.startswith("MPI_")]
    locations = {}
    for name, event in all_events:
        if type(event).__name__ not in ("Enter", "Leave") and not type(event).__name__.startswith(("Mpi", "NonBlocking")):
            continue
        locations.setdefault(name, Location(clock, min(calls))).add(event)
    return [locations[name].events for name in sorted(locations)]


class RoundTrip(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)

    def convert(self, source, target):
        subprocess.run([RONDO, "convert", source, target, "--times", "full"] if target.endswith(".rondo") else
                       [RONDO, "convert", source, target], cwd=self.place, check=True, stderr=subprocess.DEVNULL)
        return self.place / target

    def assert_round_trip(self, archive):
        again = self.convert(self.convert(archive, "between.rondo"), "again.otf2")
        before, after = events_of(archive), events_of(again)
        self.assertEqual(len(before), len(after))
        for old, new in zip(before, after):
            self.assertGreater(len(old), 4)
            self.assertEqual(old, new)

    def test_what_rondo_wrote_itself(self):
        (self.place / "ti").mkdir()
        for rank in range(4):
            steps = "".join(STEP.format(rank, (rank + 1) % 4, (rank - 1) % 4, 1000 * (step + rank + 1)) for step in range(5))
            (self.place / "ti" / f"{rank}.txt").write_text(f"{rank} init\n{steps}{rank} finalize\n", encoding="ascii")
        self.convert("ti", "first.rondo")
        self.assert_round_trip(self.convert("first.rondo", "first.otf2"))

    def test_a_ping_pong_of_score_p(self):
        archive = DATA / "otf2" / "ping-pong" / "traces.otf2"
        if not archive.exists():
            self.skipTest("RONDO_TEST_DATA does not say where the samples are")
        self.assert_round_trip(archive)


if __name__ == "__main__":
    unittest.main()
