/* SPDX-License-Identifier: Apache-2.0
   A ring that computes, and then, if it is told to, waits for messages that nobody sends. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size, round, got = 0;
  volatile double sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (round = 0; round < 50; ++round) {
    for (int i = 0; i < 400000; ++i) sum += i;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (argc > 1)
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /* at hang */
  MPI_Finalize();
  return 0;
}
