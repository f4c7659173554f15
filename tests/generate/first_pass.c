// SPDX-License-Identifier: Apache-2.0
// A loop whose first pass waits for long, and the others for times that vary.
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 20; i++) {
    const struct timespec pause = {0, (i == 0 ? 200 : 2 + 4 * (i % 3)) * 1000 * 1000};
    nanosleep(&pause, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
