// SPDX-License-Identifier: Apache-2.0
// Exchanges behind one another in one time loop, partners on odd numbers of ranks, chunks in
// pipelines, trees of degree 4, replicas of a plane. Written not to suit Rondo. One for each name.
#include "textbook_driver.h"

static MPI_Request requests[64];

// A halo along a line, and then what all have for all, in pairs.
static void halo_and_pairs(void) {
  int west = rank > 0 ? rank - 1 : MPI_PROC_NULL, east = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  int top = 1;
  while (top < size) top *= 2;
  for (int step = 0; step < 10; step++) {
    MPI_Sendrecv(a, 40, MPI_DOUBLE, east, 1, b, 40, MPI_DOUBLE, west, 1, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 40, MPI_DOUBLE, west, 2, b, 40, MPI_DOUBLE, east, 2, W, MPI_STATUS_IGNORE);
    for (int round = 1; round < top; round++) {
      int partner = rank ^ round;
      if (partner >= size) continue;
      MPI_Isend(a, 16, MPI_DOUBLE, partner, 3, W, &requests[0]);
      MPI_Irecv(b, 16, MPI_DOUBLE, partner, 3, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }
}

// A halo on a ring by requests, and then shifts by requests.
static void halo_and_shifts(void) {
  int west = (rank + size - 1) % size, east = (rank + 1) % size;
  for (int step = 0; step < 10; step++) {
    MPI_Irecv(b, 40, MPI_DOUBLE, west, 1, W, &requests[0]);
    MPI_Isend(a, 40, MPI_DOUBLE, east, 1, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int round = 1; round < size; round++) {
      MPI_Irecv(b, 16, MPI_DOUBLE, (rank - round + size) % size, 3, W, &requests[0]);
      MPI_Isend(a, 16, MPI_DOUBLE, (rank + round) % size, 3, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }
}

// All receives first, all sends then, and one wait for all of them, behind a halo.
static void halo_and_all_at_once(void) {
  int west = rank > 0 ? rank - 1 : MPI_PROC_NULL, east = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < 10; step++) {
    MPI_Sendrecv(a, 40, MPI_DOUBLE, east, 1, b, 40, MPI_DOUBLE, west, 1, W, MPI_STATUS_IGNORE);
    int posted = 0;
    for (int shift = 1; shift < size; shift++)
      MPI_Irecv(b, 16, MPI_DOUBLE, (rank - shift + size) % size, 3, W, &requests[posted++]);
    for (int shift = 1; shift < size; shift++)
      MPI_Isend(a, 16, MPI_DOUBLE, (rank + shift) % size, 3, W, &requests[posted++]);
    MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

// Everybody meets everybody in as many rounds as there are ranks, an odd number: who would meet
// itself rests.
static void circle_of_odd(void) {
  for (int round = 0; round < size; round++) {
    int partner = (round - rank + size) % size;
    if (partner == rank) continue;
    MPI_Isend(a, 24, MPI_DOUBLE, partner, 5, W, &requests[0]);
    MPI_Irecv(b, 24, MPI_DOUBLE, partner, 5, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(W);
}

// The same among the workers; rank 0 gathers.
static void circle_of_workers(void) {
  int workers = size - 1;
  for (int step = 0; step < 4; step++) {
    if (rank > 0)
      for (int round = 0; round < workers; round++) {
        int partner = (round - (rank - 1) + workers) % workers + 1;
        if (partner != rank)
          MPI_Sendrecv(a, 24, MPI_DOUBLE, partner, 5, b, 24, MPI_DOUBLE, partner, 5, W,
                       MPI_STATUS_IGNORE);
      }
    MPI_Gather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, W);
  }
}

// A ring allreduce whose blocks go in chunks, the next receive posted ahead.
static void ring_of_chunks(void) {
  int west = (rank + size - 1) % size, east = (rank + 1) % size, chunks = 3;
  for (int half = 0; half < 2; half++)
    for (int block = 0; block < size - 1; block++) {
      for (int chunk = 0; chunk < chunks; chunk++)
        MPI_Irecv(b, 20, MPI_DOUBLE, west, chunk, W, &requests[chunk]);
      for (int chunk = 0; chunk < chunks; chunk++) {
        MPI_Send(a, 20, MPI_DOUBLE, east, chunk, W);
        MPI_Wait(&requests[chunk], MPI_STATUS_IGNORE);
      }
    }
}

// Reduce-scatter by halving; ranks beyond a power of two hand theirs to a neighbour first.
static void scatter_by_halving(void) {
  int top = 1;
  while (2 * top <= size) top *= 2;
  int rest = size - top, own = rank < 2 * rest ? (rank % 2 ? rank / 2 : -1) : rank - rest;
  if (rank < 2 * rest && rank % 2 == 0) MPI_Send(a, 512, MPI_DOUBLE, rank + 1, 0, W);
  if (rank < 2 * rest && rank % 2 == 1)
    MPI_Recv(b, 512, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
  if (own >= 0)
    for (int half = top / 2; half > 0; half /= 2) {
      int other = own ^ half, partner = other < rest ? 2 * other + 1 : other + rest;
      MPI_Sendrecv(a, 16 * half, MPI_DOUBLE, partner, 1, b, 16 * half, MPI_DOUBLE, partner, 1, W,
                   MPI_STATUS_IGNORE);
    }
  if (rank < 2 * rest && rank % 2 == 1) MPI_Send(a, 16, MPI_DOUBLE, rank - 1, 2, W);
  if (rank < 2 * rest && rank % 2 == 0)
    MPI_Recv(b, 16, MPI_DOUBLE, rank + 1, 2, W, MPI_STATUS_IGNORE);
}

// Sums come up a tree of degree 4, and go down again.
static void fan_of_four(void) {
  for (int step = 0; step < 6; step++) {
    for (int child = 4 * rank + 1; child <= 4 * rank + 4 && child < size; child++)
      MPI_Recv(b, 2, MPI_DOUBLE, child, 0, W, MPI_STATUS_IGNORE);
    if (rank > 0) {
      MPI_Send(a, 2, MPI_DOUBLE, (rank - 1) / 4, 0, W);
      MPI_Recv(b, 2, MPI_DOUBLE, (rank - 1) / 4, 1, W, MPI_STATUS_IGNORE);
    }
    for (int child = 4 * rank + 1; child <= 4 * rank + 4 && child < size; child++)
      MPI_Send(a, 2, MPI_DOUBLE, child, 1, W);
  }
}

// A V-cycle in which coarse levels are kept by every second, then every fourth rank.
static void vcycle_agglomerated(void) {
  for (int cycle = 0; cycle < 5; cycle++) {
    for (int apart = 1; apart < size; apart *= 2)
      if (rank % apart == 0) {
        if (rank >= apart)
          MPI_Sendrecv(a, 8, MPI_DOUBLE, rank - apart, 0, b, 8, MPI_DOUBLE, rank - apart, 0, W,
                       MPI_STATUS_IGNORE);
        if (rank + apart < size)
          MPI_Sendrecv(a, 8, MPI_DOUBLE, rank + apart, 0, b, 8, MPI_DOUBLE, rank + apart, 0, W,
                       MPI_STATUS_IGNORE);
        if (rank % (2 * apart) != 0)
          MPI_Send(a, 8, MPI_DOUBLE, rank - apart, 1, W);
        else if (rank + apart < size)
          MPI_Recv(b, 8, MPI_DOUBLE, rank + apart, 1, W, MPI_STATUS_IGNORE);
      }
    int top = 1;
    while (2 * top < size) top *= 2;
    for (int apart = top; apart >= 1; apart /= 2)
      if (rank % apart == 0) {
        if (rank % (2 * apart) != 0)
          MPI_Recv(b, 8, MPI_DOUBLE, rank - apart, 2, W, MPI_STATUS_IGNORE);
        else if (rank + apart < size)
          MPI_Send(a, 8, MPI_DOUBLE, rank + apart, 2, W);
      }
  }
}

// Rows of four (or what is there) transpose by pairwise exchange; then columns add up.
static void rows_transpose(void) {
  int columns = size % 4 == 0   ? 4
                : size % 5 == 0 ? 5
                                : size,
      row = rank / columns, column = rank % columns;
  for (int step = 0; step < 6; step++) {
    for (int shift = 1; shift < columns; shift++) {
      int to = row * columns + (column + shift) % columns,
          from = row * columns + (column - shift + columns) % columns;
      MPI_Sendrecv(a, 12, MPI_DOUBLE, to, 0, b, 12, MPI_DOUBLE, from, 0, W, MPI_STATUS_IGNORE);
    }
    for (int other = 0; other < size / columns; other++)
      if (other != row) {
        MPI_Isend(a, 12, MPI_DOUBLE, other * columns + column, 1, W, &requests[0]);
        MPI_Recv(b, 12, MPI_DOUBLE, other * columns + column, 1, W, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      }
  }
}

// Bruck's all-to-all: step by step as many blocks as have the bit in their number.
static void bruck_amounts(void) {
  for (int step = 0; step < 5; step++)
    for (int bit = 1; bit < size; bit *= 2) {
      int blocks = 0;
      for (int block = 1; block < size; block++) blocks += (block & bit) != 0;
      MPI_Sendrecv(a, 4 * blocks, MPI_DOUBLE, (rank + bit) % size, 0, b, 4 * blocks, MPI_DOUBLE,
                   (rank - bit + size) % size, 0, W, MPI_STATUS_IGNORE);
    }
}

// Two roots, each with workers of its own; results come in the order of the workers.
static void two_masters(void) {
  int half = (size + 1) / 2, root = rank < half ? 0 : half, end = rank < half ? half : size;
  for (int task = 0; task < 6; task++) {
    if (rank == root) {
      for (int worker = root + 1; worker < end; worker++) MPI_Send(a, 10, MPI_DOUBLE, worker, 0, W);
      for (int worker = root + 1; worker < end; worker++)
        MPI_Recv(b, 5, MPI_DOUBLE, worker, 1, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(b, 10, MPI_DOUBLE, root, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, 5, MPI_DOUBLE, root, 1, W);
    }
  }
  if (rank == half) MPI_Send(a, 50, MPI_DOUBLE, 0, 2, W);
  if (rank == 0) MPI_Recv(b, 50, MPI_DOUBLE, half, 2, W, MPI_STATUS_IGNORE);
}

// Leaders of four gather, meet on a ring, and hand out again.
static void leaders_meet(void) {
  int leader = rank / 4 * 4, end = leader + 4 < size ? leader + 4 : size, leaders = (size + 3) / 4;
  for (int step = 0; step < 8; step++) {
    if (rank != leader) {
      MPI_Send(a, 6, MPI_DOUBLE, leader, 0, W);
      MPI_Recv(b, 6, MPI_DOUBLE, leader, 1, W, MPI_STATUS_IGNORE);
      continue;
    }
    for (int other = leader + 1; other < end; other++)
      MPI_Recv(b, 6, MPI_DOUBLE, other, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 24, MPI_DOUBLE, (rank / 4 + 1) % leaders * 4, 2, b, 24, MPI_DOUBLE,
                 (rank / 4 + leaders - 1) % leaders * 4, 2, W, MPI_STATUS_IGNORE);
    for (int other = leader + 1; other < end; other++) MPI_Send(a, 6, MPI_DOUBLE, other, 1, W);
  }
}

// Red and black points in turns, all requests persistent.
static void red_black_started(void) {
  int count = 0;
  for (int colour = 0; colour < 2; colour++) {
    if (rank > 0) {
      MPI_Send_init(a, 15, MPI_DOUBLE, rank - 1, colour, W, &requests[count++]);
      MPI_Recv_init(b, 15, MPI_DOUBLE, rank - 1, colour, W, &requests[count++]);
    }
    if (rank < size - 1) {
      MPI_Send_init(a, 15, MPI_DOUBLE, rank + 1, colour, W, &requests[count++]);
      MPI_Recv_init(b, 15, MPI_DOUBLE, rank + 1, colour, W, &requests[count++]);
    }
  }
  for (int step = 0; step < 20; step++)
    for (int colour = 0; colour < 2; colour++) {
      MPI_Startall(count / 2, requests + colour * count / 2);
      MPI_Waitall(count / 2, requests + colour * count / 2, MPI_STATUSES_IGNORE);
    }
  for (int i = 0; i < count; i++) MPI_Request_free(&requests[i]);
}

static const struct pattern patterns[] = {
    PATTERN(halo_and_pairs),     PATTERN(halo_and_shifts),   PATTERN(halo_and_all_at_once),
    PATTERN(circle_of_odd),      PATTERN(circle_of_workers), PATTERN(ring_of_chunks),
    PATTERN(scatter_by_halving), PATTERN(fan_of_four),       PATTERN(vcycle_agglomerated),
    PATTERN(rows_transpose),     PATTERN(bruck_amounts),     PATTERN(two_masters),
    PATTERN(leaders_meet),       PATTERN(red_black_started),
};

RUN_ONE_OF(patterns)
