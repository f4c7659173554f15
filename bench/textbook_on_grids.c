// SPDX-License-Identifier: Apache-2.0
// Halos, matrices, masters and several programs on any number of ranks, written not to suit Rondo.
// One for each name.
#include "textbook_driver.h"

static void dims(int n, int* d) { MPI_Dims_create(size, n, d); }

static void square(MPI_Comm* k, int* q, int* per) {
  for (*q = 1; (*q + 1) * (*q + 1) <= size; ++*q) {
  }
  int d[2] = {*q, *q};
  MPI_Cart_create(W, 2, d, per, 0, k);
}

// Halos with corners, straight to all eight neighbours.
static void halo_corners(void) {
  int d[2] = {0, 0};
  dims(2, d);
  int x = rank % d[1], y = rank / d[1];
  for (int it = 0; it < 8; it++) {
    MPI_Request q[16];
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int u = x + dx, v = y + dy;
        if ((dx || dy) && u >= 0 && u < d[1] && v >= 0 && v < d[0]) {
          int len = dx && dy ? 1 : dx ? 40 : 60;
          MPI_Irecv(b, len, MPI_DOUBLE, v * d[1] + u, 0, W, &q[n++]);
          MPI_Isend(a, len, MPI_DOUBLE, v * d[1] + u, 0, W, &q[n++]);
        }
      }
    MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
  }
}

// Halos in three dimensions.
static void halo_3d(void) {
  int d[3] = {0, 0, 0}, per[3] = {0, 0, 0};
  dims(3, d);
  MPI_Comm k;
  MPI_Cart_create(W, 3, d, per, 0, &k);
  for (int it = 0; it < 6; it++)
    for (int i = 0; i < 3; i++) {
      int lo, hi;
      MPI_Cart_shift(k, i, 1, &lo, &hi);
      MPI_Sendrecv(a, 50, MPI_DOUBLE, hi, 1, b, 50, MPI_DOUBLE, lo, 1, k, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 50, MPI_DOUBLE, lo, 2, b, 50, MPI_DOUBLE, hi, 2, k, MPI_STATUS_IGNORE);
    }
  MPI_Comm_free(&k);
}

// Halos on a grid that is periodic one way.
static void half_periodic(void) {
  int d[2] = {0, 0}, per[2] = {0, 1};
  dims(2, d);
  MPI_Comm k;
  MPI_Cart_create(W, 2, d, per, 0, &k);
  int n, s, w, e;
  MPI_Cart_shift(k, 0, 1, &n, &s);
  MPI_Cart_shift(k, 1, 1, &w, &e);
  for (int it = 0; it < 6; it++) {
    MPI_Request q[8];
    MPI_Irecv(b, 30, MPI_DOUBLE, n, 0, k, &q[0]);
    MPI_Irecv(b, 30, MPI_DOUBLE, s, 1, k, &q[1]);
    MPI_Irecv(b, 30, MPI_DOUBLE, w, 2, k, &q[2]);
    MPI_Irecv(b, 30, MPI_DOUBLE, e, 3, k, &q[3]);
    MPI_Isend(a, 30, MPI_DOUBLE, s, 0, k, &q[4]);
    MPI_Isend(a, 30, MPI_DOUBLE, n, 1, k, &q[5]);
    MPI_Isend(a, 30, MPI_DOUBLE, e, 2, k, &q[6]);
    MPI_Isend(a, 30, MPI_DOUBLE, w, 3, k, &q[7]);
    MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&k);
}

// Rows of unequal numbers, which rank 0 collects.
static void uneven_rows(void) {
  int rows = 100 / size + (rank < 100 % size), up = rank ? rank - 1 : MPI_PROC_NULL,
      down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int it = 0; it < 9; it++) {
    MPI_Sendrecv(a, 33, MPI_DOUBLE, up, 0, b, 33, MPI_DOUBLE, down, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 33, MPI_DOUBLE, down, 0, b, 33, MPI_DOUBLE, up, 0, W, MPI_STATUS_IGNORE);
  }
  if (rank)
    MPI_Send(a, rows * 33, MPI_DOUBLE, 0, 5, W);
  else
    for (int i = 1; i < size; i++)
      MPI_Recv(b, 33 * (100 / size + (i < 100 % size)), MPI_DOUBLE, i, 5, W, MPI_STATUS_IGNORE);
}

// Two programs by colour: a ring, and a master with others.
static void two_programs(void) {
  int colour = rank < (size + 1) / 2 ? 0 : 1, r, n;
  MPI_Comm k;
  MPI_Comm_split(W, colour, rank, &k);
  MPI_Comm_rank(k, &r);
  MPI_Comm_size(k, &n);
  if (colour == 0)
    for (int it = 0; it < 10; it++) {
      MPI_Sendrecv(a, 25, MPI_DOUBLE, (r + 1) % n, 0, b, 25, MPI_DOUBLE, (r + n - 1) % n, 0, k,
                   MPI_STATUS_IGNORE);
      MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, k);
    }
  else
    for (int it = 0; it < 7; it++) {
      if (r == 0)
        for (int i = 1; i < n; i++) MPI_Recv(b, 5, MPI_DOUBLE, i, 0, k, MPI_STATUS_IGNORE);
      else
        MPI_Send(a, 5, MPI_DOUBLE, 0, 0, k);
      MPI_Bcast(a, 3, MPI_DOUBLE, 0, k);
    }
  MPI_Comm_free(&k);
}

// Two masters, workers by parity.
static void masters(void) {
  int m = 2;
  if (rank < m) {
    int mine = 0;
    for (int i = m; i < size; i++) mine += i % m == rank;
    int left = 4 * mine, busy = mine;
    for (int i = m; i < size; i++)
      if (i % m == rank) MPI_Send(a, 3, MPI_DOUBLE, i, 1, W);
    while (busy) {
      MPI_Status s;
      MPI_Recv(b, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 1, W, &s);
      if (left-- > 0)
        MPI_Send(a, 3, MPI_DOUBLE, s.MPI_SOURCE, 1, W);
      else {
        MPI_Send(a, 0, MPI_DOUBLE, s.MPI_SOURCE, 2, W);
        busy--;
      }
    }

  } else
    for (;;) {
      MPI_Status s;
      MPI_Recv(b, 3, MPI_DOUBLE, rank % m, MPI_ANY_TAG, W, &s);
      if (s.MPI_TAG == 2) break;
      MPI_Send(a, 3, MPI_DOUBLE, rank % m, 1, W);
    }
}

// A simulation with halos; the last third looks at it each fourth step.
static void in_situ(void) {
  int nv = size / 3, ns = size - nv, sim = rank < ns;
  MPI_Comm k;
  MPI_Comm_split(W, sim, rank, &k);
  int r, n;
  MPI_Comm_rank(k, &r);
  MPI_Comm_size(k, &n);
  for (int it = 0; it < 16; it++) {
    if (sim) {
      int l = r ? r - 1 : MPI_PROC_NULL, h = r < n - 1 ? r + 1 : MPI_PROC_NULL;
      MPI_Sendrecv(a, 80, MPI_DOUBLE, l, 0, b, 80, MPI_DOUBLE, h, 0, k, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 80, MPI_DOUBLE, h, 0, b, 80, MPI_DOUBLE, l, 0, k, MPI_STATUS_IGNORE);
      if (it % 4 == 3) MPI_Send(a, 400, MPI_DOUBLE, ns + r % nv, it, W);
    } else if (it % 4 == 3) {
      for (int i = 0; i < ns; i++)
        if (i % nv == r) MPI_Recv(b, 400, MPI_DOUBLE, i, it, W, MPI_STATUS_IGNORE);
      MPI_Reduce(a, b, 10, MPI_DOUBLE, MPI_SUM, 0, k);
    }
  }
  MPI_Comm_free(&k);
}

// A ring with two buffers.
static void double_buffered_ring(void) {
  MPI_Request q[2][2];
  int l = (rank + size - 1) % size, r = (rank + 1) % size;
  MPI_Irecv(b, 70, MPI_DOUBLE, l, 0, W, &q[0][0]);
  MPI_Isend(a, 70, MPI_DOUBLE, r, 0, W, &q[0][1]);
  for (int it = 1; it < 12; it++) {
    int cur = it % 2;
    MPI_Irecv(b + 100 * cur, 70, MPI_DOUBLE, l, cur, W, &q[cur][0]);
    MPI_Isend(a + 100 * cur, 70, MPI_DOUBLE, r, cur, W, &q[cur][1]);
    MPI_Waitall(2, q[1 - cur], MPI_STATUSES_IGNORE);
  }
  MPI_Waitall(2, q[1], MPI_STATUSES_IGNORE);
}

// Leaders of groups of three talk for them.
static void node_leaders(void) {
  int per = 3, node = rank / per, r, n;
  MPI_Comm in, out;
  MPI_Comm_split(W, node, rank, &in);
  MPI_Comm_rank(in, &r);
  MPI_Comm_size(in, &n);
  MPI_Comm_split(W, r == 0 ? 0 : MPI_UNDEFINED, rank, &out);
  for (int it = 0; it < 5; it++) {
    if (r)
      MPI_Send(a, 11, MPI_DOUBLE, 0, 0, in);
    else
      for (int i = 1; i < n; i++) MPI_Recv(b, 11, MPI_DOUBLE, i, 0, in, MPI_STATUS_IGNORE);
    if (r == 0) MPI_Allreduce(a, b, 11, MPI_DOUBLE, MPI_SUM, out);
    if (r == 0)
      for (int i = 1; i < n; i++) MPI_Send(a, 11, MPI_DOUBLE, i, 1, in);
    else
      MPI_Recv(b, 11, MPI_DOUBLE, 0, 1, in, MPI_STATUS_IGNORE);
  }
  if (r == 0) MPI_Comm_free(&out);
  MPI_Comm_free(&in);
}

// Cannon on the largest square.
static void cannon_square(void) {
  int q, per[2] = {1, 1}, xy[2], s, t;
  MPI_Comm k;
  square(&k, &q, per);
  if (k == MPI_COMM_NULL) return;
  int r;
  MPI_Comm_rank(k, &r);
  MPI_Cart_coords(k, r, 2, xy);
  MPI_Cart_shift(k, 1, -xy[0], &s, &t);
  MPI_Sendrecv_replace(a, 90, MPI_DOUBLE, t, 1, s, 1, k, MPI_STATUS_IGNORE);
  MPI_Cart_shift(k, 0, -xy[1], &s, &t);
  MPI_Sendrecv_replace(b, 90, MPI_DOUBLE, t, 2, s, 2, k, MPI_STATUS_IGNORE);
  for (int i = 0; i < q; i++) {
    MPI_Cart_shift(k, 1, -1, &s, &t);
    MPI_Sendrecv_replace(a, 90, MPI_DOUBLE, t, 1, s, 1, k, MPI_STATUS_IGNORE);
    MPI_Cart_shift(k, 0, -1, &s, &t);
    MPI_Sendrecv_replace(b, 90, MPI_DOUBLE, t, 2, s, 2, k, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&k);
}

// Fox on the largest square.
static void fox_square(void) {
  int q, per[2] = {1, 1}, xy[2], r;
  MPI_Comm k, row, col;
  square(&k, &q, per);
  if (k == MPI_COMM_NULL) return;
  MPI_Comm_rank(k, &r);
  MPI_Cart_coords(k, r, 2, xy);
  int kr[2] = {0, 1}, kc[2] = {1, 0};
  MPI_Cart_sub(k, kr, &row);
  MPI_Cart_sub(k, kc, &col);
  for (int i = 0; i < q; i++) {
    MPI_Bcast(a, 90, MPI_DOUBLE, (xy[0] + i) % q, row);
    MPI_Sendrecv_replace(b, 90, MPI_DOUBLE, (xy[0] + q - 1) % q, 0, (xy[0] + 1) % q, 0, col,
                         MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&col);
  MPI_Comm_free(&k);
}

// SUMMA by hand: the owner sends its panel to all others of its row and column.
static void summa_p2p(void) {
  int d[2] = {0, 0};
  dims(2, d);
  int R = d[0], C = d[1], x = rank % C, y = rank / C;
  for (int s = 0; s < R * C; s++) {
    int ox = s % C, oy = s % R;
    if (x == ox) {
      for (int i = 0; i < C; i++)
        if (i != x) MPI_Send(a, 45, MPI_DOUBLE, y * C + i, s, W);
    } else
      MPI_Recv(b, 45, MPI_DOUBLE, y * C + ox, s, W, MPI_STATUS_IGNORE);
    if (y == oy) {
      for (int i = 0; i < R; i++)
        if (i != y) MPI_Send(a, 46, MPI_DOUBLE, i * C + x, s, W);
    } else
      MPI_Recv(b, 46, MPI_DOUBLE, oy * C + x, s, W, MPI_STATUS_IGNORE);
  }
}

// Blocks of a grid change places.
static void transpose_grid(void) {
  int d[2] = {0, 0};
  dims(2, d);
  int x = rank % d[1], y = rank / d[1], p = x * d[0] + y, from = -1;
  for (int i = 0; i < size; i++)
    if ((i % d[1]) * d[0] + i / d[1] == rank) from = i;
  for (int it = 0; it < 5; it++)
    if (p != rank || from != rank)
      MPI_Sendrecv(a, 77, MPI_DOUBLE, p, 0, b, 77, MPI_DOUBLE, from, 0, W, MPI_STATUS_IGNORE);
}

// Each tells another one, equally far away in each step.
static void gossip_seeded(void) {
  srand(5);
  for (int it = 0; it < 10; it++) {
    int s = 1 + rand() % (size - 1);
    MPI_Sendrecv(a, 6, MPI_DOUBLE, (rank + s) % size, it, b, 6, MPI_DOUBLE,
                 (rank - s + size) % size, it, W, MPI_STATUS_IGNORE);
  }
}

// Bodies go round both ways at once.
static void nbody_both(void) {
  int l = (rank + size - 1) % size, r = (rank + 1) % size;
  for (int i = 0; i < size / 2; i++) {
    MPI_Request q[4];
    MPI_Irecv(b, 40, MPI_DOUBLE, l, 0, W, &q[0]);
    MPI_Irecv(c, 40, MPI_DOUBLE, r, 1, W, &q[1]);
    MPI_Isend(a, 40, MPI_DOUBLE, r, 0, W, &q[2]);
    MPI_Isend(a, 40, MPI_DOUBLE, l, 1, W, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  }
  MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, W);
}

// Neighbours by a graph.
static void dist_graph(void) {
  int out[3], in[3], n = 0, m = 0;
  MPI_Comm g;
  for (int s = 1; s <= 2; s++) {
    out[n++] = (rank + s) % size;
    in[m++] = (rank - s + size) % size;
  }
  MPI_Dist_graph_create_adjacent(W, m, in, MPI_UNWEIGHTED, n, out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &g);
  for (int it = 0; it < 7; it++) {
    MPI_Neighbor_allgather(a, 9, MPI_DOUBLE, b, 9, MPI_DOUBLE, g);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
  MPI_Comm_free(&g);
}

// Halos put into windows between fences.
static void fence_halo(void) {
  MPI_Win w;
  MPI_Win_create(c, sizeof c, sizeof(double), MPI_INFO_NULL, W, &w);
  MPI_Win_fence(0, w);
  for (int it = 0; it < 8; it++) {
    if (rank > 0) MPI_Put(a, 21, MPI_DOUBLE, rank - 1, 0, 21, MPI_DOUBLE, w);
    if (rank < size - 1) MPI_Put(a, 21, MPI_DOUBLE, rank + 1, 30, 21, MPI_DOUBLE, w);
    MPI_Win_fence(0, w);
  }
  MPI_Win_free(&w);
}

// The same by post and start.
static void pscw_chain(void) {
  MPI_Win w;
  MPI_Win_create(c, sizeof c, sizeof(double), MPI_INFO_NULL, W, &w);
  MPI_Group all, near;
  MPI_Comm_group(W, &all);
  int n = 0, who[2];
  if (rank > 0) who[n++] = rank - 1;
  if (rank < size - 1) who[n++] = rank + 1;
  MPI_Group_incl(all, n, who, &near);
  for (int it = 0; it < 8; it++) {
    MPI_Win_post(near, 0, w);
    MPI_Win_start(near, 0, w);
    for (int i = 0; i < n; i++) MPI_Put(a, 21, MPI_DOUBLE, who[i], 0, 21, MPI_DOUBLE, w);
    MPI_Win_complete(w);
    MPI_Win_wait(w);
  }
  MPI_Group_free(&near);
  MPI_Group_free(&all);
  MPI_Win_free(&w);
}

// A wavefront on a grid.
static void wavefront_2d(void) {
  int d[2] = {0, 0};
  dims(2, d);
  int x = rank % d[1], y = rank / d[1];
  for (int s = 0; s < 6; s++) {
    if (x > 0) MPI_Recv(b, 12, MPI_DOUBLE, rank - 1, s, W, MPI_STATUS_IGNORE);
    if (y > 0) MPI_Recv(b, 13, MPI_DOUBLE, rank - d[1], s, W, MPI_STATUS_IGNORE);
    if (x < d[1] - 1) MPI_Send(a, 12, MPI_DOUBLE, rank + 1, s, W);
    if (y < d[0] - 1) MPI_Send(a, 13, MPI_DOUBLE, rank + d[1], s, W);
  }
}

// Columns of ghosts as a datatype.
static void ghost_columns_type(void) {
  MPI_Datatype t;
  MPI_Type_vector(20, 1, 22, MPI_DOUBLE, &t);
  MPI_Type_commit(&t);
  int d[2] = {0, 0};
  dims(2, d);
  int x = rank % d[1], y = rank / d[1];
  int w = x ? rank - 1 : MPI_PROC_NULL, e = x < d[1] - 1 ? rank + 1 : MPI_PROC_NULL,
      n = y ? rank - d[1] : MPI_PROC_NULL, s = y < d[0] - 1 ? rank + d[1] : MPI_PROC_NULL;
  for (int it = 0; it < 10; it++) {
    MPI_Sendrecv(a, 1, t, e, 0, b, 1, t, w, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 1, t, w, 0, b, 1, t, e, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 20, MPI_DOUBLE, s, 0, b, 20, MPI_DOUBLE, n, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 20, MPI_DOUBLE, n, 0, b, 20, MPI_DOUBLE, s, 0, W, MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
    if (it % 5 == 4) MPI_Gather(a, 400, MPI_DOUBLE, c, 400, MPI_DOUBLE, 0, W);
  }
  MPI_Type_free(&t);
}

// A ring of workers; the last rank hears from each every third step.
static void monitor(void) {
  int n = size - 1;
  for (int it = 0; it < 9; it++) {
    if (rank < n) {
      MPI_Sendrecv(a, 14, MPI_DOUBLE, (rank + 1) % n, 0, b, 14, MPI_DOUBLE, (rank + n - 1) % n, 0,
                   W, MPI_STATUS_IGNORE);
      if (it % 3 == 2) MPI_Send(a, 2, MPI_DOUBLE, n, 1, W);
    } else if (it % 3 == 2)
      for (int i = 0; i < n; i++)
        MPI_Recv(b, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 1, W, MPI_STATUS_IGNORE);
  }
}

static const struct pattern patterns[] = {
    PATTERN(halo_corners),   PATTERN(halo_3d),
    PATTERN(half_periodic),  PATTERN(uneven_rows),
    PATTERN(two_programs),   PATTERN(masters),
    PATTERN(in_situ),        PATTERN(double_buffered_ring),
    PATTERN(node_leaders),   PATTERN(cannon_square),
    PATTERN(fox_square),     PATTERN(summa_p2p),
    PATTERN(transpose_grid), PATTERN(gossip_seeded),
    PATTERN(nbody_both),     PATTERN(dist_graph),
    PATTERN(fence_halo),     PATTERN(pscw_chain),
    PATTERN(wavefront_2d),   PATTERN(ghost_columns_type),
    PATTERN(monitor),
};
RUN_ONE_OF(patterns)
