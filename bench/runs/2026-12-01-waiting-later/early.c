// SPDX-License-Identifier: Apache-2.0
// Waits for its halo before it computes the interior, or behind that (1).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static void work(int ms) {
  struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, 0);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, later = argc > 1 && atoi(argv[1]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int east = (rank + 1) % size, west = (rank + size - 1) % size;
  double out[2][100] = {{0}}, in[2][100];
  double t0 = MPI_Wtime();
  for (int step = 0; step < 40; ++step) {
    MPI_Request r[4];
    MPI_Irecv(in[0], 100, MPI_DOUBLE, west, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(in[1], 100, MPI_DOUBLE, east, 1, MPI_COMM_WORLD, &r[1]);
    work(step % 2 == rank % 2 ? 8 : 2); /* borders */
    MPI_Isend(out[0], 100, MPI_DOUBLE, east, 0, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(out[1], 100, MPI_DOUBLE, west, 1, MPI_COMM_WORLD, &r[3]);
    if (later) work(10); /* the interior */
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    if (!later) work(10);
  }
  double t = MPI_Wtime() - t0, most;
  MPI_Reduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.3f s\n", most);
  MPI_Finalize();
  return 0;
}
