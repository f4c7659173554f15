// SPDX-License-Identifier: Apache-2.0
// What a time-independent trace of SimGrid's has no action for: collective operations on halves of
// the ranks, without blocking and persistent, synchronous sends, probes. With a second argument:
// blocking collective operations only.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 1;
  static double in[1000], out[5000];
  MPI_Comm half;
  MPI_Request started[2], sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Allreduce_init(in, out, 30, MPI_DOUBLE, MPI_SUM, half, MPI_INFO_NULL, &sum);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < rounds; ++i) {
    MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, half);
    MPI_Bcast(in, 1000, MPI_DOUBLE, 0, half);
    if (argc > 2) continue;
    // Waited for in another order by odd ranks.
    MPI_Ibarrier(MPI_COMM_WORLD, &started[rank % 2]);
    MPI_Ibcast(in, 500, MPI_DOUBLE, 2, MPI_COMM_WORLD, &started[1 - rank % 2]);
    MPI_Wait(&started[0], MPI_STATUS_IGNORE);
    MPI_Wait(&started[1], MPI_STATUS_IGNORE);
    MPI_Start(&sum);
    MPI_Iallgather(in, 50, MPI_DOUBLE, out, 50, MPI_DOUBLE, MPI_COMM_WORLD, &started[0]);
    MPI_Irecv(out, 10, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &started[1]);
    MPI_Send(in, 10, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
    MPI_Waitall(2, started, MPI_STATUSES_IGNORE);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
    MPI_Issend(in, 1000, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, &started[0]);
    MPI_Probe(left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(out, 1000, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&started[0], MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&sum);
  MPI_Comm_free(&half);
  return MPI_Finalize();
}
