// SPDX-License-Identifier: Apache-2.0
// Programs whose partners follow from the numbers of the rank and of the round: hypercubes,
// all-to-alls in pairs, sorts, barriers, prefixes, trees by rounds, with and without requests.
// Written not to suit Rondo. One for each name.
#include "textbook_driver.h"

static MPI_Request requests[4];

// An allreduce on a hypercube; ranks beyond a power of two stand still.
static void cube_requests(void) {
  for (int step = 0; step < 6; step++)
    for (int round = 0; 1 << round < size; round++) {
      int partner = rank ^ (1 << round);
      if (partner < size) {
        MPI_Isend(a, 32, MPI_DOUBLE, partner, round, W, &requests[0]);
        MPI_Irecv(b, 32, MPI_DOUBLE, partner, round, W, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      }
    }
}

// The same, the furthest first, with a piece half as long each time.
static void cube_halving(void) {
  int top = 0;
  while (2 << top <= size) top++;
  if (rank < 1 << top)
    for (int round = top - 1; round >= 0; round--) {
      MPI_Isend(a, 8 << round, MPI_DOUBLE, rank ^ (1 << round), 7, W, &requests[0]);
      MPI_Irecv(b, 8 << round, MPI_DOUBLE, rank ^ (1 << round), 7, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  MPI_Barrier(W);
}

// A bitonic sort, of as many ranks as are a power of two.
static void bitonic_requests(void) {
  int n = 1;
  while (2 * n <= size) n *= 2;
  if (rank < n)
    for (int k = 2; k <= n; k *= 2)
      for (int j = k / 2; j > 0; j /= 2) {
        MPI_Isend(a, 50, MPI_DOUBLE, rank ^ j, 0, W, &requests[0]);
        MPI_Irecv(b, 50, MPI_DOUBLE, rank ^ j, 0, W, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      }
  MPI_Bcast(a, 4, MPI_DOUBLE, 0, W);
}

// An all-to-all in pairs, by exclusive or.
static void pairs_requests(void) {
  int n = 1;
  while (n < size) n *= 2;
  for (int round = 1; round < n; round++) {
    int partner = rank ^ round;
    if (partner < size) {
      MPI_Isend(a, 10, MPI_DOUBLE, partner, round, W, &requests[0]);
      MPI_Irecv(b, 10, MPI_DOUBLE, partner, round, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }
}

// An all-to-all by shifts, with requests.
static void shifts_requests(void) {
  for (int round = 1; round < size; round++) {
    MPI_Irecv(b, 9, MPI_DOUBLE, (rank - round + size) % size, 3, W, &requests[0]);
    MPI_Isend(a, 9, MPI_DOUBLE, (rank + round) % size, 3, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// A round robin: rank size - 1 stands still, all others go round; odd: one has no partner.
static void round_robin(void) {
  int n = size % 2 == 0 ? size : size + 1;
  for (int round = 0; round < n - 1; round++) {
    int partner;
    if (rank == n - 1)
      partner = round;
    else if (rank == round)
      partner = n - 1;
    else
      partner = (2 * round - rank + 2 * (n - 1)) % (n - 1);
    if (partner < size) {
      MPI_Isend(a, 25, MPI_DOUBLE, partner, 0, W, &requests[0]);
      MPI_Irecv(b, 25, MPI_DOUBLE, partner, 0, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }
}

// The same with MPI_Sendrecv, three times.
static void round_robin_blocking(void) {
  int n = size % 2 == 0 ? size : size + 1;
  for (int step = 0; step < 3; step++)
    for (int round = 0; round < n - 1; round++) {
      int partner = rank == n - 1   ? round
                    : rank == round ? n - 1
                                    : (2 * round - rank + 2 * (n - 1)) % (n - 1);
      if (partner < size)
        MPI_Sendrecv(a, 25, MPI_DOUBLE, partner, round, b, 25, MPI_DOUBLE, partner, round, W,
                     MPI_STATUS_IGNORE);
    }
}

// An odd-even sort with requests, and a look at whether all is in order.
static void odd_even_requests(void) {
  for (int round = 0; round < size; round++) {
    int partner = (rank + round) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner >= 0 && partner < size) {
      MPI_Isend(a, 64, MPI_DOUBLE, partner, 5, W, &requests[0]);
      MPI_Irecv(b, 64, MPI_DOUBLE, partner, 5, W, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }
  MPI_Allreduce(a, b, 1, MPI_INT, MPI_MIN, W);
}

// The same where whoever has no partner waits for nothing.
static void odd_even_nobody(void) {
  for (int round = 0; round < size + 1; round++) {
    int partner = (rank + round) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= size) partner = MPI_PROC_NULL;
    MPI_Isend(a, 64, MPI_DOUBLE, partner, 5, W, &requests[0]);
    MPI_Irecv(b, 64, MPI_DOUBLE, partner, 5, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// A barrier by dissemination.
static void dissemination_requests(void) {
  for (int step = 0; step < 4; step++)
    for (int d = 1; d < size; d *= 2) {
      MPI_Request request;
      MPI_Irecv(b, 0, MPI_BYTE, (rank - d + size) % size, 1, W, &request);
      MPI_Send(a, 0, MPI_BYTE, (rank + d) % size, 1, W);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

// Bruck's all-to-all: the blocks whose number has that bit.
static void bruck_requests(void) {
  for (int k = 1, round = 0; k < size; k *= 2, round++) {
    int blocks = 0;
    for (int i = 0; i < size; i++) blocks += (i & k) != 0;
    MPI_Irecv(b, 4 * blocks, MPI_DOUBLE, (rank - k + size) % size, round, W, &requests[0]);
    MPI_Isend(a, 4 * blocks, MPI_DOUBLE, (rank + k) % size, round, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// An allgather by doubling in place, then a sum by doubling: two kinds of rounds.
static void gather_then_add(void) {
  for (int d = 1; d < size; d *= 2)
    MPI_Sendrecv(a, 2 * d, MPI_DOUBLE, (rank + d) % size, 0, b, 2 * d, MPI_DOUBLE,
                 (rank - d + size) % size, 0, W, MPI_STATUS_IGNORE);
  for (int d = 1; d < size; d *= 2)
    if ((rank ^ d) < size)
      MPI_Sendrecv(a, 16, MPI_DOUBLE, rank ^ d, 1, b, 16, MPI_DOUBLE, rank ^ d, 1, W,
                   MPI_STATUS_IGNORE);
}

// A prefix sum: to the rank 1, 2, 4, ... further, while it is there.
static void prefix_requests(void) {
  for (int d = 1; d < size; d *= 2) {
    int n = 0;
    if (rank + d < size) MPI_Isend(a, 12, MPI_DOUBLE, rank + d, d, W, &requests[n++]);
    if (rank - d >= 0) MPI_Irecv(b, 12, MPI_DOUBLE, rank - d, d, W, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  }
}

// A broadcast by rounds: those who have it send on.
static void bcast_rounds(void) {
  for (int step = 0; step < 5; step++)
    for (int d = 1; d < size; d *= 2) {
      if (rank < d) {
        if (rank + d < size) MPI_Send(a, 70, MPI_DOUBLE, rank + d, 0, W);
      } else if (rank < 2 * d) {
        MPI_Recv(a, 70, MPI_DOUBLE, rank - d, 0, W, MPI_STATUS_IGNORE);
      }
    }
}

// A reduction by rounds: the upper half of those who are left sends.
static void reduce_rounds(void) {
  int left = size;
  while (left > 1) {
    int half = (left + 1) / 2;
    if (rank >= half && rank < left)
      MPI_Send(a, 40, MPI_DOUBLE, rank - half, 0, W);
    else if (rank < half && rank + half < left)
      MPI_Recv(b, 40, MPI_DOUBLE, rank + half, 0, W, MPI_STATUS_IGNORE);
    left = half;
  }
}

// Cyclic reduction to both sides at twice the distance each time, all ranks in all rounds.
static void parallel_cyclic_reduction(void) {
  for (int step = 0; step < 3; step++)
    for (int d = 1; d < size; d *= 2) {
      int n = 0;
      if (rank - d >= 0) MPI_Irecv(b, 4, MPI_DOUBLE, rank - d, 0, W, &requests[n++]);
      if (rank + d < size) MPI_Irecv(b + 8, 4, MPI_DOUBLE, rank + d, 1, W, &requests[n++]);
      if (rank + d < size) MPI_Isend(a, 4, MPI_DOUBLE, rank + d, 0, W, &requests[n++]);
      if (rank - d >= 0) MPI_Isend(a, 4, MPI_DOUBLE, rank - d, 1, W, &requests[n++]);
      MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
}

// A step with a message more in front of the others, and one at their end.
static void first_step_more(void) {
  int west = (rank + size - 1) % size, east = (rank + 1) % size;
  for (int step = 0; step < 12; step++) {
    if (step == 0) MPI_Bcast(a, 3, MPI_DOUBLE, 0, W);
    MPI_Sendrecv(a, 20, MPI_DOUBLE, east, 0, b, 20, MPI_DOUBLE, west, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 20, MPI_DOUBLE, west, 1, b, 20, MPI_DOUBLE, east, 1, W, MPI_STATUS_IGNORE);
    if (step > 0) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    if (step == 11) MPI_Reduce(a, b, 8, MPI_DOUBLE, MPI_SUM, 0, W);
  }
}

// The first step starts from nothing: no ghosts are needed there, and a norm is not looked at.
static void first_step_less(void) {
  for (int step = 0; step < 15; step++) {
    if (step > 0) {
      if (rank > 0) MPI_Send(a, 30, MPI_DOUBLE, rank - 1, 0, W);
      if (rank < size - 1) MPI_Recv(b, 30, MPI_DOUBLE, rank + 1, 0, W, MPI_STATUS_IGNORE);
    }
    if (rank < size - 1) MPI_Send(a, 30, MPI_DOUBLE, rank + 1, 1, W);
    if (rank > 0) MPI_Recv(b, 30, MPI_DOUBLE, rank - 1, 1, W, MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 2, MPI_DOUBLE, MPI_MAX, W);
  }
}

static const struct pattern patterns[] = {
    PATTERN(cube_requests),        PATTERN(cube_halving),
    PATTERN(bitonic_requests),     PATTERN(pairs_requests),
    PATTERN(shifts_requests),      PATTERN(round_robin),
    PATTERN(round_robin_blocking), PATTERN(odd_even_requests),
    PATTERN(odd_even_nobody),      PATTERN(dissemination_requests),
    PATTERN(bruck_requests),       PATTERN(gather_then_add),
    PATTERN(prefix_requests),      PATTERN(bcast_rounds),
    PATTERN(reduce_rounds),        PATTERN(parallel_cyclic_reduction),
    PATTERN(first_step_more),      PATTERN(first_step_less),
};

RUN_ONE_OF(patterns)
