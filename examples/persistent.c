// SPDX-License-Identifier: Apache-2.0
// Cells on a ring, cut into equal pieces; a cell becomes the sum of its two neighbours. The
// messages are the same in every round, so they are described once, as persistent requests, and
// only started again.
//   mpirun -n 8 persistent [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCells = 8, kPrime = 10007, kRightward = 1, kLeftward = 2 };

// count cells with one more on either end, which stay as they are.
static void step(long* u, long* next, int count) {
  for (int i = 1; i <= count; i++) next[i] = (u[i - 1] + u[i + 1]) % kPrime;
  memcpy(u + 1, next + 1, count * sizeof *u);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;

  long u[kCells + 2], next[kCells + 2];
  for (int i = 1; i <= kCells; i++) u[i] = rank * kCells + i;

  MPI_Request requests[4];
  MPI_Recv_init(&u[0], 1, MPI_LONG, left, kRightward, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&u[kCells + 1], 1, MPI_LONG, right, kLeftward, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(&u[kCells], 1, MPI_LONG, right, kRightward, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(&u[1], 1, MPI_LONG, left, kLeftward, MPI_COMM_WORLD, &requests[3]);
  for (int round = 0; round < rounds; round++) {
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    step(u, next, kCells);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&requests[i]);

  // Every rank does the whole ring again, alone, and compares its piece.
  const int cells = ranks * kCells;
  long* all = malloc((cells + 2) * sizeof *all);
  long* scratch = malloc((cells + 2) * sizeof *scratch);
  for (int i = 1; i <= cells; i++) all[i] = i;
  for (int round = 0; round < rounds; round++) {
    all[0] = all[cells];
    all[cells + 1] = all[1];
    step(all, scratch, cells);
  }
  long sum = 0, total = 0;
  for (int i = 1; i <= kCells; i++) {
    const long expected = all[rank * kCells + i];
    sum += u[i];
    if (u[i] == expected) continue;
    fprintf(stderr, "persistent: rank %d, cell %d: expected %ld, came %ld\n", rank, i, expected,
            u[i]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  free(scratch);
  free(all);

  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("persistent: ok, %d ranks, %d rounds, sum %ld\n", ranks, rounds, total);
  MPI_Finalize();
  return 0;
}
