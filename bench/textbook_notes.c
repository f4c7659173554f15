// SPDX-License-Identifier: Apache-2.0
// Textbook patterns as lecture notes, questions in forums and first codes of students have them;
// textbook.py runs them. Written without regard to how Rondo says them.
#include "textbook_driver.h"

// Heat in a rod; each end has its own branch, odd and even ranks take turns.
static void rod_branches(void) {
  MPI_Status status;
  for (int step = 0; step < 30; step++) {
    if (rank == 0) {
      if (size > 1) {
        MPI_Send(a, 1, MPI_DOUBLE, 1, 0, W);
        MPI_Recv(b, 1, MPI_DOUBLE, 1, 0, W, &status);
      }
    } else if (rank == size - 1) {
      if (rank % 2 == 0) {
        MPI_Send(a, 1, MPI_DOUBLE, rank - 1, 0, W);
        MPI_Recv(b, 1, MPI_DOUBLE, rank - 1, 0, W, &status);
      } else {
        MPI_Recv(b, 1, MPI_DOUBLE, rank - 1, 0, W, &status);
        MPI_Send(a, 1, MPI_DOUBLE, rank - 1, 0, W);
      }
    } else if (rank % 2 == 0) {
      MPI_Send(a, 1, MPI_DOUBLE, rank + 1, 0, W);
      MPI_Send(a, 1, MPI_DOUBLE, rank - 1, 0, W);
      MPI_Recv(b, 1, MPI_DOUBLE, rank + 1, 0, W, &status);
      MPI_Recv(b, 1, MPI_DOUBLE, rank - 1, 0, W, &status);
    } else {
      MPI_Recv(b, 1, MPI_DOUBLE, rank - 1, 0, W, &status);
      MPI_Recv(b, 1, MPI_DOUBLE, rank + 1, 0, W, &status);
      MPI_Send(a, 1, MPI_DOUBLE, rank - 1, 0, W);
      MPI_Send(a, 1, MPI_DOUBLE, rank + 1, 0, W);
    }
    MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_MAX, 0, W);
  }
}

// Ranks drop out: half of those that are left work on each coarser problem.
static void drop_out(void) {
  MPI_Comm now, next;
  MPI_Comm_dup(W, &now);
  while (now != MPI_COMM_NULL) {
    int me, many;
    MPI_Comm_rank(now, &me);
    MPI_Comm_size(now, &many);
    for (int sweep = 0; sweep < 4; sweep++)
      MPI_Sendrecv(a, 32, MPI_DOUBLE, (me + 1) % many, 3, b, 32, MPI_DOUBLE, (me + many - 1) % many,
                   3, now, MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, now);
    next = MPI_COMM_NULL;
    if (many > 1) MPI_Comm_split(now, me < many / 2 ? 0 : MPI_UNDEFINED, me, &next);
    MPI_Comm_free(&now);
    now = next;
  }
}

// Loads level out between neighbours on a line: work moves in pieces that nobody knows before.
static void diffuse_work(void) {
  int work = 100 + 37 * rank % 50, theirs, count;
  MPI_Status status;
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int round = 0; round < 8; round++) {
    for (int way = 0; way < 2; way++) {
      int partner = (rank + round + way) % 2 ? left : right;
      theirs = work;
      MPI_Sendrecv(&work, 1, MPI_INT, partner, 1, &theirs, 1, MPI_INT, partner, 1, W, &status);
      int surplus = (work - theirs) / 2;
      if (partner == MPI_PROC_NULL) continue;
      if (surplus > 0) {
        MPI_Send(a, surplus, MPI_DOUBLE, partner, 2, W);
        work -= surplus;
      } else if (surplus < 0) {
        MPI_Probe(partner, 2, W, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        MPI_Recv(b, count, MPI_DOUBLE, partner, 2, W, &status);
        work += count;
      }
    }
    MPI_Allreduce(&work, &theirs, 1, MPI_INT, MPI_MAX, W);
  }
}

// Flow on a staggered grid: three fields of two layers each, corners by two phases.
static void staggered_flow(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, north, south, east, west;
  MPI_Comm grid;
  MPI_Datatype column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &west, &east);
  MPI_Cart_shift(grid, 1, 1, &south, &north);
  MPI_Type_vector(40, 2, 44, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int step = 0; step < 12; step++) {
    for (int field = 0; field < 3; field++) {
      MPI_Sendrecv(a, 1, column, east, field, b, 1, column, west, field, grid, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 1, column, west, field, b, 1, column, east, field, grid, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 88, MPI_DOUBLE, north, field, b, 88, MPI_DOUBLE, south, field, grid,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 88, MPI_DOUBLE, south, field, b, 88, MPI_DOUBLE, north, field, grid,
                   MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, grid);
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
}

// Matrix times matrix, 1.5-D: each block twice, half of the shifts on each copy, then a sum.
static void copies_multiply(void) {
  int copies = size % 2 == 0 ? 2 : 1, ring = size / copies;
  MPI_Comm layer, fibre;
  MPI_Comm_split(W, rank / ring, rank, &layer);
  MPI_Comm_split(W, rank % ring, rank, &fibre);
  int me = rank % ring, skip = rank / ring * (ring / copies);
  if (skip > 0)
    MPI_Sendrecv_replace(a, 300, MPI_DOUBLE, (me + ring - skip) % ring, 5, (me + skip) % ring, 5,
                         layer, MPI_STATUS_IGNORE);
  for (int shift = 0; shift < ring / copies; shift++)
    MPI_Sendrecv_replace(a, 300, MPI_DOUBLE, (me + ring - 1) % ring, 6, (me + 1) % ring, 6, layer,
                         MPI_STATUS_IGNORE);
  MPI_Reduce(a, c, 300, MPI_DOUBLE, MPI_SUM, 0, fibre);
  MPI_Comm_free(&layer);
  MPI_Comm_free(&fibre);
}

// N bodies, half way round the ring, as forces have two ends; then the forces go home.
static void half_way_bodies(void) {
  MPI_Request requests[2];
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int step = 0; step < 5; step++) {
    for (int hop = 0; hop < size / 2; hop++) {
      MPI_Irecv(b, 400, MPI_DOUBLE, before, 10, W, &requests[0]);
      MPI_Isend(a, 400, MPI_DOUBLE, next, 10, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    int home = (rank + size - size / 2) % size, guest = (rank + size / 2) % size;
    MPI_Irecv(b, 300, MPI_DOUBLE, guest, 11, W, &requests[0]);
    MPI_Isend(a, 300, MPI_DOUBLE, home, 11, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// GMRES with restarts: one more product of vectors in each step, halos of a line.
static void gmres(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int restart = 0; restart < 3; restart++) {
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    for (int j = 0; j < 8; j++) {
      MPI_Sendrecv(a, 20, MPI_DOUBLE, left, 0, b, 20, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 20, MPI_DOUBLE, right, 1, b, 20, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
      for (int i = 0; i <= j; i++) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
      MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    }
  }
}

// Particles in a tube: how many cross each border, then they; charge to the first rank and back.
static void tube_particles(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size, in_left, in_right;
  for (int step = 0; step < 10; step++) {
    int to_left = (rank * 7 + step * 3) % 5 + 1, to_right = (rank * 3 + step * 5) % 4 + 1;
    MPI_Sendrecv(&to_left, 1, MPI_INT, left, 0, &in_right, 1, MPI_INT, right, 0, W,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&to_right, 1, MPI_INT, right, 1, &in_left, 1, MPI_INT, left, 1, W,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, to_left * 6, MPI_DOUBLE, left, 2, b, in_right * 6, MPI_DOUBLE, right, 2, W,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, to_right * 6, MPI_DOUBLE, right, 3, b, in_left * 6, MPI_DOUBLE, left, 3, W,
                 MPI_STATUS_IGNORE);
    MPI_Gather(a, 16, MPI_DOUBLE, c, 16, MPI_DOUBLE, 0, W);
    MPI_Scatter(c, 16, MPI_DOUBLE, b, 16, MPI_DOUBLE, 0, W);
  }
}

// A tridiagonal system by Thomas' way: forwards and backwards, in chunks of lines.
static void thomas_lines(void) {
  for (int it = 0; it < 4; it++) {
    for (int chunk = 0; chunk < 6; chunk++) {
      if (rank > 0) MPI_Recv(a, 10, MPI_DOUBLE, rank - 1, chunk, W, MPI_STATUS_IGNORE);
      if (rank < size - 1) MPI_Send(a, 10, MPI_DOUBLE, rank + 1, chunk, W);
    }
    for (int chunk = 0; chunk < 6; chunk++) {
      if (rank < size - 1) MPI_Recv(b, 5, MPI_DOUBLE, rank + 1, chunk, W, MPI_STATUS_IGNORE);
      if (rank > 0) MPI_Send(b, 5, MPI_DOUBLE, rank - 1, chunk, W);
    }
  }
}

// Each rank puts its block of the transpose into every other's window.
static void put_transpose(void) {
  MPI_Win window;
  MPI_Win_create(b, sizeof b, sizeof(double), MPI_INFO_NULL, W, &window);
  for (int it = 0; it < 5; it++) {
    MPI_Win_fence(0, window);
    for (int k = 0; k < size; k++) {
      int target = (rank + k) % size;
      MPI_Put(a + 64 * target, 64, MPI_DOUBLE, target, 64 * rank, 64, MPI_DOUBLE, window);
    }
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
}

// Output while the next steps go on: one write in flight.
static void write_behind(void) {
  MPI_File file;
  MPI_Request request = MPI_REQUEST_NULL;
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_File_open(MPI_COMM_WORLD, "/tmp/rondo_write_behind", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                MPI_INFO_NULL, &file);
  for (int step = 1; step <= 20; step++) {
    MPI_Sendrecv(a, 50, MPI_DOUBLE, left, 0, b, 50, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 50, MPI_DOUBLE, right, 0, b, 50, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
    if (step % 5 == 0) {
      if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_File_iwrite_at(file, (step / 5 * size + rank) * 400L, a, 50, MPI_DOUBLE, &request);
    }
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

// Newton's method: each time another number of linear iterations, as they converge.
static void newton(void) {
  static const int linear[] = {9, 4, 7, 7, 2};
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int outer = 0; outer < 5; outer++) {
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    for (int it = 0; it < linear[outer]; it++) {
      MPI_Sendrecv(a, 8, MPI_DOUBLE, left, 0, b, 8, MPI_DOUBLE, right, 0, W, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 8, MPI_DOUBLE, right, 1, b, 8, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
      MPI_Allreduce(a, b, 2, MPI_DOUBLE, MPI_SUM, W);
    }
    MPI_Bcast(a, 4, MPI_DOUBLE, 0, W);
  }
}

// A question of a forum: rank 0 reads, 1 works, 2 writes; the others help the one that works.
static void three_roles(void) {
  for (int block = 0; block < 15; block++) {
    if (rank == 0) {
      MPI_Send(a, 100, MPI_DOUBLE, 1, 0, W);
    } else if (rank == 1) {
      MPI_Recv(a, 100, MPI_DOUBLE, 0, 0, W, MPI_STATUS_IGNORE);
      for (int helper = 3; helper < size; helper++) MPI_Send(a, 20, MPI_DOUBLE, helper, 1, W);
      for (int helper = 3; helper < size; helper++)
        MPI_Recv(b, 20, MPI_DOUBLE, helper, 2, W, MPI_STATUS_IGNORE);
      MPI_Send(b, 100, MPI_DOUBLE, 2, 3, W);
    } else if (rank == 2) {
      MPI_Recv(b, 100, MPI_DOUBLE, 1, 3, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(a, 20, MPI_DOUBLE, 1, 1, W, MPI_STATUS_IGNORE);
      MPI_Send(a, 20, MPI_DOUBLE, 1, 2, W);
    }
  }
}

// Tokens both ways round a ring at once.
static void two_tokens(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request requests[4];
  for (int lap = 0; lap < 6; lap++) {
    MPI_Irecv(a, 1, MPI_INT, left, 1, W, &requests[0]);
    MPI_Irecv(b, 1, MPI_INT, right, 2, W, &requests[1]);
    MPI_Isend(a, 1, MPI_INT, right, 1, W, &requests[2]);
    MPI_Isend(b, 1, MPI_INT, left, 2, W, &requests[3]);
    for (int i = 0; i < 4; i++) {
      int which;
      MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
    }
  }
}

// A tree with three children each, down and up again.
static void ternary_tree(void) {
  int parent = (rank - 1) / 3;
  for (int it = 0; it < 5; it++) {
    if (rank > 0) MPI_Recv(a, 25, MPI_DOUBLE, parent, 1, W, MPI_STATUS_IGNORE);
    for (int child = 3 * rank + 1; child <= 3 * rank + 3; child++)
      if (child < size) MPI_Send(a, 25, MPI_DOUBLE, child, 1, W);
    for (int child = 3 * rank + 1; child <= 3 * rank + 3; child++)
      if (child < size) MPI_Recv(b, 5, MPI_DOUBLE, child, 2, W, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Send(b, 5, MPI_DOUBLE, parent, 2, W);
  }
}

// Even and odd ranks are two programs that exchange at the end of each step.
static void two_colours(void) {
  MPI_Comm mine;
  int me, many;
  MPI_Comm_split(W, rank % 2, rank, &mine);
  MPI_Comm_rank(mine, &me);
  MPI_Comm_size(mine, &many);
  for (int step = 0; step < 10; step++) {
    if (rank % 2 == 0) {
      if (me > 0) MPI_Send(a, 12, MPI_DOUBLE, me - 1, 4, mine);
      if (me < many - 1) MPI_Recv(a, 12, MPI_DOUBLE, me + 1, 4, mine, MPI_STATUS_IGNORE);
    } else {
      MPI_Allreduce(a, b, 3, MPI_DOUBLE, MPI_SUM, mine);
      MPI_Bcast(a, 3, MPI_DOUBLE, 0, mine);
    }
    int partner = rank ^ 1;
    if (partner < size)
      MPI_Sendrecv(a, 30, MPI_DOUBLE, partner, 9, b, 30, MPI_DOUBLE, partner, 9, W,
                   MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&mine);
}

// Sparse products: everyone tells everyone how much it needs, then only those who need talk.
static void needed_entries(void) {
  int need[64], give[64], requests_made;
  MPI_Request requests[128];
  for (int other = 0; other < size; other++)
    need[other] = other != rank && abs(other - rank) <= 2 ? 4 + (other + rank) % 3 : 0;
  MPI_Alltoall(need, 1, MPI_INT, give, 1, MPI_INT, W);
  for (int it = 0; it < 15; it++) {
    requests_made = 0;
    for (int other = 0; other < size; other++)
      if (need[other] > 0)
        MPI_Irecv(b + 8 * other, need[other], MPI_DOUBLE, other, 77, W, &requests[requests_made++]);
    for (int other = 0; other < size; other++)
      if (give[other] > 0)
        MPI_Isend(a + 8 * other, give[other], MPI_DOUBLE, other, 77, W, &requests[requests_made++]);
    MPI_Waitall(requests_made, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

static void side(int there, int other, int tag, int* made, MPI_Request* requests) {
  if (!there) return;
  MPI_Irecv(b + 64 * tag, 64, MPI_DOUBLE, other, tag ^ 1, W, &requests[(*made)++]);
  MPI_Isend(a + 64 * tag, 64, MPI_DOUBLE, other, tag, W, &requests[(*made)++]);
}

// Waves in a box: six sides, each if it has a neighbour.
static void box_sides(void) {
  int dims[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, dims);
  int x = rank % dims[0], y = rank / dims[0] % dims[1], z = rank / dims[0] / dims[1];
  int plane = dims[0] * dims[1];
  for (int step = 0; step < 10; step++) {
    MPI_Request requests[12];
    int made = 0;
    side(x > 0, rank - 1, 0, &made, requests);
    side(x < dims[0] - 1, rank + 1, 1, &made, requests);
    side(y > 0, rank - dims[0], 2, &made, requests);
    side(y < dims[1] - 1, rank + dims[0], 3, &made, requests);
    side(z > 0, rank - plane, 4, &made, requests);
    side(z < dims[2] - 1, rank + plane, 5, &made, requests);
    MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
  }
}

// QR of a tall matrix: factors go up a binary tree, and the result down again.
static void tall_qr(void) {
  int step;
  for (step = 1; step < size; step *= 2) {
    if (rank % (2 * step) == step) {
      MPI_Send(a, 55, MPI_DOUBLE, rank - step, 1, W);
      break;
    }
    if (rank + step < size) MPI_Recv(b, 55, MPI_DOUBLE, rank + step, 1, W, MPI_STATUS_IGNORE);
  }
  if (rank > 0) MPI_Recv(b, 100, MPI_DOUBLE, rank - step, 2, W, MPI_STATUS_IGNORE);
  for (step /= 2; step > 0; step /= 2)
    if (rank + step < size) MPI_Send(b, 100, MPI_DOUBLE, rank + step, 2, W);
  MPI_Bcast(a, 10, MPI_DOUBLE, 0, W);
}

// Spins on a plane, both colours in turn, rows of ranks.
static void ising_rows(void) {
  int up = (rank + size - 1) % size, down = (rank + 1) % size;
  for (int sweep = 0; sweep < 40; sweep++) {
    for (int colour = 0; colour < 2; colour++) {
      MPI_Sendrecv(a, 25, MPI_CHAR, up, colour, b, 25, MPI_CHAR, down, colour, W,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 25, MPI_CHAR, down, colour, b, 25, MPI_CHAR, up, colour, W,
                   MPI_STATUS_IGNORE);
    }
    if (sweep >= 10 && sweep % 3 == 0) MPI_Reduce(a, b, 2, MPI_DOUBLE, MPI_SUM, 0, W);
  }
}

// Islands of a genetic algorithm: every fifth generation the best go to another island.
static void genetic_islands(void) {
  unsigned seed = 42;
  for (int generation = 1; generation <= 25; generation++) {
    if (generation % 5 == 0) {
      seed = seed * 1103515245u + 12345u;
      int shift = 1 + (int)(seed >> 16) % (size - 1);
      MPI_Sendrecv(a, 10, MPI_DOUBLE, (rank + shift) % size, generation, b, 10, MPI_DOUBLE,
                   (rank + size - shift) % size, generation, W, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
}

// Local time steps: the second half of the line takes four steps for each of the first.
static void local_steps(void) {
  MPI_Comm half;
  int fine = rank >= size / 2, me, many;
  MPI_Comm_split(W, fine, rank, &half);
  MPI_Comm_rank(half, &me);
  MPI_Comm_size(half, &many);
  for (int step = 0; step < 8; step++) {
    for (int inner = 0; inner < (fine ? 4 : 1); inner++) {
      if (me > 0)
        MPI_Sendrecv(a, 9, MPI_DOUBLE, me - 1, 1, b, 9, MPI_DOUBLE, me - 1, 1, half,
                     MPI_STATUS_IGNORE);
      if (me < many - 1)
        MPI_Sendrecv(a, 9, MPI_DOUBLE, me + 1, 1, b, 9, MPI_DOUBLE, me + 1, 1, half,
                     MPI_STATUS_IGNORE);
    }
    if (rank == size / 2 - 1) MPI_Send(a, 9, MPI_DOUBLE, rank + 1, 2, W);
    if (rank == size / 2) MPI_Recv(b, 9, MPI_DOUBLE, rank - 1, 2, W, MPI_STATUS_IGNORE);
    MPI_Barrier(W);
  }
  MPI_Comm_free(&half);
}

// A plane that is one rank wide in one direction, periodic in both.
static void narrow_torus(void) {
  int dims[2] = {size, 1}, periods[2] = {1, 1}, from[2], to[2];
  MPI_Comm torus;
  MPI_Request requests[8];
  MPI_Cart_create(W, 2, dims, periods, 0, &torus);
  for (int d = 0; d < 2; d++) MPI_Cart_shift(torus, d, 1, &from[d], &to[d]);
  for (int step = 0; step < 10; step++) {
    int made = 0;
    for (int d = 0; d < 2; d++) {
      MPI_Irecv(b, 30, MPI_DOUBLE, from[d], 2 * d, torus, &requests[made++]);
      MPI_Irecv(b, 30, MPI_DOUBLE, to[d], 2 * d + 1, torus, &requests[made++]);
      MPI_Isend(a, 30, MPI_DOUBLE, to[d], 2 * d, torus, &requests[made++]);
      MPI_Isend(a, 30, MPI_DOUBLE, from[d], 2 * d + 1, torus, &requests[made++]);
    }
    MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, torus);
  }
  MPI_Comm_free(&torus);
}

// Page ranks: parts of the vector to their owners until it converges, sizes each time.
static void page_ranks(void) {
  int out[64], in[64], from[64], to[64];
  for (int other = 0; other < size; other++) from[other] = to[other] = other * 32;
  for (int it = 0; it < 12; it++) {
    for (int other = 0; other < size; other++) out[other] = (rank * 5 + other * 3 + it) % 7;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
    MPI_Alltoallv(a, out, from, MPI_DOUBLE, b, in, to, MPI_DOUBLE, W);
    if (it % 3 == 2) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
  MPI_Allgather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, W);
}

// The first rank writes what all have, in order of ranks, at some steps.
static void ordered_output(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < 24; step++) {
    MPI_Send(a, 6, MPI_DOUBLE, right, 0, W);
    MPI_Recv(b, 6, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
    MPI_Send(a, 6, MPI_DOUBLE, left, 1, W);
    MPI_Recv(b, 6, MPI_DOUBLE, right, 1, W, MPI_STATUS_IGNORE);
    if (step % 8 == 0) {
      if (rank == 0) {
        for (int other = 1; other < size; other++)
          MPI_Recv(c, 100, MPI_DOUBLE, other, 50 + step, W, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(a, 100, MPI_DOUBLE, 0, 50 + step, W);
      }
    }
  }
}

// Blocks of an adaptive mesh; after each regridding other neighbours on the next level.
static void regridding(void) {
  MPI_Request requests[64];
  for (int grid = 0; grid < 3; grid++) {
    int reach = 1 << grid;
    MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, W);
    for (int step = 0; step < 6; step++) {
      int made = 0;
      for (int d = 1; d <= reach; d++) {
        if (rank - d >= 0) MPI_Irecv(b + d, 10 * d, MPI_DOUBLE, rank - d, d, W, &requests[made++]);
        if (rank + d < size)
          MPI_Irecv(b - d + 100, 10 * d, MPI_DOUBLE, rank + d, d, W, &requests[made++]);
      }
      for (int d = 1; d <= reach; d++) {
        if (rank - d >= 0) MPI_Isend(a, 10 * d, MPI_DOUBLE, rank - d, d, W, &requests[made++]);
        if (rank + d < size) MPI_Isend(a, 10 * d, MPI_DOUBLE, rank + d, d, W, &requests[made++]);
      }
      MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
    }
  }
}

// A chain of three groups, each with a communicator to the next.
static void three_groups(void) {
  if (size < 3) return;
  int third = size / 3, colour = rank / third > 2 ? 2 : rank / third, me;
  MPI_Comm mine, down = MPI_COMM_NULL, up = MPI_COMM_NULL;
  MPI_Comm_split(W, colour, rank, &mine);
  MPI_Comm_rank(mine, &me);
  if (colour > 0) MPI_Intercomm_create(mine, 0, W, (colour - 1) * third, colour, &down);
  if (colour < 2) MPI_Intercomm_create(mine, 0, W, (colour + 1) * third, colour + 1, &up);
  for (int item = 0; item < 9; item++) {
    if (down != MPI_COMM_NULL && me < third)
      MPI_Recv(a, 70, MPI_DOUBLE, me, item, down, MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, mine);
    if (up != MPI_COMM_NULL) MPI_Send(a, 70, MPI_DOUBLE, me, item, up);
  }
  if (up != MPI_COMM_NULL) MPI_Comm_free(&up);
  if (down != MPI_COMM_NULL) MPI_Comm_free(&down);
  MPI_Comm_free(&mine);
}

static const struct pattern patterns[] = {
    PATTERN(rod_branches),   PATTERN(drop_out),        PATTERN(diffuse_work),
    PATTERN(staggered_flow), PATTERN(copies_multiply), PATTERN(half_way_bodies),
    PATTERN(gmres),          PATTERN(tube_particles),  PATTERN(thomas_lines),
    PATTERN(put_transpose),  PATTERN(write_behind),    PATTERN(newton),
    PATTERN(three_roles),    PATTERN(two_tokens),      PATTERN(ternary_tree),
    PATTERN(two_colours),    PATTERN(needed_entries),  PATTERN(box_sides),
    PATTERN(tall_qr),        PATTERN(ising_rows),      PATTERN(genetic_islands),
    PATTERN(local_steps),    PATTERN(narrow_torus),    PATTERN(page_ranks),
    PATTERN(ordered_output), PATTERN(regridding),      PATTERN(three_groups),
};
RUN_ONE_OF(patterns)
