# SPDX-License-Identifier: Apache-2.0
"""Mini-apps with mpi4py, one function each, for textbook.py.

usage: mpirun -n 12 /usr/bin/python3 textbook_languages.py py_pages
"""
import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()


def py_pages():
    mine = 10 + (rank < 3)
    counts = numpy.array(comm.allgather(mine))
    ranks = numpy.zeros(counts.sum())
    delta = numpy.zeros(1)
    for step in range(30):
        comm.Allgatherv(numpy.ones(mine), [ranks, counts])
        comm.Allreduce(numpy.full(1, 0.5 ** step), delta, op=MPI.SUM)
        if delta[0] < 1e-4:
            break


def py_token():
    status = MPI.Status()
    if rank == 0:
        for _ in range(3):
            comm.send("white", dest=1 % size, tag=9)
            comm.recv(source=size - 1, tag=9, status=status)
        for other in range(1, size):
            comm.send(None, dest=other, tag=10)
    else:
        while True:
            comm.probe(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
            token = comm.recv(source=status.Get_source(), tag=status.Get_tag())
            if status.Get_tag() == 10:
                break
            comm.send(token, dest=(rank + 1) % size, tag=9)


def py_migrants():
    best = rank
    for generation in range(1, 31):
        if generation % 6 == 0:
            migrants = comm.sendrecv([rank] * 5, dest=(rank + 1) % size, source=(rank - 1) % size)
            best = max(best, migrants[0])
    best = comm.allreduce((best, rank), op=MPI.MAXLOC)
    comm.gather(best, root=0)


def py_life():
    rows = max(i for i in range(1, size + 1) if size % i == 0 and i * i <= size)
    columns = size // rows
    x, y = rank % columns, rank // columns
    around = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]
    edge = numpy.zeros(20, dtype="b")
    ghosts = numpy.zeros((8, 20), dtype="b")
    for _ in range(12):
        requests = []
        for i, (dx, dy) in enumerate(around):
            source = (y - dy) % rows * columns + (x - dx) % columns
            dest = (y + dy) % rows * columns + (x + dx) % columns
            requests.append(comm.Irecv(ghosts[i], source=source, tag=i))
            requests.append(comm.Isend(edge, dest=dest, tag=i))
        MPI.Request.Waitall(requests)
    alive = comm.reduce(1, op=MPI.SUM, root=0)
    comm.bcast(alive, root=0)


def py_matvec():
    rows = max(i for i in range(1, size + 1) if size % i == 0 and i * i <= size)
    row = comm.Split(rank // (size // rows), rank)
    col = comm.Split(rank % (size // rows), rank)
    part, vector, out = numpy.zeros(6), numpy.zeros(6 * col.size), numpy.zeros(6 * col.size)
    for _ in range(9):
        col.Allgather(part, vector)
        row.Reduce(vector, out, op=MPI.SUM, root=0)
        row.Bcast(out, root=0)
    row.Free()
    col.Free()


def py_trials():
    ask, work, stop = 1, 2, 3
    status = MPI.Status()
    if rank == 0:
        left, workers = 4 * (size - 1), size - 1
        while workers:
            comm.recv(source=MPI.ANY_SOURCE, tag=ask, status=status)
            if left:
                comm.send({"seed": left}, dest=status.Get_source(), tag=work)
                left -= 1
            else:
                comm.send(None, dest=status.Get_source(), tag=stop)
                workers -= 1
    else:
        while True:
            comm.send(None, dest=0, tag=ask)
            comm.recv(source=0, tag=MPI.ANY_TAG, status=status)
            if status.Get_tag() == stop:
                break
    comm.reduce(1.0, op=MPI.SUM, root=0)


def py_sample_sort():
    values = list(range(rank, 200, size))
    samples = comm.gather(values[::20], root=0)
    splitters = comm.bcast(sorted(sum(samples, []))[:size - 1] if rank == 0 else None, root=0)
    parts = [[v for v in values if v % size == r] for r in range(size)]
    values = sorted(sum(comm.alltoall(parts), splitters))
    comm.exscan(len(values))


def py_sides():
    left = rank - 1 if rank > 0 else MPI.PROC_NULL
    right = rank + 1 if rank < size - 1 else MPI.PROC_NULL
    for step in range(20):
        sent = [comm.isend([step], dest=left, tag=0), comm.isend([step], dest=right, tag=1)]
        comm.recv(source=right, tag=0)
        comm.recv(source=left, tag=1)
        MPI.Request.waitall(sent)
        if step % 5 == 0:
            comm.allreduce(1.0, op=MPI.MAX)


def py_own_operation():
    def merged(one, other, datatype):
        numpy.frombuffer(other, dtype="d")[:] += numpy.frombuffer(one, dtype="d")

    operation = MPI.Op.Create(merged, commute=True)
    mine, before, everything = numpy.ones(4), numpy.zeros(4), numpy.zeros(4)
    for step in range(8):
        comm.Exscan(mine, before, op=operation)
        comm.Allreduce(mine, everything, op=operation)
        if step % 4 == 3:
            comm.Barrier()
    operation.Free()


def py_steps_in_files():
    shared = MPI.File.Open(comm, "/tmp/textbook_languages_py.dat", MPI.MODE_CREATE | MPI.MODE_RDWR)
    block = numpy.full(25, rank, dtype="d")
    ghost = numpy.zeros(25)
    for step in range(18):
        comm.Sendrecv(block, dest=(rank + 1) % size, recvbuf=ghost, source=(rank - 1) % size)
        if step % 6 == 5:
            shared.Write_at_all(rank * block.nbytes, block)
    shared.Read_at_all(rank * block.nbytes, ghost)
    shared.Close()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
