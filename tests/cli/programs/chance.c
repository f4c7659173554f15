// SPDX-License-Identifier: Apache-2.0
// Communication that the data decides, one function each; main adds four calls and a loop.
//   mpirun -n 7 chance search [steps]
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static double in[4096], out[4096];

// Breadth first through a graph, whose vertices other ranks have: 5 calls, 3 loops.
static void search(void) {
  for (int level = 0, is_more = 1; is_more; level++) {
    int to[64], from[64], open = 0;
    MPI_Request requests[128];
    for (int peer = 0; peer < ranks; peer++) {
      const int has_edges = peer != rank && (rank * 31 + peer * 17 + level * 7) % 5 == 0;
      to[peer] = has_edges ? 1 + (rank + peer + level) % 9 : 0;
    }
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; peer++)
      if (from[peer] > 0)
        MPI_Irecv(in, from[peer], MPI_INT, peer, 9, MPI_COMM_WORLD, &requests[open++]);
    for (int peer = 0; peer < ranks; peer++)
      if (to[peer] > 0)
        MPI_Isend(out, to[peer], MPI_INT, peer, 9, MPI_COMM_WORLD, &requests[open++]);
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    const int mine = level < 6;
    MPI_Allreduce(&mine, &is_more, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
}

// A master has tasks of two kinds, with answers of two sizes: 6 calls, 3 loops.
static void kinds(void) {
  const int tasks = 3 * ranks + 2;
  MPI_Status status;
  if (rank == 0) {
    int sent = 0;
    for (; sent < ranks - 1; sent++)
      MPI_Send(out, 10, MPI_DOUBLE, sent + 1, 1 + sent % 2, MPI_COMM_WORLD);
    for (int working = ranks - 1; working > 0;) {
      MPI_Recv(in, 100, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (sent < tasks) {
        MPI_Send(out, 10, MPI_DOUBLE, status.MPI_SOURCE, 1 + sent++ % 2, MPI_COMM_WORLD);
      } else {
        MPI_Send(out, 0, MPI_DOUBLE, status.MPI_SOURCE, 3, MPI_COMM_WORLD);
        working--;
      }
    }
    return;
  }
  for (;;) {
    MPI_Recv(in, 100, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == 3) break;
    MPI_Send(out, status.MPI_TAG == 1 ? 5 : 50, MPI_DOUBLE, 0, status.MPI_TAG, MPI_COMM_WORLD);
  }
}

// LU by blocks on a grid of ranks: the owner of a column finds the pivot, rows and columns get
// fewer and fewer blocks: 5 calls, 1 loop.
static void blocks(void) {
  static MPI_Comm row = MPI_COMM_NULL, column;
  const int columns = ranks % 3 == 0 ? 3 : 2, rows = ranks / columns, kBlocks = 20;
  const int y = rank / columns, x = rank % columns;
  if (row == MPI_COMM_NULL) {
    MPI_Comm_split(MPI_COMM_WORLD, y, x, &row);
    MPI_Comm_split(MPI_COMM_WORLD, x, y, &column);
  }
  for (int k = 0; k < kBlocks; k++) {
    int below = 0, right = 0;
    for (int block = k; block < kBlocks; block++) {
      below += block % rows == y;
      right += block % columns == x;
    }
    if (k % columns == x) MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_MAX, column);
    MPI_Bcast(out, 8 * below, MPI_DOUBLE, k % columns, row);
    MPI_Bcast(in, 8 * right, MPI_DOUBLE, k % rows, column);
  }
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*once)(void);
  } kAll[] = {{"search", search}, {"kinds", kinds}, {"blocks", blocks}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (unsigned i = 0; i < sizeof kAll / sizeof *kAll; i++) {
    if (argc < 2 || strcmp(argv[1], kAll[i].name) != 0) continue;
    for (int step = 0; step < (argc > 2 ? atoi(argv[2]) : 10); step++) kAll[i].once();
  }
  MPI_Finalize();
  return 0;
}
