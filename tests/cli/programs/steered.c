// SPDX-License-Identifier: Apache-2.0
// Objects and requests that cross the edges of a pause, both ways. Two ranks.
#include "rondo/rondo_phase.h"
#include <mpi.h>

static int value[8];

static void send(int tag, MPI_Comm comm) { MPI_Send(value, 1, MPI_INT, 1, tag, comm); }
static void recv(int tag, MPI_Comm comm) {
  MPI_Recv(value, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
}
static MPI_Request post(int rank, int tag) {
  MPI_Request request;
  if (rank == 0) MPI_Isend(&value[tag % 8], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
  if (rank == 1)
    MPI_Irecv(&value[tag % 8], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
  return request;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm before, during, after;
  MPI_Comm_dup(MPI_COMM_WORLD, &before);
  MPI_Request seen = post(rank, 10);
  MPI_Request persistent, later;
  MPI_Send_init(value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &persistent);

  PAUSE;
  PAUSE; // changes nothing
  MPI_Wait(&seen, MPI_STATUS_IGNORE);
  MPI_Request unseen = post(rank, 11);
  MPI_Comm_free(&before);
  MPI_Comm_dup(MPI_COMM_WORLD, &during); // a new one with the same members
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &after);
    MPI_Comm_free(&after);
  }
  MPI_Request_free(&persistent);
  MPI_Send_init(value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &persistent);
  MPI_Barrier(MPI_COMM_WORLD);
  RESUME;

  MPI_Request both[2] = {unseen, post(rank, 12)};
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Start(&persistent);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
  MPI_Send_init(value, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &later);
  MPI_Start(&later);
  MPI_Wait(&later, MPI_STATUS_IGNORE);
  MPI_Request_free(&later);
  MPI_Comm_dup(MPI_COMM_WORLD, &after);
  rank == 0 ? send(13, during) : recv(13, during);
  rank == 0 ? send(14, after) : recv(14, after);
  MPI_Comm_free(&during);
  MPI_Comm_free(&after);
  MPI_Finalize();
  return 0;
}
