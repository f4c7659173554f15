/* SPDX-License-Identifier: Apache-2.0
 * Messages between the first and the last rank, there and back, for some time: pings SECONDS. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  const struct timespec pause = {0, 5000000};
  const int rounds = (argc > 1 ? atoi(argv[1]) : 1) * 200;
  int rank = 0;
  int size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int other = rank == 0 ? size - 1 : 0;
  for (int i = 0; i < rounds && (rank == 0 || rank == size - 1); ++i) {
    int ball = i;
    if (rank == 0) nanosleep(&pause, NULL);
    if (rank == 0) MPI_Send(&ball, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&ball, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&ball, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
