// SPDX-License-Identifier: Apache-2.0
// Patterns out of benchmarks, libraries and applications, one function each, for textbook.py, which
// counts calls and loops in their text.
//   mpirun -n 12 textbook_apps parareal
#include "textbook_driver.h"

#define STEPS 12

// Latency as benchmarks measure it: two ranks, sizes that double, a few rounds to warm up.
static void latency(void) {
  for (int n = 1; n <= 4096; n *= 4) {
    MPI_Barrier(W);
    for (int i = 0; i < 110; i++) {
      if (rank == 0) {
        MPI_Send(a, n, MPI_CHAR, 1, 1, W);
        MPI_Recv(b, n, MPI_CHAR, 1, 1, W, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(b, n, MPI_CHAR, 0, 1, W, MPI_STATUS_IGNORE);
        MPI_Send(a, n, MPI_CHAR, 0, 1, W);
      }
    }
  }
}

// Each rank of the lower half against one of the upper half, a window of messages at a time.
static void bisection(void) {
  MPI_Request req[8];
  int half = size / 2, partner = rank < half ? rank + half : rank - half;
  for (int i = 0; i < 20; i++) {
    if (rank < half) {
      for (int w = 0; w < 8; w++) MPI_Isend(a, 1024, MPI_DOUBLE, partner, 100, W, &req[w]);
      MPI_Waitall(8, req, MPI_STATUSES_IGNORE);
      MPI_Recv(b, 1, MPI_CHAR, partner, 101, W, MPI_STATUS_IGNORE);
    } else if (rank < 2 * half) {
      for (int w = 0; w < 8; w++) MPI_Irecv(b, 1024, MPI_DOUBLE, partner, 100, W, &req[w]);
      MPI_Waitall(8, req, MPI_STATUSES_IGNORE);
      MPI_Send(a, 1, MPI_CHAR, partner, 101, W);
    }
  }
}

// A lattice in four dimensions, as for quarks; forward and back along each of them.
static void lattice_4d(void) {
  int dims[4] = {0, 0, 0, 0}, periods[4] = {1, 1, 1, 1};
  MPI_Comm cart;
  MPI_Dims_create(size, 4, dims);
  MPI_Cart_create(W, 4, dims, periods, 0, &cart);
  for (int t = 0; t < STEPS; t++) {
    for (int mu = 0; mu < 4; mu++) {
      int back, forward;
      if (dims[mu] == 1) continue;
      MPI_Cart_shift(cart, mu, 1, &back, &forward);
      MPI_Sendrecv(a, 96, MPI_DOUBLE, forward, mu, b, 96, MPI_DOUBLE, back, mu, cart,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 96, MPI_DOUBLE, back, 4 + mu, b, 96, MPI_DOUBLE, forward, 4 + mu, cart,
                   MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(a, b, 2, MPI_DOUBLE, MPI_SUM, cart);
  }
}

// Electric and magnetic fields in turn: one goes right, the other left, half a step later.
static void yee(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
      right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int t = 0; t < 40; t++) {
    MPI_Send(a, 100, MPI_DOUBLE, right, 0, W);
    MPI_Recv(b, 100, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
    MPI_Send(b, 100, MPI_DOUBLE, left, 1, W);
    MPI_Recv(a, 100, MPI_DOUBLE, right, 1, W, MPI_STATUS_IGNORE);
    if (t % 8 == 7) MPI_Reduce(a, c, 1, MPI_DOUBLE, MPI_SUM, 0, W);
  }
}

// Tridiagonal systems, blocks of lines at a time: forward elimination, then back substitution.
static void adi_lines(void) {
  for (int t = 0; t < 5; t++) {
    for (int block = 0; block < 6; block++) {
      if (rank > 0) MPI_Recv(a, 32, MPI_DOUBLE, rank - 1, block, W, MPI_STATUS_IGNORE);
      if (rank < size - 1) MPI_Send(a, 32, MPI_DOUBLE, rank + 1, block, W);
    }
    for (int block = 0; block < 6; block++) {
      if (rank < size - 1) MPI_Recv(a, 16, MPI_DOUBLE, rank + 1, block, W, MPI_STATUS_IGNORE);
      if (rank > 0) MPI_Send(a, 16, MPI_DOUBLE, rank - 1, block, W);
    }
    MPI_Alltoall(a, 16, MPI_DOUBLE, b, 16, MPI_DOUBLE, W);
  }
}

// Parallel in time: rank r is done after r + 1 corrections, each from the rank before it.
static void parareal(void) {
  if (rank > 0) MPI_Recv(a, 50, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
  if (rank < size - 1) MPI_Send(a, 50, MPI_DOUBLE, rank + 1, 0, W);
  for (int k = 1; k <= rank + 1; k++) {
    if (rank > 0 && k <= rank) MPI_Recv(a, 50, MPI_DOUBLE, rank - 1, k, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(a, 50, MPI_DOUBLE, rank + 1, k, W);
  }
  MPI_Bcast(a, 50, MPI_DOUBLE, size - 1, W);
}

// Breadth-first search, a level at a time: how many, then which, until nobody found any.
static void bfs_levels(void) {
  static int to[64], from[64], at[64], at_from[64];
  int found = 1;
  for (int level = 0; found > 0; level++) {
    for (int i = 0; i < size; i++) to[i] = (rank * 7 + i * 3 + level) % 5;
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, W);
    for (int i = 1; i < size; i++)
      at[i] = at[i - 1] + to[i - 1], at_from[i] = at_from[i - 1] + from[i - 1];
    MPI_Alltoallv(a, to, at, MPI_DOUBLE, b, from, at_from, MPI_DOUBLE, W);
    int mine = level < 6;
    MPI_Allreduce(&mine, &found, 1, MPI_INT, MPI_MAX, W);
  }
}

// A file of blocks: each its own, all together, at the end a header by the first.
static void file_blocks(void) {
  MPI_File file;
  MPI_File_open(W, "blocks.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  for (int t = 0; t < 5; t++) {
    MPI_File_write_at_all(file, (MPI_Offset)(t * size + rank) * 800 + 64, a, 100, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    MPI_Barrier(W);
  }
  if (rank == 0) MPI_File_write_at(file, 0, a, 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

// Memory that the ranks of a node share; here each four ranks are a node.
static void shared_nodes(void) {
  MPI_Comm node;
  MPI_Win win;
  double* base;
  MPI_Comm_split(W, rank / 4, rank, &node);
  MPI_Win_allocate_shared(800, 8, MPI_INFO_NULL, node, &base, &win);
  MPI_Win_lock_all(0, win);
  for (int t = 0; t < STEPS; t++) {
    MPI_Win_sync(win);
    MPI_Barrier(node);
    if (rank % 4 == 0)
      MPI_Sendrecv(a, 64, MPI_DOUBLE, (rank + 4) % ((size + 3) / 4 * 4), 0, b, 64, MPI_DOUBLE,
                   (rank + (size + 3) / 4 * 4 - 4) % ((size + 3) / 4 * 4), 0, W, MPI_STATUS_IGNORE);
    MPI_Barrier(node);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

// From blocks of rows to rows dealt out in turn: whom a rank sends to depends on its first row.
static void block_to_cyclic(void) {
  int rows = 3, n = rows * size;
  MPI_Request req[8];
  for (int t = 0; t < 4; t++) {
    int k = 0;
    for (int i = rank; i < n; i += size)
      MPI_Irecv(b + 8 * i, 8, MPI_DOUBLE, i / rows, i, W, &req[k++]);
    for (int i = rank * rows; i < (rank + 1) * rows; i++)
      MPI_Send(a, 8, MPI_DOUBLE, i % size, i, W);
    MPI_Waitall(k, req, MPI_STATUSES_IGNORE);
  }
}

// A stencil wider than a block: from the next two on each side.
static void wide_halo(void) {
  MPI_Request req[8];
  for (int t = 0; t < 10; t++) {
    int k = 0;
    for (int d = -2; d <= 2; d++) {
      int other = rank + d;
      if (d == 0 || other < 0 || other >= size) continue;
      MPI_Irecv(b, 32, MPI_DOUBLE, other, 5, W, &req[k++]);
      MPI_Isend(a, 32, MPI_DOUBLE, other, 5, W, &req[k++]);
    }
    MPI_Waitall(k, req, MPI_STATUSES_IGNORE);
  }
}

// All-gather after Bruck: twice as much from twice as far, and the rest at the end.
static void bruck(void) {
  for (int t = 0; t < 6; t++) {
    for (int d = 1; d < size; d *= 2) {
      int n = d * 2 <= size ? d : size - d;
      MPI_Sendrecv(a, n * 16, MPI_INT, (rank - d + size) % size, 0, b, n * 16, MPI_INT,
                   (rank + d) % size, 0, W, MPI_STATUS_IGNORE);
    }
  }
}

// A binomial scatter by hand: half of what is there goes on, until all have their own.
static void binomial_scatter(void) {
  int mask = 1, mine = size;
  while (mask < size && !(rank & mask)) mask *= 2;
  if (rank > 0) {
    mine = mask < size - rank ? mask : size - rank;
    MPI_Recv(a, mine * 10, MPI_DOUBLE, rank - mask, 0, W, MPI_STATUS_IGNORE);
  }
  for (mask /= 2; mask > 0; mask /= 2) {
    if (mask < mine) {
      MPI_Send(a, (mine - mask) * 10, MPI_DOUBLE, rank + mask, 0, W);
      mine = mask;
    }
  }
}

// An ocean: periodic to the east, closed to the south, and folded at the pole in the north.
static void north_fold(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 1}, at[2], south, north, west, east;
  MPI_Comm cart;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &cart);
  MPI_Cart_coords(cart, rank, 2, at);
  MPI_Cart_shift(cart, 0, 1, &south, &north);
  MPI_Cart_shift(cart, 1, 1, &west, &east);
  int mirror[2] = {at[0], dims[1] - 1 - at[1]}, across;
  MPI_Cart_rank(cart, mirror, &across);
  for (int t = 0; t < STEPS; t++) {
    MPI_Sendrecv(a, 40, MPI_DOUBLE, west, 1, b, 40, MPI_DOUBLE, east, 1, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 40, MPI_DOUBLE, east, 2, b, 40, MPI_DOUBLE, west, 2, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 60, MPI_DOUBLE, south, 3, b, 60, MPI_DOUBLE, north, 3, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 60, MPI_DOUBLE, north, 4, b, 60, MPI_DOUBLE, south, 4, cart, MPI_STATUS_IGNORE);
    if (at[0] == dims[0] - 1)
      MPI_Sendrecv(a, 60, MPI_DOUBLE, across, 5, b, 60, MPI_DOUBLE, across, 5, cart,
                   MPI_STATUS_IGNORE);
  }
}

// A master that has a receive open for each worker, and waits for any of them.
static void waitany_master(void) {
  MPI_Request req[64];
  if (rank == 0) {
    for (int i = 1; i < size; i++) {
      MPI_Send(a, 4, MPI_DOUBLE, i, 1, W);
      MPI_Irecv(b + i, 1, MPI_DOUBLE, i, 2, W, &req[i - 1]);
    }
    int left = 6 * (size - 1), who;
    while (left > 0) {
      MPI_Waitany(size - 1, req, &who, MPI_STATUS_IGNORE);
      left--;
      if (left < size - 1) continue;
      MPI_Send(a, 4, MPI_DOUBLE, who + 1, 1, W);
      MPI_Irecv(b + who, 1, MPI_DOUBLE, who + 1, 2, W, &req[who]);
    }
    for (int i = 1; i < size; i++) MPI_Send(a, 0, MPI_DOUBLE, i, 3, W);
  } else {
    for (;;) {
      MPI_Status status;
      MPI_Recv(a, 4, MPI_DOUBLE, 0, MPI_ANY_TAG, W, &status);
      if (status.MPI_TAG == 3) break;
      MPI_Send(b, 1, MPI_DOUBLE, 0, 2, W);
    }
  }
}

// LU of a matrix whose blocks are dealt out in two dimensions: panels along rows and columns.
static void lu_cyclic(void) {
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Comm row, col;
  MPI_Comm_split(W, rank / dims[1], rank, &row);
  MPI_Comm_split(W, rank % dims[1], rank, &col);
  for (int k = 0; k < 24; k++) {
    int p = k % dims[0], q = k % dims[1];
    if (rank % dims[1] == q) MPI_Bcast(a, 64, MPI_DOUBLE, p, col);
    MPI_Bcast(a, 64 * 4, MPI_DOUBLE, q, row);
    MPI_Bcast(b, 64 * 4, MPI_DOUBLE, p, col);
  }
}

// Quicksort on a hypercube: the pivot to all of a group, halves swapped, then each half a group.
static void hyperquicksort(void) {
  int ranks = 1;
  while (ranks * 2 <= size) ranks *= 2;
  MPI_Comm group, half;
  MPI_Comm_split(W, rank < ranks ? 0 : MPI_UNDEFINED, rank, &group);
  if (group == MPI_COMM_NULL) return;
  for (int n = ranks; n > 1; n /= 2) {
    int me, partner, mine = 100 + rank, theirs;
    MPI_Comm_rank(group, &me);
    partner = me ^ (n / 2);
    MPI_Bcast(a, 1, MPI_DOUBLE, 0, group);
    MPI_Sendrecv(&mine, 1, MPI_INT, partner, 0, &theirs, 1, MPI_INT, partner, 0, group,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, mine, MPI_DOUBLE, partner, 1, b, theirs, MPI_DOUBLE, partner, 1, group,
                 MPI_STATUS_IGNORE);
    MPI_Comm_split(group, me < n / 2, me, &half);
    MPI_Comm_free(&group);
    group = half;
  }
  MPI_Comm_free(&group);
}

// A barrier as a beginner writes it, between steps that swap with the rank at the other end.
static void central_barrier(void) {
  for (int t = 0; t < 8; t++) {
    MPI_Sendrecv(a, 20, MPI_DOUBLE, size - 1 - rank, 0, b, 20, MPI_DOUBLE, size - 1 - rank, 0, W,
                 MPI_STATUS_IGNORE);
    if (rank == 0) {
      for (int i = 1; i < size; i++) MPI_Recv(b, 0, MPI_INT, i, 9, W, MPI_STATUS_IGNORE);
      for (int i = 1; i < size; i++) MPI_Send(a, 0, MPI_INT, i, 9, W);
    } else {
      MPI_Send(a, 0, MPI_INT, 0, 9, W);
      MPI_Recv(b, 0, MPI_INT, 0, 9, W, MPI_STATUS_IGNORE);
    }
  }
}

// Cholesky by columns dealt out in turn: the owner of a column sends it to all that come behind.
static void cholesky(void) {
  MPI_Request req[64];
  for (int k = 0; k < 3 * size; k++) {
    int owner = k % size, n = 0;
    if (rank == owner) {
      for (int i = 0; i < size; i++)
        if (i != rank) MPI_Isend(a, 3 * size - k, MPI_DOUBLE, i, k, W, &req[n++]);
      MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
    } else {
      MPI_Recv(b, 3 * size - k, MPI_DOUBLE, owner, k, W, MPI_STATUS_IGNORE);
    }
  }
}

// Rows of an image dealt out in turn, and collected by the first in their order.
static void mandelbrot_rows(void) {
  for (int row = 0; row < 5 * size; row++) {
    if (rank == 0 && row % size != 0)
      MPI_Recv(b, 200, MPI_INT, row % size, row, W, MPI_STATUS_IGNORE);
    if (rank != 0 && row % size == rank) MPI_Send(a, 200, MPI_INT, 0, row, W);
  }
}

// Parameters of a network in several arrays: a reduction of each is begun as soon as it is known.
static void buckets(void) {
  MPI_Request req[5];
  MPI_Bcast(a, 1000, MPI_FLOAT, 0, W);
  for (int step = 0; step < 15; step++) {
    for (int layer = 4; layer >= 0; layer--)
      MPI_Iallreduce(a, b, 200 * (layer + 1), MPI_FLOAT, MPI_SUM, W, &req[layer]);
    MPI_Waitall(5, req, MPI_STATUSES_IGNORE);
    if (step % 5 == 4) MPI_Allreduce(a, b, 1, MPI_FLOAT, MPI_SUM, W);
  }
}

// The first half makes, the second half takes; an empty message is the end.
static void producers(void) {
  int half = size / 2;
  if (rank < half) {
    for (int i = 0; i < 10; i++)
      MPI_Send(a, 10, MPI_DOUBLE, half + (rank + i) % (size - half), 0, W);
    for (int i = half; i < size; i++) MPI_Send(a, 0, MPI_DOUBLE, i, 1, W);
  } else {
    for (int ended = 0; ended < half;) {
      MPI_Status status;
      MPI_Recv(b, 10, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
      ended += status.MPI_TAG == 1;
    }
  }
}

static const struct pattern patterns[] = {
    PATTERN(latency),          PATTERN(bisection),
    PATTERN(lattice_4d),       PATTERN(yee),
    PATTERN(adi_lines),        PATTERN(parareal),
    PATTERN(bfs_levels),       PATTERN(file_blocks),
    PATTERN(shared_nodes),     PATTERN(block_to_cyclic),
    PATTERN(wide_halo),        PATTERN(bruck),
    PATTERN(north_fold),       PATTERN(waitany_master),
    PATTERN(binomial_scatter), PATTERN(lu_cyclic),
    PATTERN(cholesky),         PATTERN(hyperquicksort),
    PATTERN(central_barrier),  PATTERN(mandelbrot_rows),
    PATTERN(buckets),          PATTERN(producers),
};

RUN_ONE_OF(patterns)
