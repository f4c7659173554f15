// SPDX-License-Identifier: Apache-2.0
// Phases within phases, one of which is never ended, and ends of phases that were not begun: phases
// ROUNDS.
#include "rondo/rondo_phase.h"
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < rounds; ++i) {
    rondo_phase_begin("outer");
    MPI_Barrier(MPI_COMM_WORLD);
    if (i % 3 == 0) rondo_phase_begin("inner");
    int sum = i;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (i % 2 == 0) rondo_phase_end("inner");
    if (i % 5 != 0) rondo_phase_end("outer");
    MPI_Barrier(MPI_COMM_WORLD);
    rondo_phase_end("never begun");
  }
  MPI_Finalize();
  return 0;
}
