// SPDX-License-Identifier: Apache-2.0
// Three patterns in one program, each with calls of its own: rank 0 hands out the
// start values, blocks swap borders with their neighbours on a periodic grid (MPI_Cart_create),
// every few steps a binomial tree of sends adds up a sum, and at the end all report to rank 0.
//   mpirun -n 16 mixed [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLength = 8, kSteps = 5, kStartTag = 1, kBorderTag = 2, kSumTag = 3, kReportTag = 4 };

static int rank, ranks;
static MPI_Comm grid;

static long hand_out(long start) {
  if (rank == 0) {
    for (int to = 1; to < ranks; to++) MPI_Send(&start, 1, MPI_LONG, to, kStartTag, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&start, 1, MPI_LONG, 0, kStartTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return start;
}

// What the four neighbours have comes in, three times what the block has goes out.
static void step(long* block) {
  long border[4][kLength];
  MPI_Request requests[8];
  int n = 0;
  for (int dimension = 0; dimension < 2; dimension++) {
    int before, after;
    MPI_Cart_shift(grid, dimension, 1, &before, &after);
    MPI_Irecv(border[n / 2], kLength, MPI_LONG, before, kBorderTag + 8 * dimension, grid,
              &requests[n]);
    MPI_Isend(block, kLength, MPI_LONG, after, kBorderTag + 8 * dimension, grid, &requests[n + 1]);
    n += 2;
    MPI_Irecv(border[n / 2], kLength, MPI_LONG, after, kBorderTag + 8 * dimension + 4, grid,
              &requests[n]);
    MPI_Isend(block, kLength, MPI_LONG, before, kBorderTag + 8 * dimension + 4, grid,
              &requests[n + 1]);
    n += 2;
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kLength; i++)
    block[i] = (border[0][i] + border[1][i] + border[2][i] + border[3][i] - 3 * block[i]) % 1000;
}

// On rank 0 the sum over all ranks.
static long add_up(long mine) {
  for (int bit = 1; bit < ranks; bit *= 2) {
    if (rank & bit) {
      MPI_Send(&mine, 1, MPI_LONG, rank - bit, kSumTag, MPI_COMM_WORLD);
      break;
    }
    if (rank + bit >= ranks) continue;
    long other;
    MPI_Recv(&other, 1, MPI_LONG, rank + bit, kSumTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine += other;
  }
  return mine;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  int sizes[2] = {0, 0};
  const int periods[2] = {1, 1};
  MPI_Dims_create(ranks, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);

  const long start = hand_out(rank == 0 ? 7 : 0);
  long block[kLength];
  for (int i = 0; i < kLength; i++) block[i] = start + rank;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < kSteps; i++) step(block);
    const long sum = add_up(block[0]);
    long expected = 0;
    MPI_Reduce(&block[0], &expected, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 0 || sum == expected) continue;
    fprintf(stderr, "mixed: round %d: expected the sum %ld, came %ld\n", round, expected, sum);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  if (rank != 0) {
    MPI_Send(block, kLength, MPI_LONG, 0, kReportTag, MPI_COMM_WORLD);
  } else {
    for (int from = 1; from < ranks; from++)
      MPI_Recv(block, kLength, MPI_LONG, from, kReportTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("mixed: ok, %d ranks, %d rounds\n", ranks, rounds);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
