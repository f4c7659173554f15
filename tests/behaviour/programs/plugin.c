/* SPDX-License-Identifier: Apache-2.0
 * A plugin that talks MPI, loaded while the program runs. */
#include <mpi.h>

int plugin_sum(int value) {
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
