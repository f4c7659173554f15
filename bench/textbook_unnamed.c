// SPDX-License-Identifier: Apache-2.0
// More small programs, as students and authors of mini-apps write them and not to suit Rondo:
// sweeps, halos whose sizes change, meshes, one-sided exchanges, masters, blocks of matrices. One
// for each name.
#include "textbook_driver.h"

// KBA: sweeps from all eight corners of a box whose columns are on a grid of ranks, some planes at
// a time.
static void kba_octants(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, west, east, south, north;
  MPI_Comm grid;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &west, &east);
  MPI_Cart_shift(grid, 1, 1, &south, &north);
  for (int sweep = 0; sweep < 6; sweep++) {
    for (int octant = 0; octant < 8; octant++) {
      int from_x = octant & 1 ? east : west, to_x = octant & 1 ? west : east;
      int from_y = octant & 2 ? north : south, to_y = octant & 2 ? south : north;
      for (int plane = 0; plane < 5; plane++) {
        MPI_Recv(a, 80, MPI_DOUBLE, from_x, octant, grid, MPI_STATUS_IGNORE);
        MPI_Recv(b, 60, MPI_DOUBLE, from_y, octant, grid, MPI_STATUS_IGNORE);
        MPI_Send(a, 80, MPI_DOUBLE, to_x, octant, grid);
        MPI_Send(b, 60, MPI_DOUBLE, to_y, octant, grid);
      }
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
}

// The same with ifs instead of Cartesian communicators, and a corner that turns.
static void kba_by_hand(void) {
  int px = 1;
  while ((px + 1) * (px + 1) <= size) px++;
  while (size % px) px--;
  int x = rank % px, y = rank / px, py = size / px;
  for (int step = 0; step < 4; step++) {
    for (int dx = -1; dx <= 1; dx += 2) {
      for (int dy = -1; dy <= 1; dy += 2) {
        for (int block = 0; block < 6; block++) {
          if (x - dx >= 0 && x - dx < px)
            MPI_Recv(a, 100, MPI_DOUBLE, rank - dx, 1, W, MPI_STATUS_IGNORE);
          if (y - dy >= 0 && y - dy < py)
            MPI_Recv(b, 100, MPI_DOUBLE, rank - dy * px, 2, W, MPI_STATUS_IGNORE);
          if (x + dx >= 0 && x + dx < px) MPI_Send(a, 100, MPI_DOUBLE, rank + dx, 1, W);
          if (y + dy >= 0 && y + dy < py) MPI_Send(b, 100, MPI_DOUBLE, rank + dy * px, 2, W);
        }
      }
    }
    MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_MAX, 0, W);
  }
}

// Multigrid in one dimension whose halos halve with each level.
static void halving_halos(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
      right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int cycle = 0; cycle < 10; cycle++) {
    for (int n = 256; n >= 16; n /= 2) {
      MPI_Sendrecv(a, n, MPI_DOUBLE, right, 0, b, n, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, n, MPI_DOUBLE, left, 1, b, n, MPI_DOUBLE, right, 1, W, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(a, b, 8, MPI_DOUBLE, MPI_SUM, W);
    for (int n = 32; n <= 256; n *= 2) {
      MPI_Sendrecv(a, n, MPI_DOUBLE, right, 0, b, n, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, n, MPI_DOUBLE, left, 1, b, n, MPI_DOUBLE, right, 1, W, MPI_STATUS_IGNORE);
    }
  }
}

// Particles leave their slab: counts first, then as many as there are, to both sides of a ring.
static void counts_then_data(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < 30; step++) {
    int to_left = 5 + (rank * 7 + step) % 4, to_right = 5 + (rank * 3 + step * 5) % 6, from_left,
        from_right;
    MPI_Sendrecv(&to_left, 1, MPI_INT, left, 0, &from_right, 1, MPI_INT, right, 0, W,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&to_right, 1, MPI_INT, right, 1, &from_left, 1, MPI_INT, left, 1, W,
                 MPI_STATUS_IGNORE);
    MPI_Request requests[4];
    MPI_Irecv(a, from_left * 6, MPI_DOUBLE, left, 3, W, &requests[0]);
    MPI_Irecv(b, from_right * 6, MPI_DOUBLE, right, 2, W, &requests[1]);
    MPI_Isend(c, to_left * 6, MPI_DOUBLE, left, 2, W, &requests[2]);
    MPI_Isend(c + 100, to_right * 6, MPI_DOUBLE, right, 3, W, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (step % 10 == 9) MPI_Reduce(&to_left, &to_right, 1, MPI_INT, MPI_SUM, 0, W);
  }
}

// Halos by persistent requests, started all at once, with every fourth step a checksum.
static void persistent_plane(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, near[4];
  MPI_Comm grid;
  MPI_Request requests[8];
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 1, &grid);
  MPI_Cart_shift(grid, 0, 1, &near[0], &near[1]);
  MPI_Cart_shift(grid, 1, 1, &near[2], &near[3]);
  for (int i = 0; i < 4; i++) {
    MPI_Recv_init(a + 100 * i, 64, MPI_DOUBLE, near[i], i ^ 1, grid, &requests[i]);
    MPI_Send_init(b + 100 * i, 64, MPI_DOUBLE, near[i], i, grid, &requests[4 + i]);
  }
  for (int step = 1; step <= 40; step++) {
    MPI_Startall(8, requests);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    if (step % 4 == 0) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  for (int i = 0; i < 8; i++) MPI_Request_free(&requests[i]);
}

// Each rank's neighbours in a mesh without structure, by a graph communicator.
static void mesh_of_edges(void) {
  int near[8], weights[8], many = 0;
  for (int i = 0; i < size; i++)
    if (i != rank && ((i + rank) % 5 == 0 || (i - rank) * (i - rank) == 1) && many < 8)
      near[many] = i, weights[many++] = 1;
  MPI_Comm mesh;
  MPI_Dist_graph_create_adjacent(W, many, near, weights, many, near, weights, MPI_INFO_NULL, 0,
                                 &mesh);
  for (int it = 0; it < 25; it++) {
    MPI_Neighbor_alltoall(a, 20, MPI_DOUBLE, b, 20, MPI_DOUBLE, mesh);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
  MPI_Comm_free(&mesh);
}

// Conjugate gradients on the same mesh, with messages by hand.
static void mesh_gradients(void) {
  int near[64], many = 0;
  MPI_Request requests[128];
  for (int i = 0; i < size; i++)
    if (i != rank && ((i * rank) % 7 == 1 || (i - rank) * (i - rank) == 1)) near[many++] = i;
  MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  for (int it = 0; it < 20; it++) {
    for (int i = 0; i < many; i++)
      MPI_Irecv(a + 32 * i, 20 + near[i] + rank, MPI_DOUBLE, near[i], 0, W, &requests[i]);
    for (int i = 0; i < many; i++)
      MPI_Isend(b + 32 * i, 20 + near[i] + rank, MPI_DOUBLE, near[i], 0, W, &requests[many + i]);
    MPI_Waitall(2 * many, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

// Who sends to whom is known to the senders alone: synchronous sends, then a barrier that is
// tested.
static void sparse_consensus(void) {
  for (int round = 0; round < 8; round++) {
    MPI_Request sends[4], barrier;
    int many = 1 + (rank + round) % 3, done = 0, is_in_barrier = 0;
    for (int i = 0; i < many; i++)
      MPI_Issend(a, 12, MPI_INT, (rank + 1 + i * (round + 1)) % size, 5, W, &sends[i]);
    while (!done) {
      int is_there, all;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, 5, W, &is_there, &status);
      if (is_there) MPI_Recv(b, 12, MPI_INT, status.MPI_SOURCE, 5, W, MPI_STATUS_IGNORE);
      if (is_in_barrier) {
        MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
      } else {
        MPI_Testall(many, sends, &all, MPI_STATUSES_IGNORE);
        if (all) MPI_Ibarrier(W, &barrier), is_in_barrier = 1;
      }
    }
  }
}

// A stencil on a torus by puts between fences.
static void fence_ring(void) {
  MPI_Win window;
  MPI_Win_create(a, 4096, 8, MPI_INFO_NULL, W, &window);
  MPI_Win_fence(0, window);
  for (int step = 0; step < 20; step++) {
    MPI_Put(b, 16, MPI_DOUBLE, (rank + 1) % size, 0, 16, MPI_DOUBLE, window);
    MPI_Put(b, 16, MPI_DOUBLE, (rank + size - 1) % size, 16, 16, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    if (step % 5 == 4) MPI_Allreduce(b, c, 1, MPI_DOUBLE, MPI_MAX, W);
  }
  MPI_Win_free(&window);
}

// Chunks of work by an atomic counter at rank 0, results accumulated there, in one passive epoch.
static void atomic_chunks(void) {
  MPI_Win counter, sums;
  long one = 1, next = 0;
  double result = 1;
  MPI_Win_create(a, rank ? 0 : 8, 8, MPI_INFO_NULL, W, &counter);
  MPI_Win_create(b, rank ? 0 : 80, 8, MPI_INFO_NULL, W, &sums);
  MPI_Win_lock_all(0, counter);
  MPI_Win_lock_all(0, sums);
  while (1) {
    MPI_Fetch_and_op(&one, &next, MPI_LONG, 0, 0, MPI_SUM, counter);
    MPI_Win_flush(0, counter);
    if (next >= 60) break;
    MPI_Accumulate(&result, 1, MPI_DOUBLE, 0, next % 10, 1, MPI_DOUBLE, MPI_SUM, sums);
    MPI_Win_flush_local(0, sums);
  }
  MPI_Win_unlock_all(sums);
  MPI_Win_unlock_all(counter);
  MPI_Win_free(&sums);
  MPI_Win_free(&counter);
}

// Post, start, complete and wait with both neighbours on a chain.
static void posted_chain(void) {
  MPI_Win window;
  MPI_Group all, near;
  double* base;
  int list[2], many = 0;
  if (rank > 0) list[many++] = rank - 1;
  if (rank < size - 1) list[many++] = rank + 1;
  MPI_Comm_group(W, &all);
  MPI_Group_incl(all, many, list, &near);
  MPI_Win_allocate(800, 8, MPI_INFO_NULL, W, &base, &window);
  for (int step = 0; step < 15; step++) {
    MPI_Win_post(near, 0, window);
    MPI_Win_start(near, 0, window);
    if (rank > 0) MPI_Put(a, 10, MPI_DOUBLE, rank - 1, 10, 10, MPI_DOUBLE, window);
    if (rank < size - 1) MPI_Put(a, 10, MPI_DOUBLE, rank + 1, 0, 10, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
  }
  MPI_Win_free(&window);
}

// A master with several kinds of messages: requests, results, logs, and an end.
static void kinds_of_messages(void) {
  enum { kAsk = 1, kResult, kLog, kWork, kEnd };
  if (rank == 0) {
    int next = 0, ended = 0;
    while (ended < size - 1) {
      MPI_Status status;
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
      if (status.MPI_TAG == kAsk) {
        MPI_Recv(b, 0, MPI_INT, status.MPI_SOURCE, kAsk, W, MPI_STATUS_IGNORE);
        if (next < 50) {
          MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, kWork, W);
          next++;
        } else {
          MPI_Send(&next, 0, MPI_INT, status.MPI_SOURCE, kEnd, W);
          ended++;
        }
      } else if (status.MPI_TAG == kResult) {
        MPI_Recv(b, 100, MPI_DOUBLE, status.MPI_SOURCE, kResult, W, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(b, 80, MPI_CHAR, status.MPI_SOURCE, kLog, W, MPI_STATUS_IGNORE);
      }
    }
    return;
  }
  for (int tasks = 0;; tasks++) {
    MPI_Status status;
    int work;
    MPI_Send(a, 0, MPI_INT, 0, kAsk, W);
    MPI_Recv(&work, 1, MPI_INT, 0, MPI_ANY_TAG, W, &status);
    if (status.MPI_TAG == kEnd) break;
    MPI_Send(a, 100, MPI_DOUBLE, 0, kResult, W);
    if (work % 4 == 0) MPI_Send(a, 80, MPI_CHAR, 0, kLog, W);
  }
}

// Sums within a node, then among the nodes' first ranks, then back.
static void sums_by_node(void) {
  MPI_Comm node, heads;
  int local;
  MPI_Comm_split(W, rank / 3, rank, &node);
  MPI_Comm_rank(node, &local);
  MPI_Comm_split(W, local == 0 ? 0 : MPI_UNDEFINED, rank, &heads);
  for (int step = 0; step < 20; step++) {
    MPI_Reduce(a, b, 100, MPI_DOUBLE, MPI_SUM, 0, node);
    if (heads != MPI_COMM_NULL) MPI_Allreduce(b, c, 100, MPI_DOUBLE, MPI_SUM, heads);
    MPI_Bcast(c, 100, MPI_DOUBLE, 0, node);
  }
  if (heads != MPI_COMM_NULL) MPI_Comm_free(&heads);
  MPI_Comm_free(&node);
}

// The same with the library's nodes.
static void sums_by_shared_memory(void) {
  MPI_Comm node, heads;
  int local;
  MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local);
  MPI_Comm_split(W, local == 0 ? 0 : MPI_UNDEFINED, 0, &heads);
  for (int step = 0; step < 10; step++) {
    MPI_Reduce(local == 0 ? MPI_IN_PLACE : a, a, 10, MPI_DOUBLE, MPI_SUM, 0, node);
    if (local == 0) MPI_Allreduce(MPI_IN_PLACE, a, 10, MPI_DOUBLE, MPI_SUM, heads);
    MPI_Bcast(a, 10, MPI_DOUBLE, 0, node);
  }
}

// Cannon's multiplication on a square torus, blocks skewed first; ranks beyond the square look on.
static void cannon_skewed(void) {
  int q = 1;
  while ((q + 1) * (q + 1) <= size) q++;
  MPI_Comm square, grid;
  MPI_Comm_split(W, rank < q * q ? 0 : MPI_UNDEFINED, rank, &square);
  if (square == MPI_COMM_NULL) return;
  int dims[2] = {q, q}, periods[2] = {1, 1}, at[2], from, to, left, right, up, down, me;
  MPI_Cart_create(square, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &me);
  MPI_Cart_coords(grid, me, 2, at);
  MPI_Cart_shift(grid, 1, -at[0], &from, &to);
  MPI_Sendrecv_replace(a, 64, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
  MPI_Cart_shift(grid, 0, -at[1], &from, &to);
  MPI_Sendrecv_replace(b, 64, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
  MPI_Cart_shift(grid, 1, -1, &right, &left);
  MPI_Cart_shift(grid, 0, -1, &down, &up);
  for (int k = 0; k < q; k++) {
    MPI_Sendrecv_replace(a, 64, MPI_DOUBLE, left, 1, right, 1, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(b, 64, MPI_DOUBLE, up, 1, down, 1, grid, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&grid);
}

// SUMMA: panels of A along rows, of B along columns, each from its owner.
static void summa_panels(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, keep_x[2] = {0, 1}, keep_y[2] = {1, 0};
  MPI_Comm grid, row, column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, keep_x, &row);
  MPI_Cart_sub(grid, keep_y, &column);
  for (int k = 0; k < dims[0] * dims[1]; k++) {
    MPI_Bcast(a, 48, MPI_DOUBLE, k % dims[1], row);
    MPI_Bcast(b, 48, MPI_DOUBLE, k % dims[0], column);
  }
  MPI_Gather(a, 10, MPI_DOUBLE, b, 10, MPI_DOUBLE, 0, grid);
}

// 2.5 dimensions: layers of a grid share the steps of the multiplication.
static void layers_multiply(void) {
  int dims[3] = {0, 0, size % 2 == 0 ? 2 : 1}, periods[3] = {1, 1, 0}, in_layer[3] = {1, 1, 0},
      across[3] = {0, 0, 1};
  MPI_Comm grid, layer, depth;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(W, 3, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, in_layer, &layer);
  MPI_Cart_sub(grid, across, &depth);
  MPI_Bcast(a, 100, MPI_DOUBLE, 0, depth);
  MPI_Bcast(b, 100, MPI_DOUBLE, 0, depth);
  int west, east, north, south;
  MPI_Cart_shift(layer, 1, 1, &west, &east);
  MPI_Cart_shift(layer, 0, 1, &north, &south);
  for (int k = 0; k < 4; k++) {
    MPI_Sendrecv_replace(a, 100, MPI_DOUBLE, west, 0, east, 0, layer, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(b, 100, MPI_DOUBLE, north, 0, south, 0, layer, MPI_STATUS_IGNORE);
  }
  MPI_Reduce(a, c, 100, MPI_DOUBLE, MPI_SUM, 0, depth);
}

static const struct pattern patterns[] = {
    PATTERN(kba_octants),      PATTERN(kba_by_hand),           PATTERN(halving_halos),
    PATTERN(counts_then_data), PATTERN(persistent_plane),      PATTERN(mesh_of_edges),
    PATTERN(mesh_gradients),   PATTERN(sparse_consensus),      PATTERN(fence_ring),
    PATTERN(atomic_chunks),    PATTERN(posted_chain),          PATTERN(kinds_of_messages),
    PATTERN(sums_by_node),     PATTERN(sums_by_shared_memory), PATTERN(cannon_skewed),
    PATTERN(summa_panels),     PATTERN(layers_multiply)};
RUN_ONE_OF(patterns)
