// SPDX-License-Identifier: Apache-2.0
// Textbook patterns a fifth time, as lectures, tutorials and exercises have them; textbook.py runs
// them. Written without regard to how Rondo says them.
#include "textbook_driver.h"

#define COUNT 128
#define ITERATIONS 20

// Exercise 1 of every course: two ranks, messages of growing size.
static void pingpong_sizes(void) {
  for (int n = 1; n <= 1 << 14; n *= 4) {
    for (int i = 0; i < 10; i++) {
      if (rank == 0) {
        MPI_Send(a, n, MPI_DOUBLE, 1, 0, W);
        MPI_Recv(a, n, MPI_DOUBLE, 1, 0, W, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(a, n, MPI_DOUBLE, 0, 0, W, MPI_STATUS_IGNORE);
        MPI_Send(a, n, MPI_DOUBLE, 0, 0, W);
      }
    }
  }
}

// Sum of all ranks' values by passing them round.
static void ring_replace(void) {
  int left = (rank - 1 + size) % size, right = (rank + 1) % size;
  double value = rank, sum = 0;
  for (int i = 0; i < size; i++) {
    sum += value;
    MPI_Sendrecv_replace(&value, 1, MPI_DOUBLE, right, 10, left, 10, W, MPI_STATUS_IGNORE);
  }
  MPI_Reduce(&sum, a, 1, MPI_DOUBLE, MPI_SUM, 0, W);
}

// Odd-even transposition with all four cases written out.
static void transposition_sort(void) {
  for (int phase = 0; phase < size; phase++) {
    if (phase % 2 == 0) {
      if (rank % 2 == 0 && rank + 1 < size) {
        MPI_Send(a, COUNT, MPI_INT, rank + 1, 0, W);
        MPI_Recv(b, COUNT, MPI_INT, rank + 1, 0, W, MPI_STATUS_IGNORE);
      } else if (rank % 2 == 1) {
        MPI_Recv(b, COUNT, MPI_INT, rank - 1, 0, W, MPI_STATUS_IGNORE);
        MPI_Send(a, COUNT, MPI_INT, rank - 1, 0, W);
      }
    } else {
      if (rank % 2 == 1 && rank + 1 < size) {
        MPI_Send(a, COUNT, MPI_INT, rank + 1, 0, W);
        MPI_Recv(b, COUNT, MPI_INT, rank + 1, 0, W, MPI_STATUS_IGNORE);
      } else if (rank % 2 == 0 && rank > 0) {
        MPI_Recv(b, COUNT, MPI_INT, rank - 1, 0, W, MPI_STATUS_IGNORE);
        MPI_Send(a, COUNT, MPI_INT, rank - 1, 0, W);
      }
    }
  }
}

// Cannon on as large a square as there is; the others have nothing to do.
static void cannon_buffers(void) {
  int q = 1;
  while ((q + 1) * (q + 1) <= size) q++;
  MPI_Comm square, grid;
  MPI_Comm_split(W, rank < q * q ? 0 : MPI_UNDEFINED, rank, &square);
  if (square == MPI_COMM_NULL) return;
  int dims[2] = {q, q}, periods[2] = {1, 1}, me, at[2], left, right, up, down, from, to;
  MPI_Cart_create(square, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &me);
  MPI_Cart_coords(grid, me, 2, at);
  MPI_Cart_shift(grid, 1, -at[0], &from, &to);
  MPI_Sendrecv_replace(a, COUNT, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
  MPI_Cart_shift(grid, 0, -at[1], &from, &to);
  MPI_Sendrecv_replace(b, COUNT, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
  MPI_Cart_shift(grid, 1, -1, &right, &left);
  MPI_Cart_shift(grid, 0, -1, &down, &up);
  for (int step = 0; step < 2 * q; step++) {
    MPI_Request r[4];
    MPI_Isend(a, COUNT, MPI_DOUBLE, left, 1, grid, &r[0]);
    MPI_Isend(b, COUNT, MPI_DOUBLE, up, 1, grid, &r[1]);
    MPI_Irecv(c, COUNT, MPI_DOUBLE, right, 1, grid, &r[2]);
    MPI_Irecv(c + COUNT, COUNT, MPI_DOUBLE, down, 1, grid, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&grid);
  MPI_Comm_free(&square);
}

// SUMMA on any grid, the next panel on its way while this one is multiplied.
static void summa_ahead(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, keep_row[2] = {0, 1}, keep_column[2] = {1, 0};
  MPI_Comm grid, row, column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 1, &grid);
  MPI_Cart_sub(grid, keep_row, &row);
  MPI_Cart_sub(grid, keep_column, &column);
  int panels = dims[0] * dims[1];
  MPI_Request r[2];
  for (int k = 0; k < panels; k++) {
    MPI_Ibcast(a, 64, MPI_DOUBLE, k % dims[1], row, &r[0]);
    MPI_Ibcast(b, 64, MPI_DOUBLE, k % dims[0], column, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
}

// Radix sort: four digits, each with a histogram and a redistribution.
static void radix_sort(void) {
  int counts[64], displacements[64], got[64], from[64];
  for (int digit = 0; digit < 4; digit++) {
    MPI_Allreduce(a, b, 256, MPI_INT, MPI_SUM, W);
    MPI_Exscan(a, c, 256, MPI_INT, MPI_SUM, W);
    for (int i = 0; i < size; i++) counts[i] = 8, displacements[i] = 8 * i;
    MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, W);
    for (int i = 0; i < size; i++) from[i] = 8 * i;
    MPI_Alltoallv(a, counts, displacements, MPI_INT, b, got, from, MPI_INT, W);
  }
}

// Prefix sums along a hypercube; a partner beyond the last rank is left out.
static void prefix_hypercube(void) {
  int sum = rank, total = rank, other;
  for (int bit = 1; bit < size; bit <<= 1) {
    int partner = rank ^ bit;
    if (partner >= size) continue;
    MPI_Sendrecv(&total, 1, MPI_INT, partner, 0, &other, 1, MPI_INT, partner, 0, W,
                 MPI_STATUS_IGNORE);
    total += other;
    if (partner < rank) sum += other;
  }
  a[0] = sum;
}

// Conway's game on a torus, eight neighbours from MPI_Cart_rank.
static void life_torus(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, me, at[2], neighbour[8], n = 0,
      amount[8] = {1, 32, 1, 32, 32, 1, 32, 1};
  MPI_Comm torus;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &torus);
  MPI_Comm_rank(torus, &me);
  MPI_Cart_coords(torus, me, 2, at);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int there[2] = {at[0] + dy, at[1] + dx};
      if (dx || dy) MPI_Cart_rank(torus, there, &neighbour[n++]);
    }
  for (int generation = 0; generation < ITERATIONS; generation++) {
    MPI_Request r[16];
    for (int i = 0; i < 8; i++)
      MPI_Irecv(a + 64 * i, amount[i], MPI_CHAR, neighbour[i], 7 - i, torus, &r[i]);
    for (int i = 0; i < 8; i++)
      MPI_Isend(b + 64 * i, amount[i], MPI_CHAR, neighbour[i], i, torus, &r[8 + i]);
    MPI_Waitall(16, r, MPI_STATUSES_IGNORE);
  }
}

// Gauss-Seidel in two colours, with one exchange for each.
static void gauss_seidel(void) {
  int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  double change = 1, all;
  for (int it = 0; it < ITERATIONS; it++) {
    for (int colour = 0; colour < 2; colour++) {
      MPI_Request r[4];
      MPI_Irecv(a, COUNT / 2, MPI_DOUBLE, up, colour, W, &r[0]);
      MPI_Irecv(a + COUNT, COUNT / 2, MPI_DOUBLE, down, colour, W, &r[1]);
      MPI_Isend(b, COUNT / 2, MPI_DOUBLE, up, colour, W, &r[2]);
      MPI_Isend(b + COUNT, COUNT / 2, MPI_DOUBLE, down, colour, W, &r[3]);
      MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    }
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, W);
  }
}

// Forward substitution, rows dealt out in turn: each solved unknown travels round the ring.
static void forward_ring(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, rows = 4 * size;
  for (int row = 0; row < rows; row++) {
    int owner = row % size;
    if (rank != owner) MPI_Recv(a, 1, MPI_DOUBLE, before, row, W, MPI_STATUS_IGNORE);
    if (next != owner) MPI_Send(a, 1, MPI_DOUBLE, next, row, W);
  }
}

// A sweep through a box from one corner to the opposite one.
static void wavefront_box(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0}, low[3], high[3];
  MPI_Comm box;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(W, 3, dims, periods, 0, &box);
  for (int d = 0; d < 3; d++) MPI_Cart_shift(box, d, 1, &low[d], &high[d]);
  for (int block = 0; block < 10; block++) {
    for (int d = 0; d < 3; d++) MPI_Recv(a, 32, MPI_DOUBLE, low[d], d, box, MPI_STATUS_IGNORE);
    for (int d = 0; d < 3; d++) MPI_Send(b, 32, MPI_DOUBLE, high[d], d, box);
  }
}

// Matrix times vector, the matrix dealt out by columns.
static void matvec_columns(void) {
  int counts[64];
  for (int i = 0; i < size; i++) counts[i] = 16;
  MPI_Scatter(a, 16, MPI_DOUBLE, b, 16, MPI_DOUBLE, 0, W);
  for (int i = 0; i < ITERATIONS; i++) MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, W);
  MPI_Gather(b, 16, MPI_DOUBLE, a, 16, MPI_DOUBLE, 0, W);
}

// The pi of "Using MPI": ask, add up, ask again until the answer is zero.
static void pi_intervals(void) {
  for (int n = 5; n >= 0; n--) {
    MPI_Bcast(&n, 1, MPI_INT, 0, W);
    if (n == 0) break;
    MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, W);
  }
}

// Mandelbrot with lines dealt out beforehand; the first rank takes them as they come.
static void mandelbrot_static(void) {
  int lines = 64;
  if (rank == 0) {
    MPI_Status s;
    int mine = (lines + size - 1) / size;
    for (int i = 0; i < lines - mine; i++)
      MPI_Recv(a, 80, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s);
  } else {
    for (int y = rank; y < lines; y += size) MPI_Send(b, 80, MPI_INT, 0, y, W);
  }
}

// Ghost cells as datatypes on a plane with borders.
static void ghost_vectors(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, north, south, west, east, nx = 20, ny = 30;
  MPI_Comm plane;
  MPI_Datatype line, column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &plane);
  MPI_Cart_shift(plane, 0, 1, &north, &south);
  MPI_Cart_shift(plane, 1, 1, &west, &east);
  MPI_Type_contiguous(ny, MPI_DOUBLE, &line);
  MPI_Type_vector(nx, 1, ny + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&line);
  MPI_Type_commit(&column);
  for (int t = 0; t < ITERATIONS; t++) {
    MPI_Sendrecv(a, 1, line, north, 1, b, 1, line, south, 1, plane, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 1, line, south, 2, b, 1, line, north, 2, plane, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 1, column, west, 3, b, 1, column, east, 3, plane, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 1, column, east, 4, b, 1, column, west, 4, plane, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&line);
  MPI_Type_free(&column);
}

// Chang and Roberts: the largest number goes all the way round, and then its bearer is announced.
static void election(void) {
  int right = (rank + 1) % size, left = (rank + size - 1) % size, mine = (rank * 7 + 3) % 101,
      seen = mine, in;
  for (int hop = 0; hop < size; hop++) {
    MPI_Request r;
    MPI_Isend(&seen, 1, MPI_INT, right, 1, W, &r);
    MPI_Recv(&in, 1, MPI_INT, left, 1, W, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (in > seen) seen = in;
  }
  if (seen == mine) {
    MPI_Send(&mine, 1, MPI_INT, right, 2, W);
    MPI_Recv(&in, 1, MPI_INT, left, 2, W, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&in, 1, MPI_INT, left, 2, W, MPI_STATUS_IGNORE);
    MPI_Send(&in, 1, MPI_INT, right, 2, W);
  }
}

// A barrier on a binary tree: up, and down again.
static void tree_barrier(void) {
  int parent = (rank - 1) / 2, left = 2 * rank + 1, right = 2 * rank + 2;
  for (int i = 0; i < 8; i++) {
    if (left < size) MPI_Recv(NULL, 0, MPI_BYTE, left, 0, W, MPI_STATUS_IGNORE);
    if (right < size) MPI_Recv(NULL, 0, MPI_BYTE, right, 0, W, MPI_STATUS_IGNORE);
    if (rank > 0) {
      MPI_Send(NULL, 0, MPI_BYTE, parent, 0, W);
      MPI_Recv(NULL, 0, MPI_BYTE, parent, 0, W, MPI_STATUS_IGNORE);
    }
    if (left < size) MPI_Send(NULL, 0, MPI_BYTE, left, 0, W);
    if (right < size) MPI_Send(NULL, 0, MPI_BYTE, right, 0, W);
  }
}

// Recursive doubling as MPI libraries have it: what exceeds a power of two is folded in first.
static void doubling_folded(void) {
  int power = 1, tag = 11;
  while (power * 2 <= size) power *= 2;
  int rest = size - power, place = rank - rest;
  if (rank < 2 * rest) {
    if (rank % 2 == 0) {
      MPI_Send(a, 8, MPI_DOUBLE, rank + 1, tag, W);
      place = -1;
    } else {
      MPI_Recv(b, 8, MPI_DOUBLE, rank - 1, tag, W, MPI_STATUS_IGNORE);
      place = rank / 2;
    }
  }
  if (place != -1) {
    for (int mask = 1; mask < power; mask <<= 1) {
      int other = place ^ mask, partner = other < rest ? other * 2 + 1 : other + rest;
      MPI_Sendrecv(a, 8, MPI_DOUBLE, partner, tag, b, 8, MPI_DOUBLE, partner, tag, W,
                   MPI_STATUS_IGNORE);
    }
  }
  if (rank < 2 * rest) {
    if (rank % 2)
      MPI_Send(a, 8, MPI_DOUBLE, rank - 1, tag, W);
    else
      MPI_Recv(a, 8, MPI_DOUBLE, rank + 1, tag, W, MPI_STATUS_IGNORE);
  }
}

// Rabenseifner's sum of long vectors, on the largest power of two.
static void rabenseifner(void) {
  int power = 1;
  while (power * 2 <= size) power *= 2;
  if (rank >= power) {
    MPI_Send(a, 256, MPI_DOUBLE, rank - power, 0, W);
    MPI_Recv(a, 256, MPI_DOUBLE, rank - power, 9, W, MPI_STATUS_IGNORE);
    return;
  }
  if (rank + power < size) MPI_Recv(b, 256, MPI_DOUBLE, rank + power, 0, W, MPI_STATUS_IGNORE);
  int n = 256;
  for (int distance = power / 2; distance > 0; distance /= 2) {
    n /= 2;
    MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ distance, 1, b, n, MPI_DOUBLE, rank ^ distance, 1, W,
                 MPI_STATUS_IGNORE);
  }
  for (int distance = 1; distance < power; distance *= 2) {
    MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ distance, 2, b, n, MPI_DOUBLE, rank ^ distance, 2, W,
                 MPI_STATUS_IGNORE);
    n *= 2;
  }
  if (rank + power < size) MPI_Send(a, 256, MPI_DOUBLE, rank + power, 9, W);
}

// Bruck's all-to-all: in step k all blocks whose number has bit k move on.
static void bruck_alltoall(void) {
  for (int k = 1; k < size; k *= 2) {
    int blocks = 0;
    for (int i = 0; i < size; i++) blocks += (i & k) != 0;
    MPI_Request r[2];
    MPI_Irecv(b, 4 * blocks, MPI_INT, (rank - k + size) % size, k, W, &r[0]);
    MPI_Isend(a, 4 * blocks, MPI_INT, (rank + k) % size, k, W, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
}

// All 26 neighbours of a block in a periodic box.
static void box_26(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, at[3];
  MPI_Comm box;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(W, 3, dims, periods, 0, &box);
  MPI_Cart_coords(box, rank, 3, at);
  for (int step = 0; step < 6; step++) {
    MPI_Request r[52];
    int n = 0;
    for (int x = -1; x <= 1; x++)
      for (int y = -1; y <= 1; y++)
        for (int z = -1; z <= 1; z++) {
          if (!x && !y && !z) continue;
          int there[3] = {at[0] + x, at[1] + y, at[2] + z},
              back[3] = {at[0] - x, at[1] - y, at[2] - z}, to, from;
          int tag = 9 * (x + 1) + 3 * (y + 1) + z + 1,
              amount = (x ? 1 : 8) * (y ? 1 : 8) * (z ? 1 : 8);
          MPI_Cart_rank(box, there, &to);
          MPI_Cart_rank(box, back, &from);
          MPI_Irecv(a, amount, MPI_DOUBLE, from, tag, box, &r[n++]);
          MPI_Isend(b, amount, MPI_DOUBLE, to, tag, box, &r[n++]);
        }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  }
}

// A periodic string with persistent requests.
static void string_persistent(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request r[4];
  MPI_Recv_init(a, 1, MPI_DOUBLE, left, 0, W, &r[0]);
  MPI_Recv_init(a + 1, 1, MPI_DOUBLE, right, 1, W, &r[1]);
  MPI_Send_init(b, 1, MPI_DOUBLE, right, 0, W, &r[2]);
  MPI_Send_init(b + 1, 1, MPI_DOUBLE, left, 1, W, &r[3]);
  for (int t = 0; t < 50; t++) {
    MPI_Startall(4, r);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&r[i]);
}

// Halo of a box by one neighbourhood collective.
static void box_neighbour(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0};
  MPI_Comm box;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(W, 3, dims, periods, 0, &box);
  for (int t = 0; t < ITERATIONS; t++) {
    MPI_Neighbor_alltoall(a, 64, MPI_DOUBLE, b, 64, MPI_DOUBLE, box);
    if (t % 5 == 4) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, box);
  }
}

// Halo by puts, each neighbour's window locked in turn.
static void lock_halo(void) {
  MPI_Win window;
  MPI_Win_create(a, sizeof a, sizeof(double), MPI_INFO_NULL, W, &window);
  for (int t = 0; t < ITERATIONS; t++) {
    if (rank > 0) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank - 1, 0, window);
      MPI_Put(b, COUNT, MPI_DOUBLE, rank - 1, COUNT, COUNT, MPI_DOUBLE, window);
      MPI_Win_unlock(rank - 1, window);
    }
    if (rank < size - 1) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank + 1, 0, window);
      MPI_Put(b, COUNT, MPI_DOUBLE, rank + 1, 0, COUNT, MPI_DOUBLE, window);
      MPI_Win_unlock(rank + 1, window);
    }
    MPI_Barrier(W);
  }
  MPI_Win_free(&window);
}

static const struct pattern patterns[] = {
    PATTERN(pingpong_sizes),    PATTERN(ring_replace),      PATTERN(transposition_sort),
    PATTERN(cannon_buffers),    PATTERN(summa_ahead),       PATTERN(radix_sort),
    PATTERN(prefix_hypercube),  PATTERN(life_torus),        PATTERN(gauss_seidel),
    PATTERN(forward_ring),      PATTERN(wavefront_box),     PATTERN(matvec_columns),
    PATTERN(pi_intervals),      PATTERN(mandelbrot_static), PATTERN(ghost_vectors),
    PATTERN(election),          PATTERN(tree_barrier),      PATTERN(doubling_folded),
    PATTERN(rabenseifner),      PATTERN(bruck_alltoall),    PATTERN(box_26),
    PATTERN(string_persistent), PATTERN(box_neighbour),     PATTERN(lock_halo),
};
RUN_ONE_OF(patterns)
