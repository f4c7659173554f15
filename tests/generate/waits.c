// SPDX-License-Identifier: Apache-2.0
// Waits between barriers, 30 ms and 40 more on each further rank; two ranks wait 0.4 s on
// average.
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 8; i++) {
    const struct timespec pause = {0, (30 + 40 * rank) * 1000 * 1000};
    nanosleep(&pause, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
