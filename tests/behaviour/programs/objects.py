# SPDX-License-Identifier: Apache-2.0
"""An mpi4py program: buffers and pickled objects, blocking and not, communicators; MPI_THREAD_MULTIPLE by default."""
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
out, into = bytearray([rank] * 16), bytearray(16)
total = 0
for step in range(20):
    world.Sendrecv([out, MPI.BYTE], dest=(rank + 1) % size, recvbuf=[into, MPI.BYTE], source=(rank - 1) % size)
    total += world.allreduce(into[0])
told = world.bcast({"from": 0, "values": list(range(5))} if rank == 0 else None, root=0)
request = world.isend(("hello", rank), dest=(rank + 1) % size, tag=3)
heard = world.recv(source=(rank - 1) % size, tag=3)
request.wait()
half = world.Split(rank % 2, rank)
members = half.allgather(rank)
half.Free()
if rank == 0:
    print(total, told, heard, members)
