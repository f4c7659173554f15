// SPDX-License-Identifier: Apache-2.0
// Sorts, prefixes, collectives and pipelines by hand, as students and authors of mini-apps write
// them and not to suit Rondo. One for each name.
#include "textbook_driver.h"

// Sample sort with splitters from rank 0.
static void splitters(void) {
  int out[64], in[64], out_at[64], in_at[64];
  MPI_Gather(a, size - 1, MPI_INT, c, size - 1, MPI_INT, 0, W);
  MPI_Bcast(c, size - 1, MPI_INT, 0, W);
  for (int i = 0; i < size; i++)
    out[i] = 10 + (rank * 5 + i * 3) % 7, out_at[i] = 20 * i, in_at[i] = 20 * i;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
  MPI_Alltoallv(a, out, out_at, MPI_INT, b, in, in_at, MPI_INT, W);
  int mine = 0;
  for (int i = 0; i < size; i++) mine += in[i];
  MPI_Gather(&mine, 1, MPI_INT, in, 1, MPI_INT, 0, W);
  for (int i = 1; i < size; i++) in_at[i] = in_at[i - 1] + in[i - 1];
  MPI_Gatherv(b, mine, MPI_INT, c, in, in_at, MPI_INT, 0, W);
}

// Bitonic sort among the greatest power of two of ranks.
static void bitonic_power(void) {
  int power = 1;
  while (2 * power <= size) power *= 2;
  if (rank < power) {
    for (int k = 2; k <= power; k *= 2)
      for (int j = k / 2; j > 0; j /= 2)
        MPI_Sendrecv(a, 128, MPI_INT, rank ^ j, 0, b, 128, MPI_INT, rank ^ j, 0, W,
                     MPI_STATUS_IGNORE);
  }
  MPI_Barrier(W);
}

// Prefix sums by distances that double.
static void prefix_doubling(void) {
  for (int repeat = 0; repeat < 10; repeat++) {
    for (int hop = 1; hop < size; hop *= 2) {
      MPI_Request request;
      if (rank + hop < size) MPI_Isend(a, 1, MPI_LONG, rank + hop, hop, W, &request);
      if (rank - hop >= 0) MPI_Recv(b, 1, MPI_LONG, rank - hop, hop, W, MPI_STATUS_IGNORE);
      if (rank + hop < size) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

// Odd-even transposition sort with a test for the end by all.
static void transposition(void) {
  for (int phase = 0; phase < size; phase++) {
    int partner = phase % 2 == rank % 2 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= size) partner = MPI_PROC_NULL;
    MPI_Sendrecv(a, 40, MPI_INT, partner, 0, b, 40, MPI_INT, partner, 0, W, MPI_STATUS_IGNORE);
    if (phase % 2 == 1) MPI_Allreduce(a, b, 1, MPI_INT, MPI_LAND, W);
  }
}

// The game of life with corners, by eight non-blocking pairs found by coordinates.
static void life_corners(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, at[2];
  MPI_Comm grid;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  for (int generation = 1; generation <= 50; generation++) {
    MPI_Request requests[16];
    int many = 0;
    for (int dx = -1; dx <= 1; dx++)
      for (int dy = -1; dy <= 1; dy++) {
        if (dx == 0 && dy == 0) continue;
        int near, other[2] = {at[0] + dx, at[1] + dy};
        MPI_Cart_rank(grid, other, &near);
        MPI_Irecv(a + 100 * many, dx && dy ? 1 : 32, MPI_CHAR, near, 10 + 3 * -dx - dy, grid,
                  &requests[many]);
        many++;
        MPI_Isend(b + 100 * many, dx && dy ? 1 : 32, MPI_CHAR, near, 10 + 3 * dx + dy, grid,
                  &requests[many]);
        many++;
      }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    if (generation % 10 == 0) MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, grid);
  }
}

// Breadth-first search by levels: how many for each, then the vertices, until nobody has any.
static void bfs_rounds(void) {
  int out[64], in[64], out_at[64], in_at[64], left = 6;
  while (1) {
    int any = left > 0, all;
    MPI_Allreduce(&any, &all, 1, MPI_INT, MPI_LOR, W);
    if (!all) break;
    for (int i = 0; i < size; i++)
      out[i] = (rank + i * left) % 5, out_at[i] = 8 * i, in_at[i] = 8 * i;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
    MPI_Alltoallv(a, out, out_at, MPI_INT, b, in, in_at, MPI_INT, W);
    left--;
  }
}

// A pipeline of stages with four items in flight.
static void items_in_flight(void) {
  MPI_Request in[4], out[4];
  for (int i = 0; i < 4; i++) out[i] = MPI_REQUEST_NULL;
  if (rank > 0)
    for (int i = 0; i < 4; i++) MPI_Irecv(a + 100 * i, 100, MPI_DOUBLE, rank - 1, i, W, &in[i]);
  for (int item = 0; item < 32; item++) {
    int slot = item % 4;
    if (rank > 0) MPI_Wait(&in[slot], MPI_STATUS_IGNORE);
    if (rank < size - 1) {
      MPI_Wait(&out[slot], MPI_STATUS_IGNORE);
      MPI_Isend(b + 100 * slot, 100, MPI_DOUBLE, rank + 1, slot, W, &out[slot]);
    }
    if (rank > 0 && item + 4 < 32)
      MPI_Irecv(a + 100 * slot, 100, MPI_DOUBLE, rank - 1, slot, W, &in[slot]);
  }
  MPI_Waitall(4, out, MPI_STATUSES_IGNORE);
}

// Allreduce on a ring: pieces are summed once round, and passed on once round.
static void ring_pieces_summed(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int batch = 0; batch < 12; batch++) {
    for (int i = 0; i < size - 1; i++) {
      MPI_Request request;
      MPI_Irecv(b, 50, MPI_FLOAT, left, 0, W, &request);
      MPI_Send(a + 50 * ((rank - i + size) % size), 50, MPI_FLOAT, right, 0, W);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < size - 1; i++) {
      MPI_Sendrecv(a, 50, MPI_FLOAT, right, 1, b, 50, MPI_FLOAT, left, 1, W, MPI_STATUS_IGNORE);
    }
  }
}

// Recursive doubling on any number: those beyond the power of two give theirs away first.
static void doubling_on_any(void) {
  int power = 1;
  while (2 * power <= size) power *= 2;
  int rest = size - power;
  for (int repeat = 0; repeat < 5; repeat++) {
    if (rank >= power) {
      MPI_Send(a, 30, MPI_DOUBLE, rank - power, 7, W);
      MPI_Recv(a, 30, MPI_DOUBLE, rank - power, 8, W, MPI_STATUS_IGNORE);
      continue;
    }
    if (rank < rest) MPI_Recv(b, 30, MPI_DOUBLE, rank + power, 7, W, MPI_STATUS_IGNORE);
    for (int mask = 1; mask < power; mask <<= 1)
      MPI_Sendrecv(a, 30, MPI_DOUBLE, rank ^ mask, 9, b, 30, MPI_DOUBLE, rank ^ mask, 9, W,
                   MPI_STATUS_IGNORE);
    if (rank < rest) MPI_Send(a, 30, MPI_DOUBLE, rank + power, 8, W);
  }
}

// Recursive halving and doubling: amounts halve on the way down and double on the way up.
static void halving_then_doubling(void) {
  int power = 1;
  while (2 * power <= size) power *= 2;
  for (int repeat = 0; repeat < 3 && rank < power; repeat++) {
    int n = 1024;
    for (int mask = power / 2; mask > 0; mask /= 2) {
      n /= 2;
      MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ mask, 0, b, n, MPI_DOUBLE, rank ^ mask, 0, W,
                   MPI_STATUS_IGNORE);
    }
    for (int mask = 1; mask < power; mask *= 2) {
      MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ mask, 1, b, n, MPI_DOUBLE, rank ^ mask, 1, W,
                   MPI_STATUS_IGNORE);
      n *= 2;
    }
  }
}

// A token goes round until a round has found everybody idle; work is passed to the right meanwhile.
static void token_of_the_end(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size, colour = 0;
  for (int round = 0; round < 6; round++) {
    if (round < 4) {
      if (rank % 2 == 0) MPI_Send(a, 16, MPI_INT, right, 1, W);
      if (left % 2 == 0) MPI_Recv(b, 16, MPI_INT, left, 1, W, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
      MPI_Send(&colour, 1, MPI_INT, right, 2, W);
      MPI_Recv(&colour, 1, MPI_INT, left, 2, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&colour, 1, MPI_INT, left, 2, W, MPI_STATUS_IGNORE);
      MPI_Send(&colour, 1, MPI_INT, right, 2, W);
    }
  }
  MPI_Bcast(&colour, 1, MPI_INT, 0, W);
}

// Halo on a chain, and each eighth step a checkpoint of all in one file.
static void checkpoints(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
      right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int step = 1; step <= 48; step++) {
    MPI_Sendrecv(a, 10, MPI_DOUBLE, left, 0, b, 10, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 10, MPI_DOUBLE, right, 1, b, 10, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
    if (step % 8 == 0) {
      MPI_File file;
      MPI_File_open(W, "/tmp/rondo_checkpoint.bin", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                    MPI_INFO_NULL, &file);
      MPI_File_write_at_all(file, rank * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
      MPI_File_close(&file);
    }
  }
}

// A step that adapts: halos grow while the error does, and all agree on it.
static void growing_sizes(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 1; step <= 16; step++) {
    int n = 10 * step;
    MPI_Request requests[2];
    MPI_Irecv(a, n, MPI_DOUBLE, left, step, W, &requests[0]);
    MPI_Isend(b, n, MPI_DOUBLE, right, step, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
}

// Gaussian elimination with rows dealt out in turn: the owner of the pivot sends to all by hand.
static void pivot_rows(void) {
  int rows = 3 * size;
  for (int k = 0; k < rows; k++) {
    int owner = k % size;
    if (rank == owner) {
      for (int i = 0; i < size; i++)
        if (i != rank) MPI_Send(a, rows - k, MPI_DOUBLE, i, k, W);
    } else {
      MPI_Recv(b, rows - k, MPI_DOUBLE, owner, k, W, MPI_STATUS_IGNORE);
    }
  }
}

// Farm in which the workers report to foremen, who report to rank 0.
static void foremen(void) {
  int team = 3, foreman = rank / team * team;
  for (int day = 0; day < 10; day++) {
    if (rank != foreman) {
      MPI_Send(a, 25, MPI_DOUBLE, foreman, 1, W);
    } else {
      for (int i = rank + 1; i < rank + team && i < size; i++)
        MPI_Recv(b, 25, MPI_DOUBLE, i, 1, W, MPI_STATUS_IGNORE);
      if (rank > 0) MPI_Send(a, 50, MPI_DOUBLE, 0, 2, W);
    }
    if (rank == 0)
      for (int i = team; i < size; i += team)
        MPI_Recv(b, 50, MPI_DOUBLE, i, 2, W, MPI_STATUS_IGNORE);
    MPI_Bcast(a, 5, MPI_DOUBLE, 0, W);
  }
}

static const struct pattern patterns[] = {PATTERN(splitters),        PATTERN(bitonic_power),
                                          PATTERN(prefix_doubling),  PATTERN(transposition),
                                          PATTERN(life_corners),     PATTERN(bfs_rounds),
                                          PATTERN(items_in_flight),  PATTERN(ring_pieces_summed),
                                          PATTERN(doubling_on_any),  PATTERN(halving_then_doubling),
                                          PATTERN(token_of_the_end), PATTERN(checkpoints),
                                          PATTERN(growing_sizes),    PATTERN(pivot_rows),
                                          PATTERN(foremen)};
RUN_ONE_OF(patterns)
