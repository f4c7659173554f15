// SPDX-License-Identifier: Apache-2.0
// A row of ranks whose ends talk to MPI_PROC_NULL, in every way, twice with other tags.
#include <mpi.h>

static double out[8], in[8];
static int left, right;

static void exchange(int tag) {
  MPI_Request requests[2];
  MPI_Sendrecv(out, 3, MPI_DOUBLE, right, tag, in, 3, MPI_DOUBLE, left, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(out, 4, MPI_DOUBLE, left, tag, right, tag, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  MPI_Irecv(in, 5, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 5, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Recv_init(in, 6, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 6, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Recv(in, 7, MPI_DOUBLE, left == MPI_PROC_NULL ? left : MPI_PROC_NULL, tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = rank == 0 ? MPI_PROC_NULL : rank - 1;
  right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  exchange(1);
  MPI_Barrier(MPI_COMM_WORLD);
  exchange(2);
  MPI_Finalize();
  return 0;
}
