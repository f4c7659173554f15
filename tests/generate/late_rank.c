// SPDX-License-Identifier: Apache-2.0
// One rank waits before each barrier, now 5 and now 15 ms, and the others do not.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 40; ++i) {
    const struct timespec t = {0, i % 2 == 0 ? 5000000 : 15000000};
    if (rank == 1) nanosleep(&t, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
