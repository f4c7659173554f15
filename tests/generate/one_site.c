// SPDX-License-Identifier: Apache-2.0
// One call site behind different calls: behind itself after 1 ms, behind MPI_Bcast at once.
#include <mpi.h>
#include <time.h>

__attribute__((noinline)) static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  const struct timespec pause = {0, 1000000};
  int value = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 20; ++j) {
      nanosleep(&pause, NULL);
      meet();
    }
    for (int j = 0; j < 20; ++j) {
      MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
      meet();
    }
  }
  MPI_Finalize();
  return 0;
}
