/* SPDX-License-Identifier: Apache-2.0
 * Cancels sends and receives, some too late, and says how many of them were cancelled. */
#include <mpi.h>
#include <stdio.h>

static int was_cancelled(MPI_Request* request) {
  MPI_Status status;
  int cancelled = 0;
  MPI_Cancel(request);
  MPI_Wait(request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  return cancelled;
}

int main(int argc, char** argv) {
  int rank, cancelled = 0, in[4] = {0}, out[4] = {0};
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request); /* nobody sends that */
  cancelled += was_cancelled(&request);
  MPI_Irecv(in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request); /* the message is there */
  MPI_Send(out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  cancelled += was_cancelled(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Isend(out, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* goes at once */
    MPI_Barrier(MPI_COMM_WORLD);
    cancelled += was_cancelled(&request);
  } else if (rank == 1) {
    MPI_Recv(in, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(MPI_IN_PLACE, &cancelled, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("cancelled %d\n", cancelled);
  MPI_Finalize();
  return 0;
}
