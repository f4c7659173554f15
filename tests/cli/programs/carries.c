/* SPDX-License-Identifier: Apache-2.0 */
/* Carries of a long sum, a graph without directions: blocks of ranks that double hand on what they
 * have to each of the next block. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int d = 1; d < size; d *= 2) {
    if (rank % (2 * d) == d - 1)
      for (int to = rank + 1; to <= rank + d && to < size; ++to)
        MPI_Send(&sum, 1, MPI_INT, to, d, MPI_COMM_WORLD);
    if (rank % (2 * d) >= d)
      MPI_Recv(&sum, 1, MPI_INT, rank - rank % (2 * d) + d - 1, d, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
