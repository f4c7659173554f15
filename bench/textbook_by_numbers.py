# SPDX-License-Identifier: Apache-2.0
"""Partners by the numbers of the rank and of the round, with mpi4py, one function each, for textbook.py.

usage: mpirun -n 12 /usr/bin/python3 textbook_by_numbers.py py_pairs
"""
import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
mine, theirs = numpy.full(64, rank, dtype="d"), numpy.zeros(64)


def py_pairs():
    top = 1
    while top < size:
        top *= 2
    for round in range(1, top):
        partner = rank ^ round
        if partner < size:
            request = comm.Isend(mine, dest=partner, tag=round)
            comm.Recv(theirs, source=partner, tag=round)
            request.Wait()


def py_sorted_lists():
    for round in range(size):
        partner = rank + 1 if (rank + round) % 2 == 0 else rank - 1
        if 0 <= partner < size:
            comm.Sendrecv(mine, dest=partner, sendtag=3, recvbuf=theirs, source=partner, recvtag=3)
    comm.Gather(mine, None if rank else numpy.zeros(64 * size), root=0)


def py_everybody():
    for step in range(4):
        for round in range(1, size):
            comm.Sendrecv(mine, dest=(rank + round) % size, recvbuf=theirs, source=(rank - round) % size)
    comm.Barrier()


def py_barriers():
    for step in range(6):
        distance = 1
        while distance < size:
            request = comm.Irecv(theirs, source=(rank - distance) % size, tag=7)
            comm.Send(mine, dest=(rank + distance) % size, tag=7)
            request.Wait()
            distance *= 2


def py_warm_start():
    for step in range(12):
        comm.Sendrecv(mine, dest=(rank + 1) % size, recvbuf=theirs, source=(rank - 1) % size)
        if step == 0:
            comm.Bcast(theirs, root=0)
        comm.Allreduce(mine, theirs, op=MPI.MAX)
        if step == 11:
            comm.Gather(mine, None if rank else numpy.zeros(64 * size), root=0)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
