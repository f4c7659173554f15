// SPDX-License-Identifier: Apache-2.0
// What mpi4py has no words for: a datatype of Fortran's, and one-sided communication with nobody.
#include <mpi.h>

int main(int argc, char** argv) {
  float pair[2] = {1, 2}, least[2];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Allreduce(pair, least, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD);
  MPI_Win_create(pair, sizeof pair, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(pair, 1, MPI_FLOAT, MPI_PROC_NULL, 0, 1, MPI_FLOAT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
