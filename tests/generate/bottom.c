// SPDX-License-Identifier: Apache-2.0
// Messages from MPI_BOTTOM: datatypes of addresses in data, heap and stack, other ones on each
// rank, and datatypes made of those.
#include <mpi.h>
#include <stdlib.h>

static double field[100];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, on_stack[4] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  double* heap = malloc(50 * sizeof *heap);
  int lengths[3] = {10, 5, 4}, two[2] = {3, 3};
  MPI_Aint at[3], there[2];
  MPI_Datatype of[3] = {MPI_DOUBLE, MPI_DOUBLE, MPI_INT}, all, ghost, copy;
  MPI_Get_address(field, &at[0]);
  MPI_Get_address(heap, &at[1]);
  MPI_Get_address(on_stack, &at[2]);
  MPI_Type_create_struct(3, lengths, at, of, &all);
  MPI_Type_commit(&all);
  MPI_Get_address(&field[20], &there[0]);
  MPI_Get_address(&field[40 + rank], &there[1]);
  MPI_Type_create_hindexed(2, two, there, MPI_DOUBLE, &ghost);
  MPI_Type_dup(ghost, &copy);
  MPI_Type_commit(&ghost);
  for (int i = 0; i < 20; ++i) {
    MPI_Bcast(MPI_BOTTOM, 1, all, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(field, 6, MPI_DOUBLE, right, 1, MPI_BOTTOM, 1, ghost, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Request requests[2];
  MPI_Recv_init(MPI_BOTTOM, 1, ghost, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(field, 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Type_commit(&copy);
  MPI_Bcast(MPI_BOTTOM, 1, copy, 0, MPI_COMM_WORLD);
  MPI_Type_free(&all);
  MPI_Type_free(&copy);
  MPI_Type_free(&ghost);
  free(heap);
  MPI_Finalize();
  return 0;
}
