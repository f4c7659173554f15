// SPDX-License-Identifier: Apache-2.0
// Mini-apps in small, as their authors first write them and not to suit Rondo: halos, particles,
// transforms, factorisations, schedulers, windows. One for each name.
#include "textbook_driver.h"

// Halo of width two each second step, a norm each fifth, and an end that the norm decides.
static void every_second_step(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < 60; step++) {
    if (step % 2 == 0) {
      MPI_Sendrecv(a, 200, MPI_DOUBLE, right, 1, b, 200, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 200, MPI_DOUBLE, left, 2, b, 200, MPI_DOUBLE, right, 2, W, MPI_STATUS_IGNORE);
    }
    if (step % 5 == 4) {
      double norm = step < 43 ? 1 : 0, all;
      MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, W);
      if (all == 0) break;
    }
  }
}

// Outer steps, each of which takes as many inner iterations as it needs.
static void inner_iterations(void) {
  static const int needed[] = {9, 7, 6, 6, 5, 4, 4, 4};
  int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  for (int step = 0; step < 8; step++) {
    double residual, mine = 1;
    int iteration = 0;
    MPI_Bcast(c, 3, MPI_DOUBLE, 0, W);
    do {
      MPI_Request requests[4];
      MPI_Irecv(b, 64, MPI_DOUBLE, down, 0, W, &requests[0]);
      MPI_Irecv(b + 64, 64, MPI_DOUBLE, up, 0, W, &requests[1]);
      MPI_Isend(a, 64, MPI_DOUBLE, up, 0, W, &requests[2]);
      MPI_Isend(a + 64, 64, MPI_DOUBLE, down, 0, W, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      mine = ++iteration < needed[step];
      MPI_Allreduce(&mine, &residual, 1, MPI_DOUBLE, MPI_MAX, W);
    } while (residual > 0);
    if (step % 4 == 3) MPI_Gather(a, 64, MPI_DOUBLE, c, 64, MPI_DOUBLE, 0, W);
  }
}

// Blocks in rows that are shifted by half a block: six neighbours, fewer at the borders.
static void brick_wall(void) {
  int wide = 1;
  while ((wide + 1) * (wide + 1) <= size) wide++;
  int x = rank % wide, y = rank / wide, shift = y % 2 ? 0 : -1, count = 0, peers[6];
  int dx[] = {-1, 1, shift, shift + 1, shift, shift + 1}, dy[] = {0, 0, -1, -1, 1, 1};
  for (int i = 0; i < 6; i++) {
    int nx = x + dx[i], ny = y + dy[i], peer = ny * wide + nx;
    if (nx >= 0 && nx < wide && ny >= 0 && peer < size) peers[count++] = peer;
  }
  for (int step = 0; step < 20; step++) {
    MPI_Request requests[12];
    for (int i = 0; i < count; i++)
      MPI_Irecv(b + 64 * i, 32, MPI_DOUBLE, peers[i], 5, W, &requests[i]);
    for (int i = 0; i < count; i++)
      MPI_Isend(a + 64 * i, 32, MPI_DOUBLE, peers[i], 5, W, &requests[count + i]);
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
}

// Particles that leave for one of 26 boxes: how many, then they themselves.
static void migration_26(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, at[3], peers[26], out[26], in[26], n = 0;
  MPI_Comm box;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(W, 3, dims, periods, 0, &box);
  MPI_Cart_coords(box, rank, 3, at);
  for (int z = -1; z <= 1; z++)
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++) {
        int to[3] = {at[0] + z, at[1] + y, at[2] + x};
        if (x || y || z) MPI_Cart_rank(box, to, &peers[n++]);
      }
  for (int step = 0; step < 6; step++) {
    MPI_Request requests[52];
    for (int i = 0; i < 26; i++) {
      out[i] = (rank * 7 + step * 3 + i) % 5;
      MPI_Irecv(&in[25 - i], 1, MPI_INT, peers[25 - i], i, box, &requests[i]);
      MPI_Isend(&out[i], 1, MPI_INT, peers[i], i, box, &requests[26 + i]);
    }
    MPI_Waitall(52, requests, MPI_STATUSES_IGNORE);
    int open = 0;
    for (int i = 0; i < 26; i++)
      if (in[i] > 0)
        MPI_Irecv(b + 100 * i, 6 * in[i], MPI_DOUBLE, peers[i], 125 - i, box, &requests[open++]);
    for (int i = 0; i < 26; i++)
      if (out[i] > 0) MPI_Send(a + 100 * i, 6 * out[i], MPI_DOUBLE, peers[i], 100 + i, box);
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&box);
}

// Red and black points; the norm of the last sweep comes while the next one goes on.
static void sor_overlapped(void) {
  int up = rank - 1 < 0 ? MPI_PROC_NULL : rank - 1,
      down = rank + 1 == size ? MPI_PROC_NULL : rank + 1;
  MPI_Request norm = MPI_REQUEST_NULL;
  for (int sweep = 0; sweep < 25; sweep++) {
    for (int colour = 0; colour < 2; colour++) {
      MPI_Sendrecv(a, 50, MPI_DOUBLE, up, colour, b, 50, MPI_DOUBLE, down, colour, W,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 50, MPI_DOUBLE, down, colour, b, 50, MPI_DOUBLE, up, colour, W,
                   MPI_STATUS_IGNORE);
    }
    if (sweep > 0) MPI_Wait(&norm, MPI_STATUS_IGNORE);
    MPI_Iallreduce(a, c, 1, MPI_DOUBLE, MPI_SUM, W, &norm);
  }
  MPI_Wait(&norm, MPI_STATUS_IGNORE);
}

// LU by rows dealt out in turn; the owner sends the pivot row to each other rank.
static void rows_sent_by_hand(void) {
  int n = 24;
  for (int k = 0; k < n; k++) {
    if (rank == k % size) {
      for (int to = 0; to < size; to++)
        if (to != rank) MPI_Send(a + k, n - k, MPI_DOUBLE, to, k, W);
    } else {
      MPI_Recv(b, n - k, MPI_DOUBLE, k % size, k, W, MPI_STATUS_IGNORE);
    }
  }
  MPI_Gather(a, n, MPI_DOUBLE, c, n, MPI_DOUBLE, 0, W);
}

// Block-cyclic Cholesky on a grid of ranks with rows and columns as communicators.
static void cholesky_grid(void) {
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  int x = rank % dims[1], y = rank / dims[1];
  MPI_Comm row, column;
  MPI_Comm_split(W, y, x, &row);
  MPI_Comm_split(W, x, y, &column);
  for (int k = 0; k < 12; k++) {
    if (x == k % dims[1]) MPI_Bcast(a, 256, MPI_DOUBLE, k % dims[0], column);
    MPI_Bcast(b, 256 * (12 - k), MPI_DOUBLE, k % dims[1], row);
    MPI_Bcast(c, 256 * (12 - k), MPI_DOUBLE, k % dims[0], column);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

// A transform on any number of ranks: one exchange among as many ranks as each factor says.
static void fft_factors(void) {
  for (int stride = 1, rest = size; rest > 1;) {
    int factor = 2;
    while (rest % factor) factor++;
    int digit = rank / stride % factor, base = rank - digit * stride;
    for (int i = 1; i < factor; i++) {
      int to = base + (digit + i) % factor * stride,
          from = base + (digit + factor - i) % factor * stride;
      MPI_Sendrecv(a, 512 / factor, MPI_DOUBLE, to, stride, b, 512 / factor, MPI_DOUBLE, from,
                   stride, W, MPI_STATUS_IGNORE);
    }
    stride *= factor, rest /= factor;
  }
}

// Idle ranks take work from others' windows.
static void take_from_windows(void) {
  long* left;
  MPI_Win window;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, W, &left, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  *left = 3 + 4 * rank;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(W);
  MPI_Win_lock_all(0, window);
  for (int i = 0, victim = rank; i < size; i++, victim = (victim + 1) % size) {
    long got = 1, less = -1;
    while (got > 0) {
      MPI_Fetch_and_op(&less, &got, MPI_LONG, victim, 0, MPI_SUM, window);
      MPI_Win_flush(victim, window);
    }
  }
  MPI_Win_unlock_all(window);
  MPI_Reduce(a, b, 1, MPI_LONG, MPI_SUM, 0, W);
  MPI_Win_free(&window);
}

// A producer sends ahead by three items; the consumer gives a credit back for each.
static void credits(void) {
  if (rank % 2 == 0 && rank + 1 < size) {
    int credit = 3;
    for (int item = 0; item < 20; item++) {
      if (credit == 0) {
        MPI_Recv(b, 1, MPI_INT, rank + 1, 2, W, MPI_STATUS_IGNORE);
        credit++;
      }
      MPI_Send(a, 100, MPI_DOUBLE, rank + 1, 1, W);
      credit--;
    }
    for (; credit < 3; credit++) MPI_Recv(b, 1, MPI_INT, rank + 1, 2, W, MPI_STATUS_IGNORE);
  } else if (rank % 2 == 1) {
    for (int item = 0; item < 20; item++) {
      MPI_Recv(a, 100, MPI_DOUBLE, rank - 1, 1, W, MPI_STATUS_IGNORE);
      MPI_Send(b, 1, MPI_INT, rank - 1, 2, W);
    }
  }
}

// The upper half sends to the lower half until one is left.
static void halves_added(void) {
  for (int repeat = 0; repeat < 6; repeat++) {
    for (int n = size; n > 1; n = (n + 1) / 2) {
      int half = (n + 1) / 2;
      if (rank >= half && rank < n) MPI_Send(a, 10, MPI_DOUBLE, rank - half, 0, W);
      if (rank + half < n) MPI_Recv(b, 10, MPI_DOUBLE, rank + half, 0, W, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(a, 10, MPI_DOUBLE, 0, W);
  }
}

// Urgent tasks have a tag of their own and are given out first.
static void urgent_first(void) {
  enum { kUrgent = 1, kOther, kResult, kStop };
  if (rank == 0) {
    int urgent = 2 * size, others = 3 * size, busy = 0;
    for (int to = 1; to < size; to++, busy++, urgent--) MPI_Send(a, 8, MPI_INT, to, kUrgent, W);
    while (busy > 0) {
      MPI_Status status;
      MPI_Recv(b, 4, MPI_DOUBLE, MPI_ANY_SOURCE, kResult, W, &status);
      if (urgent > 0) {
        MPI_Send(a, 8, MPI_INT, status.MPI_SOURCE, kUrgent, W), urgent--;
      } else if (others > 0) {
        MPI_Send(a, 16, MPI_INT, status.MPI_SOURCE, kOther, W), others--;
      } else {
        MPI_Send(a, 0, MPI_INT, status.MPI_SOURCE, kStop, W), busy--;
      }
    }
  } else {
    for (;;) {
      MPI_Status status;
      MPI_Recv(a, 16, MPI_INT, 0, MPI_ANY_TAG, W, &status);
      if (status.MPI_TAG == kStop) break;
      MPI_Send(b, 4, MPI_DOUBLE, 0, kResult, W);
    }
  }
}

// Ghost cells with a datatype for each side, all sides in one call.
static void ghosts_alltoallw(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 1}, n[2] = {34, 34};
  MPI_Comm grid;
  MPI_Datatype send[4], receive[4];
  int counts[4] = {1, 1, 1, 1};
  MPI_Aint at[4] = {0, 0, 0, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  for (int side = 0; side < 4; side++) {
    int part[2] = {side < 2 ? 1 : 32, side < 2 ? 32 : 1};
    int from[2] = {side == 1 ? 32 : 1, side == 3 ? 32 : 1}, to[2] = {side == 0   ? 0
                                                                     : side == 1 ? 33
                                                                                 : 1,
                                                                     side == 2   ? 0
                                                                     : side == 3 ? 33
                                                                                 : 1};
    MPI_Type_create_subarray(2, n, part, from, MPI_ORDER_C, MPI_DOUBLE, &send[side]);
    MPI_Type_create_subarray(2, n, part, to, MPI_ORDER_C, MPI_DOUBLE, &receive[side]);
    MPI_Type_commit(&send[side]);
    MPI_Type_commit(&receive[side]);
  }
  for (int step = 0; step < 30; step++) {
    MPI_Neighbor_alltoallw(a, counts, at, send, a, counts, at, receive, grid);
    if (step % 10 == 9) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  for (int side = 0; side < 4; side++) MPI_Type_free(&send[side]), MPI_Type_free(&receive[side]);
  MPI_Comm_free(&grid);
}

// Each rank of a node leads for its share of the data.
static void many_leaders(void) {
  MPI_Comm node, across;
  MPI_Comm_split(W, rank / 3, rank, &node);
  MPI_Comm_split(W, rank % 3, rank, &across);
  for (int step = 0; step < 10; step++) {
    MPI_Reduce_scatter_block(a, b, 30, MPI_DOUBLE, MPI_SUM, node);
    MPI_Allreduce(MPI_IN_PLACE, b, 30, MPI_DOUBLE, MPI_SUM, across);
    MPI_Allgather(b, 30, MPI_DOUBLE, c, 30, MPI_DOUBLE, node);
  }
  MPI_Comm_free(&across);
  MPI_Comm_free(&node);
}

// A state kept by a buddy half way round, each fifth step of a halo exchange.
static void buddies(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  int keeper = (rank + size / 2) % size, kept = (rank + size - size / 2) % size;
  for (int step = 1; step <= 25; step++) {
    MPI_Request requests[4];
    MPI_Irecv(b, 10, MPI_DOUBLE, left, 0, W, &requests[0]);
    MPI_Irecv(b + 10, 10, MPI_DOUBLE, right, 0, W, &requests[1]);
    MPI_Isend(a, 10, MPI_DOUBLE, left, 0, W, &requests[2]);
    MPI_Isend(a + 10, 10, MPI_DOUBLE, right, 0, W, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (step % 5 == 0) {
      MPI_Isend(a, 1000, MPI_DOUBLE, keeper, 9, W, &requests[0]);
      MPI_Recv(c, 1000, MPI_DOUBLE, kept, 9, W, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
  }
}

// Two models with a communicator between them.
static void two_models(void) {
  int first = rank < (size + 1) / 2, other = first ? (size + 1) / 2 : 0;
  MPI_Comm model, copy, between;
  MPI_Request request;
  MPI_Comm_split(W, first, rank, &model);
  MPI_Intercomm_create(model, 0, W, other, 7, &between);
  MPI_Comm_idup(model, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int mine, n, there;
  MPI_Comm_rank(copy, &mine);
  MPI_Comm_size(copy, &n);
  MPI_Comm_remote_size(between, &there);
  for (int step = 0; step < 12; step++) {
    MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, copy);
    if (mine < there && mine < n)
      MPI_Sendrecv(a, 40, MPI_DOUBLE, mine, 3, b, 40, MPI_DOUBLE, mine, 3, between,
                   MPI_STATUS_IGNORE);
    if (step % 4 == 3) MPI_Allgather(a, 2, MPI_DOUBLE, c, 2, MPI_DOUBLE, between);
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&model);
}

static const struct pattern patterns[] = {
    PATTERN(every_second_step), PATTERN(inner_iterations), PATTERN(brick_wall),
    PATTERN(migration_26),      PATTERN(sor_overlapped),   PATTERN(rows_sent_by_hand),
    PATTERN(cholesky_grid),     PATTERN(fft_factors),      PATTERN(take_from_windows),
    PATTERN(credits),           PATTERN(halves_added),     PATTERN(urgent_first),
    PATTERN(ghosts_alltoallw),  PATTERN(many_leaders),     PATTERN(buddies),
    PATTERN(two_models),
};

RUN_ONE_OF(patterns)
