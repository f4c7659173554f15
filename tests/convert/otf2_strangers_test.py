#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""OTF2 archives with what Rondo does not write itself: anchors of other names, deep system trees, threads, accelerators, metrics,
attributes, no groups of MPI, windows and files of MPI and of others. Written by python3-otf2.

usage: otf2_strangers_test.py RONDO"""
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

try:
    import _otf2
    import otf2
    from otf2 import definition_writer, enums, events
except ImportError:
    sys.exit(77)

RONDO = pathlib.Path(sys.argv.pop(1)).resolve()
RANKS = 4
NO_ROOT = 0xFFFFFFFF


def write_inter_comm(writer, comm, name, *words):
    """That of python3-otf2 3.0.2 takes fewer arguments than it is given: of a communicator, and then its own."""
    _otf2.GlobalDefWriter_WriteInterComm(writer._handle, comm, name, *words[-4:])  # pylint: disable=protected-access


definition_writer.DefinitionWriter.write_inter_comm = write_inter_comm


class Archive:
    """Four ranks on two nodes of two racks, whose first threads write events one microsecond apart."""

    def __init__(self, folder, name="run7", has_groups=True):
        self.anchor = folder / f"{name}.otf2"
        self.opened = otf2.writer.open(str(folder), archive_name=name, timer_resolution=10**6)
        self.trace = self.opened.__enter__()
        self.definitions = self.trace.definitions
        self.regions = {}
        self.ticks = {}
        machine = self.definitions.system_tree_node("cluster", class_name="machine")
        racks = [self.definitions.system_tree_node(f"rack {i}", class_name="rack", parent=machine) for i in range(2)]
        nodes = [self.definitions.system_tree_node(f"node{i}", class_name="node", parent=racks[i]) for i in range(2)]
        sockets = [self.definitions.system_tree_node("socket", class_name="socket", parent=nodes[i]) for i in range(2)]
        self.sockets = sockets
        self.groups = [self.definitions.location_group(f"MPI Rank {i}", location_group_type=enums.LocationGroupType.PROCESS,
                                                       system_tree_parent=sockets[i // 2]) for i in range(RANKS)]
        self.locations = [self.definitions.location("Master thread", group=group) for group in self.groups]
        self.writers = [self.trace.event_writer_from_location(location) for location in self.locations]
        self.world = self.comm("MPI_COMM_WORLD", range(RANKS)) if has_groups else None

    def comm(self, name, members):
        if not hasattr(self, "all_ranks"):
            self.all_ranks = self.definitions.group("", group_type=enums.GroupType.COMM_LOCATIONS, paradigm=enums.Paradigm.MPI,
                                                    members=self.locations)
        return self.definitions.comm(name, group=self.group(members))

    def inter_comm(self, name, low, high):
        return self.definitions.inter_comm(name, group=low, groupA=low, groupB=high, parent=self.world)

    def group(self, members):
        return self.definitions.group("", group_type=enums.GroupType.COMM_GROUP, paradigm=enums.Paradigm.MPI,
                                      members=[self.locations[i] for i in members])

    def window(self, comm):
        return self.definitions.rma_win("w", comm=comm)

    def file(self, name, paradigm):
        of = self.definitions.io_paradigm(paradigm, paradigm, enums.IoParadigmClass.PARALLEL, enums.IoParadigmFlag.NONE)
        regular = self.definitions.io_regular_file(name, scope=self.sockets[0])
        return self.definitions.io_handle("h", file=regular, io_paradigm=of, comm=self.world)

    def now(self, writer):
        self.ticks[id(writer)] = self.ticks.get(id(writer), 0) + 1
        return self.ticks[id(writer)]

    def region(self, name, paradigm=enums.Paradigm.MPI):
        if (name, paradigm) not in self.regions:
            self.regions[name, paradigm] = self.definitions.region(name, paradigm=paradigm)
        return self.regions[name, paradigm]

    def enter(self, rank, name, paradigm=enums.Paradigm.USER):
        self.writers[rank](events.Enter(self.now(self.writers[rank]), self.region(name, paradigm)))

    def leave(self, rank, name, paradigm=enums.Paradigm.USER):
        self.writers[rank](events.Leave(self.now(self.writers[rank]), self.region(name, paradigm)))

    def call(self, who, name, *records, attributes=None):
        """A region with records in it: each is an event's class and what comes behind its time. `who`: a rank or a writer."""
        writer = self.writers[who] if isinstance(who, int) else who
        region = self.region(name)
        writer(events.Enter(self.now(writer), region, attributes=attributes))
        for kind, *words in records:
            writer(kind(self.now(writer), *words))
        writer(events.Leave(self.now(writer), region))

    def close(self):
        self.opened.__exit__(None, None, None)
        return self.anchor


class Strangers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)

    def rondo(self, *arguments, status=0):
        done = subprocess.run([RONDO, *map(str, arguments)], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def lines(self, trace, rank):
        """The calls of a rank, without their times."""
        flat, _ = self.rondo("print", "--flat", "--all", "--rank", rank, trace)
        return [line[line.index("MPI_"):].replace(".000000000", "") for line in flat.splitlines() if "MPI_" in line]

    def every_command(self, trace):
        for command in ("topology", "patterns", "efficiency", "logical", "stats", "matrix"):
            self.rondo(command, trace)
        self.rondo("simulate", "--latency", "1us", "--bandwidth", "1GB/s", trace)

    def again(self, anchor):
        self.rondo("convert", anchor, "between.rondo", "--times", "full")
        self.rondo("convert", "between.rondo", "out/again.otf2")
        printed = subprocess.run(["otf2-print", "out/again.otf2"], cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        return "out/again.otf2", printed.stdout

    def assert_round_trip(self, anchor):
        (self.place / "out").mkdir(exist_ok=True)
        again, _ = self.again(anchor)
        for rank in range(RANKS):
            self.assertEqual(self.lines(anchor, rank), self.lines(again, rank))
        self.assertEqual(self.rondo("stats", anchor)[0], self.rondo("stats", again)[0])

    def test_threads_accelerators_and_system_trees(self):
        archive = Archive(self.place / "a")
        size = archive.definitions.attribute("size", "of the problem", enums.Type.UINT64)
        stream = archive.definitions.location("CUDA[0:7]", type=enums.LocationType.ACCELERATOR_STREAM, group=archive.groups[1])
        worker = archive.definitions.location("OMP thread 1", group=archive.groups[0])
        archive.call(archive.trace.event_writer_from_location(stream), "saxpy_kernel(float*)")
        archive.call(archive.trace.event_writer_from_location(worker), "!$omp parallel @a.c:12")
        for rank in range(RANKS):
            archive.call(rank, "MPI_Init")
            archive.call(rank, "MPI_Sendrecv", (events.MpiSend, (rank + 1) % RANKS, archive.world, 7, 80),
                         (events.MpiRecv, (rank - 1) % RANKS, archive.world, 7, 80), attributes={size: 80})
            archive.call(rank, "MPI_Finalize")
        anchor = archive.close()
        out, _ = self.rondo("info", self.place / "a")
        self.assertIn("4 on 2 hosts: node0 (ranks 0-1), node1 (ranks 2-3)", out)
        self.assertIn("ring", self.rondo("topology", anchor)[0])
        self.every_command(anchor)
        self.assert_round_trip(anchor)

    def test_threads_that_call_mpi(self):
        archive = Archive(self.place / "a")
        others = [archive.trace.event_writer_from_location(archive.definitions.location("pthread 1", group=group)) for group in archive.groups]
        for rank in range(RANKS):
            to, of = (rank + 1) % RANKS, (rank - 1) % RANKS
            archive.call(rank, "MPI_Init_thread")
            for step in range(3):
                archive.call(rank, "MPI_Irecv", (events.MpiIrecvRequest, step))
                writer = archive.writers[rank]
                writer(events.BufferFlush(archive.now(writer), archive.now(writer)))
                archive.call(rank, "MPI_Send", (events.MpiSend, to, archive.world, 7, 800))
                archive.call(rank, "MPI_Wait", (events.MpiIrecv, of, archive.world, 7, 800, step))
                archive.call(others[rank], "MPI_Send", (events.MpiSend, to, archive.world, 9, 80))
                archive.call(others[rank], "MPI_Recv", (events.MpiRecv, of, archive.world, 9, 80))
            archive.call(rank, "MPI_Irecv", (events.MpiIrecvRequest, 9))
            archive.call(rank, "MPI_Test", (events.MpiRequestTest, 9))
            archive.call(rank, "MPI_Wait", (events.MpiRequestCancelled, 9))
            archive.call(rank, "MPI_Finalize")
        anchor = archive.close()
        self.assertRegex(self.rondo("patterns", anchor)[0], r"^2 process patterns in 80 calls of 4 ranks in 8 threads;")
        self.assertRegex(self.rondo("stats", anchor)[0], r"^4 ranks: 24 point-to-point messages \(11 kB\)")
        self.assertIn("flushes of the tool's buffers: 12", self.rondo("convert", anchor, "a.rondo")[1])
        self.assertIn("calls of 4 further threads", self.rondo("simulate", "--latency", "1us", "--bandwidth", "1GB/s", anchor)[1])
        self.assertRegex(self.rondo("simulate", "--network", "latency=1us,bandwidth=1GB/s", "--critical-path", anchor)[0],
                         r"\ncritical path: ends on rank \d after \d+ steps? from rank to rank; 7\d % computing, ")
        self.assert_round_trip(anchor)

    def test_ranks_without_groups_of_mpi(self):
        archive = Archive(self.place / "a", has_groups=False)
        for rank in range(RANKS):
            archive.call(rank, "mpi_init_")
            archive.call(rank, "MPI_Barrier")
            archive.call(rank, "PMPI_Finalize()")
        anchor = archive.close()
        self.assertEqual(len(self.lines(anchor, 3)), 3)
        self.every_command(anchor)

    def test_functions_of_the_program_that_are_named_like_mpis(self):
        archive = Archive(self.place / "a")
        for rank in range(RANKS):
            archive.call(rank, "MPI_Init")
            archive.enter(rank, "mpi_sum_over_all")
            archive.call(rank, "MPI_Barrier", (events.MpiCollectiveBegin,),
                         (events.MpiCollectiveEnd, enums.CollectiveOp.BARRIER, archive.world, NO_ROOT, 0, 0))
            archive.call(rank, "MPI_Type_size")
            archive.leave(rank, "mpi_sum_over_all")
            archive.call(rank, "MPI_Finalize")
        anchor = archive.close()
        self.assertEqual(self.lines(anchor, 2), ["MPI_Init()", "MPI_Barrier(comm=MPI_COMM_WORLD)", "MPI_Finalize()"])
        self.assertRegex(self.rondo("info", anchor)[0], "MPI_Barrier  mpi_sum_over_all\n")
        _, err = self.rondo("convert", anchor, "a.rondo")
        self.assertIn("calls of MPI_Type_size: 4; left out", err)

    def test_regions_of_each_process_and_peers_that_are_nobody(self):
        """As EZTrace writes them: each process has definitions of its own, and MPI_PROC_NULL stands as the library has it."""
        archive = Archive(self.place / "a")
        for rank in range(RANKS):
            archive.regions = {}  # the next one is defined anew
            archive.enter(rank, "step")
            archive.call(rank, "MPI_Isend", (events.MpiIsend, 2**32 - 2, archive.world, 3, 64, 7))
            archive.call(rank, "MPI_Wait", (events.MpiIsendComplete, 7))
            archive.leave(rank, "step")
        anchor = archive.close()
        out, _ = self.rondo("info", anchor)
        self.assertRegex(out, r"names        of 1 call site,")
        self.assertRegex(out, r"\n +4 +\S+ \S+ +\S+ %  MPI_Isend  step\n")
        self.assertIn("4 ranks in 1 class", self.rondo("print", anchor)[0])
        self.assertEqual(len(self.lines(anchor, 0)), 4)  # MPI_Init and MPI_Finalize, which no process defines, come on top
        self.assertIn("dest=MPI_PROC_NULL", self.lines(anchor, 0)[1])
        self.assertRegex(out, r"complete +yes\n")
        _, err = self.rondo("convert", anchor, "a.rondo")
        self.assertIn("records neither MPI_Init nor MPI_Finalize: 4; they come to both", err)
        self.assertIn("messages to or from a rank below 0: 4; taken as MPI_PROC_NULL", err)

    def test_functions_whose_messages_no_record_tells(self):
        archive = Archive(self.place / "a")
        for rank in range(RANKS):
            archive.call(rank, "MPI_Sendrecv")
            archive.call(rank, "MPI_Send", *([(events.MpiSend, 1, archive.world, 3, 64)] if rank == 0 else []))
            archive.call(rank, "MPI_Probe")
        anchor = archive.close()
        self.assertIn("MPI_Probe(source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD)", self.lines(anchor, 0))
        _, err = self.rondo("convert", anchor, "a.rondo")
        self.assertIn("calls of MPI_Sendrecv: 4; none has a record of its message", err)
        self.assertNotIn("calls of MPI_Send:", err)  # the other three had MPI_PROC_NULL
        self.assertIn("no call of MPI_Sendrecv has a record of its message", self.rondo("info", "a.rondo")[0])

    def test_receives_that_nothing_completes_are_no_benchmark(self):
        archive = Archive(self.place / "a")
        for rank in range(RANKS):
            archive.call(rank, "MPI_Irecv", (events.MpiIrecvRequest, 9))
            archive.call(rank, "MPI_Wait")
        anchor = archive.close()
        _, err = self.rondo("generate", anchor, "-o", "made", status=2)
        self.assertIn("MPI_Irecv whose peer or communicator the trace does not say (4 calls)", err)
        self.assertFalse((self.place / "made").exists())

    def test_an_inter_communicator(self):
        archive = Archive(self.place / "a")
        low, high = archive.group((0, 1)), archive.group((2, 3))
        between = archive.inter_comm("between", low, high)
        for rank in range(RANKS):
            archive.call(rank, "MPI_Init")
            archive.call(rank, "MPI_Intercomm_create", (events.CommCreate, between))
            if rank < 2:
                archive.call(rank, "MPI_Send", (events.MpiSend, 1 - rank, between, 3, 64))
            else:
                archive.call(rank, "MPI_Recv", (events.MpiRecv, 3 - rank, between, 3, 64))
            archive.call(rank, "MPI_Barrier", (events.MpiCollectiveBegin,),
                         (events.MpiCollectiveEnd, enums.CollectiveOp.BARRIER, between, NO_ROOT, 0, 0))
            archive.call(rank, "MPI_Finalize")
        anchor = archive.close()
        for rank, call in enumerate(("Send(", "Send(", "Recv(", "Recv(")):
            peer = "dest" if rank < 2 else "source"
            self.assertEqual(self.lines(anchor, rank)[2],
                             f"MPI_{call}count=64, datatype=MPI_BYTE, {peer}={1 - rank % 2}, tag=3, comm=intercomm#1)")
        self.assertRegex(self.rondo("matrix", anchor, "-o", "-")[0], "0,3,1,64\n1,2,1,64\n")
        self.every_command(anchor)
        self.assert_round_trip(anchor)

    def test_a_trace_that_ends_in_calls(self):
        archive = Archive(self.place / "a")
        for rank in range(RANKS):
            archive.call(rank, "MPI_Init")
            archive.call(rank, "MPI_Sendrecv", (events.MpiSend, (rank + 1) % RANKS, archive.world, 7, 80),
                         (events.MpiRecv, (rank - 1) % RANKS, archive.world, 7, 80))
            archive.enter(rank, "MPI_Barrier" if rank > 0 else "MPI_Recv", enums.Paradigm.MPI)
        anchor = archive.close()
        self.assertEqual(len(self.lines(anchor, 0)), 2)
        out, _ = self.rondo("info", anchor)
        self.assertRegex(out, "ranks 1-3: no MPI_Finalize in the trace, in MPI_Barrier")
        self.assertRegex(out, "rank 0: no MPI_Finalize in the trace, in MPI_Recv")
        self.every_command(anchor)

    def test_a_file_that_cannot_be_written(self):
        folder = self.place / "ti"
        folder.mkdir()
        for rank in range(2):
            (folder / f"{rank}.txt").write_text(f"{rank} init\n" + f"{rank} barrier\n" * 250000 + f"{rank} finalize\n", encoding="ascii")

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        done = subprocess.run([RONDO, "convert", folder, self.place / "out.otf2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              preexec_fn=small_files)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("out.otf2: the events of a location cannot be written; libotf2 says: File is too large", done.stderr)
        self.assertEqual([path.name for path in self.place.iterdir()], ["ti"])

    def test_a_trace_of_accelerators_alone(self):
        archive = Archive(self.place / "a", has_groups=False)
        archive.call(0, "saxpy_kernel(float*)")
        anchor = archive.close()
        for command in ("info", "topology", "stats"):
            _, err = self.rondo(command, anchor, status=2)
            self.assertIn("without MPI", err)

    def test_windows(self):
        archive = Archive(self.place / "a")
        pair = archive.comm("pair", (1, 3))
        all_of, of_pair = archive.window(archive.world), archive.window(pair)
        apart = archive.window(archive.world)
        origins, targets = archive.group((1,)), archive.group((2,))
        level = enums.RmaSyncLevel.PROCESS
        for rank in range(RANKS):
            def together(name, window, operation):
                return name, (events.RmaCollectiveBegin,), (events.RmaCollectiveEnd, operation, level, window, NO_ROOT, 0, 0)
            archive.call(rank, "MPI_Init")
            archive.call(rank, *together("MPI_Win_create", all_of, enums.CollectiveOp.CREATE_HANDLE), (events.RmaWinCreate, all_of))
            archive.call(rank, *together("MPI_Win_fence", all_of, enums.CollectiveOp.BARRIER))
            archive.call(rank, "MPI_Put", (events.RmaPut, all_of, (rank + 1) % RANKS, 24, 1))
            archive.call(rank, "MPI_Get", (events.RmaGet, all_of, (rank + 2) % RANKS, 1000, 2))
            archive.call(rank, "MPI_Get_accumulate", (events.RmaAtomic, all_of, 0, enums.RmaAtomicType.FETCH_AND_ADD, 8, 8, 3))
            archive.call(rank, "MPI_Get_accumulate", (events.RmaAtomic, all_of, 0, enums.RmaAtomicType.FETCH_AND_ADD, 0, 8, 4))
            archive.call(rank, *together("MPI_Win_fence", all_of, enums.CollectiveOp.BARRIER))
            archive.call(rank, "cudaMemcpy", (events.RmaPut, apart, 0, 4096, 5))
            if rank == 1:
                archive.call(rank, "MPI_Win_start", (events.RmaGroupSync, level, all_of, targets))
                archive.call(rank, "MPI_Win_complete", (events.RmaGroupSync, level, all_of, targets))
            if rank == 2:
                archive.call(rank, "MPI_Win_post", (events.RmaGroupSync, level, all_of, origins))
                archive.call(rank, "MPI_Win_wait", (events.RmaGroupSync, level, all_of, origins))
            if rank in (1, 3):
                archive.call(rank, *together("MPI_Win_allocate", of_pair, enums.CollectiveOp.CREATE_HANDLE), (events.RmaWinCreate, of_pair))
                archive.call(rank, "MPI_Win_lock", (events.RmaAcquireLock, of_pair, 1, 0, enums.LockType.SHARED))
                archive.call(rank, "MPI_Rput", (events.RmaPut, of_pair, 1, 512, 6))
                archive.call(rank, "MPI_Wait", (events.RmaOpCompleteNonBlocking, of_pair, 6))
                archive.call(rank, "MPI_Win_flush", (events.RmaOpCompleteRemote, of_pair, 6))
                archive.call(rank, "MPI_Win_unlock", (events.RmaReleaseLock, of_pair, 1, 0))
                archive.call(rank, *together("MPI_Win_free", of_pair, enums.CollectiveOp.DESTROY_HANDLE), (events.RmaWinDestroy, of_pair))
            archive.call(rank, *together("MPI_Win_free", all_of, enums.CollectiveOp.DESTROY_HANDLE), (events.RmaWinDestroy, all_of))
            archive.call(rank, "MPI_Finalize")
        anchor = archive.close()
        lines = self.lines(anchor, 1)
        self.assertEqual(lines[1:4], [
            "MPI_Win_create(comm=MPI_COMM_WORLD) -> win=win#1", "MPI_Win_fence(win=win#1)",
            "MPI_Put(origin_count=24, origin_datatype=MPI_BYTE, target_rank=2, target_count=24, target_datatype=MPI_BYTE, win=win#1)"])
        self.assertIn("op=MPI_NO_OP", lines[6])
        self.assertEqual(lines[8], "MPI_Win_start(group=group#1{2}, win=win#1)")
        self.assertRegex(lines[10], r"MPI_Win_allocate\(comm=comm#1.*\) -> win=win#2")
        self.assertEqual(lines[11], "MPI_Win_lock(lock_type=MPI_LOCK_SHARED, rank=1, win=win#2)")
        self.assertRegex(lines[12], r"MPI_Rput\(origin_count=512, .*target_rank=1, .*\) -> request=#1")
        self.assertEqual(lines[13:16], ["MPI_Wait(request=#1)", "MPI_Win_flush(rank=1, win=win#2)", "MPI_Win_unlock(rank=1, win=win#2)"])
        # 24 B put and 1000 B got by four ranks, 8 B there and back and 8 B back from rank 0, 512 B put by two.
        self.assertIn("22 one-sided messages (5.2 kB)", self.rondo("stats", anchor)[0])
        self.every_command(anchor)
        self.assert_round_trip(anchor)
        # In Vampir each put is over at its target in the call that makes sure of it.
        _, printed = self.again_printed(anchor)
        self.assertEqual(printed.count("RMA_OP_COMPLETE_REMOTE"), 18)
        self.assertEqual(printed.count("RMA_OP_COMPLETE_NON_BLOCKING"), 2)

    def again_printed(self, anchor):
        for old in ("between.rondo", "out/again.otf2", "out/again.def"):
            (self.place / old).unlink(missing_ok=True)
        subprocess.run(["rm", "-r", self.place / "out" / "again"], check=True)
        return self.again(anchor)

    def test_files(self):
        archive = Archive(self.place / "a")
        mine, others = archive.file("/scratch/out.dat", "MPI-IO"), archive.file("/scratch/out.dat", "POSIX")
        modes, flags = enums.IoOperationMode, enums.IoOperationFlag
        for rank in range(RANKS):
            archive.call(rank, "MPI_Init")
            archive.call(rank, "MPI_File_open", (events.IoCreateHandle, others, enums.IoAccessMode.READ_ONLY, enums.IoCreationFlag.NONE,
                                                 enums.IoStatusFlag.NONE),
                         (events.IoCreateHandle, mine, enums.IoAccessMode.WRITE_ONLY, enums.IoCreationFlag.CREATE, enums.IoStatusFlag.APPEND))
            archive.call(rank, "MPI_File_write_at_all", (events.IoSeek, mine, 100 * rank, enums.IoSeekOption.FROM_START, 100 * rank),
                         (events.IoOperationBegin, mine, modes.WRITE, flags.COLLECTIVE, 100, 1),
                         (events.IoOperationBegin, others, modes.WRITE, flags.NONE, 4096, 2), (events.IoOperationComplete, others, 4096, 2),
                         (events.IoOperationComplete, mine, 100, 1))
            archive.call(rank, "MPI_File_iwrite", (events.IoOperationBegin, mine, modes.WRITE, flags.NON_BLOCKING, 60, 3),
                         (events.IoOperationIssued, mine, 3))
            archive.call(rank, "MPI_Wait", (events.IoOperationComplete, mine, 60, 3))
            archive.call(rank, "read", (events.IoOperationBegin, others, modes.READ, flags.NONE, 10, 4),
                         (events.IoOperationComplete, others, 10, 4))
            archive.call(rank, "MPI_File_close", (events.IoDestroyHandle, mine))
            archive.call(rank, "MPI_Finalize")
        anchor = archive.close()
        self.assertEqual(self.lines(anchor, 2)[1:6], [
            'MPI_File_open(comm=MPI_COMM_WORLD, filename="/scratch/out.dat", amode=MPI_MODE_WRONLY|MPI_MODE_CREATE|MPI_MODE_APPEND)'
            " -> fh=file#1", "MPI_File_write_at_all(fh=file#1, offset=200, count=100, datatype=MPI_BYTE)",
            "MPI_File_iwrite(fh=file#1, count=60, datatype=MPI_BYTE) -> request=#1", "MPI_Wait(request=#1)", "MPI_File_close(fh=file#1)"])
        self.assertRegex(self.rondo("stats", anchor)[0], r"write, collective +4 +4 +400 B[^\n]*\n +write, nonblocking +4 +4 +240 B")
        self.every_command(anchor)
        self.assert_round_trip(anchor)


if __name__ == "__main__":
    unittest.main()
