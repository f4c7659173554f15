// SPDX-License-Identifier: Apache-2.0
// A solver that restarts: its inner loop is entered behind the call that its passes end with, and
// but once behind a long set-up.
#include <mpi.h>
#include <time.h>

static void pause_ms(int ms) {
  const struct timespec pause = {0, ms * 1000L * 1000};
  nanosleep(&pause, NULL);
}

static void norm(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  int own = 1, all;
  MPI_Init(&argc, &argv);
  pause_ms(300);
  for (int restart = 0; restart < 9; restart++) {
    for (int pass = 0; pass < 10; pass++) {
      pause_ms(3);
      MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      norm();
    }
    norm();
  }
  MPI_Finalize();
  return 0;
}
