// SPDX-License-Identifier: Apache-2.0
// Programs in phases: sorts, transforms, ghosts, particles, checkpoints, reductions by hand, trees,
// barriers in halves, stealing, codes that are coupled. Written not to suit Rondo. One for each
// name.
#include "textbook_driver.h"

// A bucket sort: how many go where, then the numbers, by hand.
static void bucket_sort_by_hand(void) {
  int out[64], in[64];
  for (int i = 0; i < size; i++) out[i] = 4 + (rank * 5 + i * 3) % 7;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
  MPI_Request requests[128];
  int n = 0;
  for (int i = 0; i < size; i++) {
    if (i == rank) continue;
    MPI_Irecv(b + 16 * i, in[i], MPI_INT, i, 0, W, &requests[n++]);
    MPI_Isend(a + 16 * i, out[i], MPI_INT, i, 0, W, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  MPI_Exscan(&in[0], &out[0], 1, MPI_INT, MPI_SUM, W);
}

// A transform in three dimensions: lines along the own one, then rows, then columns change.
static void pencil_transform(void) {
  int d[2] = {0, 0};
  MPI_Dims_create(size, 2, d);
  MPI_Comm row, column;
  MPI_Comm_split(W, rank / d[1], rank, &row);
  MPI_Comm_split(W, rank % d[1], rank, &column);
  for (int step = 0; step < 4; step++) {
    MPI_Alltoall(a, 32, MPI_DOUBLE, b, 32, MPI_DOUBLE, row);
    MPI_Alltoall(b, 32, MPI_DOUBLE, a, 32, MPI_DOUBLE, column);
    MPI_Alltoall(a, 32, MPI_DOUBLE, b, 32, MPI_DOUBLE, column);
    MPI_Alltoall(b, 32, MPI_DOUBLE, a, 32, MPI_DOUBLE, row);
  }
  MPI_Comm_free(&column);
  MPI_Comm_free(&row);
}

// Masters below a master: rank 0 has the next two or three, which have all others in turn.
static void masters_of_masters(void) {
  int foremen = size > 9 ? 3 : 2;
  for (int batch = 0; batch < 5; batch++) {
    if (rank == 0) {
      for (int i = 1; i <= foremen; i++) MPI_Send(a, 30, MPI_DOUBLE, i, 0, W);
      for (int i = 1; i <= foremen; i++) MPI_Recv(b, 10, MPI_DOUBLE, i, 1, W, MPI_STATUS_IGNORE);
    } else if (rank <= foremen) {
      MPI_Recv(a, 30, MPI_DOUBLE, 0, 0, W, MPI_STATUS_IGNORE);
      for (int i = foremen + rank; i < size; i += foremen) MPI_Send(a, 10, MPI_DOUBLE, i, 2, W);
      for (int i = foremen + rank; i < size; i += foremen)
        MPI_Recv(b, 4, MPI_DOUBLE, i, 3, W, MPI_STATUS_IGNORE);
      MPI_Send(b, 10, MPI_DOUBLE, 0, 1, W);
    } else {
      int own = (rank - 1) % foremen + 1;
      MPI_Recv(a, 10, MPI_DOUBLE, own, 2, W, MPI_STATUS_IGNORE);
      MPI_Send(b, 4, MPI_DOUBLE, own, 3, W);
    }
  }
}

// Ghosts with corners in two phases: first to the sides, then up and down with what came.
static void corners_in_two_phases(void) {
  int d[2] = {0, 0}, periods[2] = {1, 0}, up, down, left, right;
  MPI_Dims_create(size, 2, d);
  MPI_Comm grid;
  MPI_Cart_create(W, 2, d, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  for (int step = 0; step < 7; step++) {
    MPI_Request requests[4];
    MPI_Irecv(b, 20, MPI_DOUBLE, left, 0, grid, &requests[0]);
    MPI_Irecv(b, 20, MPI_DOUBLE, right, 1, grid, &requests[1]);
    MPI_Isend(a, 20, MPI_DOUBLE, right, 0, grid, &requests[2]);
    MPI_Isend(a, 20, MPI_DOUBLE, left, 1, grid, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(b, 22, MPI_DOUBLE, up, 2, grid, &requests[0]);
    MPI_Irecv(b, 22, MPI_DOUBLE, down, 3, grid, &requests[1]);
    MPI_Isend(a, 22, MPI_DOUBLE, down, 2, grid, &requests[2]);
    MPI_Isend(a, 22, MPI_DOUBLE, up, 3, grid, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (step % 3 == 0) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, grid);
  }
  MPI_Comm_free(&grid);
}

// Particles go to both neighbours, numbers first; nothing is sent where there are none.
static void particles_counts_first(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < 12; step++) {
    int out[2] = {(rank + step) % 3, (rank * 2 + step) % 4}, in[2] = {0, 0};
    MPI_Sendrecv(&out[0], 1, MPI_INT, left, 0, &in[1], 1, MPI_INT, right, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out[1], 1, MPI_INT, right, 1, &in[0], 1, MPI_INT, left, 1, W, MPI_STATUS_IGNORE);
    MPI_Request requests[4];
    int n = 0;
    if (in[1]) MPI_Irecv(b, in[1] * 6, MPI_DOUBLE, right, 2, W, &requests[n++]);
    if (in[0]) MPI_Irecv(c, in[0] * 6, MPI_DOUBLE, left, 3, W, &requests[n++]);
    if (out[0] && rank > 0) MPI_Isend(a, out[0] * 6, MPI_DOUBLE, left, 2, W, &requests[n++]);
    if (out[1] && rank < size - 1)
      MPI_Isend(a, out[1] * 6, MPI_DOUBLE, right, 3, W, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  }
}

// Steps with a halo; each fifth all give their part to rank 0 in turn, which asks for it.
static void checkpoint_in_turns(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 1; step <= 15; step++) {
    MPI_Sendrecv(a, 40, MPI_DOUBLE, right, 0, b, 40, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
    if (step % 5 != 0) continue;
    for (int i = 1; i < size; i++) {
      if (rank == 0) {
        MPI_Send(&step, 1, MPI_INT, i, 1, W);
        MPI_Recv(b, 400, MPI_DOUBLE, i, 2, W, MPI_STATUS_IGNORE);
      } else if (rank == i) {
        MPI_Recv(&step, 1, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
        MPI_Send(a, 400, MPI_DOUBLE, 0, 2, W);
      }
    }
  }
}

// A sum of all in all: round the ring in parts, then the sums round it again.
static void ring_sum_in_parts(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int layer = 0; layer < 3; layer++) {
    for (int i = 0; i < size - 1; i++) {
      MPI_Request request;
      MPI_Irecv(b, 100, MPI_FLOAT, left, i, W, &request);
      MPI_Send(a, 100, MPI_FLOAT, right, i, W);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < size - 1; i++)
      MPI_Sendrecv(a, 100, MPI_FLOAT, right, i, b, 100, MPI_FLOAT, left, i, W, MPI_STATUS_IGNORE);
  }
}

// A broadcast in halves down two trees, in which whoever is a leaf in one has children in the
// other.
static void two_trees_broadcast(void) {
  for (int part = 0; part < 4; part++) {
    int own = part % 2 == 0 ? rank : size - rank; // rank 0 is the root of both
    if (rank == 0) own = 0;
    if (own > 0) {
      int parent = (own - 1) / 2;
      int from = part % 2 == 0 || parent == 0 ? parent : size - parent;
      MPI_Recv(a, 50, MPI_DOUBLE, from, part, W, MPI_STATUS_IGNORE);
    }
    for (int child = 2 * own + 1; child <= 2 * own + 2 && child < size; child++)
      MPI_Send(a, 50, MPI_DOUBLE, part % 2 == 0 ? child : size - child, part, W);
  }
}

// A reduction along a tree with three children for each digit of a rank to the base of four.
static void base_four_tree(void) {
  for (int repeat = 0; repeat < 3; repeat++)
    for (int digit = 1; digit < size; digit *= 4) {
      int own = rank / digit % 4;
      if (own != 0) {
        MPI_Send(a, 8, MPI_DOUBLE, rank - own * digit, 0, W);
        break;
      }
      for (int i = 1; i < 4 && rank + i * digit < size; i++)
        MPI_Recv(b, 8, MPI_DOUBLE, rank + i * digit, 0, W, MPI_STATUS_IGNORE);
    }
}

// A barrier in halves, with a halo between them.
static void barrier_in_halves(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Request barrier;
  for (int step = 0; step < 9; step++) {
    MPI_Ibarrier(W, &barrier);
    MPI_Sendrecv(a, 12, MPI_DOUBLE, right, 0, b, 12, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 12, MPI_DOUBLE, left, 1, b, 12, MPI_DOUBLE, right, 1, W, MPI_STATUS_IGNORE);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
}

// Whoever has nothing left asks another one at random, who says how much it gives.
static void random_victims(void) {
  srand(11);
  for (int step = 0; step < 10; step++) {
    int thief = rand() % size, victim = (thief + 1 + rand() % (size - 1)) % size;
    if (rank == thief) {
      MPI_Send(a, 0, MPI_BYTE, victim, 1, W);
      MPI_Recv(b, 20, MPI_INT, victim, 2, W, MPI_STATUS_IGNORE);
    } else if (rank == victim) {
      MPI_Recv(b, 0, MPI_BYTE, MPI_ANY_SOURCE, 1, W, MPI_STATUS_IGNORE);
      MPI_Send(a, 20, MPI_INT, thief, 2, W);
    }
    MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, W);
  }
}

// Two codes with halos of their own, whose leaders swap borders by way of a communicator between.
static void coupled_codes(void) {
  int is_second = rank >= size / 2, r, n;
  MPI_Comm own, other;
  MPI_Comm_split(W, is_second, rank, &own);
  MPI_Comm_rank(own, &r);
  MPI_Comm_size(own, &n);
  MPI_Intercomm_create(own, 0, W, is_second ? 0 : size / 2, 5, &other);
  for (int step = 0; step < 8; step++) {
    int inner = is_second ? 2 : 1;
    for (int i = 0; i < inner; i++)
      MPI_Sendrecv(a, 30, MPI_DOUBLE, (r + 1) % n, 0, b, 30, MPI_DOUBLE, (r + n - 1) % n, 0, own,
                   MPI_STATUS_IGNORE);
    if (r == 0) {
      MPI_Sendrecv(a, 60, MPI_DOUBLE, 0, 1, b, 60, MPI_DOUBLE, 0, 1, other, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(b, 60, MPI_DOUBLE, 0, own);
  }
  MPI_Comm_free(&other);
  MPI_Comm_free(&own);
}

// Red and black lines of unknowns on a chain: those of one colour send, those of the other wait.
static void red_black_lines(void) {
  for (int sweep = 0; sweep < 10; sweep++)
    for (int colour = 0; colour < 2; colour++) {
      if (rank % 2 == colour) {
        if (rank > 0) MPI_Send(a, 16, MPI_DOUBLE, rank - 1, colour, W);
        if (rank < size - 1) MPI_Send(a, 16, MPI_DOUBLE, rank + 1, colour, W);
      } else {
        if (rank > 0) MPI_Recv(b, 16, MPI_DOUBLE, rank - 1, colour, W, MPI_STATUS_IGNORE);
        if (rank < size - 1) MPI_Recv(b, 16, MPI_DOUBLE, rank + 1, colour, W, MPI_STATUS_IGNORE);
      }
    }
}

// The first step starts with what is known, the last one sends nothing on.
static void ends_of_a_run(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < 14; step++) {
    if (step > 0) {
      MPI_Recv(b, 25, MPI_DOUBLE, left, 0, W, MPI_STATUS_IGNORE);
      MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
    }
    MPI_Bcast(a, 3, MPI_DOUBLE, 0, W);
    if (step < 13) MPI_Send(a, 25, MPI_DOUBLE, right, 0, W);
  }
}

// A line of the wavefront for each block, from both ends by turns.
static void sweeps_by_turns(void) {
  for (int sweep = 0; sweep < 6; sweep++) {
    int ahead = sweep % 2 == 0 ? rank + 1 : rank - 1, behind = 2 * rank - ahead;
    for (int block = 0; block < 4; block++) {
      if (behind >= 0 && behind < size)
        MPI_Recv(b, 10, MPI_DOUBLE, behind, block, W, MPI_STATUS_IGNORE);
      if (ahead >= 0 && ahead < size) MPI_Send(a, 10, MPI_DOUBLE, ahead, block, W);
    }
  }
}

static const struct pattern patterns[] = {
    PATTERN(bucket_sort_by_hand),   PATTERN(pencil_transform),       PATTERN(masters_of_masters),
    PATTERN(corners_in_two_phases), PATTERN(particles_counts_first), PATTERN(checkpoint_in_turns),
    PATTERN(ring_sum_in_parts),     PATTERN(two_trees_broadcast),    PATTERN(base_four_tree),
    PATTERN(barrier_in_halves),     PATTERN(random_victims),         PATTERN(coupled_codes),
    PATTERN(red_black_lines),       PATTERN(ends_of_a_run),          PATTERN(sweeps_by_turns),
};
RUN_ONE_OF(patterns)
