// SPDX-License-Identifier: Apache-2.0
// Communication as textbooks have it, one function each.
//   mpirun -n 12 textbook sweeps [steps]
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, columns, rows, x, y;
static double in[4096], out[4096];

static int is_there(int dx, int dy) {
  return x + dx >= 0 && x + dx < columns && y + dy >= 0 && y + dy < rows;
}

// All eight neighbours in a plane: 3 calls, 2 loops.
static void stencil(void) {
  MPI_Request requests[16];
  int open = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      if ((dx == 0 && dy == 0) || !is_there(dx, dy)) continue;
      const int other = rank + dy * columns + dx, count = dx != 0 && dy != 0 ? 1 : 32;
      MPI_Irecv(in, count, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &requests[open++]);
      MPI_Isend(out, count, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &requests[open++]);
    }
  }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

// From each corner of a plane: 4 calls, 1 loop.
static void sweeps(void) {
  for (int corner = 0; corner < 4; corner++) {
    const int dx = corner & 1 ? -1 : 1, dy = corner & 2 ? -1 : 1;
    if (is_there(-dx, 0))
      MPI_Recv(in, 10, MPI_DOUBLE, rank - dx, corner, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is_there(0, -dy))
      MPI_Recv(in, 10, MPI_DOUBLE, rank - dy * columns, corner, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is_there(dx, 0)) MPI_Send(out, 10, MPI_DOUBLE, rank + dx, corner, MPI_COMM_WORLD);
    if (is_there(0, dy)) MPI_Send(out, 10, MPI_DOUBLE, rank + dy * columns, corner, MPI_COMM_WORLD);
  }
}

// Everybody with everybody, in rounds: 1 call, 1 loop.
static void rounds(void) {
  for (int k = 1; k < ranks; k++)
    MPI_Sendrecv(out, 16, MPI_DOUBLE, (rank + k) % ranks, 3, in, 16, MPI_DOUBLE,
                 (rank + ranks - k) % ranks, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Two kinds of messages round a ring: 3 calls, 1 loop.
static void tags(void) {
  const int kTags[] = {1100, 1300};
  MPI_Request requests[4];
  for (int i = 0; i < 2; i++) {
    MPI_Irecv(in, 8, MPI_DOUBLE, (rank + ranks - 1) % ranks, kTags[i], MPI_COMM_WORLD,
              &requests[2 * i]);
    MPI_Isend(out, 8, MPI_DOUBLE, (rank + 1) % ranks, kTags[i], MPI_COMM_WORLD,
              &requests[2 * i + 1]);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// Within halves, from ranks with numbers of their own there: 2 calls.
static void halves(void) {
  static MPI_Comm half = MPI_COMM_NULL;
  if (half == MPI_COMM_NULL) MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Bcast(out, 10, MPI_DOUBLE, 1, half);
  MPI_Reduce(out, in, 10, MPI_DOUBLE, MPI_SUM, 0, half);
}

// Down a binomial tree and up again: 4 calls, 3 loops.
static void trees(void) {
  int mask = 1;
  for (; mask < ranks; mask *= 2) {
    if ((rank & mask) == 0) continue;
    MPI_Recv(in, 100, MPI_DOUBLE, rank - mask, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    break;
  }
  for (int below = mask / 2; below > 0; below /= 2) {
    if (rank + below < ranks) MPI_Send(out, 100, MPI_DOUBLE, rank + below, 0, MPI_COMM_WORLD);
  }
  for (mask = 1; mask < ranks; mask *= 2) {
    if ((rank & mask) != 0) {
      MPI_Send(out, 100, MPI_DOUBLE, rank - mask, 1, MPI_COMM_WORLD);
      break;
    }
    if (rank + mask < ranks)
      MPI_Recv(in, 100, MPI_DOUBLE, rank + mask, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*once)(void);
  } kAll[] = {{"stencil", stencil}, {"sweeps", sweeps}, {"rounds", rounds},
              {"tags", tags},       {"halves", halves}, {"trees", trees}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (columns = 1; (columns + 1) * (columns + 1) <= ranks; columns++)
    ;
  while (ranks % columns != 0) columns--;
  rows = ranks / columns;
  x = rank % columns;
  y = rank / columns;
  for (unsigned i = 0; i < sizeof kAll / sizeof *kAll; i++) {
    if (argc < 2 || strcmp(argv[1], kAll[i].name) != 0) continue;
    for (int step = 0; step < (argc > 2 ? atoi(argv[2]) : 10); step++) kAll[i].once();
  }
  MPI_Finalize();
  return 0;
}
