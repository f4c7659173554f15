/* SPDX-License-Identifier: Apache-2.0 */
/* A tree that is none of the usual ones: ranks hand on what they have to their parent in a list. */
#include <mpi.h>

int main(int argc, char** argv) {
  static const int parent[] = {-1, 0, 0, 1, 1, 1, 3, 6, 6};
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 20; ++step) {
    for (int child = rank + 1; child < 9; ++child) {
      int part = 0;
      if (parent[child] != rank) continue;
      MPI_Recv(&part, 1, MPI_INT, child, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += part;
    }
    if (rank > 0) MPI_Send(&sum, 1, MPI_INT, parent[rank], 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
