/* SPDX-License-Identifier: Apache-2.0 */
/* Swaps round a ring; then one small message between any two of four ranks that are no neighbours
 * in it. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size, left[8] = {0}, right[8] = {0}, i, count = 0;
  MPI_Request requests[6];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (i = 0; i < 500; ++i) {
    MPI_Sendrecv(right, 8, MPI_INT, (rank + 1) % size, 1, left, 8, MPI_INT,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(left, 8, MPI_INT, (rank + size - 1) % size, 2, right, 8, MPI_INT,
                 (rank + 1) % size, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank < 8 && rank % 2 == 0) {
    for (i = 0; i < 8; i += 2) {
      if (i == rank) continue;
      MPI_Irecv(left, 1, MPI_INT, i, 3, MPI_COMM_WORLD, &requests[count++]);
      MPI_Isend(right, 1, MPI_INT, i, 3, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
