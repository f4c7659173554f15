// SPDX-License-Identifier: Apache-2.0
// A 2-D halo exchange with a branch at each border and blocks of uneven size, a barrier by
// dissemination written by hand after each step, and a gather at rank 0 in the end.
//   mpirun -n 9 borders [steps]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWidth = 50, kHeight = 41, kWest = 1, kEast, kNorth, kSouth, kBarrier, kGather };

static int rank, ranks, columns, rows;
static double buffer[8][kWidth + kHeight];

static int share(int n, int parts, int i) { return n / parts + (i < n % parts); }

static void exchange(int width, int height) {
  const int x = rank % columns, y = rank / columns;
  MPI_Request requests[8];
  int n = 0;
  if (x > 0)
    MPI_Irecv(buffer[0], height, MPI_DOUBLE, rank - 1, kEast, MPI_COMM_WORLD, &requests[n++]);
  if (x < columns - 1)
    MPI_Irecv(buffer[1], height, MPI_DOUBLE, rank + 1, kWest, MPI_COMM_WORLD, &requests[n++]);
  if (y > 0)
    MPI_Irecv(buffer[2], width, MPI_DOUBLE, rank - columns, kSouth, MPI_COMM_WORLD, &requests[n++]);
  if (y < rows - 1)
    MPI_Irecv(buffer[3], width, MPI_DOUBLE, rank + columns, kNorth, MPI_COMM_WORLD, &requests[n++]);
  if (x > 0)
    MPI_Isend(buffer[4], height, MPI_DOUBLE, rank - 1, kWest, MPI_COMM_WORLD, &requests[n++]);
  if (x < columns - 1)
    MPI_Isend(buffer[5], height, MPI_DOUBLE, rank + 1, kEast, MPI_COMM_WORLD, &requests[n++]);
  if (y > 0)
    MPI_Isend(buffer[6], width, MPI_DOUBLE, rank - columns, kNorth, MPI_COMM_WORLD, &requests[n++]);
  if (y < rows - 1)
    MPI_Isend(buffer[7], width, MPI_DOUBLE, rank + columns, kSouth, MPI_COMM_WORLD, &requests[n++]);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void barrier(void) {
  for (int step = 1; step < ranks; step *= 2) {
    char token = 0, other;
    MPI_Sendrecv(&token, 1, MPI_CHAR, (rank + step) % ranks, kBarrier, &other, 1, MPI_CHAR,
                 (rank - step + ranks) % ranks, kBarrier, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void gather(int size) {
  static double block[kWidth * kHeight];
  if (rank != 0) {
    MPI_Send(block, size, MPI_DOUBLE, 0, kGather, MPI_COMM_WORLD);
    return;
  }
  for (int from = 1; from < ranks; from++)
    MPI_Recv(block, kWidth * kHeight, MPI_DOUBLE, from, kGather, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  for (rows = 1; (rows + 1) * (rows + 1) <= ranks; rows++)
    ;
  while (ranks % rows != 0) rows--;
  columns = ranks / rows;
  const int width = share(kWidth, columns, rank % columns);
  const int height = share(kHeight, rows, rank / columns);
  for (int step = 0; step < steps; step++) {
    exchange(width, height);
    barrier();
  }
  gather(width * height);
  if (rank == 0) printf("borders: ok, %d ranks as %d x %d\n", ranks, columns, rows);
  MPI_Finalize();
  return 0;
}
