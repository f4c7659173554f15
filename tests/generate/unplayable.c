// SPDX-License-Identifier: Apache-2.0
// A send that fails, a broadcast at absolute addresses, and memory that is attached to a window.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 1, one = 1;
  MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  MPI_Aint address;
  MPI_Get_address(&value, &address);
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, &value, sizeof value);
  MPI_Win_fence(0, win);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Put(&one, 1, MPI_INT, rank, address, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_detach(win, &value);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
