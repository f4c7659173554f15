// SPDX-License-Identifier: Apache-2.0
// Calls in three functions. Comments "at NAME" mark the lines that the test expects.
#include <mpi.h>

__attribute__((noinline)) void exchange(int rounds) {
  for (int i = 0; i < rounds; ++i) MPI_Barrier(MPI_COMM_WORLD); /* at exchange */
}

__attribute__((noinline)) void solve(void) {
  exchange(5); /* at solve */
  exchange(7); /* at solve again */
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv); /* at main */
  solve(); /* at main, solving */
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* at the sum */
  MPI_Finalize(); /* at the end */
  return 0;
}
