// SPDX-License-Identifier: Apache-2.0
// Patterns of textbooks as different people write them, one function each, for textbook.py.
//   mpirun -n 12 textbook halo_null
// Calls and loops are counted in the text of the functions, so nothing but communication stands
// here.
#include "textbook_driver.h"

#define N 64
#define STEPS 12

static void ring_allreduce(void) {
  int left = (rank - 1 + size) % size, right = (rank + 1) % size, chunk = 16;
  for (int s = 0; s < size - 1; s++) {
    int out = (rank - s + size) % size;
    MPI_Sendrecv(a + out * chunk, chunk, MPI_DOUBLE, right, 0, b, chunk, MPI_DOUBLE, left, 0, W,
                 MPI_STATUS_IGNORE);
  }
  for (int s = 0; s < size - 1; s++) {
    int out = (rank + 1 - s + size) % size, in = (rank - s + size) % size;
    MPI_Sendrecv(a + out * chunk, chunk, MPI_DOUBLE, right, 1, a + in * chunk, chunk, MPI_DOUBLE,
                 left, 1, W, MPI_STATUS_IGNORE);
  }
}

static void ring_token(void) {
  int token = 0;
  for (int lap = 0; lap < STEPS; lap++) {
    if (rank == 0) {
      MPI_Send(&token, 1, MPI_INT, 1, 0, W);
      MPI_Recv(&token, 1, MPI_INT, size - 1, 0, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, W);
    }
  }
}

// The token ends where it is used up: ranks leave the loop at different laps.
static void token_ends(void) {
  int token = 3 * size + 2, next = (rank + 1) % size, last = (rank + size - 1) % size;
  if (rank == 0) MPI_Send(&token, 1, MPI_INT, next, 7, W);
  while (1) {
    MPI_Recv(&token, 1, MPI_INT, last, 7, W, MPI_STATUS_IGNORE);
    token--;
    if (token > 1 - size) MPI_Send(&token, 1, MPI_INT, next, 7, W);
    if (token <= 0) break;
  }
}

static void nbody_ring(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double *now = a, *next = b;
  for (int t = 0; t < 3; t++)
    for (int p = 1; p < size; p++) {
      MPI_Request r[2];
      MPI_Isend(now, N, MPI_DOUBLE, right, p, W, &r[0]);
      MPI_Irecv(next, N, MPI_DOUBLE, left, p, W, &r[1]);
      MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
      double* other = now;
      now = next;
      next = other;
    }
}

static void halo_if(void) {
  for (int t = 0; t < STEPS; t++) {
    if (rank > 0) MPI_Send(a, 1, MPI_DOUBLE, rank - 1, 10, W);
    if (rank < size - 1) MPI_Recv(b, 1, MPI_DOUBLE, rank + 1, 10, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(a, 1, MPI_DOUBLE, rank + 1, 20, W);
    if (rank > 0) MPI_Recv(b, 1, MPI_DOUBLE, rank - 1, 20, W, MPI_STATUS_IGNORE);
  }
}

static void halo_null(void) {
  int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double error;
  for (int t = 1; t <= 20; t++) {
    MPI_Sendrecv(a, N, MPI_DOUBLE, up, 1, b, N, MPI_DOUBLE, down, 1, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, N, MPI_DOUBLE, down, 2, b, N, MPI_DOUBLE, up, 2, W, MPI_STATUS_IGNORE);
    if (t % 5 == 0) MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, W);
  }
}

static void halo_evenodd(void) {
  for (int t = 0; t < STEPS; t++) {
    if (rank % 2 == 0) {
      if (rank + 1 < size) {
        MPI_Ssend(a, N, MPI_DOUBLE, rank + 1, 0, W);
        MPI_Recv(b, N, MPI_DOUBLE, rank + 1, 0, W, MPI_STATUS_IGNORE);
      }
      if (rank > 0) {
        MPI_Ssend(a, N, MPI_DOUBLE, rank - 1, 0, W);
        MPI_Recv(b, N, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Recv(b, N, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
      MPI_Ssend(a, N, MPI_DOUBLE, rank - 1, 0, W);
      if (rank + 1 < size) {
        MPI_Recv(b, N, MPI_DOUBLE, rank + 1, 0, W, MPI_STATUS_IGNORE);
        MPI_Ssend(a, N, MPI_DOUBLE, rank + 1, 0, W);
      }
    }
  }
}

static void halo_requests(void) {
  for (int t = 0; t < STEPS; t++) {
    MPI_Request req[4];
    int n = 0;
    if (rank != 0) {
      MPI_Irecv(b, N, MPI_FLOAT, rank - 1, 0, W, &req[n++]);
      MPI_Isend(a, N, MPI_FLOAT, rank - 1, 0, W, &req[n++]);
    }
    if (rank != size - 1) {
      MPI_Irecv(c, N, MPI_FLOAT, rank + 1, 0, W, &req[n++]);
      MPI_Isend(a, N, MPI_FLOAT, rank + 1, 0, W, &req[n++]);
    }
    MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
    MPI_Reduce(a, b, 1, MPI_FLOAT, MPI_SUM, 0, W);
  }
}

static void halo_residual(void) {
  int iteration = 0;
  double local = 1, global = 1;
  MPI_Bcast(a, 3, MPI_INT, 0, W);
  do {
    if (rank > 0)
      MPI_Sendrecv(a, N, MPI_DOUBLE, rank - 1, 0, b, N, MPI_DOUBLE, rank - 1, 0, W,
                   MPI_STATUS_IGNORE);
    if (rank < size - 1)
      MPI_Sendrecv(a, N, MPI_DOUBLE, rank + 1, 0, b, N, MPI_DOUBLE, rank + 1, 0, W,
                   MPI_STATUS_IGNORE);
    if (++iteration % 4 == 0) MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, W);
  } while (iteration < 24);
  MPI_Gather(a, N, MPI_DOUBLE, c, N, MPI_DOUBLE, 0, W);
}

static void plane_cart(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, north, south, west, east;
  MPI_Comm grid;
  MPI_Datatype column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  MPI_Cart_shift(grid, 1, 1, &west, &east);
  MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int t = 0; t < STEPS; t++) {
    MPI_Sendrecv(a, N, MPI_DOUBLE, north, 0, b, N, MPI_DOUBLE, south, 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, N, MPI_DOUBLE, south, 0, b, N, MPI_DOUBLE, north, 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 1, column, west, 0, b, 1, column, east, 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 1, column, east, 0, b, 1, column, west, 0, grid, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
}

static void columns_and_rows(int* px, int* py) {
  int d[2] = {0, 0};
  MPI_Dims_create(size, 2, d);
  *px = d[1], *py = d[0];
}

static void plane_if(void) {
  int px, py;
  columns_and_rows(&px, &py);
  int x = rank % px, y = rank / px;
  for (int t = 0; t < STEPS; t++) {
    MPI_Request r[8];
    int n = 0;
    if (x > 0) MPI_Irecv(b, N, MPI_DOUBLE, rank - 1, 1, W, &r[n++]);
    if (x < px - 1) MPI_Irecv(b + N, N, MPI_DOUBLE, rank + 1, 2, W, &r[n++]);
    if (y > 0) MPI_Irecv(b + 2 * N, N, MPI_DOUBLE, rank - px, 3, W, &r[n++]);
    if (y < py - 1) MPI_Irecv(b + 3 * N, N, MPI_DOUBLE, rank + px, 4, W, &r[n++]);
    if (x < px - 1) MPI_Isend(a, N, MPI_DOUBLE, rank + 1, 1, W, &r[n++]);
    if (x > 0) MPI_Isend(a, N, MPI_DOUBLE, rank - 1, 2, W, &r[n++]);
    if (y < py - 1) MPI_Isend(a, N, MPI_DOUBLE, rank + px, 3, W, &r[n++]);
    if (y > 0) MPI_Isend(a, N, MPI_DOUBLE, rank - px, 4, W, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  }
}

static void plane_persistent(void) {
  int px, py;
  columns_and_rows(&px, &py);
  int to[4] = {rank % px ? rank - 1 : MPI_PROC_NULL, rank % px < px - 1 ? rank + 1 : MPI_PROC_NULL,
               rank >= px ? rank - px : MPI_PROC_NULL,
               rank + px < size ? rank + px : MPI_PROC_NULL};
  MPI_Request r[8];
  for (int d = 0; d < 4; d++) {
    MPI_Recv_init(b + d * N, N, MPI_DOUBLE, to[d], 0, W, &r[d]);
    MPI_Send_init(a + d * N, N, MPI_DOUBLE, to[d], 0, W, &r[4 + d]);
  }
  for (int t = 0; t < STEPS; t++) {
    MPI_Startall(8, r);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
  }
  for (int d = 0; d < 8; d++) MPI_Request_free(&r[d]);
}

static void plane_corners(void) {
  int px, py;
  columns_and_rows(&px, &py);
  int x = rank % px, y = rank / px;
  for (int t = 0; t < STEPS; t++) {
    MPI_Request r[16];
    int n = 0;
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) {
        if (!i && !j) continue;
        if (x + i < 0 || x + i >= px || y + j < 0 || y + j >= py) continue;
        MPI_Irecv(b, N, MPI_INT, rank + i + j * px, 0, W, &r[n++]);
      }
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) {
        if (!i && !j) continue;
        if (x + i < 0 || x + i >= px || y + j < 0 || y + j >= py) continue;
        MPI_Isend(a, i && j ? 1 : N, MPI_INT, rank + i + j * px, 0, W, &r[n++]);
      }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  }
}

// The game of life with a name for each of eight neighbours, closed at all sides.
static void life(void) {
  int px, py;
  columns_and_rows(&px, &py);
  int x = rank % px, y = rank / px, w = (x + px - 1) % px, e = (x + 1) % px;
  int n = (y + py - 1) % py, s = (y + 1) % py;
  for (int t = 0; t < STEPS; t++) {
    MPI_Request r[8];
    MPI_Isend(a, N, MPI_CHAR, n * px + x, 0, W, &r[0]);
    MPI_Isend(a, N, MPI_CHAR, s * px + x, 1, W, &r[1]);
    MPI_Isend(a, N, MPI_CHAR, y * px + w, 2, W, &r[2]);
    MPI_Isend(a, N, MPI_CHAR, y * px + e, 3, W, &r[3]);
    MPI_Isend(a, 1, MPI_CHAR, n * px + w, 4, W, &r[4]);
    MPI_Isend(a, 1, MPI_CHAR, n * px + e, 5, W, &r[5]);
    MPI_Isend(a, 1, MPI_CHAR, s * px + w, 6, W, &r[6]);
    MPI_Isend(a, 1, MPI_CHAR, s * px + e, 7, W, &r[7]);
    MPI_Recv(b, N, MPI_CHAR, s * px + x, 0, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, N, MPI_CHAR, n * px + x, 1, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, N, MPI_CHAR, y * px + e, 2, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, N, MPI_CHAR, y * px + w, 3, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, 1, MPI_CHAR, s * px + e, 4, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, 1, MPI_CHAR, s * px + w, 5, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, 1, MPI_CHAR, n * px + e, 6, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, 1, MPI_CHAR, n * px + w, 7, W, MPI_STATUS_IGNORE);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
  }
}

static void plane_two_phases(void) {
  int px, py, d;
  columns_and_rows(&px, &py);
  int x = rank % px, y = rank / px;
  for (d = 0; d < STEPS; d++) {
    if (x > 0) MPI_Send(a, N, MPI_DOUBLE, rank - 1, 0, W);
    if (x < px - 1) {
      MPI_Recv(b, N, MPI_DOUBLE, rank + 1, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, N, MPI_DOUBLE, rank + 1, 0, W);
    }
    if (x > 0) MPI_Recv(b, N, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
    if (y > 0) MPI_Send(a, N + 2, MPI_DOUBLE, rank - px, 0, W);
    if (y < py - 1) {
      MPI_Recv(b, N + 2, MPI_DOUBLE, rank + px, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, N + 2, MPI_DOUBLE, rank + px, 0, W);
    }
    if (y > 0) MPI_Recv(b, N + 2, MPI_DOUBLE, rank - px, 0, W, MPI_STATUS_IGNORE);
  }
}

static void box_shift(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 1};
  MPI_Comm box;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(W, 3, dims, periods, 1, &box);
  for (int t = 0; t < STEPS; t++)
    for (int d = 0; d < 3; d++)
      for (int way = -1; way <= 1; way += 2) {
        int from, to;
        MPI_Cart_shift(box, d, way, &from, &to);
        MPI_Sendrecv(a, N * (d + 1), MPI_DOUBLE, to, d, b, N * (d + 1), MPI_DOUBLE, from, d, box,
                     MPI_STATUS_IGNORE);
      }
  MPI_Comm_free(&box);
}

static void box_corners(void) {
  int d[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, d);
  int x = rank % d[2], y = rank / d[2] % d[1], z = rank / d[2] / d[1];
  for (int t = 0; t < STEPS; t++) {
    MPI_Request r[52];
    int n = 0;
    for (int k = -1; k <= 1; k++)
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
          if (i == 0 && j == 0 && k == 0) continue;
          if (x + i < 0 || x + i >= d[2] || y + j < 0 || y + j >= d[1] || z + k < 0 ||
              z + k >= d[0])
            continue;
          int peer = rank + i + d[2] * (j + d[1] * k);
          MPI_Irecv(b, N, MPI_DOUBLE, peer, 26, W, &r[n++]);
          MPI_Isend(a, N >> 2 * (abs(i) + abs(j) + abs(k) - 1), MPI_DOUBLE, peer, 26, W, &r[n++]);
        }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  }
}

static void wavefront(void) {
  int px, py;
  columns_and_rows(&px, &py);
  int x = rank % px, y = rank / px;
  for (int block = 0; block < 10; block++) {
    if (x) MPI_Recv(a, N, MPI_DOUBLE, rank - 1, block, W, MPI_STATUS_IGNORE);
    if (y) MPI_Recv(a, N, MPI_DOUBLE, rank - px, block, W, MPI_STATUS_IGNORE);
    if (x < px - 1) MPI_Send(a, N, MPI_DOUBLE, rank + 1, block, W);
    if (y < py - 1) MPI_Send(a, N, MPI_DOUBLE, rank + px, block, W);
  }
}

static void sweeps(void) {
  int dims[2] = {0, 0}, no[2] = {0, 0}, in, out;
  MPI_Comm plane;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, no, 0, &plane);
  for (int octant = 0; octant < 8; octant++) {
    int sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1;
    for (int k = 0; k < 5; k++) {
      MPI_Cart_shift(plane, 0, sx, &in, &out);
      MPI_Recv(a, N, MPI_DOUBLE, in, 0, plane, MPI_STATUS_IGNORE);
      int in2, out2;
      MPI_Cart_shift(plane, 1, sy, &in2, &out2);
      MPI_Recv(b, N, MPI_DOUBLE, in2, 1, plane, MPI_STATUS_IGNORE);
      MPI_Send(a, N, MPI_DOUBLE, out, 0, plane);
      MPI_Send(b, N, MPI_DOUBLE, out2, 1, plane);
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, plane);
  }
  MPI_Comm_free(&plane);
}

static void pipeline(void) {
  for (int item = 0; item < 30; item++) {
    if (rank > 0) MPI_Recv(a, N, MPI_INT, rank - 1, item, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(a, N, MPI_INT, rank + 1, item, W);
  }
}

static void pipeline_roles(void) {
  if (rank == 0) {
    for (int i = 0; i < 20; i++) MPI_Send(a, N, MPI_DOUBLE, 1, 0, W);
  } else if (rank == size - 1) {
    for (int i = 0; i < 20; i++) MPI_Recv(a, N, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
  } else {
    for (int i = 0; i < 20; i++) {
      MPI_Recv(a, N, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, N, MPI_DOUBLE, rank + 1, 0, W);
    }
  }
}

static void scan_wait(void) {
  for (int d = 1; d < size; d *= 2) {
    MPI_Request request;
    if (rank + d < size) MPI_Isend(a, 1, MPI_INT, rank + d, 0, W, &request);
    if (rank - d >= 0) MPI_Recv(b, 1, MPI_INT, rank - d, 0, W, MPI_STATUS_IGNORE);
    if (rank + d < size) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void scan_blocking(void) {
  for (int d = 1; d < size; d <<= 1) {
    if (rank + d < size) MPI_Send(a, 1, MPI_LONG, rank + d, d, W);
    if (rank >= d) MPI_Recv(b, 1, MPI_LONG, rank - d, d, W, MPI_STATUS_IGNORE);
  }
}

static void scan_null(void) {
  for (int step = 1; step < size; step *= 2) {
    int to = rank + step < size ? rank + step : MPI_PROC_NULL;
    int from = rank - step < 0 ? MPI_PROC_NULL : rank - step;
    MPI_Sendrecv(a, 1, MPI_DOUBLE, to, 0, b, 1, MPI_DOUBLE, from, 0, W, MPI_STATUS_IGNORE);
  }
}

static void doubling_any(void) {
  int two = 1, rem, id;
  while (two * 2 <= size) two *= 2;
  rem = size - two;
  if (rank < 2 * rem) {
    if (rank % 2 == 0)
      MPI_Send(a, N, MPI_DOUBLE, rank + 1, 0, W);
    else
      MPI_Recv(b, N, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
    id = rank % 2 ? rank / 2 : -1;
  } else
    id = rank - rem;
  if (id >= 0)
    for (int mask = 1; mask < two; mask <<= 1) {
      int other = id ^ mask, peer = other < rem ? other * 2 + 1 : other + rem;
      MPI_Sendrecv(a, N, MPI_DOUBLE, peer, 0, b, N, MPI_DOUBLE, peer, 0, W, MPI_STATUS_IGNORE);
    }
  if (rank < 2 * rem) {
    if (rank % 2)
      MPI_Send(a, N, MPI_DOUBLE, rank - 1, 0, W);
    else
      MPI_Recv(a, N, MPI_DOUBLE, rank + 1, 0, W, MPI_STATUS_IGNORE);
  }
}

// Who lies beyond the largest power of two sends first and hears last.
static void doubling_beyond(void) {
  int two = 1;
  while (two * 2 <= size) two *= 2;
  if (rank >= two) MPI_Send(a, N, MPI_INT, rank - two, 1, W);
  if (rank < size - two) MPI_Recv(b, N, MPI_INT, rank + two, 1, W, MPI_STATUS_IGNORE);
  if (rank < two)
    for (int bit = 1; bit < two; bit *= 2) {
      MPI_Request r;
      MPI_Irecv(b, N, MPI_INT, rank ^ bit, 2, W, &r);
      MPI_Send(a, N, MPI_INT, rank ^ bit, 2, W);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
  if (rank < size - two) MPI_Send(a, N, MPI_INT, rank + two, 3, W);
  if (rank >= two) MPI_Recv(a, N, MPI_INT, rank - two, 3, W, MPI_STATUS_IGNORE);
}

static void dissemination(void) {
  for (int times = 0; times < 3; times++)
    for (int k = 1; k < size; k <<= 1) {
      MPI_Request r;
      MPI_Isend(NULL, 0, MPI_BYTE, (rank + k) % size, 99, W, &r);
      MPI_Recv(NULL, 0, MPI_BYTE, (rank - k + size) % size, 99, W, MPI_STATUS_IGNORE);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static void tree_bcast(void) {
  int mask = 1;
  while (mask < size) {
    if (rank & mask) {
      MPI_Recv(a, N, MPI_DOUBLE, rank - mask, 0, W, MPI_STATUS_IGNORE);
      break;
    }
    mask <<= 1;
  }
  mask >>= 1;
  while (mask > 0) {
    if (rank + mask < size) MPI_Send(a, N, MPI_DOUBLE, rank + mask, 0, W);
    mask >>= 1;
  }
}

static void tree_bcast_up(void) {
  for (int have = 1; have < size; have *= 2) {
    if (rank < have && rank + have < size) MPI_Send(a, N, MPI_INT, rank + have, 0, W);
    if (rank >= have && rank < 2 * have)
      MPI_Recv(a, N, MPI_INT, rank - have, 0, W, MPI_STATUS_IGNORE);
  }
}

static void tree_reduce(void) {
  for (int bit = 1; bit < size; bit <<= 1) {
    if (rank & bit) {
      MPI_Send(a, N, MPI_DOUBLE, rank ^ bit, 0, W);
      break;
    }
    if ((rank | bit) < size) MPI_Recv(b, N, MPI_DOUBLE, rank | bit, 0, W, MPI_STATUS_IGNORE);
  }
}

static void tree_heap(void) {
  int parent = (rank - 1) / 2, left = 2 * rank + 1, right = 2 * rank + 2;
  for (int t = 0; t < 4; t++) {
    if (left < size) MPI_Recv(b, 1, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
    if (right < size) MPI_Recv(c, 1, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
    if (rank) {
      MPI_Send(a, 1, MPI_DOUBLE, parent, 0, W);
      MPI_Recv(a, 1, MPI_DOUBLE, parent, 1, W, MPI_STATUS_IGNORE);
    }
    if (left < size) MPI_Send(a, 1, MPI_DOUBLE, left, 1, W);
    if (right < size) MPI_Send(a, 1, MPI_DOUBLE, right, 1, W);
  }
}

static void tree_anyone(void) {
  for (int round = 0; round < 5; round++) {
    int children = (2 * rank + 1 < size) + (2 * rank + 2 < size);
    while (children--) MPI_Recv(b, N, MPI_INT, MPI_ANY_SOURCE, 5, W, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Send(a, N, MPI_INT, (rank - 1) / 2, 5, W);
    MPI_Bcast(a, N, MPI_INT, 0, W);
  }
}

static void halving_doubling(void) {
  int n = 1024, d;
  for (d = size / 2; d > 0 && !(size & (size - 1)); d /= 2) {
    n /= 2;
    MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ d, 0, b, n, MPI_DOUBLE, rank ^ d, 0, W,
                 MPI_STATUS_IGNORE);
  }
  for (d = 1; d < size && !(size & (size - 1)); d *= 2) {
    MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ d, 0, b, n, MPI_DOUBLE, rank ^ d, 0, W,
                 MPI_STATUS_IGNORE);
    n *= 2;
  }
  MPI_Barrier(W);
}

static void allgather_doubling(void) {
  int have = 1;
  for (int d = 1; d < size; d *= 2) {
    int count = have < size - have ? have : size - have;
    MPI_Sendrecv(a, count, MPI_INT, (rank - d + size) % size, d, b, count, MPI_INT,
                 (rank + d) % size, d, W, MPI_STATUS_IGNORE);
    have += count;
  }
}

static void fft_rows_columns(void) {
  int px, py;
  columns_and_rows(&px, &py);
  MPI_Comm row, column;
  MPI_Comm_split(W, rank / px, rank, &row);
  MPI_Comm_split(W, rank % px, rank, &column);
  for (int t = 0; t < 6; t++) {
    MPI_Alltoall(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, row);
    MPI_Alltoall(b, 8, MPI_DOUBLE, a, 8, MPI_DOUBLE, column);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

static void fft_butterfly(void) {
  for (int stage = 1; stage < size; stage *= 2) {
    int partner = rank ^ stage;
    if (partner >= size) continue;
    if (rank < partner) {
      MPI_Send(a, N, MPI_DOUBLE, partner, stage, W);
      MPI_Recv(b, N, MPI_DOUBLE, partner, stage, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(b, N, MPI_DOUBLE, partner, stage, W, MPI_STATUS_IGNORE);
      MPI_Send(a, N, MPI_DOUBLE, partner, stage, W);
    }
  }
}

static void alltoall_xor(void) {
  int rounds = 1;
  while (rounds < size) rounds *= 2;
  for (int i = 1; i < rounds; i++) {
    int peer = rank ^ i;
    if (peer < size)
      MPI_Sendrecv(a, N, MPI_INT, peer, i, b, N, MPI_INT, peer, i, W, MPI_STATUS_IGNORE);
  }
}

static void alltoall_shift(void) {
  for (int i = 1; i < size; i++) {
    int dst = (rank + i) % size, src = (rank - i + size) % size;
    MPI_Sendrecv(a, N, MPI_INT, dst, 0, b, N, MPI_INT, src, 0, W, MPI_STATUS_IGNORE);
  }
}

static void alltoall_requests(void) {
  MPI_Request* r = malloc(2 * size * sizeof *r);
  int n = 0;
  for (int p = 0; p < size; p++)
    if (p != rank) MPI_Irecv(b + p, 1, MPI_DOUBLE, p, 0, W, &r[n++]);
  for (int p = 0; p < size; p++)
    if (p != rank) MPI_Isend(a + p, 1, MPI_DOUBLE, p, 0, W, &r[n++]);
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  free(r);
}

static void transpose_blocking(void) {
  for (int p = 0; p < size; p++) {
    if (p == rank) continue;
    if (rank < p) {
      MPI_Send(a, N, MPI_DOUBLE, p, 0, W);
      MPI_Recv(b, N, MPI_DOUBLE, p, 0, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(b, N, MPI_DOUBLE, p, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, N, MPI_DOUBLE, p, 0, W);
    }
  }
}

static int side(void) {
  int q = 1;
  while ((q + 1) * (q + 1) <= size) q++;
  return q;
}

static void cannon(void) {
  int q = side(), dims[2] = {q, q}, round[2] = {1, 1}, at[2], from, to;
  MPI_Comm grid;
  MPI_Cart_create(W, 2, dims, round, 0, &grid);
  if (grid == MPI_COMM_NULL) return;
  MPI_Cart_coords(grid, rank, 2, at);
  MPI_Cart_shift(grid, 1, -at[0], &from, &to);
  MPI_Sendrecv_replace(a, N, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
  MPI_Cart_shift(grid, 0, -at[1], &from, &to);
  MPI_Sendrecv_replace(b, N, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
  for (int k = 0; k < q; k++) {
    MPI_Cart_shift(grid, 1, -1, &from, &to);
    MPI_Sendrecv_replace(a, N, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
    MPI_Cart_shift(grid, 0, -1, &from, &to);
    MPI_Sendrecv_replace(b, N, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&grid);
}

static void fox(void) {
  int q = side();
  MPI_Comm row, column;
  MPI_Comm_split(W, rank < q * q ? rank / q : MPI_UNDEFINED, rank, &row);
  MPI_Comm_split(W, rank < q * q ? rank % q : MPI_UNDEFINED, rank, &column);
  if (row == MPI_COMM_NULL) return;
  int y = rank / q, up = (y + q - 1) % q, down = (y + 1) % q;
  for (int stage = 0; stage < q; stage++) {
    MPI_Bcast(a, N, MPI_DOUBLE, (y + stage) % q, row);
    MPI_Sendrecv_replace(b, N, MPI_DOUBLE, up, 0, down, 0, column, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

static void summa(void) {
  int dims[2] = {0, 0}, no[2] = {0, 0}, keep_row[2] = {0, 1}, keep_column[2] = {1, 0};
  MPI_Comm grid, row, column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, no, 0, &grid);
  MPI_Cart_sub(grid, keep_row, &row);
  MPI_Cart_sub(grid, keep_column, &column);
  for (int k = 0; k < 2 * dims[0] * dims[1]; k++) {
    MPI_Bcast(a, N, MPI_DOUBLE, k % dims[1], row);
    MPI_Bcast(b, N, MPI_DOUBLE, k % dims[0], column);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Comm_free(&grid);
}

static void lu_panels(void) {
  int n = 3 * size;
  for (int k = 0; k < n; k++) {
    int owner = k % size;
    MPI_Bcast(a, 8 * (n - k), MPI_DOUBLE, owner, W);
  }
}

static void gauss_pivot(void) {
  struct {
    double value;
    int at;
  } mine, best;
  int n = 4 * size;
  for (int k = 0; k < n; k++) {
    int owner = k % size;
    mine.value = (rank * 7 + k * 5) % 11, mine.at = rank;
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, W);
    if (best.at != owner) {
      if (rank == owner)
        MPI_Sendrecv_replace(a, n, MPI_DOUBLE, best.at, k, best.at, k, W, MPI_STATUS_IGNORE);
      if (rank == best.at)
        MPI_Sendrecv_replace(a, n, MPI_DOUBLE, owner, k, owner, k, W, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(a, n, MPI_DOUBLE, owner, W);
  }
}

static void floyd(void) {
  int mine = 4, n = mine * size;
  for (int k = 0; k < n; k++) MPI_Bcast(a, n, MPI_INT, k / mine, W);
  if (rank == 0)
    for (int p = 1; p < size; p++) MPI_Recv(b, mine * n, MPI_INT, p, 1, W, MPI_STATUS_IGNORE);
  else
    MPI_Send(a, mine * n, MPI_INT, 0, 1, W);
}

static void back_substitution(void) {
  for (int k = 3 * size - 1; k >= 0; k--) {
    int owner = k % size;
    if (rank == owner) {
      for (int p = 0; p < size; p++)
        if (p != rank) MPI_Send(a, 1, MPI_DOUBLE, p, k, W);
    } else
      MPI_Recv(a, 1, MPI_DOUBLE, owner, k, W, MPI_STATUS_IGNORE);
  }
}

static void conjugate_gradient(void) {
  double rho = 0, beta = 0;
  MPI_Allreduce(&rho, &beta, 1, MPI_DOUBLE, MPI_SUM, W);
  for (int i = 0; i < 25; i++) {
    MPI_Request r[4];
    int n = 0;
    if (rank > 0) MPI_Irecv(a, N, MPI_DOUBLE, rank - 1, 0, W, &r[n++]);
    if (rank + 1 < size) MPI_Irecv(b, N, MPI_DOUBLE, rank + 1, 0, W, &r[n++]);
    if (rank > 0) MPI_Isend(c, N, MPI_DOUBLE, rank - 1, 0, W, &r[n++]);
    if (rank + 1 < size) MPI_Isend(c, N, MPI_DOUBLE, rank + 1, 0, W, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&rho, &beta, 1, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(&rho, &beta, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

static void oddeven_sort(void) {
  for (int phase = 0; phase < size; phase++) {
    int partner = (rank + phase) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= size) continue;
    MPI_Sendrecv(a, N, MPI_INT, partner, 0, b, N, MPI_INT, partner, 0, W, MPI_STATUS_IGNORE);
  }
}

static void oddeven_null(void) {
  int even = rank % 2 ? rank - 1 : rank + 1, odd = rank % 2 ? rank + 1 : rank - 1;
  if (even >= size) even = MPI_PROC_NULL;
  if (odd < 0 || odd >= size) odd = MPI_PROC_NULL;
  for (int phase = 0; phase < size; phase++) {
    if (phase % 2 == 0)
      MPI_Sendrecv(a, N, MPI_INT, even, 0, b, N, MPI_INT, even, 0, W, MPI_STATUS_IGNORE);
    else
      MPI_Sendrecv(a, N, MPI_INT, odd, 0, b, N, MPI_INT, odd, 0, W, MPI_STATUS_IGNORE);
  }
}

static void bitonic(void) {
  for (int k = 2; k / 2 < size; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int partner = rank ^ j;
      if (partner < size)
        MPI_Sendrecv(a, N, MPI_INT, partner, 0, b, N, MPI_INT, partner, 0, W, MPI_STATUS_IGNORE);
    }
}

static void sample_sort(void) {
  int out[64], in[64], at[64], from[64];
  MPI_Gather(a, 4, MPI_INT, b, 4, MPI_INT, 0, W);
  MPI_Bcast(b, size - 1, MPI_INT, 0, W);
  for (int p = 0; p < size; p++) out[p] = 5 + (p + rank) % 3, at[p] = 8 * p, from[p] = 8 * p;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
  MPI_Alltoallv(a, out, at, MPI_INT, b, in, from, MPI_INT, W);
  MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, W);
}

static void master_worker(void) {
  enum { kWork = 1, kStop = 2, kTasks = 60 };
  MPI_Status status;
  if (rank == 0) {
    int sent = 0, open = 0;
    for (int w = 1; w < size; w++) {
      MPI_Send(a, N, MPI_DOUBLE, w, kWork, W);
      sent++, open++;
    }
    while (open > 0) {
      MPI_Recv(b, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
      open--;
      if (sent < kTasks) {
        MPI_Send(a, N, MPI_DOUBLE, status.MPI_SOURCE, kWork, W);
        sent++, open++;
      } else
        MPI_Send(NULL, 0, MPI_DOUBLE, status.MPI_SOURCE, kStop, W);
    }
  } else
    while (1) {
      MPI_Recv(a, N, MPI_DOUBLE, 0, MPI_ANY_TAG, W, &status);
      if (status.MPI_TAG == kStop) break;
      MPI_Send(b, 1, MPI_DOUBLE, 0, 0, W);
    }
}

// Workers ask; the master answers until there is no more.
static void self_scheduling(void) {
  int next = 0, work = 0, done = 0;
  MPI_Status s;
  if (rank == 0) {
    while (done < size - 1) {
      MPI_Recv(&work, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &s);
      work = next < 50 ? next++ : -1;
      if (work < 0) done++;
      MPI_Send(&work, 1, MPI_INT, s.MPI_SOURCE, 1, W);
    }
  } else {
    do {
      MPI_Send(&work, 1, MPI_INT, 0, 0, W);
      MPI_Recv(&work, 1, MPI_INT, 0, 1, W, &s);
    } while (work >= 0);
  }
  MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, W);
}

// Everybody asks the rank after next for work and answers whoever asks.
static void stealing(void) {
  int flag, victim = (rank + 1) % size, thief = (rank + size - 1) % size;
  for (int t = 0; t < 8; t++) {
    MPI_Request asked, answered;
    MPI_Status s;
    MPI_Irecv(b, N, MPI_INT, victim, 2, W, &answered);
    MPI_Isend(NULL, 0, MPI_INT, victim, 1, W, &asked);
    do MPI_Iprobe(MPI_ANY_SOURCE, 1, W, &flag, &s);
    while (!flag);
    MPI_Recv(NULL, 0, MPI_INT, thief, 1, W, MPI_STATUS_IGNORE);
    MPI_Send(a, (t + rank) % 3 ? N : 0, MPI_INT, thief, 2, W);
    MPI_Wait(&asked, MPI_STATUS_IGNORE);
    MPI_Wait(&answered, MPI_STATUS_IGNORE);
  }
}

static void leaders(void) {
  int per_node = 4, node = rank / per_node, local;
  MPI_Comm inside, heads;
  MPI_Comm_split(W, node, rank, &inside);
  MPI_Comm_rank(inside, &local);
  MPI_Comm_split(W, local == 0 ? 0 : MPI_UNDEFINED, rank, &heads);
  for (int t = 0; t < 6; t++) {
    MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_SUM, 0, inside);
    if (heads != MPI_COMM_NULL) MPI_Allreduce(b, a, N, MPI_DOUBLE, MPI_SUM, heads);
    MPI_Bcast(a, N, MPI_DOUBLE, 0, inside);
  }
  MPI_Comm_free(&inside);
  if (heads != MPI_COMM_NULL) MPI_Comm_free(&heads);
}

// Nodes of three without communicators: members to leaders, leaders in a ring.
static void leaders_by_hand(void) {
  int lead = rank - rank % 3, last = lead + 2 < size ? lead + 2 : size - 1;
  for (int t = 0; t < 6; t++) {
    if (rank != lead)
      MPI_Send(a, N, MPI_INT, lead, 0, W);
    else
      for (int m = lead + 1; m <= last; m++) MPI_Recv(b, N, MPI_INT, m, 0, W, MPI_STATUS_IGNORE);
    if (rank == lead) {
      int nodes = (size + 2) / 3, next = (rank / 3 + 1) % nodes * 3;
      int before = (rank / 3 + nodes - 1) % nodes * 3;
      MPI_Sendrecv(a, N, MPI_INT, next, 1, b, N, MPI_INT, before, 1, W, MPI_STATUS_IGNORE);
    }
    if (rank == lead)
      for (int m = lead + 1; m <= last; m++) MPI_Send(a, N, MPI_INT, m, 2, W);
    else
      MPI_Recv(a, N, MPI_INT, lead, 2, W, MPI_STATUS_IGNORE);
  }
}

// Two models, each with a halo of its own, that exchange a field every third step.
static void coupled(void) {
  int half = size / 2, model = rank >= half && rank < 2 * half, me, many;
  MPI_Comm mine;
  MPI_Comm_split(W, rank < 2 * half ? model : 2, rank, &mine);
  MPI_Comm_rank(mine, &me);
  MPI_Comm_size(mine, &many);
  for (int t = 0; t < STEPS; t++) {
    MPI_Sendrecv(a, N, MPI_DOUBLE, me + 1 < many ? me + 1 : MPI_PROC_NULL, 0, b, N, MPI_DOUBLE,
                 me > 0 ? me - 1 : MPI_PROC_NULL, 0, mine, MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, mine);
    if (t % 3 == 0 && rank < 2 * half) {
      int twin = model ? rank - half : rank + half;
      MPI_Sendrecv(a, N, MPI_DOUBLE, twin, 5, b, N, MPI_DOUBLE, twin, 5, W, MPI_STATUS_IGNORE);
    }
  }
  MPI_Comm_free(&mine);
}

static void ocean_atmosphere(void) {
  int ocean = rank < size / 3, me, many, remote;
  MPI_Comm mine, bridge;
  MPI_Comm_split(W, ocean, rank, &mine);
  MPI_Comm_rank(mine, &me);
  MPI_Comm_size(mine, &many);
  MPI_Intercomm_create(mine, 0, W, ocean ? size / 3 : 0, 0, &bridge);
  MPI_Comm_remote_size(bridge, &remote);
  for (int day = 0; day < 5; day++) {
    if (ocean) {
      for (int i = 0; i < 2; i++) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, mine);
    } else {
      for (int i = 0; i < 6; i++) MPI_Allgather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, mine);
    }
    if (me == 0) {
      MPI_Sendrecv(a, N, MPI_DOUBLE, 0, day, b, N, MPI_DOUBLE, 0, day, bridge, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(b, N, MPI_DOUBLE, 0, mine);
  }
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&mine);
}

// Every fourth rank writes for those after it.
static void io_servers(void) {
  int server = rank - rank % 4, clients = (server + 4 < size ? server + 4 : size) - server - 1;
  for (int dump = 0; dump < 5; dump++) {
    if (rank == server) {
      for (int i = 0; i < clients; i++)
        MPI_Recv(b, N, MPI_DOUBLE, MPI_ANY_SOURCE, dump, W, MPI_STATUS_IGNORE);
    } else
      MPI_Send(a, N, MPI_DOUBLE, server, dump, W);
  }
  MPI_Barrier(W);
}

static void checkpoint(void) {
  for (int t = 1; t <= 20; t++) {
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
    if (t % 5) continue;
    if (rank == 0)
      for (int p = 1; p < size; p++) {
        MPI_Status s;
        int count;
        MPI_Probe(p, 3, W, &s);
        MPI_Get_count(&s, MPI_DOUBLE, &count);
        MPI_Recv(b, count, MPI_DOUBLE, p, 3, W, MPI_STATUS_IGNORE);
      }
    else
      MPI_Send(a, 10 + rank % 2, MPI_DOUBLE, 0, 3, W);
  }
}

static void deal_out(void) {
  if (rank == 0) {
    for (int p = 1; p < size; p++) {
      int n = 100 + (p < 3);
      MPI_Send(&n, 1, MPI_INT, p, 0, W);
      MPI_Send(a, n, MPI_DOUBLE, p, 1, W);
    }
    for (int p = 1; p < size; p++) MPI_Recv(b, N, MPI_DOUBLE, p, 2, W, MPI_STATUS_IGNORE);
  } else {
    int n;
    MPI_Recv(&n, 1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, n, MPI_DOUBLE, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Send(a, N, MPI_DOUBLE, 0, 2, W);
  }
}

static void vcycle(void) {
  for (int cycle = 0; cycle < 4; cycle++) {
    int stride;
    for (stride = 1; stride < size; stride *= 2) {
      if (rank % stride) continue;
      int left = rank - stride, right = rank + stride;
      if (left >= 0)
        MPI_Sendrecv(a, N, MPI_DOUBLE, left, 0, b, N, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
      if (right < size)
        MPI_Sendrecv(a, N, MPI_DOUBLE, right, 0, b, N, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
    }
    for (stride /= 2; stride > 0; stride /= 2) {
      if (rank % stride) continue;
      if (rank / stride % 2)
        MPI_Recv(a, N, MPI_DOUBLE, rank - stride, 1, W, MPI_STATUS_IGNORE);
      else if (rank + stride < size)
        MPI_Send(a, N, MPI_DOUBLE, rank + stride, 1, W);
    }
  }
}

static void multigrid_comms(void) {
  MPI_Comm level[8];
  int levels = 0, me = rank, many = size;
  MPI_Comm_dup(W, &level[levels++]);
  while (many > 1) {
    MPI_Comm_split(level[levels - 1], me % 2 ? MPI_UNDEFINED : 0, me, &level[levels]);
    if (level[levels] == MPI_COMM_NULL) break;
    MPI_Comm_rank(level[levels], &me);
    MPI_Comm_size(level[levels], &many);
    levels++;
  }
  for (int cycle = 0; cycle < 5; cycle++) {
    for (int l = 0; l < levels; l++) MPI_Allreduce(a, b, N >> l, MPI_DOUBLE, MPI_SUM, level[l]);
    for (int l = levels - 1; l >= 0; l--) MPI_Bcast(a, N >> l, MPI_DOUBLE, 0, level[l]);
  }
  for (int l = 0; l < levels; l++) MPI_Comm_free(&level[l]);
}

// Sizes first, then what leaves to both sides of a closed chain.
static void particles(void) {
  int next = (rank + 1) % size, last = (rank + size - 1) % size, out[2], in[2];
  for (int t = 0; t < STEPS; t++) {
    out[0] = 3 + (rank + t) % 4, out[1] = 2 + (rank * t) % 3;
    MPI_Sendrecv(&out[0], 1, MPI_INT, next, 0, &in[0], 1, MPI_INT, last, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out[1], 1, MPI_INT, last, 1, &in[1], 1, MPI_INT, next, 1, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 6 * out[0], MPI_DOUBLE, next, 2, b, 6 * in[0], MPI_DOUBLE, last, 2, W,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 6 * out[1], MPI_DOUBLE, last, 3, b, 6 * in[1], MPI_DOUBLE, next, 3, W,
                 MPI_STATUS_IGNORE);
  }
}

static void sparse_counts(void) {
  int wanted[64] = {0}, mine;
  int to[2] = {(rank + 2) % size, (rank * 2 + 1) % size};
  wanted[to[0]]++, wanted[to[1]]++;
  MPI_Reduce_scatter_block(wanted, &mine, 1, MPI_INT, MPI_SUM, W);
  MPI_Request r[2];
  for (int i = 0; i < 2; i++) MPI_Isend(a, N, MPI_INT, to[i], 9, W, &r[i]);
  for (int i = 0; i < mine; i++) MPI_Recv(b, N, MPI_INT, MPI_ANY_SOURCE, 9, W, MPI_STATUS_IGNORE);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void neighbour_cart(void) {
  int dims[2] = {0, 0}, round[2] = {1, 0};
  MPI_Comm grid;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, round, 0, &grid);
  for (int t = 0; t < STEPS; t++) MPI_Neighbor_alltoall(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, grid);
  MPI_Comm_free(&grid);
}

static void neighbour_graph(void) {
  int near[2] = {(rank + 1) % size, (rank + size - 1) % size};
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(W, 2, near, MPI_UNWEIGHTED, 2, near, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &graph);
  for (int t = 0; t < STEPS; t++) {
    MPI_Request r;
    MPI_Ineighbor_allgather(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, graph, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&graph);
}

static void puts_fence(void) {
  MPI_Win window;
  MPI_Win_create(b, sizeof b, sizeof(double), MPI_INFO_NULL, W, &window);
  MPI_Win_fence(0, window);
  for (int t = 0; t < STEPS; t++) {
    if (rank > 0) MPI_Put(a, N, MPI_DOUBLE, rank - 1, 0, N, MPI_DOUBLE, window);
    if (rank < size - 1) MPI_Put(a, N, MPI_DOUBLE, rank + 1, N, N, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
}

static void counter_lock(void) {
  long one = 1, got, *memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, W, &memory, &window);
  for (int i = 0; i < 10; i++) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Win_free(&window);
}

static void overlap_collectives(void) {
  MPI_Request sum, r[4];
  for (int t = 0; t < STEPS; t++) {
    int n = 0;
    MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W, &sum);
    if (rank % 2) MPI_Irecv(b, N, MPI_DOUBLE, rank - 1, 0, W, &r[n++]);
    if (rank % 2 == 0 && rank + 1 < size) MPI_Isend(a, N, MPI_DOUBLE, rank + 1, 0, W, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
  }
}

static void red_black(void) {
  for (int t = 0; t < 10; t++)
    for (int colour = 0; colour < 2; colour++) {
      if (rank % 2 == colour) {
        if (rank > 0) MPI_Send(a, N, MPI_DOUBLE, rank - 1, colour, W);
        if (rank < size - 1) MPI_Send(a, N, MPI_DOUBLE, rank + 1, colour, W);
      } else {
        if (rank > 0) MPI_Recv(b, N, MPI_DOUBLE, rank - 1, colour, W, MPI_STATUS_IGNORE);
        if (rank < size - 1) MPI_Recv(b, N, MPI_DOUBLE, rank + 1, colour, W, MPI_STATUS_IGNORE);
      }
    }
}

static void pingpong(void) {
  for (int n = 1; n <= 4096; n *= 4)
    for (int repeat = 0; repeat < 10; repeat++) {
      if (rank == 0) {
        MPI_Send(a, n, MPI_CHAR, size - 1, 0, W);
        MPI_Recv(b, n, MPI_CHAR, size - 1, 0, W, MPI_STATUS_IGNORE);
      } else if (rank == size - 1) {
        MPI_Recv(b, n, MPI_CHAR, 0, 0, W, MPI_STATUS_IGNORE);
        MPI_Send(a, n, MPI_CHAR, 0, 0, W);
      }
    }
  MPI_Barrier(W);
}

static void pairs_bandwidth(void) {
  int half = size / 2, window = 8;
  MPI_Request r[8];
  for (int n = 8; n <= 2048; n *= 4) {
    MPI_Barrier(W);
    if (rank < half) {
      for (int i = 0; i < window; i++) MPI_Isend(a, n, MPI_CHAR, rank + half, 1, W, &r[i]);
      MPI_Waitall(window, r, MPI_STATUSES_IGNORE);
      MPI_Recv(b, 4, MPI_CHAR, rank + half, 2, W, MPI_STATUS_IGNORE);
    } else if (rank < 2 * half) {
      for (int i = 0; i < window; i++) MPI_Irecv(b, n, MPI_CHAR, rank - half, 1, W, &r[i]);
      MPI_Waitall(window, r, MPI_STATUSES_IGNORE);
      MPI_Send(a, 4, MPI_CHAR, rank - half, 2, W);
    }
  }
}

static void matvec(void) {
  int counts[64], at[64], n = 10 * size + 3;
  for (int p = 0; p < size; p++) counts[p] = n / size + (p < n % size), at[p] = 12 * p;
  MPI_Scatterv(a, counts, at, MPI_DOUBLE, b, counts[rank], MPI_DOUBLE, 0, W);
  for (int t = 0; t < 5; t++)
    MPI_Allgatherv(b, counts[rank], MPI_DOUBLE, c, counts, at, MPI_DOUBLE, W);
  MPI_Gatherv(b, counts[rank], MPI_DOUBLE, c, counts, at, MPI_DOUBLE, 0, W);
}

static void monte_carlo(void) {
  MPI_Bcast(a, 1, MPI_INT, 0, W);
  if (rank != 0)
    MPI_Send(b, 1, MPI_LONG, 0, 0, W);
  else
    for (int i = 1; i < size; i++)
      MPI_Recv(c, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, W, MPI_STATUS_IGNORE);
}

// Ranks take turns to print, held back by barriers.
static void turns(void) {
  for (int p = 0; p < size; p++) {
    if (p == rank && rank != 0) MPI_Ssend(a, 1, MPI_INT, 0, 0, W);
    if (rank == 0 && p != 0) MPI_Recv(b, 1, MPI_INT, p, 0, W, MPI_STATUS_IGNORE);
    MPI_Barrier(W);
  }
}

static const struct pattern patterns[] = {
    PATTERN(ring_allreduce),
    PATTERN(ring_token),
    PATTERN(token_ends),
    PATTERN(nbody_ring),
    PATTERN(halo_if),
    PATTERN(halo_null),
    PATTERN(halo_evenodd),
    PATTERN(halo_requests),
    PATTERN(halo_residual),
    PATTERN(plane_cart),
    PATTERN(plane_if),
    PATTERN(plane_persistent),
    PATTERN(plane_corners),
    PATTERN(life),
    PATTERN(plane_two_phases),
    PATTERN(box_shift),
    PATTERN(box_corners),
    PATTERN(wavefront),
    PATTERN(sweeps),
    PATTERN(pipeline),
    PATTERN(pipeline_roles),
    PATTERN(scan_wait),
    PATTERN(scan_blocking),
    PATTERN(scan_null),
    PATTERN(doubling_any),
    PATTERN(doubling_beyond),
    PATTERN(dissemination),
    PATTERN(tree_bcast),
    PATTERN(tree_bcast_up),
    PATTERN(tree_reduce),
    PATTERN(tree_heap),
    PATTERN(tree_anyone),
    PATTERN(halving_doubling),
    PATTERN(allgather_doubling),
    PATTERN(fft_rows_columns),
    PATTERN(fft_butterfly),
    PATTERN(alltoall_xor),
    PATTERN(alltoall_shift),
    PATTERN(alltoall_requests),
    PATTERN(transpose_blocking),
    PATTERN(cannon),
    PATTERN(fox),
    PATTERN(summa),
    PATTERN(lu_panels),
    PATTERN(gauss_pivot),
    PATTERN(floyd),
    PATTERN(back_substitution),
    PATTERN(conjugate_gradient),
    PATTERN(oddeven_sort),
    PATTERN(oddeven_null),
    PATTERN(bitonic),
    PATTERN(sample_sort),
    PATTERN(master_worker),
    PATTERN(self_scheduling),
    PATTERN(stealing),
    PATTERN(leaders),
    PATTERN(leaders_by_hand),
    PATTERN(coupled),
    PATTERN(ocean_atmosphere),
    PATTERN(io_servers),
    PATTERN(checkpoint),
    PATTERN(deal_out),
    PATTERN(vcycle),
    PATTERN(multigrid_comms),
    PATTERN(particles),
    PATTERN(sparse_counts),
    PATTERN(neighbour_cart),
    PATTERN(neighbour_graph),
    PATTERN(puts_fence),
    PATTERN(counter_lock),
    PATTERN(overlap_collectives),
    PATTERN(red_black),
    PATTERN(pingpong),
    PATTERN(pairs_bandwidth),
    PATTERN(matvec),
    PATTERN(monte_carlo),
    PATTERN(turns),
};

RUN_ONE_OF(patterns)
