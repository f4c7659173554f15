// SPDX-License-Identifier: Apache-2.0
// Messages and collectives without data, whose buffers are NULL. With an argument, also one that is
// really at MPI_BOTTOM. For any number of ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void messages(MPI_Datatype empty, MPI_Datatype pair) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Sendrecv(NULL, 0, MPI_INT, right, 1, NULL, 0, MPI_INT, left, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Irecv(NULL, 0, pair, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(NULL, 0, pair, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(NULL, 5, empty, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(NULL, 5, empty, right, 3, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void collectives(MPI_Datatype pair) {
  int there; // MPICH wants two buffers that differ
  int* zeros = calloc((size_t)size, sizeof(int));
  MPI_Datatype* types = malloc((size_t)size * sizeof *types);
  for (int i = 0; i < size; ++i) types[i] = pair;
  MPI_Gather(NULL, 0, pair, &there, 0, pair, 0, MPI_COMM_WORLD);
  MPI_Bcast(NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(NULL, 0, MPI_INT, &there, zeros, zeros, pair, MPI_COMM_WORLD);
  MPI_Alltoallv(NULL, zeros, zeros, pair, &there, zeros, zeros, pair, MPI_COMM_WORLD);
  MPI_Alltoallw(NULL, zeros, zeros, types, &there, zeros, zeros, types, MPI_COMM_WORLD);
  free(zeros);
  free(types);
}

static void at_bottom(void) {
  int value = rank, length = 1;
  MPI_Aint address;
  MPI_Datatype here, type = MPI_INT;
  MPI_Get_address(&value, &address);
  MPI_Type_create_struct(1, &length, &address, &type, &here);
  MPI_Type_commit(&here);
  MPI_Bcast(MPI_BOTTOM, 1, here, 0, MPI_COMM_WORLD);
  MPI_Type_free(&here);
}

int main(int argc, char** argv) {
  MPI_Datatype empty, pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  messages(empty, pair);
  collectives(pair);
  if (argc > 1) at_bottom();
  MPI_Type_free(&empty);
  MPI_Type_free(&pair);
  MPI_Finalize();
  return 0;
}
