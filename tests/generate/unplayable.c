// SPDX-License-Identifier: Apache-2.0
// A send that fails, and a broadcast at absolute addresses.
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
  MPI_Finalize();
  return 0;
}
