// SPDX-License-Identifier: Apache-2.0
// Textbook patterns of exercises and kernel collections; textbook.py runs them. Written without
// regard to how Rondo says them.
#include "textbook_driver.h"

#define COUNT 128
#define ITERATIONS 20

// A histogram to which all add, whoever has the bin.
static void histogram_rma(void) {
  MPI_Win window;
  int one = 1;
  MPI_Win_create(a, 1024, sizeof(int), MPI_INFO_NULL, W, &window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 30; i++)
    MPI_Accumulate(&one, 1, MPI_INT, (rank * 5 + i) % size, i, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

// Even ranks make items, the odd one behind each takes them until one says stop.
static void producer_consumer(void) {
  if (rank % 2 == 0 && rank + 1 < size) {
    for (int item = 0; item < 15; item++) MPI_Send(a, 20, MPI_DOUBLE, rank + 1, 1, W);
    MPI_Send(a, 0, MPI_DOUBLE, rank + 1, 2, W);
  } else if (rank % 2 == 1) {
    MPI_Status s;
    do {
      MPI_Recv(b, 20, MPI_DOUBLE, rank - 1, MPI_ANY_TAG, W, &s);
    } while (s.MPI_TAG == 1);
  }
}

// Two halves, each with a communicator, exchange results through one that spans both.
static void halves_meet(void) {
  MPI_Comm half, between;
  int lower = rank < size / 2, there, mine;
  MPI_Comm_split(W, lower, rank, &half);
  MPI_Intercomm_create(half, 0, W, lower ? size / 2 : 0, 5, &between);
  MPI_Comm_remote_size(between, &there);
  MPI_Comm_rank(half, &mine);
  for (int t = 0; t < 10; t++) {
    MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, half);
    if (mine < there && mine < size - there)
      MPI_Sendrecv(a, 40, MPI_DOUBLE, mine, 0, b, 40, MPI_DOUBLE, mine, 0, between,
                   MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, between);
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

// Sums along rows and down columns of a grid of ranks.
static void rows_columns(void) {
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Comm row, column;
  MPI_Comm_split(W, rank / dims[1], rank, &row);
  MPI_Comm_split(W, rank % dims[1], rank, &column);
  for (int i = 0; i < ITERATIONS; i++) {
    MPI_Allreduce(a, b, 16, MPI_DOUBLE, MPI_SUM, row);
    MPI_Bcast(b, 16, MPI_DOUBLE, 0, column);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

// An all-gather in two levels: to the leader of the node, among leaders, and down again.
static void gather_two_levels(void) {
  MPI_Comm node, heads;
  MPI_Comm_split(W, rank / 4, rank, &node);
  int in_node, node_size;
  MPI_Comm_rank(node, &in_node);
  MPI_Comm_size(node, &node_size);
  MPI_Comm_split(W, in_node == 0 ? 0 : MPI_UNDEFINED, rank, &heads);
  for (int i = 0; i < 10; i++) {
    MPI_Gather(a, 10, MPI_INT, b, 10, MPI_INT, 0, node);
    if (heads != MPI_COMM_NULL) {
      int counts[64], at[64], n;
      MPI_Comm_size(heads, &n);
      for (int k = 0; k < n; k++) at[k] = 40 * k, counts[k] = k < n - 1 ? 40 : 10 * (size - 4 * k);
      MPI_Allgatherv(b, 10 * node_size, MPI_INT, c, counts, at, MPI_INT, heads);
    }
    MPI_Bcast(c, 10 * size, MPI_INT, 0, node);
  }
}

// Pencils: transposes within rows and within columns of a grid, each message by hand.
static void pencils_by_hand(void) {
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  int x = rank % dims[1], y = rank / dims[1];
  MPI_Request r[64];
  for (int step = 0; step < 5; step++) {
    int n = 0;
    for (int i = 0; i < dims[1]; i++)
      MPI_Irecv(a + 512 * i, 64, MPI_C_DOUBLE_COMPLEX, y * dims[1] + i, 1, W, &r[n++]);
    for (int i = 0; i < dims[1]; i++)
      MPI_Isend(b + 512 * i, 64, MPI_C_DOUBLE_COMPLEX, y * dims[1] + i, 1, W, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    n = 0;
    for (int i = 0; i < dims[0]; i++)
      MPI_Irecv(a + 512 * i, 48, MPI_C_DOUBLE_COMPLEX, i * dims[1] + x, 2, W, &r[n++]);
    for (int i = 0; i < dims[0]; i++)
      MPI_Isend(b + 512 * i, 48, MPI_C_DOUBLE_COMPLEX, i * dims[1] + x, 2, W, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  }
}

// Walkers leave to the right; how many come is asked with MPI_Probe.
static void random_walk(void) {
  int right = (rank + 1) % size, left = (rank + size - 1) % size, n;
  for (int round = 0; round < 10; round++) {
    int leaving = 1 + (rank * 13 + round * 5) % 7;
    MPI_Status s;
    if (rank % 2 == 0) {
      MPI_Send(a, leaving, MPI_2INT, right, 0, W);
      MPI_Probe(left, 0, W, &s);
      MPI_Get_count(&s, MPI_2INT, &n);
      MPI_Recv(b, n, MPI_2INT, left, 0, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Probe(left, 0, W, &s);
      MPI_Get_count(&s, MPI_2INT, &n);
      MPI_Recv(b, n, MPI_2INT, left, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, leaving, MPI_2INT, right, 0, W);
    }
  }
}

// A V-cycle whose coarse grids are on every second, fourth, ... rank.
static void multigrid_gathered(void) {
  for (int cycle = 0; cycle < 4; cycle++) {
    int stride = 1;
    for (; stride < size; stride *= 2) {
      int up = rank - stride, down = rank + stride;
      if (rank % stride) break;
      if (up >= 0)
        MPI_Sendrecv(a, 16, MPI_DOUBLE, up, 1, b, 16, MPI_DOUBLE, up, 1, W, MPI_STATUS_IGNORE);
      if (down < size)
        MPI_Sendrecv(a, 16, MPI_DOUBLE, down, 1, b, 16, MPI_DOUBLE, down, 1, W, MPI_STATUS_IGNORE);
      if (rank / stride % 2)
        MPI_Send(a, 64, MPI_DOUBLE, rank - stride, 2, W);
      else if (down < size)
        MPI_Recv(b, 64, MPI_DOUBLE, down, 2, W, MPI_STATUS_IGNORE);
    }
    for (stride /= 2; stride >= 1; stride /= 2) {
      if (rank % stride) continue;
      if (rank / stride % 2)
        MPI_Recv(b, 64, MPI_DOUBLE, rank - stride, 3, W, MPI_STATUS_IGNORE);
      else if (rank + stride < size)
        MPI_Send(a, 64, MPI_DOUBLE, rank + stride, 3, W);
    }
  }
}

// k-means: the sums of all clusters in one call, the number that moved in another.
static void kmeans(void) {
  MPI_Scatter(a, 100, MPI_FLOAT, b, 100, MPI_FLOAT, 0, W);
  MPI_Bcast(c, 24, MPI_FLOAT, 0, W);
  for (int i = 0; i < 12; i++) {
    MPI_Allreduce(a, b, 24, MPI_FLOAT, MPI_SUM, W);
    MPI_Allreduce(a, b, 8, MPI_INT, MPI_SUM, W);
    MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, W);
  }
  MPI_Gather(a, 100, MPI_INT, b, 100, MPI_INT, 0, W);
}

// BiCGSTAB on a line: two products and five sums a step.
static void bicgstab(void) {
  int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int i = 0; i < ITERATIONS; i++) {
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    for (int product = 0; product < 2; product++) {
      MPI_Sendrecv(a, 1, MPI_DOUBLE, left, 0, b, 1, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 1, MPI_DOUBLE, right, 1, b, 1, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
      MPI_Allreduce(a, b, product ? 2 : 1, MPI_DOUBLE, MPI_SUM, W);
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

// Jacobi on a plane that asks every tenth step whether it is done.
static void jacobi_tenth(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, up, down, left, right, me;
  MPI_Comm plane;
  MPI_Datatype column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 1, &plane);
  MPI_Comm_rank(plane, &me);
  MPI_Cart_shift(plane, 0, 1, &up, &down);
  MPI_Cart_shift(plane, 1, 1, &left, &right);
  MPI_Type_vector(50, 1, 52, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int it = 1; it <= 40; it++) {
    MPI_Request r[8];
    MPI_Irecv(a, 50, MPI_DOUBLE, up, 0, plane, &r[0]);
    MPI_Irecv(a + 51 * 52, 50, MPI_DOUBLE, down, 0, plane, &r[1]);
    MPI_Irecv(a + 52, 1, column, left, 0, plane, &r[2]);
    MPI_Irecv(a + 103, 1, column, right, 0, plane, &r[3]);
    MPI_Isend(b, 50, MPI_DOUBLE, up, 0, plane, &r[4]);
    MPI_Isend(b, 50, MPI_DOUBLE, down, 0, plane, &r[5]);
    MPI_Isend(b + 52, 1, column, left, 0, plane, &r[6]);
    MPI_Isend(b + 52, 1, column, right, 0, plane, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
    if (it % 10 == 0) {
      MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, plane);
      MPI_Bcast(b, 1, MPI_INT, 0, plane);
    }
  }
  MPI_Type_free(&column);
}

// Sparse matrix times vector on a graph that MPI knows.
static void spmv_graph(void) {
  int out[3], in[3], counts[3] = {4, 8, 2}, at[3] = {0, 4, 12}, n = size > 5 ? 3 : 1;
  int step[3] = {1, 2, 5};
  MPI_Comm graph;
  for (int i = 0; i < n; i++)
    out[i] = (rank + step[i]) % size, in[i] = (rank - step[i] + 5 * size) % size;
  MPI_Dist_graph_create_adjacent(W, n, in, MPI_UNWEIGHTED, n, out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  for (int i = 0; i < ITERATIONS; i++) {
    MPI_Neighbor_alltoallv(a, counts, at, MPI_DOUBLE, b, counts, at, MPI_DOUBLE, graph);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
  MPI_Comm_free(&graph);
}

// Output in two phases: to an aggregator of four ranks, which writes for them.
static void two_phase_output(void) {
  int aggregator = rank / 4 * 4, group = aggregator + 4 <= size ? 4 : size - aggregator;
  MPI_Comm writers;
  MPI_File file;
  MPI_Comm_split(W, rank == aggregator ? 1 : MPI_UNDEFINED, rank, &writers);
  if (rank == aggregator)
    MPI_File_open(writers, "/tmp/rondo_two_phase.bin", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &file);
  for (int t = 0; t < 4; t++) {
    if (rank != aggregator) {
      MPI_Send(a, 200, MPI_DOUBLE, aggregator, t, W);
    } else {
      for (int i = 1; i < group; i++)
        MPI_Recv(b + 200 * i, 200, MPI_DOUBLE, rank + i, t, W, MPI_STATUS_IGNORE);
      MPI_File_write_at_all(file, (MPI_Offset)8 * 200 * (t * size + rank), b, 200 * group,
                            MPI_DOUBLE, MPI_STATUS_IGNORE);
    }
  }
  if (rank == aggregator) {
    MPI_File_close(&file);
    MPI_Comm_free(&writers);
  }
}

// Greetings from everyone, in order.
static void greetings(void) {
  char message[100] = "greetings";
  if (rank != 0) {
    MPI_Send(message, 10, MPI_CHAR, 0, 0, W);
  } else {
    for (int q = 1; q < size; q++) MPI_Recv(message, 100, MPI_CHAR, q, 0, W, MPI_STATUS_IGNORE);
  }
}

// A sum by a tree, as an exercise: half of those left send to the other half.
static void tree_exercise(void) {
  int divisor = 2, difference = 1, at_work = 1;
  while (difference < size && at_work) {
    if (rank % divisor == 0) {
      if (rank + difference < size)
        MPI_Recv(a, 1, MPI_DOUBLE, rank + difference, 0, W, MPI_STATUS_IGNORE);
      divisor *= 2;
      difference *= 2;
    } else {
      MPI_Send(a, 1, MPI_DOUBLE, rank - difference, 0, W);
      at_work = 0;
    }
  }
}

// Heat with a master that deals out blocks and takes them back; the workers are a chain.
static void heat_master(void) {
  int workers = size - 1;
  if (rank == 0) {
    for (int w = 1; w <= workers; w++) {
      int info[4] = {w, 10, w == 1 ? 0 : w - 1, w == workers ? 0 : w + 1};
      MPI_Send(&info[0], 1, MPI_INT, w, 1, W);
      MPI_Send(&info[1], 1, MPI_INT, w, 1, W);
      MPI_Send(&info[2], 1, MPI_INT, w, 1, W);
      MPI_Send(&info[3], 1, MPI_INT, w, 1, W);
      MPI_Send(a, 10 * 20, MPI_FLOAT, w, 1, W);
    }
    for (int w = 1; w <= workers; w++) {
      int offset, rows;
      MPI_Recv(&offset, 1, MPI_INT, w, 4, W, MPI_STATUS_IGNORE);
      MPI_Recv(&rows, 1, MPI_INT, w, 4, W, MPI_STATUS_IGNORE);
      MPI_Recv(a, rows * 20, MPI_FLOAT, w, 4, W, MPI_STATUS_IGNORE);
    }
  } else {
    int offset, rows, left, right;
    MPI_Recv(&offset, 1, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Recv(&rows, 1, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Recv(&left, 1, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Recv(&right, 1, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Recv(a, rows * 20, MPI_FLOAT, 0, 1, W, MPI_STATUS_IGNORE);
    for (int t = 0; t < ITERATIONS; t++) {
      if (left != 0) {
        MPI_Send(a, 20, MPI_FLOAT, left, 3, W);
        MPI_Recv(b, 20, MPI_FLOAT, left, 2, W, MPI_STATUS_IGNORE);
      }
      if (right != 0) {
        MPI_Send(a, 20, MPI_FLOAT, right, 2, W);
        MPI_Recv(b, 20, MPI_FLOAT, right, 3, W, MPI_STATUS_IGNORE);
      }
    }
    MPI_Send(&offset, 1, MPI_INT, 0, 4, W);
    MPI_Send(&rows, 1, MPI_INT, 0, 4, W);
    MPI_Send(a, rows * 20, MPI_FLOAT, 0, 4, W);
  }
}

// Bandwidth of every pair, one after the other.
static void all_pairs(void) {
  for (int i = 0; i < size; i++) {
    for (int j = i + 1; j < size; j++) {
      if (rank == i) {
        MPI_Send(a, 1000, MPI_BYTE, j, 0, W);
        MPI_Recv(a, 1000, MPI_BYTE, j, 0, W, MPI_STATUS_IGNORE);
      } else if (rank == j) {
        MPI_Recv(a, 1000, MPI_BYTE, i, 0, W, MPI_STATUS_IGNORE);
        MPI_Send(a, 1000, MPI_BYTE, i, 0, W);
      }
      MPI_Barrier(W);
    }
  }
}

// The pipeline of a kernel collection: lines pass from rank to rank, then the corner goes back.
static void corner_back(void) {
  for (int it = 0; it < 5; it++) {
    for (int line = 0; line < 30; line++) {
      if (rank > 0) MPI_Recv(a, 1, MPI_DOUBLE, rank - 1, line, W, MPI_STATUS_IGNORE);
      if (rank < size - 1) MPI_Send(b, 1, MPI_DOUBLE, rank + 1, line, W);
    }
    if (size > 1) {
      if (rank == size - 1) MPI_Send(b, 1, MPI_DOUBLE, 0, 99, W);
      if (rank == 0) MPI_Recv(a, 1, MPI_DOUBLE, size - 1, 99, W, MPI_STATUS_IGNORE);
    }
  }
}

// Its stencil: four directions, each with a test of its own.
static void stencil_tests(void) {
  int px, py, x, y;
  for (px = 1; (px + 1) * (px + 1) <= size; px++) continue;
  while (size % px) px--;
  py = size / px;
  x = rank % px;
  y = rank / px;
  MPI_Request r[8];
  for (int it = 0; it <= ITERATIONS; it++) {
    if (y < py - 1) {
      MPI_Irecv(a, 400, MPI_DOUBLE, rank + px, 101, W, &r[1]);
      MPI_Isend(b, 400, MPI_DOUBLE, rank + px, 99, W, &r[0]);
    }
    if (y > 0) {
      MPI_Irecv(a, 400, MPI_DOUBLE, rank - px, 99, W, &r[3]);
      MPI_Isend(b, 400, MPI_DOUBLE, rank - px, 101, W, &r[2]);
    }
    if (y < py - 1) {
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
      MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    }
    if (y > 0) {
      MPI_Wait(&r[2], MPI_STATUS_IGNORE);
      MPI_Wait(&r[3], MPI_STATUS_IGNORE);
    }
    if (x < px - 1) {
      MPI_Irecv(a, 300, MPI_DOUBLE, rank + 1, 1010, W, &r[5]);
      MPI_Isend(b, 300, MPI_DOUBLE, rank + 1, 990, W, &r[4]);
    }
    if (x > 0) {
      MPI_Irecv(a, 300, MPI_DOUBLE, rank - 1, 990, W, &r[7]);
      MPI_Isend(b, 300, MPI_DOUBLE, rank - 1, 1010, W, &r[6]);
    }
    if (x < px - 1) {
      MPI_Wait(&r[4], MPI_STATUS_IGNORE);
      MPI_Wait(&r[5], MPI_STATUS_IGNORE);
    }
    if (x > 0) {
      MPI_Wait(&r[6], MPI_STATUS_IGNORE);
      MPI_Wait(&r[7], MPI_STATUS_IGNORE);
    }
  }
  MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, W);
}

static const struct pattern patterns[] = {
    PATTERN(histogram_rma),    PATTERN(producer_consumer),  PATTERN(halves_meet),
    PATTERN(rows_columns),     PATTERN(gather_two_levels),  PATTERN(pencils_by_hand),
    PATTERN(random_walk),      PATTERN(multigrid_gathered), PATTERN(kmeans),
    PATTERN(bicgstab),         PATTERN(jacobi_tenth),       PATTERN(spmv_graph),
    PATTERN(two_phase_output), PATTERN(greetings),          PATTERN(tree_exercise),
    PATTERN(heat_master),      PATTERN(all_pairs),          PATTERN(corner_back),
    PATTERN(stencil_tests),
};
RUN_ONE_OF(patterns)
