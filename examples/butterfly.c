// SPDX-License-Identifier: Apache-2.0
// A sum over all ranks by recursive doubling: in step k ranks swap what they have with the rank
// whose number differs in bit k. Ranks beyond the largest power of two hand their share to a
// partner first and get the result back at the end.
//   mpirun -n 8 butterfly [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLength = 16, kFoldTag = 1, kSwapTag = 2, kResultTag = 3 };

static int rank, ranks, core; // core: largest power of two that is not above ranks

static void add(long* to, const long* from) {
  for (int i = 0; i < kLength; i++) to[i] += from[i];
}

static void sum_over_ranks(long* mine) {
  long other[kLength];
  if (rank >= core) { // outside the cube: let the partner do the work
    const int partner = rank - core;
    MPI_Send(mine, kLength, MPI_LONG, partner, kFoldTag, MPI_COMM_WORLD);
    MPI_Recv(mine, kLength, MPI_LONG, partner, kResultTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  const int guest = rank + core;
  if (guest < ranks) {
    MPI_Recv(other, kLength, MPI_LONG, guest, kFoldTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add(mine, other);
  }
  for (int bit = 1; bit < core; bit *= 2) {
    const int partner = rank ^ bit;
    MPI_Sendrecv(mine, kLength, MPI_LONG, partner, kSwapTag, other, kLength, MPI_LONG, partner,
                 kSwapTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add(mine, other);
  }
  if (guest < ranks) MPI_Send(mine, kLength, MPI_LONG, guest, kResultTag, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  for (core = 1; 2 * core <= ranks; core *= 2) {
  }

  long numbers[kLength];
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < kLength; i++) numbers[i] = (long)rank * (i + 1) + round;
    sum_over_ranks(numbers);
    for (int i = 0; i < kLength; i++) {
      const long expected = (long)ranks * (ranks - 1) / 2 * (i + 1) + (long)ranks * round;
      if (numbers[i] == expected) continue;
      fprintf(stderr, "butterfly: rank %d, round %d, sum %d: expected %ld, came %ld\n", rank, round,
              i, expected, numbers[i]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD); // nobody says ok before everybody is
  if (rank == 0) printf("butterfly: ok, %d ranks, %d rounds\n", ranks, rounds);
  MPI_Finalize();
  return 0;
}
