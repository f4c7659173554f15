// SPDX-License-Identifier: Apache-2.0
// Communication as everybody writes it by hand, one function each; main adds four calls and a loop.
//   mpirun -n 12 classics pipeline [steps]
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static double in[65536], out[65536];

static int side_of(int n) {
  int side = 1;
  while ((side + 1) * (side + 1) <= n) side++;
  while (n % side != 0) side--;
  return side;
}

// Open cuboid, faces, edges and corners: 3 calls, 3 loops.
static void cuboid(void) {
  const int z = ranks % 2 == 0 ? 2 : 1, y = side_of(ranks / z), x = ranks / z / y;
  const int i = rank % x, j = rank / x % y, k = rank / x / y;
  MPI_Request requests[52];
  int open = 0;
  for (int c = -1; c <= 1; c++)
    for (int b = -1; b <= 1; b++)
      for (int a = -1; a <= 1; a++) {
        if (a == 0 && b == 0 && c == 0) continue;
        if (i + a < 0 || i + a >= x || j + b < 0 || j + b >= y || k + c < 0 || k + c >= z) continue;
        const int peer = rank + a + x * (b + y * c);
        const int size = (a == 0 ? 8 : 1) * (b == 0 ? 8 : 1) * (c == 0 ? 8 : 1);
        MPI_Irecv(in, size, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[open++]);
        MPI_Isend(out, size, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[open++]);
      }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

// Blocks go down a pipeline: 2 calls, 1 loop.
static void pipeline(void) {
  for (int block = 0; block < 6; block++) {
    if (rank > 0) MPI_Recv(in, 50, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < ranks - 1) MPI_Send(out, 50, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  }
}

// Broadcast down a binomial tree from rank 0: 2 calls, 2 loops.
static void tree(void) {
  int mask = 1;
  while (mask < ranks) {
    if (rank & mask) {
      MPI_Recv(in, 100, MPI_DOUBLE, rank - mask, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    }
    mask <<= 1;
  }
  for (mask >>= 1; mask > 0; mask >>= 1)
    if (rank + mask < ranks) MPI_Send(out, 100, MPI_DOUBLE, rank + mask, 1, MPI_COMM_WORLD);
}

// Sum up a binomial tree to rank 0: 2 calls, 1 loop.
static void sum_up(void) {
  for (int mask = 1; mask < ranks; mask *= 2) {
    if ((rank & mask) != 0) {
      MPI_Send(out, 10, MPI_DOUBLE, rank - mask, 2, MPI_COMM_WORLD);
      break;
    }
    if (rank + mask < ranks)
      MPI_Recv(in, 10, MPI_DOUBLE, rank + mask, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Odd-even transposition sort: 1 call, 1 loop.
static void oddeven(void) {
  for (int phase = 0; phase < ranks; phase++) {
    const int partner = (rank + phase) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= ranks) continue;
    MPI_Sendrecv(out, 40, MPI_DOUBLE, partner, 0, in, 40, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

// All ranks get the sum by recursive doubling, those beyond a power of two through a neighbour: 5
// calls, 1 loop.
static void doubling(void) {
  int power = 1;
  while (power * 2 <= ranks) power *= 2;
  const int beyond = ranks - power;
  if (rank >= power) {
    MPI_Send(out, 10, MPI_DOUBLE, rank - power, 0, MPI_COMM_WORLD);
  } else {
    if (rank < beyond)
      MPI_Recv(in, 10, MPI_DOUBLE, rank + power, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int mask = 1; mask < power; mask *= 2)
      MPI_Sendrecv(out, 10, MPI_DOUBLE, rank ^ mask, 1, in, 10, MPI_DOUBLE, rank ^ mask, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < beyond) MPI_Send(out, 10, MPI_DOUBLE, rank + power, 2, MPI_COMM_WORLD);
  }
  if (rank >= power)
    MPI_Recv(in, 10, MPI_DOUBLE, rank - power, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Cannon's matrix product on a square of ranks: 4 calls, 1 loop.
static void cannon(void) {
  const int side = side_of(ranks), x = rank % side, y = rank / side;
#define AT(i, j) (((j) + 2 * side) % side * side + ((i) + 2 * side) % side)
  MPI_Sendrecv_replace(in, 64, MPI_DOUBLE, AT(x - y, y), 1, AT(x + y, y), 1, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(out, 64, MPI_DOUBLE, AT(x, y - x), 2, AT(x, y + x), 2, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  for (int k = 1; k < side; k++) {
    MPI_Sendrecv_replace(in, 64, MPI_DOUBLE, AT(x - 1, y), 3, AT(x + 1, y), 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 64, MPI_DOUBLE, AT(x, y - 1), 4, AT(x, y + 1), 4, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  }
}

// Red ranks send first, black ones receive first: 4 calls, 1 loop.
static void redblack(void) {
  const int columns = side_of(ranks), rows = ranks / columns, x = rank % columns,
            y = rank / columns;
  const int kX[] = {-1, 1, 0, 0}, kY[] = {0, 0, -1, 1};
  for (int side = 0; side < 4; side++) {
    const int a = x + kX[side], b = y + kY[side];
    if (a < 0 || a >= columns || b < 0 || b >= rows) continue;
    const int peer = b * columns + a;
    if ((x + y) % 2 == 0) {
      MPI_Send(out, 20, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
      MPI_Recv(in, 20, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, 20, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, 20, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
    }
  }
}

// Who has nothing to do asks the next ranks in turn, and answers others until all are done: 9
// calls, 2 loops.
static void answer(int* tasks, int asking) {
  int given = 0, unused;
  if (*tasks > 1) given = *tasks / 2;
  *tasks -= given;
  MPI_Recv(&unused, 1, MPI_INT, asking, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&given, 1, MPI_INT, asking, 2, MPI_COMM_WORLD);
}

static void stealing(void) {
  int tasks = rank % 3 == 0 ? 8 : 0, refused = 0, done = 0, is_there, got;
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Status status;
  while (!done) {
    if (tasks > 0) {
      tasks--;
    } else if (refused < ranks - 1) {
      const int victim = (rank + 1 + refused) % ranks;
      MPI_Send(&tasks, 1, MPI_INT, victim, 1, MPI_COMM_WORLD);
      for (;;) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == 2) break;
        answer(&tasks, status.MPI_SOURCE);
      }
      MPI_Recv(&got, 1, MPI_INT, victim, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (got == 0) refused++;
      tasks += got;
    } else if (all == MPI_REQUEST_NULL) {
      MPI_Ibarrier(MPI_COMM_WORLD, &all);
    } else {
      MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    }
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &is_there, &status);
    if (is_there) answer(&tasks, status.MPI_SOURCE);
  }
}

// Each rank knows the few that it shares points with: 3 calls, 2 loops.
static void sparse(void) {
  MPI_Request requests[64];
  int open = 0;
  for (int peer = 0; peer < ranks; peer++) {
    const int near = (rank * peer + rank + peer) % 3 == 0;
    if (peer != rank && near)
      MPI_Irecv(in, 30, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[open++]);
  }
  for (int peer = 0; peer < ranks; peer++) {
    const int near = (rank * peer + rank + peer) % 3 == 0;
    if (peer != rank && near)
      MPI_Isend(out, 30, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[open++]);
  }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

// Blocks of all ranks go round a ring: 3 calls, 1 loop.
static void allgather(void) {
  MPI_Request request;
  for (int k = 1; k < ranks; k++) {
    MPI_Isend(out, 25, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 25, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// Fourier transform in 2-D, rows and columns have communicators: 4 calls.
static void fourier(void) {
  static MPI_Comm row = MPI_COMM_NULL, column;
  const int columns = side_of(ranks);
  if (row == MPI_COMM_NULL) {
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
  }
  MPI_Alltoall(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, row);
  MPI_Alltoall(out, 32, MPI_DOUBLE, in, 32, MPI_DOUBLE, column);
}

// Transpose by hand, within the ranks of a row and then of a column: 4 calls, 2 loops.
static void transposes(void) {
  static MPI_Comm row = MPI_COMM_NULL, column;
  int n, me;
  const int columns = side_of(ranks);
  if (row == MPI_COMM_NULL) {
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
  }
  MPI_Comm_size(row, &n);
  MPI_Comm_rank(row, &me);
  for (int k = 1; k < n; k++)
    MPI_Sendrecv(out, 16, MPI_DOUBLE, (me + k) % n, 1, in, 16, MPI_DOUBLE, (me + n - k) % n, 1, row,
                 MPI_STATUS_IGNORE);
  MPI_Comm_size(column, &n);
  MPI_Comm_rank(column, &me);
  for (int k = 1; k < n; k++)
    MPI_Sendrecv(out, 32, MPI_DOUBLE, (me + k) % n, 1, in, 32, MPI_DOUBLE, (me + n - k) % n, 1,
                 column, MPI_STATUS_IGNORE);
}

// A slab is given to each rank, and rank 0 collects the results in order: 4 calls, 2 loops.
static void slabs(void) {
  const int mine = 100 / ranks + (rank < 100 % ranks);
  if (rank == 0) {
    for (int peer = 1; peer < ranks; peer++)
      MPI_Send(out, 100 / ranks + (peer < 100 % ranks), MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
    for (int peer = 1; peer < ranks; peer++)
      MPI_Recv(in, 100 / ranks + (peer < 100 % ranks), MPI_DOUBLE, peer, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, mine, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, mine, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  }
}

// Rows exchange with the rows above and below, even ones first: 4 calls.
static void strips(void) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  if (rank % 2 == 0) {
    MPI_Send(out, 30, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 30, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, 30, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 30, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
  }
}

// Particles of ring neighbours by a probe, as their number is not known: 4 calls, 1 loop.
static void particles(void) {
  const int next = (rank + 1) % ranks;
  for (int k = 0; k < 3; k++) {
    MPI_Request request;
    MPI_Status status;
    int n;
    MPI_Isend(out, 10 + (rank * 7 + k * 3) % 5, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    MPI_Recv(in, n, MPI_DOUBLE, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// A sweep of a V-cycle along a chain, where every second rank rests at each level: 4 calls, 2
// loops.
static void levels(void) {
  int step = 1;
  for (; step < ranks && rank % step == 0; step *= 2) {
    const int left = rank - step, right = rank + step;
    MPI_Sendrecv(out, 20, MPI_DOUBLE, left >= 0 ? left : MPI_PROC_NULL, 1, in, 20, MPI_DOUBLE,
                 right < ranks ? right : MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 20, MPI_DOUBLE, right < ranks ? right : MPI_PROC_NULL, 2, in, 20, MPI_DOUBLE,
                 left >= 0 ? left : MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (step /= 2; step >= 1; step /= 2) {
    const int left = rank - step, right = rank + step;
    MPI_Sendrecv(out, 20, MPI_DOUBLE, left >= 0 ? left : MPI_PROC_NULL, 3, in, 20, MPI_DOUBLE,
                 right < ranks ? right : MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 20, MPI_DOUBLE, right < ranks ? right : MPI_PROC_NULL, 4, in, 20, MPI_DOUBLE,
                 left >= 0 ? left : MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Gauss with cyclic rows: each step's row goes round a ring from its owner: 2 calls, 1 loop.
static void gauss(void) {
  const int rows = 2 * ranks, next = (rank + 1) % ranks;
  for (int k = 0; k < rows; k++) {
    const int owner = k % ranks;
    if (rank != owner)
      MPI_Recv(in, rows - k, MPI_DOUBLE, (rank + ranks - 1) % ranks, k, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    if (next != owner) MPI_Send(out, rows - k, MPI_DOUBLE, next, k, MPI_COMM_WORLD);
  }
}

// LU with cyclic columns: each step's owner sends to all: 2 calls, 2 loops.
static void owners(void) {
  for (int k = 0; k < 2 * ranks; k++) {
    const int size = 10 * (2 * ranks - k), owner = k % ranks;
    if (rank != owner) {
      MPI_Recv(in, size, MPI_DOUBLE, owner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      continue;
    }
    for (int peer = 0; peer < ranks; peer++)
      if (peer != rank) MPI_Send(out, size, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*once)(void);
  } kAll[] = {{"cuboid", cuboid},         {"pipeline", pipeline},   {"tree", tree},
              {"sum_up", sum_up},         {"oddeven", oddeven},     {"doubling", doubling},
              {"cannon", cannon},         {"redblack", redblack},   {"stealing", stealing},
              {"sparse", sparse},         {"allgather", allgather}, {"fourier", fourier},
              {"transposes", transposes}, {"slabs", slabs},         {"strips", strips},
              {"particles", particles},   {"levels", levels},       {"gauss", gauss},
              {"owners", owners}};
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
