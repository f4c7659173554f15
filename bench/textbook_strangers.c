// SPDX-License-Identifier: Apache-2.0
// Textbook patterns as people write them for a first real problem of their own; textbook.py runs
// them. Written without regard to how Rondo says them.
#include "textbook_driver.h"

// Jacobi on a plane; whether it has converged is asked every fifth sweep.
static void jacobi_checked(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, west, east, south, north;
  MPI_Comm grid;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &west, &east);
  MPI_Cart_shift(grid, 1, 1, &south, &north);
  for (int sweep = 0; sweep < 33; sweep++) {
    MPI_Sendrecv(a, 40, MPI_DOUBLE, west, 1, b, 40, MPI_DOUBLE, east, 1, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 40, MPI_DOUBLE, east, 2, b, 40, MPI_DOUBLE, west, 2, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 50, MPI_DOUBLE, south, 3, b, 50, MPI_DOUBLE, north, 3, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 50, MPI_DOUBLE, north, 4, b, 50, MPI_DOUBLE, south, 4, grid, MPI_STATUS_IGNORE);
    if (sweep % 5 == 0) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Comm_free(&grid);
}

// A cube of blocks with all 26 neighbours, as hydrodynamics codes sum forces at shared nodes.
static void shared_nodes_26(void) {
  int dims[3] = {0, 0, 0}, n = 0;
  MPI_Request requests[52];
  MPI_Dims_create(size, 3, dims);
  int x = rank % dims[2], y = rank / dims[2] % dims[1], z = rank / dims[2] / dims[1];
  for (int cycle = 0; cycle < 12; cycle++) {
    n = 0;
    for (int k = -1; k <= 1; k++)
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
          if ((!i && !j && !k) || x + i < 0 || x + i >= dims[2] || y + j < 0 || y + j >= dims[1] ||
              z + k < 0 || z + k >= dims[0])
            continue;
          int other = rank + i + dims[2] * (j + dims[1] * k);
          int count = (i ? 1 : 9) * (j ? 1 : 9) * (k ? 1 : 9);
          MPI_Irecv(b, count, MPI_DOUBLE, other, 1024, W, &requests[n++]);
          MPI_Isend(a, count, MPI_DOUBLE, other, 1024, W, &requests[n++]);
        }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, W);
  }
}

// Particles in cells: ghost cells of the charge, sweeps for the field, and who left moves on.
static void particle_cells(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, west, east, south, north, moved;
  MPI_Comm grid;
  MPI_Status status;
  MPI_Request request;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &west, &east);
  MPI_Cart_shift(grid, 1, 1, &south, &north);
  int to[4] = {west, east, south, north}, from[4] = {east, west, north, south};
  srand(rank + 1);
  for (int step = 0; step < 10; step++) {
    for (int d = 0; d < 4; d++)
      MPI_Sendrecv(a, 32, MPI_DOUBLE, to[d], d, b, 32, MPI_DOUBLE, from[d], d, grid,
                   MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 2, MPI_DOUBLE, MPI_SUM, grid);
    for (int d = 0; d < 4; d++) {
      MPI_Isend(a, 6 * (rand() % 20 + 1), MPI_DOUBLE, to[d], 10, grid, &request);
      MPI_Probe(from[d], 10, grid, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &moved);
      MPI_Recv(b, moved, MPI_DOUBLE, from[d], 10, grid, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (step % 3 == 2) MPI_Gather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, grid);
  }
  MPI_Comm_free(&grid);
}

// A transpose by one exchange with each other rank in turn, as FFT libraries plan it.
static void transpose_in_turns(void) {
  for (int transform = 0; transform < 6; transform++)
    for (int step = 1; step < size; step++) {
      int to = (rank + step) % size, from = (rank - step + size) % size;
      MPI_Sendrecv(a, 64, MPI_DOUBLE, to, step, b, 64, MPI_DOUBLE, from, step, W,
                   MPI_STATUS_IGNORE);
    }
}

// A merge sort: halves go down a tree, sorted halves come back up.
static void merge_sort(void) {
  int step = 1, have = 4096;
  while (step < size) step *= 2;
  for (int height = step; height > 1; height /= 2) {
    if (rank % height == 0 && rank + height / 2 < size) {
      have /= 2;
      MPI_Send(a, have, MPI_DOUBLE, rank + height / 2, 1, W);
    } else if (rank % height == height / 2) {
      MPI_Recv(a, 4096, MPI_DOUBLE, rank - height / 2, 1, W, MPI_STATUS_IGNORE);
    }
  }
  for (int height = 2; height <= step; height *= 2) {
    if (rank % height == 0 && rank + height / 2 < size)
      MPI_Recv(b, 4096, MPI_DOUBLE, rank + height / 2, 2, W, MPI_STATUS_IGNORE);
    else if (rank % height == height / 2)
      MPI_Send(a, 128, MPI_DOUBLE, rank - height / 2, 2, W);
  }
}

// The area under a curve: all send their part to rank 0, which takes them in order.
static void trapezoids(void) {
  double part = rank, whole = 0;
  int n = 1024;
  MPI_Bcast(&n, 1, MPI_INT, 0, W);
  if (rank != 0) {
    MPI_Send(&part, 1, MPI_DOUBLE, 0, 0, W);
  } else {
    for (int source = 1; source < size; source++) {
      MPI_Recv(&whole, 1, MPI_DOUBLE, source, 0, W, MPI_STATUS_IGNORE);
      part += whole;
    }
  }
}

// A picture: rows are dealt out, filtered with rows of the neighbours, and gathered.
static void picture_filter(void) {
  int counts[64], starts[64], up = rank - 1, down = rank + 1;
  for (int r = 0, at = 0; r < size; at += counts[r++]) {
    counts[r] = 100 * (30 / size + (r < 30 % size));
    starts[r] = at;
  }
  if (up < 0) up = MPI_PROC_NULL;
  if (down == size) down = MPI_PROC_NULL;
  MPI_Scatterv(a, counts, starts, MPI_DOUBLE, b, counts[rank], MPI_DOUBLE, 0, W);
  for (int pass = 0; pass < 8; pass++) {
    MPI_Request r[4];
    MPI_Irecv(b, 100, MPI_DOUBLE, up, 0, W, &r[0]);
    MPI_Irecv(c, 100, MPI_DOUBLE, down, 1, W, &r[1]);
    MPI_Isend(a, 100, MPI_DOUBLE, up, 1, W, &r[2]);
    MPI_Isend(a, 100, MPI_DOUBLE, down, 0, W, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  }
  MPI_Gatherv(b, counts[rank], MPI_DOUBLE, a, counts, starts, MPI_DOUBLE, 0, W);
}

// Queens on a board: rank 0 hands out first columns to whoever asks, and counts what comes back.
static void queens(void) {
  int task, answer = 0, all = 0;
  MPI_Status status;
  if (rank == 0) {
    int next = 0, stopped = 0;
    while (stopped < size - 1) {
      MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &status);
      task = next < 48 ? next++ : -1;
      stopped += task < 0;
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 2, W);
    }
  } else {
    do {
      MPI_Send(&answer, 1, MPI_INT, 0, 1, W);
      MPI_Recv(&task, 1, MPI_INT, 0, 2, W, MPI_STATUS_IGNORE);
    } while (task >= 0);
  }
  MPI_Reduce(&answer, &all, 1, MPI_INT, MPI_SUM, 0, W);
}

// Transport sweeps from the four corners of a plane, several planes of angles behind one another.
static void corner_sweeps(void) {
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  int x = rank % dims[1], y = rank / dims[1];
  for (int corner = 0; corner < 4; corner++) {
    int dx = corner % 2 ? -1 : 1, dy = corner / 2 ? -1 : 1;
    int before_x = x - dx >= 0 && x - dx < dims[1], after_x = x + dx >= 0 && x + dx < dims[1];
    int before_y = y - dy >= 0 && y - dy < dims[0], after_y = y + dy >= 0 && y + dy < dims[0];
    for (int plane = 0; plane < 6; plane++) {
      if (before_x) MPI_Recv(a, 60, MPI_DOUBLE, rank - dx, corner, W, MPI_STATUS_IGNORE);
      if (before_y) MPI_Recv(b, 70, MPI_DOUBLE, rank - dy * dims[1], corner, W, MPI_STATUS_IGNORE);
      if (after_x) MPI_Send(a, 60, MPI_DOUBLE, rank + dx, corner, W);
      if (after_y) MPI_Send(b, 70, MPI_DOUBLE, rank + dy * dims[1], corner, W);
    }
  }
}

// A lattice Boltzmann step: three populations across each side, one across each corner.
static void lattice_boltzmann(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, here[2], neighbours[8], n = 0;
  MPI_Comm grid;
  MPI_Request r[16];
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, here);
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++) {
      int there[2] = {here[0] + i, here[1] + j};
      if (i || j) MPI_Cart_rank(grid, there, &neighbours[n++]);
    }
  for (int step = 0; step < 15; step++) {
    for (int k = 0; k < 8; k++)
      MPI_Irecv(b, k == 0 || k == 2 || k == 5 || k == 7 ? 1 : 90, MPI_DOUBLE, neighbours[k], 7 - k,
                grid, &r[k]);
    for (int k = 0; k < 8; k++)
      MPI_Isend(a, k == 0 || k == 2 || k == 5 || k == 7 ? 1 : 90, MPI_DOUBLE, neighbours[k], k,
                grid, &r[8 + k]);
    MPI_Waitall(16, r, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&grid);
}

// Life with eight persistent neighbours on a torus, started together.
static void life_persistent(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, here[2], other, n = 0, alive;
  MPI_Comm grid;
  MPI_Request r[16];
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, here);
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++) {
      if (!i && !j) continue;
      int there[2] = {here[0] + i, here[1] + j};
      MPI_Cart_rank(grid, there, &other);
      MPI_Send_init(a, i && j ? 1 : 20, MPI_INT, other, 3 * i + j + 4, grid, &r[n++]);
      MPI_Recv_init(b, i && j ? 1 : 20, MPI_INT, other, 4 - 3 * i - j, grid, &r[n++]);
    }
  for (int generation = 0; generation < 25; generation++) {
    MPI_Startall(n, r);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    if (generation % 10 == 0) MPI_Allreduce(a, &alive, 1, MPI_INT, MPI_SUM, grid);
  }
  for (int k = 0; k < n; k++) MPI_Request_free(&r[k]);
  MPI_Comm_free(&grid);
}

// A bound for branches: who finds a better one tells all others, which look before each branch.
static void branch_and_bound(void) {
  int bound = 1000, found = 0, there;
  MPI_Request sends[64];
  for (int node = 0; node < 12; node++) {
    for (MPI_Iprobe(MPI_ANY_SOURCE, 5, W, &there, MPI_STATUS_IGNORE); there;
         MPI_Iprobe(MPI_ANY_SOURCE, 5, W, &there, MPI_STATUS_IGNORE)) {
      MPI_Recv(&bound, 1, MPI_INT, MPI_ANY_SOURCE, 5, W, MPI_STATUS_IGNORE);
      found++;
    }
    if (node % size == rank) {
      int n = 0;
      for (int r = 0; r < size; r++)
        if (r != rank) MPI_Isend(&node, 1, MPI_INT, r, 5, W, &sends[n++]);
      MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
    }
  }
  int mine = 12 / size + (rank < 12 % size);
  for (; found < 12 - mine; found++)
    MPI_Recv(&bound, 1, MPI_INT, MPI_ANY_SOURCE, 5, W, MPI_STATUS_IGNORE);
  MPI_Allreduce(&bound, &there, 1, MPI_INT, MPI_MIN, W);
}

// A wave on a string with three ghost cells, exchanged every third step.
static void wave_deep_halo(void) {
  for (int step = 0; step < 40; step++) {
    if (step % 3 == 0) {
      if (rank > 0) MPI_Send(a, 3, MPI_DOUBLE, rank - 1, 1, W);
      if (rank < size - 1) MPI_Recv(b, 3, MPI_DOUBLE, rank + 1, 1, W, MPI_STATUS_IGNORE);
      if (rank < size - 1) MPI_Send(a, 3, MPI_DOUBLE, rank + 1, 2, W);
      if (rank > 0) MPI_Recv(b, 3, MPI_DOUBLE, rank - 1, 2, W, MPI_STATUS_IGNORE);
    }
    if (step % 8 == 7) MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, W);
  }
}

// Gradient of a network: leaders of nodes in a ring, members of a node through their leader.
static void gradients_by_node(void) {
  MPI_Comm node, leaders;
  int in_node, lead, nodes;
  MPI_Comm_split(W, rank / 3, rank, &node);
  MPI_Comm_rank(node, &in_node);
  MPI_Comm_split(W, in_node == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  for (int batch = 0; batch < 9; batch++) {
    MPI_Reduce(a, b, 500, MPI_DOUBLE, MPI_SUM, 0, node);
    if (in_node == 0) {
      MPI_Comm_rank(leaders, &lead);
      MPI_Comm_size(leaders, &nodes);
      for (int step = 0; step < 2 * (nodes - 1); step++)
        MPI_Sendrecv(a, 500 / nodes, MPI_DOUBLE, (lead + 1) % nodes, 0, b, 500 / nodes, MPI_DOUBLE,
                     (lead + nodes - 1) % nodes, 0, leaders, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(b, 500, MPI_DOUBLE, 0, node);
  }
  if (in_node == 0) MPI_Comm_free(&leaders);
  MPI_Comm_free(&node);
}

// LU of blocks dealt out over a grid of ranks: panels go along rows and down columns.
static void lu_blocks(void) {
  int dims[2] = {0, 0};
  MPI_Comm row, column;
  MPI_Dims_create(size, 2, dims);
  int x = rank % dims[1], y = rank / dims[1];
  MPI_Comm_split(W, y, x, &row);
  MPI_Comm_split(W, x, y, &column);
  for (int k = 0; k < 12; k++) {
    if (k % dims[0] == y) MPI_Bcast(a, 64, MPI_DOUBLE, k % dims[1], row);
    if (k % dims[1] == x) MPI_Bcast(b, 64, MPI_DOUBLE, k % dims[0], column);
    MPI_Bcast(a, 128, MPI_DOUBLE, k % dims[1], row);
    MPI_Bcast(b, 128, MPI_DOUBLE, k % dims[0], column);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

// Running sums along a line: each adds its own to what comes from the left.
static void running_sum(void) {
  double sum = rank, left = 0;
  if (rank > 0) MPI_Recv(&left, 1, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
  sum += left;
  if (rank < size - 1) MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 0, W);
  MPI_Bcast(&sum, 1, MPI_DOUBLE, size - 1, W);
}

// Shear sort of a grid: rows in a snake, then columns, odd and even neighbours in turn.
static void shear_sort(void) {
  int dims[2] = {0, 0}, phases = 1;
  MPI_Dims_create(size, 2, dims);
  int x = rank % dims[1], y = rank / dims[1];
  while (1 << phases < dims[0]) phases++;
  for (int phase = 0; phase <= phases; phase++) {
    for (int step = 0; step < dims[1]; step++) {
      int other = (x + step) % 2 == 0 ? x + 1 : x - 1;
      if (other >= 0 && other < dims[1])
        MPI_Sendrecv(a, 10, MPI_INT, rank + other - x, 0, b, 10, MPI_INT, rank + other - x, 0, W,
                     MPI_STATUS_IGNORE);
    }
    for (int step = 0; step < dims[0]; step++) {
      int other = (y + step) % 2 == 0 ? y + 1 : y - 1;
      if (other >= 0 && other < dims[0])
        MPI_Sendrecv(a, 10, MPI_INT, rank + (other - y) * dims[1], 1, b, 10, MPI_INT,
                     rank + (other - y) * dims[1], 1, W, MPI_STATUS_IGNORE);
    }
  }
}

static const struct pattern patterns[] = {
    PATTERN(jacobi_checked),  PATTERN(shared_nodes_26),
    PATTERN(particle_cells),  PATTERN(transpose_in_turns),
    PATTERN(merge_sort),      PATTERN(trapezoids),
    PATTERN(picture_filter),  PATTERN(queens),
    PATTERN(corner_sweeps),   PATTERN(lattice_boltzmann),
    PATTERN(life_persistent), PATTERN(branch_and_bound),
    PATTERN(wave_deep_halo),  PATTERN(gradients_by_node),
    PATTERN(lu_blocks),       PATTERN(running_sum),
    PATTERN(shear_sort),
};
RUN_ONE_OF(patterns)
