// SPDX-License-Identifier: Apache-2.0
// Textbook patterns a fourth time, as courses, libraries and applications have them; textbook.py
// runs them. Written without regard to how Rondo says them.
#include "textbook_driver.h"

#define N 64
#define STEPS 12

// Ranks at the end of the machine take the fields of the others, and draw every fourth step.
static void staging(void) {
  int helpers = size / 4 > 0 ? size / 4 : 1, is_helper = rank >= size - helpers;
  MPI_Comm part;
  MPI_Comm_split(W, is_helper, rank, &part);
  int mine, workers = size - helpers;
  MPI_Comm_rank(part, &mine);
  for (int step = 1; step <= STEPS; step++) {
    if (!is_helper) {
      MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, part);
      if (step % 4 == 0) MPI_Ssend(a, 400, MPI_DOUBLE, workers + rank % helpers, step, W);
    } else if (step % 4 == 0) {
      for (int from = mine; from < workers; from += helpers)
        MPI_Recv(b, 400, MPI_DOUBLE, from, step, W, MPI_STATUS_IGNORE);
      MPI_Reduce(b, c, 100, MPI_DOUBLE, MPI_MAX, 0, part);
    }
  }
  MPI_Comm_free(&part);
}

// Safra's question whether all are done: a token goes round until it comes back white.
static void termination(void) {
  int token = 0;
  for (int round = 0; round < 3; round++) {
    if (rank == 0) {
      MPI_Send(&token, 1, MPI_INT, 1 % size, 77, W);
      MPI_Recv(&token, 1, MPI_INT, size - 1, 77, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&token, 1, MPI_INT, rank - 1, 77, W, MPI_STATUS_IGNORE);
      token += round;
      MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 77, W);
    }
  }
  MPI_Bcast(&token, 1, MPI_INT, 0, W);
}

// A sparse exchange in which nobody knows who writes to it.
static void nbx(void) {
  for (int t = 0; t < 4; t++) {
    MPI_Request out[2], barrier = MPI_REQUEST_NULL;
    int to[2] = {(rank + 1) % size, (rank + 3) % size}, done = 0, sent = 0;
    for (int i = 0; i < 2; i++) MPI_Issend(a, 16, MPI_INT, to[i], 5, W, &out[i]);
    while (!done) {
      int there;
      MPI_Status s;
      MPI_Iprobe(MPI_ANY_SOURCE, 5, W, &there, &s);
      if (there) MPI_Recv(b, 16, MPI_INT, s.MPI_SOURCE, 5, W, MPI_STATUS_IGNORE);
      if (barrier == MPI_REQUEST_NULL) {
        MPI_Testall(2, out, &sent, MPI_STATUSES_IGNORE);
        if (sent) MPI_Ibarrier(W, &barrier);
      } else {
        MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
      }
    }
    MPI_Barrier(W);
  }
}

// Halves of space swap their points, in each dimension once.
static void kd_tree(void) {
  MPI_Comm group = W;
  int n, r;
  MPI_Comm_size(group, &n);
  while (n > 1) {
    MPI_Comm_rank(group, &r);
    int half = n / 2, upper = r >= half;
    double median;
    MPI_Allreduce(a, &median, 1, MPI_DOUBLE, MPI_SUM, group);
    int partner = upper ? (r - half < half ? r - half : half - 1) : r + half;
    if (!(upper && r - half >= half))
      MPI_Sendrecv(a, 32, MPI_DOUBLE, partner, 1, b, 32, MPI_DOUBLE, partner, 1, group,
                   MPI_STATUS_IGNORE);
    MPI_Comm next;
    MPI_Comm_split(group, upper, r, &next);
    if (group != W) MPI_Comm_free(&group);
    group = next;
    MPI_Comm_size(group, &n);
  }
  if (group != W) MPI_Comm_free(&group);
}

// Ghost cells of a matrix in rows: rows are contiguous, columns are a type.
static void ghost_types(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, up, down, left, right;
  MPI_Comm grid;
  MPI_Datatype column, row;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 1, &grid);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  MPI_Type_vector(20, 1, 32, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Type_contiguous(30, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  for (int t = 0; t < 50; t++) {
    MPI_Request req[8];
    MPI_Irecv(a, 1, row, up, 0, grid, &req[0]);
    MPI_Irecv(a + 700, 1, row, down, 1, grid, &req[1]);
    MPI_Irecv(a + 32, 1, column, left, 2, grid, &req[2]);
    MPI_Irecv(a + 63, 1, column, right, 3, grid, &req[3]);
    MPI_Isend(a + 32, 1, row, up, 1, grid, &req[4]);
    MPI_Isend(a + 640, 1, row, down, 0, grid, &req[5]);
    MPI_Isend(a + 33, 1, column, left, 3, grid, &req[6]);
    MPI_Isend(a + 62, 1, column, right, 2, grid, &req[7]);
    MPI_Waitall(8, req, MPI_STATUSES_IGNORE);
    if (t % 10 == 9) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Type_free(&column);
  MPI_Type_free(&row);
  MPI_Comm_free(&grid);
}

// A mesh in lists: who shares a node with whom, exchanged by one Alltoallv.
static void mesh_lists(void) {
  static int to[256], from[256], at_to[256], at_from[256];
  for (int i = 0; i < size; i++) {
    int apart = abs(i - rank);
    to[i] = apart == 1 || apart == 4 ? 10 + apart : 0;
  }
  MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, W);
  for (int i = 1; i < size; i++) {
    at_to[i] = at_to[i - 1] + to[i - 1];
    at_from[i] = at_from[i - 1] + from[i - 1];
  }
  for (int t = 0; t < 25; t++) {
    MPI_Alltoallv(a, to, at_to, MPI_DOUBLE, b, from, at_from, MPI_DOUBLE, W);
    double dot[2], all[2];
    MPI_Allreduce(dot, all, 2, MPI_DOUBLE, MPI_SUM, W);
  }
}

// A table spread over all, locked for each word that is put into it.
static void table_locks(void) {
  MPI_Win win;
  MPI_Win_create(a, 1024 * sizeof(double), sizeof(double), MPI_INFO_NULL, W, &win);
  for (int i = 0; i < 10; i++) {
    int owner = (rank * 7 + i * 3) % size;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, win);
    MPI_Accumulate(b, 1, MPI_DOUBLE, owner, i, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_unlock(owner, win);
  }
  MPI_Barrier(W);
  MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, MPI_MODE_NOCHECK, win);
  MPI_Get(c, 100, MPI_DOUBLE, (rank + 1) % size, 0, 100, MPI_DOUBLE, win);
  MPI_Win_unlock((rank + 1) % size, win);
  MPI_Win_free(&win);
}

// A message in pieces along a chain.
static void chain_bcast(void) {
  for (int piece = 0; piece < 16; piece++) {
    if (rank > 0) MPI_Recv(a + piece * N, N, MPI_DOUBLE, rank - 1, piece, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(a + piece * N, N, MPI_DOUBLE, rank + 1, piece, W);
  }
}

// Allreduce in three steps: within a node, among the first of the nodes, and back.
static void nodes_by_hand(void) {
  int per_node = size >= 8 ? 4 : 2, leader = rank / per_node * per_node;
  int end = leader + per_node < size ? leader + per_node : size;
  for (int t = 0; t < 6; t++) {
    if (rank != leader) {
      MPI_Send(a, N, MPI_DOUBLE, leader, 1, W);
      MPI_Recv(a, N, MPI_DOUBLE, leader, 3, W, MPI_STATUS_IGNORE);
      continue;
    }
    for (int i = leader + 1; i < end; i++) MPI_Recv(b, N, MPI_DOUBLE, i, 1, W, MPI_STATUS_IGNORE);
    if (rank > 0) {
      MPI_Send(a, N, MPI_DOUBLE, 0, 2, W);
      MPI_Recv(a, N, MPI_DOUBLE, 0, 2, W, MPI_STATUS_IGNORE);
    } else {
      for (int i = per_node; i < size; i += per_node)
        MPI_Recv(b, N, MPI_DOUBLE, i, 2, W, MPI_STATUS_IGNORE);
      for (int i = per_node; i < size; i += per_node) MPI_Send(a, N, MPI_DOUBLE, i, 2, W);
    }
    for (int i = leader + 1; i < end; i++) MPI_Send(a, N, MPI_DOUBLE, i, 3, W);
  }
}

// A rumour: in each round the ones who know tell one further.
static void gossip(void) {
  for (int round = 0, known = 1; known < size; round++, known *= 2) {
    if (rank < known) {
      if (rank + known < size) MPI_Send(a, 10, MPI_DOUBLE, rank + known, round, W);
    } else if (rank < 2 * known) {
      MPI_Recv(a, 10, MPI_DOUBLE, rank - known, round, W, MPI_STATUS_IGNORE);
    }
  }
}

// Chunks that get smaller towards the end, on demand.
static void guided_chunks(void) {
  int left = 400, chunk;
  if (rank == 0) {
    for (int active = size - 1; active > 0;) {
      MPI_Status s;
      int result;
      MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &s);
      chunk = left / (2 * (size - 1)) > 4 ? left / (2 * (size - 1)) : left < 4 ? left : 4;
      left -= chunk;
      if (chunk == 0) active--;
      MPI_Send(&chunk, 1, MPI_INT, s.MPI_SOURCE, 2, W);
    }
  } else {
    chunk = 0;
    do {
      MPI_Send(&chunk, 1, MPI_INT, 0, 1, W);
      MPI_Recv(&chunk, 1, MPI_INT, 0, 2, W, MPI_STATUS_IGNORE);
    } while (chunk > 0);
  }
}

// A sum over a tree with four children each.
static void fan_in(void) {
  for (int i = 1; i <= 4; i++)
    if (4 * rank + i < size) MPI_Recv(b, 8, MPI_DOUBLE, 4 * rank + i, 0, W, MPI_STATUS_IGNORE);
  if (rank > 0) MPI_Send(a, 8, MPI_DOUBLE, (rank - 1) / 4, 0, W);
  if (rank > 0) MPI_Recv(a, 8, MPI_DOUBLE, (rank - 1) / 4, 1, W, MPI_STATUS_IGNORE);
  for (int i = 1; i <= 4; i++)
    if (4 * rank + i < size) MPI_Send(a, 8, MPI_DOUBLE, 4 * rank + i, 1, W);
}

// Everybody to everybody by a ring, a distance further each time, blocking.
static void alltoall_ring(void) {
  for (int d = 1; d < size; d++) {
    int to = (rank + d) % size, from = (rank - d + size) % size;
    MPI_Request req;
    MPI_Irecv(b + from * 8, 8, MPI_INT, from, d, W, &req);
    MPI_Send(a + to * 8, 8, MPI_INT, to, d, W);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
  }
}

// A model that is restarted: read, compute, and write at last.
static void restart(void) {
  MPI_File f;
  MPI_Offset at = (MPI_Offset)rank * 800;
  MPI_File_open(W, "/tmp/textbook_restart.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  MPI_File_write_at_all(f, at, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_seek(f, at, MPI_SEEK_SET);
  MPI_File_read(f, b, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&f);
  for (int t = 0; t < 30; t++) {
    MPI_Sendrecv(a, 10, MPI_DOUBLE, (rank + 1) % size, 0, b, 10, MPI_DOUBLE,
                 (rank + size - 1) % size, 0, W, MPI_STATUS_IGNORE);
    if (t % 10 == 9) {
      MPI_File_open(W, "/tmp/textbook_restart.dat", MPI_MODE_WRONLY | MPI_MODE_CREATE,
                    MPI_INFO_NULL, &f);
      MPI_File_set_view(f, at, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
      MPI_File_write_all(f, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
      MPI_File_close(&f);
    }
  }
}

// A node's memory is one window; the first of it fills in, the others look.
static void node_memory(void) {
  MPI_Comm node;
  MPI_Win win;
  double* base;
  MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int r;
  MPI_Comm_rank(node, &r);
  MPI_Win_allocate_shared(r == 0 ? 800 : 0, sizeof(double), MPI_INFO_NULL, node, &base, &win);
  for (int t = 0; t < 5; t++) {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

// Particles leave a slab to both sides, as many as there happen to be.
static void migrate(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
      right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int t = 0; t < 20; t++) {
    int out[2] = {(t * 3 + rank) % 5, (t + rank * 2) % 4}, in[2] = {0, 0};
    MPI_Sendrecv(&out[0], 1, MPI_INT, left, 0, &in[1], 1, MPI_INT, right, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out[1], 1, MPI_INT, right, 1, &in[0], 1, MPI_INT, left, 1, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, out[0], MPI_DOUBLE, left, 2, b, in[1], MPI_DOUBLE, right, 2, W,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, out[1], MPI_DOUBLE, right, 3, b, in[0], MPI_DOUBLE, left, 3, W,
                 MPI_STATUS_IGNORE);
  }
}

// Even and odd ranks in a grid's rows talk in turn, so that no send waits for itself.
static void rows_in_turn(void) {
  int px = size % 3 == 0 ? 3 : size % 2 == 0 ? 2 : 1, x = rank % px, y = rank / px, py = size / px;
  for (int t = 0; t < 8; t++) {
    if (y % 2 == 0) {
      if (y + 1 < py) MPI_Send(a, N, MPI_DOUBLE, rank + px, 0, W);
      if (y + 1 < py) MPI_Recv(b, N, MPI_DOUBLE, rank + px, 0, W, MPI_STATUS_IGNORE);
      if (y > 0) MPI_Send(a, N, MPI_DOUBLE, rank - px, 0, W);
      if (y > 0) MPI_Recv(b, N, MPI_DOUBLE, rank - px, 0, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(b, N, MPI_DOUBLE, rank - px, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, N, MPI_DOUBLE, rank - px, 0, W);
      if (y + 1 < py) MPI_Recv(b, N, MPI_DOUBLE, rank + px, 0, W, MPI_STATUS_IGNORE);
      if (y + 1 < py) MPI_Send(a, N, MPI_DOUBLE, rank + px, 0, W);
    }
    MPI_Reduce(&x, c, 1, MPI_INT, MPI_SUM, 0, W);
  }
}

// Two groups bound by an inter-communicator, each with its own loop.
static void two_worlds(void) {
  MPI_Comm mine, other;
  int first = rank < size / 2;
  MPI_Comm_split(W, first, rank, &mine);
  MPI_Intercomm_create(mine, 0, W, first ? size / 2 : 0, 9, &other);
  for (int t = 0; t < 6; t++) {
    MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_MAX, mine);
    MPI_Bcast(a, 20, MPI_DOUBLE, first ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, other);
  }
  MPI_Comm_free(&other);
  MPI_Comm_free(&mine);
}

// Sub-grids by Cart_sub, a broadcast along each row and a sum along each column.
static void matvec_grid(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0}, keep_row[2] = {0, 1}, keep_col[2] = {1, 0};
  MPI_Comm grid, row, col;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, keep_row, &row);
  MPI_Cart_sub(grid, keep_col, &col);
  for (int t = 0; t < 15; t++) {
    MPI_Bcast(a, N, MPI_DOUBLE, 0, col);
    MPI_Reduce(a, b, N, MPI_DOUBLE, MPI_SUM, 0, row);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&col);
  MPI_Comm_free(&grid);
}

static const struct pattern patterns[] = {
    PATTERN(staging),       PATTERN(termination), PATTERN(nbx),           PATTERN(kd_tree),
    PATTERN(ghost_types),   PATTERN(mesh_lists),  PATTERN(table_locks),   PATTERN(chain_bcast),
    PATTERN(nodes_by_hand), PATTERN(gossip),      PATTERN(guided_chunks), PATTERN(fan_in),
    PATTERN(alltoall_ring), PATTERN(restart),     PATTERN(node_memory),   PATTERN(migrate),
    PATTERN(rows_in_turn),  PATTERN(two_worlds),  PATTERN(matvec_grid),
};

RUN_ONE_OF(patterns)
