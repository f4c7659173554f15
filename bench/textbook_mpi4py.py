# SPDX-License-Identifier: Apache-2.0
"""Patterns of textbooks with mpi4py, one function each, for textbook.py.

usage: mpirun -n 12 /usr/bin/python3 textbook_mpi4py.py py_arrays
"""
import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()


def py_arrays():
    left, right = (rank - 1) % size, (rank + 1) % size
    a, b = numpy.zeros(100), numpy.zeros(100)
    for _ in range(10):
        comm.Sendrecv(a, dest=right, recvbuf=b, source=left)
        comm.Allreduce(MPI.IN_PLACE, a, op=MPI.MAX)
    comm.Bcast(a, root=0)


def py_objects():
    settings = comm.bcast({"steps": 5, "name": "run"} if rank == 0 else None, root=0)
    for _ in range(settings["steps"]):
        parts = comm.gather({"rank": rank, "value": rank ** 2}, root=0)
        comm.scatter(parts, root=0)


def py_reduce():
    for _ in range(4):
        comm.allreduce(rank, op=MPI.SUM)
    comm.reduce({rank}, op=lambda x, y: x, root=0)


def py_master():
    status = MPI.Status()
    if rank == 0:
        for _ in range(6 * (size - 1)):
            comm.recv(source=MPI.ANY_SOURCE, tag=1, status=status)
            comm.send([1, 2, 3], dest=status.Get_source(), tag=2)
    else:
        for i in range(6):
            comm.send(i, dest=0, tag=1)
            comm.recv(source=0, tag=2)


def py_halo():
    cart = comm.Create_cart(MPI.Compute_dims(size, 2), periods=[False, True])
    edge, ghost = numpy.zeros(50), numpy.zeros(50)
    for _ in range(8):
        for axis in range(2):
            low, high = cart.Shift(axis, 1)
            first = cart.Irecv(ghost, source=low)
            second = cart.Isend(edge, dest=high)
            MPI.Request.Waitall([first, second])


def py_pi():
    total = numpy.zeros(1)
    n = numpy.array(100 if rank == 0 else 0)
    comm.Bcast(n, root=0)
    comm.Reduce(numpy.ones(1), total, op=MPI.SUM, root=0)
    if rank == 0:
        for worker in range(1, size):
            comm.Recv(total, source=worker, tag=7)
    else:
        comm.Send(total, dest=0, tag=7)


def py_pool():
    if rank == 0:
        for worker in range(1, size):
            comm.send(("task", worker), dest=worker)
        for _ in range(3 * (size - 1)):
            status = MPI.Status()
            comm.recv(source=MPI.ANY_SOURCE, status=status)
            comm.send(("task", 0), dest=status.Get_source())
        for worker in range(1, size):
            comm.recv(source=worker)
            comm.send(None, dest=worker)
    else:
        while True:
            task = comm.recv(source=0)
            if task is None:
                break
            comm.send(task, dest=0)


def py_window():
    memory = numpy.zeros(16)
    win = MPI.Win.Create(memory, comm=comm)
    for _ in range(6):
        win.Fence()
        win.Put(numpy.ones(4), (rank + 1) % size)
        win.Fence()
    win.Free()


def py_sgd():
    gradient, total = numpy.zeros(1000, "f"), numpy.zeros(1000, "f")
    weights = comm.bcast(gradient if rank == 0 else None, root=0)
    for epoch in range(3):
        for batch in range(8):
            comm.Allreduce(weights, total, op=MPI.SUM)
        losses = comm.gather(float(epoch), root=0)
    comm.Barrier()


def py_islands():
    population, guest = numpy.zeros((20, 8)), numpy.zeros(8)
    for generation in range(1, 31):
        if generation % 5 == 0:
            comm.Sendrecv(population[0], dest=(rank + 1) % size, recvbuf=guest, source=(rank - 1) % size)
        if generation % 10 == 0:
            comm.gather(float(guest.max()), root=0)
    comm.Reduce(population[0], guest, op=MPI.MAX, root=0)


def py_params():
    weights, gradient = numpy.zeros(50), numpy.ones(50)
    status = MPI.Status()
    if rank == 0:
        for _ in range(5 * (size - 1)):
            comm.Recv(gradient, source=MPI.ANY_SOURCE, tag=11, status=status)
            comm.Send(weights, dest=status.Get_source(), tag=12)
    else:
        for _ in range(5):
            comm.Send(gradient, dest=0, tag=11)
            comm.Recv(weights, source=0, tag=12)


def py_kmeans():
    points, centres = numpy.zeros((size, 40)), numpy.zeros((4, 2))
    mine = numpy.zeros(40)
    comm.Scatter(points, mine, root=0)
    for _ in range(9):
        comm.Bcast(centres, root=0)
        sums, counts = numpy.zeros((4, 2)), numpy.zeros(4, dtype="i")
        comm.Allreduce(MPI.IN_PLACE, sums, op=MPI.SUM)
        comm.Allreduce(MPI.IN_PLACE, counts, op=MPI.SUM)
    comm.Gatherv(mine, points if rank == 0 else None, root=0)


def py_planes():
    up, down = (rank - 1 if rank > 0 else MPI.PROC_NULL), (rank + 1 if rank < size - 1 else MPI.PROC_NULL)
    field, ghost = numpy.zeros(60), numpy.zeros(60)
    for step in range(12):
        comm.Sendrecv(field, dest=up, recvbuf=ghost, source=down)
        comm.Sendrecv(field, dest=down, recvbuf=ghost, source=up)
        if step % 4 == 0:
            print(comm.reduce(float(field.sum()), root=0))


def py_split():
    row = comm.Split(rank // 3, rank)
    col = comm.Split(rank % 3, rank)
    part, whole = numpy.zeros(4), numpy.zeros(4)
    for _ in range(5):
        row.Allreduce(part, whole)
        col.Bcast(whole, root=0)
    row.Free()
    col.Free()


def py_tokens():
    seen = 0
    for lap in range(3):
        if rank == 0:
            comm.send({"lap": lap, "seen": seen}, dest=1 % size, tag=lap)
            seen = comm.recv(source=size - 1, tag=lap)["seen"]
        else:
            token = comm.recv(source=rank - 1, tag=lap)
            token["seen"] += 1
            comm.send(token, dest=(rank + 1) % size, tag=lap)
    comm.Barrier()


def py_cart():
    cart = comm.Create_cart(MPI.Compute_dims(size, 2), periods=[True, False], reorder=False)
    field = numpy.zeros(50)
    for _ in range(9):
        for axis in (0, 1):
            low, high = cart.Shift(axis, 1)
            requests = [cart.Irecv(field, source=low, tag=axis), cart.Isend(field, dest=high, tag=axis)]
            MPI.Request.Waitall(requests)
    cart.Free()


def py_file():
    part = numpy.full(40, rank, dtype="i")
    shared = MPI.File.Open(comm, "/tmp/textbook_py_file.dat", MPI.MODE_CREATE | MPI.MODE_RDWR)
    for step in range(4):
        shared.Write_at_all((step * size + rank) * part.nbytes, part)
        shared.Sync()
    shared.Close()


def py_scatterv():
    rows = [10 + (r < 3) for r in range(size)]
    mine = numpy.zeros(rows[rank])
    comm.Scatterv([numpy.zeros(sum(rows)), rows] if rank == 0 else None, mine, root=0)
    for _ in range(20):
        total = comm.allreduce(mine.sum(), op=MPI.SUM)
        mine += total
    comm.Gatherv(mine, [numpy.zeros(sum(rows)), rows] if rank == 0 else None, root=0)


def py_numbers():
    if rank == 0:
        for number in range(30):
            comm.send(number, dest=1 + number % (size - 1))
        for worker in range(1, size):
            comm.send(None, dest=worker)
        print(sum(comm.recv(source=worker) for worker in range(1, size)))
    else:
        found = 0
        while (number := comm.recv(source=0)) is not None:
            found += number % 2
        comm.send(found, dest=0)


def py_ring():
    left, right = (rank - 1) % size, (rank + 1) % size
    value = {"from": rank}
    for _ in range(size):
        request = comm.isend(value, dest=right)
        value = comm.recv(source=left)
        request.wait()


def py_transpose():
    out, back = numpy.zeros((size, 16)), numpy.zeros((size, 16))
    for _ in range(6):
        comm.Alltoall(out, back)
        comm.Alltoall(back, out)
    comm.Scan(out[0], back[0])


def py_walls():
    left = rank - 1 if rank > 0 else MPI.PROC_NULL
    right = rank + 1 if rank < size - 1 else MPI.PROC_NULL
    field, ghost = numpy.zeros(32), numpy.zeros(32)
    for step in range(25):
        requests = [comm.Isend(field, dest=left), comm.Isend(field, dest=right)]
        comm.Recv(ghost, source=left)
        comm.Recv(ghost, source=right)
        MPI.Request.Waitall(requests)
        if step % 5 == 0:
            comm.Barrier()


def py_plane():
    cart = comm.Create_cart(MPI.Compute_dims(size, 2), periods=(False, True))
    west, east = cart.Shift(0, 1)
    south, north = cart.Shift(1, 1)
    out, ghost = numpy.zeros(24), numpy.zeros(24)
    for step in range(21):
        cart.Sendrecv(out, dest=east, recvbuf=ghost, source=west)
        cart.Sendrecv(out, dest=west, recvbuf=ghost, source=east)
        cart.Sendrecv(out, dest=north, recvbuf=ghost, source=south)
        cart.Sendrecv(out, dest=south, recvbuf=ghost, source=north)
        if step % 10 == 0:
            cart.allreduce(step, op=MPI.MAX)


def py_sort():
    numbers = numpy.random.default_rng(rank).integers(0, 1000, 64)
    samples = comm.gather(numpy.sort(numbers)[::16], root=0)
    splitters = comm.bcast(sorted(numpy.concatenate(samples))[::4] if rank == 0 else None, root=0)
    parts = [[int(n) for n in numbers if (n * len(splitters)) % size == r] for r in range(size)]
    mine = comm.alltoall(parts)
    comm.gather(sum(map(len, mine)), root=0)


def py_training():
    weights, gradient = numpy.zeros(256), numpy.zeros(256)
    comm.Bcast(weights, root=0)
    for epoch in range(3):
        for _ in range(7):
            comm.Allreduce(weights, gradient, op=MPI.SUM)
        score = comm.reduce(rank, op=MPI.SUM, root=0)
        if comm.bcast(score, root=0) == epoch:
            comm.Barrier()


def py_farm():
    if rank == 0:
        status, tasks = MPI.Status(), list(range(30)) + [None] * (size - 1)
        for task in tasks:
            comm.recv(source=MPI.ANY_SOURCE, tag=1, status=status)
            comm.send(task, dest=status.source, tag=2)
    else:
        task = 0
        while task is not None:
            comm.send(task, dest=0, tag=1)
            task = comm.recv(source=0, tag=2)


def py_walkers():
    left, right = (rank - 1) % size, (rank + 1) % size
    for step in range(10):
        leaving = [step] * ((rank + step) % 4)
        request = comm.isend(leaving, dest=right, tag=step)
        comm.recv(source=left, tag=step)
        request.wait()
        if step % 3 == 2:
            comm.allgather(len(leaving))


def py_words():
    lines = [["word"] * (r + 3) for r in range(size)] if rank == 0 else None
    mine = comm.scatter(lines, root=0)
    parts = comm.alltoall([mine[r::size] for r in range(size)])
    counts = comm.gather({"words": sum(map(len, parts))}, root=0)
    comm.bcast(counts, root=0)


def py_jacobi():
    rows = 4 + (rank < 3)
    up, down = numpy.zeros(50), numpy.zeros(50)
    for step in range(18):
        if rank > 0:
            comm.Send(up, dest=rank - 1, tag=11)
            comm.Recv(up, source=rank - 1, tag=22)
        if rank < size - 1:
            comm.Recv(down, source=rank + 1, tag=11)
            comm.Send(down, dest=rank + 1, tag=22)
        if comm.allreduce(float(rows), op=MPI.SUM) < 0:
            break


if __name__ == "__main__":
    globals()[sys.argv[1]]()
