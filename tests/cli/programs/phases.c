// SPDX-License-Identifier: Apache-2.0
#include "rondo/rondo_phase.h"
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  rondo_phase_begin("too early: says nothing");
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 20; ++i) {
    rondo_phase_begin("solve");
    MPI_Barrier(MPI_COMM_WORLD);
    rondo_phase_end("solve"); // at end of phase
  }
  rondo_phase_begin("a \"b\"");
  MPI_Finalize();
  rondo_phase_end("too late: says nothing");
  puts("phases: ok");
  return 0;
}
