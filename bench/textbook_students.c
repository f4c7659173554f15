// SPDX-License-Identifier: Apache-2.0
// Textbook patterns as students' codes, forum questions and small mini-apps have them, many of them
// with output every so many steps; textbook.py runs them. Written without regard to how Rondo says
// them.
#include "textbook_driver.h"

// Game of Life on a torus with rows and corners apart; every 20th board is collected in rank order.
static void life_output(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, coords[2], at[2], around[8], n = 0;
  MPI_Comm grid;
  MPI_Request requests[16];
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, coords);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      if (dx == 0 && dy == 0) continue;
      at[0] = coords[0] + dy;
      at[1] = coords[1] + dx;
      MPI_Cart_rank(grid, at, &around[n++]);
    }
  for (int step = 0; step < 100; step++) {
    if (step % 20 == 0) {
      if (rank == 0) {
        for (int from = 1; from < size; from++)
          MPI_Recv(c, 900, MPI_CHAR, from, 77, grid, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(a, 900, MPI_CHAR, 0, 77, grid);
      }
    }
    for (int i = 0; i < 8; i++) {
      int cells = i == 1 || i == 3 || i == 4 || i == 6 ? 30 : 1;
      MPI_Irecv(b + 64 * i, cells, MPI_CHAR, around[i], 7 - i, grid, &requests[i]);
      MPI_Isend(a + 64 * i, cells, MPI_CHAR, around[i], i, grid, &requests[8 + i]);
    }
    MPI_Waitall(16, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&grid);
}

// Conjugate gradients with blocks of rows: the whole direction is collected in each iteration.
static void cg_gathered(void) {
  int counts[64], displs[64], n = 1000;
  for (int i = 0, at = 0; i < size; at += counts[i++]) {
    counts[i] = n / size + (i < n % size);
    displs[i] = at;
  }
  MPI_Bcast(&n, 1, MPI_INT, 0, W);
  MPI_Scatterv(a, counts, displs, MPI_DOUBLE, b, counts[rank], MPI_DOUBLE, 0, W);
  MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  for (int k = 0; k < 60; k++) {
    MPI_Allgatherv(b, counts[rank], MPI_DOUBLE, c, counts, displs, MPI_DOUBLE, W);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    if (k % 15 == 14) MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_MAX, 0, W);
  }
  MPI_Gatherv(b, counts[rank], MPI_DOUBLE, c, counts, displs, MPI_DOUBLE, 0, W);
}

// Cannon's multiplication where ranks make a square; rows of blocks on a ring where not.
static void cannon_or_ring(void) {
  int q = 1, row, column;
  while ((q + 1) * (q + 1) <= size) q++;
  if (q * q == size) {
    row = rank / q;
    column = rank % q;
    int left = row * q + (column + q - 1) % q, right = row * q + (column + 1) % q;
    int up = (row + q - 1) % q * q + column, down = (row + 1) % q * q + column;
    if (row > 0)
      MPI_Sendrecv_replace(a, 256, MPI_DOUBLE, row * q + (column + q - row) % q, 1,
                           row * q + (column + row) % q, 1, W, MPI_STATUS_IGNORE);
    if (column > 0)
      MPI_Sendrecv_replace(b, 256, MPI_DOUBLE, (row + q - column) % q * q + column, 2,
                           (row + column) % q * q + column, 2, W, MPI_STATUS_IGNORE);
    for (int step = 0; step < q - 1; step++) {
      MPI_Sendrecv_replace(a, 256, MPI_DOUBLE, left, 1, right, 1, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv_replace(b, 256, MPI_DOUBLE, up, 2, down, 2, W, MPI_STATUS_IGNORE);
    }
  } else {
    for (int step = 0; step < size - 1; step++)
      MPI_Sendrecv_replace(b, 300, MPI_DOUBLE, (rank + 1) % size, 3, (rank + size - 1) % size, 3, W,
                           MPI_STATUS_IGNORE);
  }
  MPI_Gather(c, 256, MPI_DOUBLE, a, 256, MPI_DOUBLE, 0, W);
}

// A histogram of keys: each rank is the owner of some bins, and hears how many keys fall into them.
static void histogram_owners(void) {
  int out[64], in[64], from[64], to[64];
  for (int batch = 0; batch < 6; batch++) {
    for (int i = 0; i < size; i++) out[i] = 3 + (7 * rank + 5 * i + batch) % 4;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
    for (int i = 0, sent = 0, got = 0; i < size; sent += out[i], got += in[i++]) {
      from[i] = sent;
      to[i] = got;
    }
    MPI_Alltoallv(a, out, from, MPI_INT, b, in, to, MPI_INT, W);
  }
  MPI_Reduce(a, b, 128, MPI_INT, MPI_SUM, 0, W);
  MPI_Reduce_scatter_block(a, b, 16, MPI_INT, MPI_SUM, W);
}

// Bodies go round half of the ring, and their forces the same way back to their owners.
static void half_shell(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[2];
  for (int step = 0; step < 10; step++) {
    for (int hop = 1; hop <= size / 2; hop++) {
      MPI_Isend(a, 120, MPI_DOUBLE, next, hop, W, &requests[0]);
      MPI_Irecv(b, 120, MPI_DOUBLE, before, hop, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    int home = (rank + size - size / 2) % size, guest = (rank + size / 2) % size;
    MPI_Sendrecv(b, 90, MPI_DOUBLE, home, 99, c, 90, MPI_DOUBLE, guest, 99, W, MPI_STATUS_IGNORE);
    if (step % 5 == 0) MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, W);
  }
}

// Gauss and Seidel with two colours on a plane with walls: halos before each colour, a test of
// convergence every 25 sweeps.
static void two_colour_sweeps(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, north, south, west, east;
  MPI_Comm plane;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 1, &plane);
  MPI_Cart_shift(plane, 0, 1, &north, &south);
  MPI_Cart_shift(plane, 1, 1, &west, &east);
  for (int sweep = 1; sweep <= 100; sweep++) {
    for (int colour = 0; colour < 2; colour++) {
      MPI_Sendrecv(a, 20, MPI_DOUBLE, north, colour, b, 20, MPI_DOUBLE, south, colour, plane,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 20, MPI_DOUBLE, south, colour, b, 20, MPI_DOUBLE, north, colour, plane,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 15, MPI_DOUBLE, west, colour, b, 15, MPI_DOUBLE, east, colour, plane,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 15, MPI_DOUBLE, east, colour, b, 15, MPI_DOUBLE, west, colour, plane,
                   MPI_STATUS_IGNORE);
    }
    if (sweep % 25 == 0) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, plane);
  }
  MPI_Comm_free(&plane);
}

// Alternating directions: rows, a transpose, columns, and back again.
static void adi_transposes(void) {
  double before = 0, now = 1;
  for (int step = 0; step < 40; step++) {
    MPI_Alltoall(a, 16, MPI_DOUBLE, b, 16, MPI_DOUBLE, W);
    MPI_Alltoall(b, 16, MPI_DOUBLE, a, 16, MPI_DOUBLE, W);
    if (step % 16 == 15) {
      MPI_Reduce(&before, &now, 1, MPI_DOUBLE, MPI_SUM, 0, W);
      MPI_Bcast(&now, 1, MPI_DOUBLE, 0, W);
    }
  }
}

// Breadth first in a matrix of blocks: the frontier along columns, what is found along rows.
static void bfs_blocks(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, keep_row[2] = {0, 1}, keep_column[2] = {1, 0};
  int counts[64], displs[64], in[64], to[64], many, found = 1;
  MPI_Comm plane, row, column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &plane);
  MPI_Cart_sub(plane, keep_row, &row);
  MPI_Cart_sub(plane, keep_column, &column);
  for (int level = 0; found > 0; level++) {
    int mine = level < 3 ? 4 + rank % 3 : 0;
    MPI_Comm_size(column, &many);
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, column);
    for (int i = 0, at = 0; i < many; at += counts[i++]) displs[i] = at;
    MPI_Allgatherv(a, mine, MPI_INT, b, counts, displs, MPI_INT, column);
    MPI_Comm_size(row, &many);
    for (int i = 0; i < many; i++) counts[i] = 1 + (rank + i + level) % 3;
    MPI_Alltoall(counts, 1, MPI_INT, in, 1, MPI_INT, row);
    for (int i = 0, at = 0, put = 0; i < many; at += counts[i], put += in[i++]) {
      displs[i] = at;
      to[i] = put;
    }
    MPI_Alltoallv(a, counts, displs, MPI_INT, b, in, to, MPI_INT, row);
    MPI_Allreduce(&mine, &found, 1, MPI_INT, MPI_SUM, W);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Comm_free(&plane);
}

// All shortest paths: the owner of row k sends it on a line, each rank passes it on.
static void floyd_passed_on(void) {
  int n = 4 * size;
  for (int k = 0; k < n; k++) {
    int owner = k / 4;
    if (rank != owner) MPI_Recv(a, n, MPI_INT, (rank + size - 1) % size, k, W, MPI_STATUS_IGNORE);
    if ((rank + 1) % size != owner) MPI_Send(a, n, MPI_INT, (rank + 1) % size, k, W);
  }
  MPI_Reduce(a, b, 1, MPI_INT, MPI_MAX, 0, W);
}

// Householder's QR with columns dealt out in turn: the owner's reflector to all, shorter each time.
static void qr_columns(void) {
  int n = 3 * size;
  for (int k = 0; k < n; k++) {
    MPI_Bcast(a, n - k, MPI_DOUBLE, k % size, W);
    if (k % 8 == 7) MPI_Barrier(W);
  }
  if (rank == 0) {
    for (int k = 0; k < n; k++)
      if (k % size != 0) MPI_Recv(b, n, MPI_DOUBLE, k % size, k, W, MPI_STATUS_IGNORE);
  } else {
    for (int k = rank; k < n; k += size) MPI_Send(a, n, MPI_DOUBLE, 0, k, W);
  }
}

// A mixture of Gaussians by expectation and maximisation, until the likelihood stands still.
static void mixture(void) {
  double likelihood = 100, all = 0, before = -1;
  MPI_Scatter(a, 50, MPI_DOUBLE, b, 50, MPI_DOUBLE, 0, W);
  MPI_Bcast(a, 24, MPI_DOUBLE, 0, W);
  for (int it = 0; it < 200; it++) {
    MPI_Allreduce(a, b, 8, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(a, b, 16, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(a, b, 64, MPI_DOUBLE, MPI_SUM, W);
    MPI_Reduce(&likelihood, &all, 1, MPI_DOUBLE, MPI_SUM, 0, W);
    MPI_Bcast(&all, 1, MPI_DOUBLE, 0, W);
    if (it > 30 && all == before) break;
    before = all;
  }
  MPI_Gather(b, 50, MPI_DOUBLE, c, 50, MPI_DOUBLE, 0, W);
}

// Lanczos on a banded matrix: halos, two dot products, and all products anew every 12th vector.
static void lanczos(void) {
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  for (int j = 0; j < 48; j++) {
    MPI_Irecv(b, 10, MPI_DOUBLE, up, 0, W, &requests[0]);
    MPI_Irecv(b + 10, 10, MPI_DOUBLE, down, 1, W, &requests[1]);
    MPI_Isend(a, 10, MPI_DOUBLE, up, 1, W, &requests[2]);
    MPI_Isend(a, 10, MPI_DOUBLE, down, 0, W, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    if (j % 12 == 11) MPI_Allreduce(a, b, 12, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

// Samples are drawn by all; rank 0 prints sums that the others send every so often, and says stop.
static void samples_printed(void) {
  int stop = 0;
  for (int batch = 0; !stop; batch++) {
    if (rank != 0) {
      MPI_Send(a, 2, MPI_DOUBLE, 0, 5, W);
    } else {
      for (int from = 1; from < size; from++)
        MPI_Recv(b, 2, MPI_DOUBLE, from, 5, W, MPI_STATUS_IGNORE);
      stop = batch == 17;
    }
    MPI_Bcast(&stop, 1, MPI_INT, 0, W);
  }
}

// A bucket brigade: every bucket passes from the first hand to the last, one behind another.
static void bucket_brigade(void) {
  for (int bucket = 0; bucket < 30; bucket++) {
    if (rank > 0) MPI_Recv(a, 40, MPI_DOUBLE, rank - 1, bucket, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(a, 40, MPI_DOUBLE, rank + 1, bucket, W);
  }
  if (rank == size - 1) MPI_Send(a, 1, MPI_DOUBLE, 0, 1000, W);
  if (rank == 0) MPI_Recv(a, 1, MPI_DOUBLE, size - 1, 1000, W, MPI_STATUS_IGNORE);
}

// Deep halos on a plane: an exchange every fourth step, columns first, then rows with corners.
static void deep_plane(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 1}, north, south, west, east;
  MPI_Comm plane;
  MPI_Datatype rows;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &plane);
  MPI_Cart_shift(plane, 0, 1, &north, &south);
  MPI_Cart_shift(plane, 1, 1, &west, &east);
  MPI_Type_vector(40, 4, 48, MPI_DOUBLE, &rows);
  MPI_Type_commit(&rows);
  for (int step = 0; step < 120; step++) {
    if (step % 4 == 0) {
      MPI_Sendrecv(a, 1, rows, west, 1, b, 1, rows, east, 1, plane, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 1, rows, east, 2, b, 1, rows, west, 2, plane, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 192, MPI_DOUBLE, north, 3, b, 192, MPI_DOUBLE, south, 3, plane,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 192, MPI_DOUBLE, south, 4, b, 192, MPI_DOUBLE, north, 4, plane,
                   MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, plane);
    if (step % 30 == 29) MPI_Gather(a, 80, MPI_DOUBLE, c, 80, MPI_DOUBLE, 0, plane);
  }
  MPI_Type_free(&rows);
  MPI_Comm_free(&plane);
}

// A V-cycle on a line; odd ranks hand their coarse grid to the left and wait.
static void multigrid_paired(void) {
  for (int cycle = 0; cycle < 12; cycle++) {
    for (int hop = 1; hop < size; hop *= 2) {
      int is_in = rank % hop == 0;
      int left = is_in && rank >= hop ? rank - hop : MPI_PROC_NULL;
      int right = is_in && rank + hop < size ? rank + hop : MPI_PROC_NULL;
      MPI_Sendrecv(a, 4, MPI_DOUBLE, left, 1, b, 4, MPI_DOUBLE, right, 1, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 4, MPI_DOUBLE, right, 2, b, 4, MPI_DOUBLE, left, 2, W, MPI_STATUS_IGNORE);
      if (is_in && rank % (2 * hop) != 0) MPI_Send(a, 32, MPI_DOUBLE, rank - hop, 3, W);
      if (rank % (2 * hop) == 0 && rank + hop < size)
        MPI_Recv(b, 32, MPI_DOUBLE, rank + hop, 3, W, MPI_STATUS_IGNORE);
    }
    int top = 1;
    while (top < size) top *= 2;
    for (int hop = top / 2; hop >= 1; hop /= 2) {
      if (rank % (2 * hop) == 0 && rank + hop < size) MPI_Send(a, 32, MPI_DOUBLE, rank + hop, 4, W);
      if (rank % (2 * hop) == hop) MPI_Recv(b, 32, MPI_DOUBLE, rank - hop, 4, W, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
}

// Particles leave a cell over four sides; who receives them probes for how many they are.
static void particles_probed(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, sides[4], many, all;
  MPI_Comm torus;
  MPI_Request requests[4];
  MPI_Status status;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &torus);
  MPI_Cart_shift(torus, 0, 1, &sides[0], &sides[1]);
  MPI_Cart_shift(torus, 1, 1, &sides[2], &sides[3]);
  for (int step = 0; step < 20; step++) {
    for (int side = 0; side < 4; side++)
      MPI_Isend(a, 1 + (13 * rank + 7 * step + 5 * side) % 11, MPI_DOUBLE, sides[side], side, torus,
                &requests[side]);
    for (int side = 0; side < 4; side++) {
      MPI_Probe(sides[side ^ 1], side, torus, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &many);
      MPI_Recv(b, many, MPI_DOUBLE, sides[side ^ 1], side, torus, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (step % 10 == 0) MPI_Reduce(&many, &all, 1, MPI_INT, MPI_SUM, 0, torus);
  }
  MPI_Comm_free(&torus);
}

// A stepper that reads its state at rank 0, deals it out, and writes it there every 15 steps.
static void checkpoint_root(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (rank == 0) {
    for (int to = 1; to < size; to++) MPI_Send(a, 60, MPI_DOUBLE, to, 11, W);
  } else {
    MPI_Recv(a, 60, MPI_DOUBLE, 0, 11, W, MPI_STATUS_IGNORE);
  }
  for (int step = 1; step <= 60; step++) {
    MPI_Sendrecv(a, 2, MPI_DOUBLE, right, 1, b, 2, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 2, MPI_DOUBLE, left, 2, b, 2, MPI_DOUBLE, right, 2, W, MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, W);
    if (step % 15 == 0) {
      if (rank == 0) {
        for (int from = 1; from < size; from++)
          MPI_Recv(c, 60, MPI_DOUBLE, from, 12, W, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(a, 60, MPI_DOUBLE, 0, 12, W);
      }
      MPI_Barrier(W);
    }
  }
}

// Work wanders to the right at random; a token goes round until a whole round met nobody busy.
static void dijkstra_token(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, token, dirty = rank % 3 == 1;
  for (int round = 0;; round++) {
    if (round < 3) {
      MPI_Sendrecv(a, 5 + rank % 4, MPI_INT, next, 1, b, 16, MPI_INT, before, 1, W,
                   MPI_STATUS_IGNORE);
    } else {
      dirty = 0;
    }
    if (rank == 0) {
      token = dirty;
      MPI_Send(&token, 1, MPI_INT, next, 2, W);
      MPI_Recv(&token, 1, MPI_INT, before, 2, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&token, 1, MPI_INT, before, 2, W, MPI_STATUS_IGNORE);
      token |= dirty;
      MPI_Send(&token, 1, MPI_INT, next, 2, W);
    }
    MPI_Bcast(&token, 1, MPI_INT, 0, W);
    if (!token) break;
  }
}

// Sums over rows and columns of a grid of ranks, then over the first column.
static void grid_sums(void) {
  int dims[2] = {0, 0};
  MPI_Comm row, column;
  MPI_Dims_create(size, 2, dims);
  MPI_Comm_split(W, rank / dims[1], rank, &row);
  MPI_Comm_split(W, rank % dims[1], rank, &column);
  for (int step = 0; step < 25; step++) {
    MPI_Allreduce(a, b, 10, MPI_DOUBLE, MPI_SUM, row);
    MPI_Allreduce(a, b, 20, MPI_DOUBLE, MPI_SUM, column);
    MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, row);
    if (rank % dims[1] == 0) MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, column);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

// Cars on a ring road: cells at both ends, the mean speed printed every 50 steps.
static void traffic(void) {
  int up = (rank + 1) % size, down = (rank + size - 1) % size;
  int moves = 3, all;
  MPI_Status status;
  if (rank == 0)
    for (int to = 1; to < size; to++) MPI_Ssend(a, 100, MPI_INT, to, 0, W);
  else
    MPI_Recv(b, 100, MPI_INT, 0, 0, W, &status);
  for (int iter = 1; iter <= 150; iter++) {
    MPI_Sendrecv(a, 1, MPI_INT, up, 1, b, 1, MPI_INT, down, 1, W, &status);
    MPI_Sendrecv(a, 1, MPI_INT, down, 1, b, 1, MPI_INT, up, 1, W, &status);
    MPI_Allreduce(&moves, &all, 1, MPI_INT, MPI_SUM, W);
    if (iter % 50 == 0) MPI_Barrier(W);
  }
}

// A picture is restored from its edges: scattered, halos of strips, a test every 100 iterations.
static void picture_edges(void) {
  MPI_Request request;
  MPI_Scatter(a, 400, MPI_DOUBLE, b, 400, MPI_DOUBLE, 0, W);
  for (int iter = 1; iter <= 350; iter++) {
    if (rank < size - 1) MPI_Issend(a, 20, MPI_DOUBLE, rank + 1, 1, W, &request);
    if (rank > 0) MPI_Recv(b, 20, MPI_DOUBLE, rank - 1, 1, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Issend(a, 20, MPI_DOUBLE, rank - 1, 2, W, &request);
    if (rank < size - 1) MPI_Recv(b, 20, MPI_DOUBLE, rank + 1, 2, W, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (iter % 100 == 0) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
  MPI_Gather(b, 400, MPI_DOUBLE, c, 400, MPI_DOUBLE, 0, W);
}

// A proxy of hydrodynamics: a time step for all, faces of six neighbours, output by intervals.
static void hydro_boxes(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0}, low, high, n;
  MPI_Comm box;
  MPI_Request requests[4];
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(W, 3, dims, periods, 0, &box);
  for (int step = 0; step < 90; step++) {
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, box);
    for (int d = 0; d < 3; d++) {
      MPI_Cart_shift(box, d, 1, &low, &high);
      n = 0;
      MPI_Irecv(b, 100, MPI_DOUBLE, low, d, box, &requests[n++]);
      MPI_Irecv(b + 100, 100, MPI_DOUBLE, high, d, box, &requests[n++]);
      MPI_Isend(a, 100, MPI_DOUBLE, low, d, box, &requests[n++]);
      MPI_Isend(a + 100, 100, MPI_DOUBLE, high, d, box, &requests[n++]);
      MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    if (step % 15 == 0) MPI_Reduce(a, b, 3, MPI_DOUBLE, MPI_SUM, 0, box);
    if (step % 40 == 39) MPI_Gather(a, 50, MPI_DOUBLE, c, 50, MPI_DOUBLE, 0, box);
  }
  MPI_Comm_free(&box);
}

// Words are counted by each rank, sorted to their owners, and the most frequent found by a tree.
static void word_owners(void) {
  int out[64], in[64], many = 0;
  MPI_Request requests[128];
  for (int i = 0; i < size; i++) out[i] = 10 + (3 * rank + i) % 5;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
  for (int i = 0; i < size; i++)
    if (i != rank) MPI_Irecv(b + 16 * i, in[i], MPI_INT, i, 3, W, &requests[many++]);
  for (int i = 0; i < size; i++)
    if (i != rank) MPI_Isend(a + 16 * i, out[i], MPI_INT, i, 3, W, &requests[many++]);
  MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  for (int hop = 1; hop < size; hop *= 2) {
    if (rank % (2 * hop) == hop) {
      MPI_Send(a, 10, MPI_INT, rank - hop, 4, W);
      break;
    }
    if (rank + hop < size) MPI_Recv(b, 10, MPI_INT, rank + hop, 4, W, MPI_STATUS_IGNORE);
  }
}

// Rock, paper, scissors on a chain that swaps with alternating sides, and prints in rank order.
static void swaps_and_prints(void) {
  int token = 0;
  for (int step = 0; step < 48; step++) {
    int partner = (rank + step) % 2 ? rank - 1 : rank + 1;
    if (partner >= 0 && partner < size)
      MPI_Sendrecv(a, 12, MPI_INT, partner, 0, b, 12, MPI_INT, partner, 0, W, MPI_STATUS_IGNORE);
    if (step % 16 == 15) {
      if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 9, W, MPI_STATUS_IGNORE);
      if (rank < size - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, 9, W);
    }
  }
}

static const struct pattern patterns[] = {
    PATTERN(life_output),      PATTERN(cg_gathered),      PATTERN(cannon_or_ring),
    PATTERN(histogram_owners), PATTERN(half_shell),       PATTERN(two_colour_sweeps),
    PATTERN(adi_transposes),   PATTERN(bfs_blocks),       PATTERN(floyd_passed_on),
    PATTERN(qr_columns),       PATTERN(mixture),          PATTERN(lanczos),
    PATTERN(samples_printed),  PATTERN(bucket_brigade),   PATTERN(deep_plane),
    PATTERN(multigrid_paired), PATTERN(particles_probed), PATTERN(checkpoint_root),
    PATTERN(dijkstra_token),   PATTERN(grid_sums),        PATTERN(traffic),
    PATTERN(picture_edges),    PATTERN(hydro_boxes),      PATTERN(word_owners),
    PATTERN(swaps_and_prints)};
RUN_ONE_OF(patterns)
