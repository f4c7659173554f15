// SPDX-License-Identifier: Apache-2.0
// A loop that is entered late, and whose passes end with blocks of other sizes each.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv) {
  static int sent[4000], received[4000];
  int rank, own = 1, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 40; ++i) {
    const struct timespec t = {0, i == 0 ? 200000000 : 5000000};
    nanosleep(&t, NULL);
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int more = 500 + i * i % 97, counts[2] = {more, 1000 - more}, places[2] = {0, more};
    const int mine = rank == 0 ? more : 1000 - more, from[2] = {mine, mine}, there[2] = {0, mine};
    MPI_Alltoallv(sent, counts, places, MPI_INT, received, from, there, MPI_INT, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
