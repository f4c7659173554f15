// SPDX-License-Identifier: Apache-2.0
// Four ranks, of which one sleeps for 0.3 s in one phase before it meets the others of one
// communicator. In the other phase, on MPI_COMM_WORLD, all are alike.
#include "rondo/rondo_phase.h"
#include <mpi.h>
#include <time.h>

static void sleep_ms(long ms) {
  const struct timespec length = {0, ms * 1000 * 1000};
  nanosleep(&length, NULL);
}

static void exchange(int* value, MPI_Comm comm) {
  int sum = 0;
  MPI_Allreduce(value, &sum, 1, MPI_INT, MPI_SUM, comm);
  *value = sum % 7;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_set_name(all, "solvers");
  int value = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  rondo_phase_begin("even");
  sleep_ms(50);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  rondo_phase_end("even");
  rondo_phase_begin("uneven");
  sleep_ms(rank == 2 ? 350 : 50);
  exchange(&value, all);
  rondo_phase_end("uneven");
  MPI_Comm_free(&all);
  MPI_Finalize();
  return 0;
}
