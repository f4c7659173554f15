// SPDX-License-Identifier: Apache-2.0
// Collectives and sorts that go in rounds, written by hand for any number of ranks, not to suit
// Rondo. One for each name.
#include "textbook_driver.h"

// Recursive doubling; the first ranks beyond a power of two fold in pairs.
static void doubling_rest(void) {
  int pof2 = 1;
  while (2 * pof2 <= size) pof2 *= 2;
  int rest = size - pof2, vrank;
  if (rank < 2 * rest) {
    if (rank % 2 == 0) {
      MPI_Send(a, 10, MPI_DOUBLE, rank + 1, 0, W);
      vrank = -1;
    } else {
      MPI_Recv(b, 10, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
      vrank = rank / 2;
    }
  } else
    vrank = rank - rest;
  if (vrank >= 0)
    for (int mask = 1; mask < pof2; mask <<= 1) {
      int v = vrank ^ mask, p = v < rest ? 2 * v + 1 : v + rest;
      MPI_Sendrecv(a, 10, MPI_DOUBLE, p, 0, b, 10, MPI_DOUBLE, p, 0, W, MPI_STATUS_IGNORE);
    }
  if (rank < 2 * rest) {
    if (rank % 2)
      MPI_Send(a, 10, MPI_DOUBLE, rank - 1, 0, W);
    else
      MPI_Recv(a, 10, MPI_DOUBLE, rank + 1, 0, W, MPI_STATUS_IGNORE);
  }
}

// The same; those beyond the power of two give theirs to the lowest ranks.
static void doubling_tail(void) {
  int pof2 = 1;
  while (2 * pof2 <= size) pof2 *= 2;
  for (int it = 0; it < 10; it++) {
    if (rank >= pof2)
      MPI_Send(a, 8, MPI_DOUBLE, rank - pof2, 1, W);
    else if (rank + pof2 < size)
      MPI_Recv(b, 8, MPI_DOUBLE, rank + pof2, 1, W, MPI_STATUS_IGNORE);
    if (rank < pof2)
      for (int m = 1; m < pof2; m *= 2)
        MPI_Sendrecv(a, 8, MPI_DOUBLE, rank ^ m, 2, b, 8, MPI_DOUBLE, rank ^ m, 2, W,
                     MPI_STATUS_IGNORE);
    if (rank >= pof2)
      MPI_Recv(a, 8, MPI_DOUBLE, rank - pof2, 3, W, MPI_STATUS_IGNORE);
    else if (rank + pof2 < size)
      MPI_Send(a, 8, MPI_DOUBLE, rank + pof2, 3, W);
  }
}

// A hypercube on any number of ranks: partners that are not there are left out.
static void hypercube_rest(void) {
  for (int it = 0; it < 5; it++)
    for (int m = 1; m < size; m *= 2) {
      int p = rank ^ m;
      if (p < size)
        MPI_Sendrecv(a, 16, MPI_DOUBLE, p, 0, b, 16, MPI_DOUBLE, p, 0, W, MPI_STATUS_IGNORE);
    }
}

// A broadcast along a binomial tree.
static void binomial_bcast(void) {
  for (int it = 0; it < 4; it++) {
    int m = 1;
    while (m < size) {
      if (rank & m) {
        MPI_Recv(a, 20, MPI_DOUBLE, rank - m, 0, W, MPI_STATUS_IGNORE);
        break;
      }
      m <<= 1;
    }
    for (m >>= 1; m > 0; m >>= 1)
      if (rank + m < size) MPI_Send(a, 20, MPI_DOUBLE, rank + m, 0, W);
  }
}

// A reduction along a binomial tree.
static void binomial_reduce(void) {
  for (int it = 0; it < 4; it++)
    for (int m = 1; m < size; m <<= 1) {
      if (rank & m) {
        MPI_Send(a, 20, MPI_DOUBLE, rank - m, 7, W);
        break;
      }
      if (rank + m < size) MPI_Recv(b, 20, MPI_DOUBLE, rank + m, 7, W, MPI_STATUS_IGNORE);
    }
}

// Bruck: blocks go twice as far each time.
static void bruck_blocks(void) {
  for (int k = 1; k < size; k <<= 1) {
    int n = k < size - k ? k : size - k;
    MPI_Sendrecv(a, n * 4, MPI_DOUBLE, (rank - k + size) % size, 0, b, n * 4, MPI_DOUBLE,
                 (rank + k) % size, 0, W, MPI_STATUS_IGNORE);
  }
}

// An all-to-all by shifts.
static void pairwise(void) {
  for (int it = 0; it < 3; it++)
    for (int i = 1; i < size; i++)
      MPI_Sendrecv(a, 4, MPI_DOUBLE, (rank + i) % size, 0, b, 4, MPI_DOUBLE,
                   (rank - i + size) % size, 0, W, MPI_STATUS_IGNORE);
}

// An all-to-all in pairs.
static void pairwise_xor(void) {
  int n = 1;
  while (n < size) n *= 2;
  for (int i = 1; i < n; i++) {
    int p = rank ^ i;
    if (p < size)
      MPI_Sendrecv(a, 4, MPI_DOUBLE, p, 0, b, 4, MPI_DOUBLE, p, 0, W, MPI_STATUS_IGNORE);
  }
}

// The lower half with the upper half; the last rank is alone if they are odd.
static void shift_leftover(void) {
  int half = size / 2;
  for (int it = 0; it < 6; it++) {
    if (rank < half) {
      MPI_Send(a, 30, MPI_DOUBLE, rank + half, it, W);
      MPI_Recv(b, 30, MPI_DOUBLE, rank + half, it, W, MPI_STATUS_IGNORE);
    } else if (rank < 2 * half) {
      MPI_Recv(b, 30, MPI_DOUBLE, rank - half, it, W, MPI_STATUS_IGNORE);
      MPI_Send(a, 30, MPI_DOUBLE, rank - half, it, W);
    }
    MPI_Barrier(W);
  }
}

// Neighbours swap, even and odd pairs in turn.
static void odd_even_sort(void) {
  for (int phase = 0; phase < size; phase++) {
    int p = (phase + rank) % 2 == 0 ? rank + 1 : rank - 1;
    if (p < 0 || p >= size) continue;
    MPI_Sendrecv(a, 100, MPI_INT, p, 0, b, 100, MPI_INT, p, 0, W, MPI_STATUS_IGNORE);
  }
}

// A token goes round.
static void token_ring(void) {
  for (int lap = 0; lap < 5; lap++) {
    if (rank == 0) {
      MPI_Send(a, 1, MPI_INT, 1, 0, W);
      MPI_Recv(a, 1, MPI_INT, size - 1, 0, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(a, 1, MPI_INT, rank - 1, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, 1, MPI_INT, (rank + 1) % size, 0, W);
    }
  }
}

// A pipeline; each fourth item is answered for by the last stage.
static void pipe_feedback(void) {
  for (int item = 0; item < 12; item++) {
    if (rank > 0) MPI_Recv(a, 64, MPI_DOUBLE, rank - 1, item, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(a, 64, MPI_DOUBLE, rank + 1, item, W);
    if (item % 4 == 3) {
      if (rank == size - 1) MPI_Send(a, 2, MPI_DOUBLE, 0, 99, W);
      if (rank == 0) MPI_Recv(a, 2, MPI_DOUBLE, size - 1, 99, W, MPI_STATUS_IGNORE);
    }
  }
}

// Halves go down a binomial tree.
static void tree_scatter(void) {
  int lo = 0, hi = size;
  while (hi - lo > 1) {
    int mid = (lo + hi + 1) / 2;
    if (rank < mid) {
      if (rank == lo) MPI_Send(a, 10 * (hi - mid), MPI_DOUBLE, mid, 0, W);
      hi = mid;
    } else {
      if (rank == mid) MPI_Recv(a, 10 * (hi - mid), MPI_DOUBLE, lo, 0, W, MPI_STATUS_IGNORE);
      lo = mid;
    }
  }
}

// A barrier by dissemination, three times.
static void dissemination_repeated(void) {
  for (int it = 0; it < 3; it++)
    for (int d = 1; d < size; d *= 2)
      MPI_Sendrecv(a, 0, MPI_BYTE, (rank + d) % size, 4, b, 0, MPI_BYTE, (rank - d + size) % size,
                   4, W, MPI_STATUS_IGNORE);
}

// A barrier by a tournament: winners hear of losers, and tell them when all have come.
static void tournament_barrier(void) {
  for (int it = 0; it < 3; it++) {
    int d = 1;
    for (; d < size; d *= 2) {
      if (rank % (2 * d) == 0) {
        if (rank + d < size) MPI_Recv(b, 0, MPI_BYTE, rank + d, 0, W, MPI_STATUS_IGNORE);
      } else if (rank % (2 * d) == d) {
        MPI_Send(a, 0, MPI_BYTE, rank - d, 0, W);
        MPI_Recv(b, 0, MPI_BYTE, rank - d, 1, W, MPI_STATUS_IGNORE);
        break;
      }
    }
    for (d /= 2; d > 0; d /= 2)
      if (rank % (2 * d) == 0 && rank + d < size) MPI_Send(a, 0, MPI_BYTE, rank + d, 1, W);
  }
}

// An allgather round the ring, of blocks of different lengths.
static void ring_allgather_v(void) {
  for (int i = 0; i < size - 1; i++) {
    int s = (rank - i + size) % size, r = (rank - i - 1 + size) % size;
    MPI_Sendrecv(a, 10 + s, MPI_DOUBLE, (rank + 1) % size, 0, b, 10 + r, MPI_DOUBLE,
                 (rank + size - 1) % size, 0, W, MPI_STATUS_IGNORE);
  }
}

// An allgather among neighbours: even ranks to the right first.
static void neighbour_bidir(void) {
  for (int i = 0; i < size / 2; i++) {
    int p = (rank + i) % 2 == 0 ? (rank + 1) % size : (rank + size - 1) % size;
    if (size % 2 == 0)
      MPI_Sendrecv(a, 2, MPI_DOUBLE, p, i, b, 2, MPI_DOUBLE, p, i, W, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(W);
}

// Up and down a tree that is numbered as a heap.
static void heap_tree(void) {
  int l = 2 * rank + 1, r = l + 1;
  for (int it = 0; it < 6; it++) {
    if (l < size) MPI_Recv(b, 2, MPI_DOUBLE, l, 0, W, MPI_STATUS_IGNORE);
    if (r < size) MPI_Recv(b, 2, MPI_DOUBLE, r, 0, W, MPI_STATUS_IGNORE);
    if (rank) {
      MPI_Send(a, 2, MPI_DOUBLE, (rank - 1) / 2, 0, W);
      MPI_Recv(b, 2, MPI_DOUBLE, (rank - 1) / 2, 1, W, MPI_STATUS_IGNORE);
    }
    if (l < size) MPI_Send(a, 2, MPI_DOUBLE, l, 1, W);
    if (r < size) MPI_Send(a, 2, MPI_DOUBLE, r, 1, W);
  }
}

// Rabenseifner: halves, then doubles; ranks beyond a power of two give theirs away.
static void rabenseifner_tail(void) {
  int pof2 = 1;
  while (2 * pof2 <= size) pof2 *= 2;
  int n = 512;
  if (rank >= pof2) {
    MPI_Send(a, n, MPI_DOUBLE, rank - pof2, 0, W);
  } else {
    if (rank + pof2 < size) MPI_Recv(b, n, MPI_DOUBLE, rank + pof2, 0, W, MPI_STATUS_IGNORE);
    for (int m = pof2 / 2; m > 0; m /= 2) {
      n /= 2;
      MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ m, 1, b, n, MPI_DOUBLE, rank ^ m, 1, W,
                   MPI_STATUS_IGNORE);
    }
    for (int m = 1; m < pof2; m *= 2) {
      MPI_Sendrecv(a, n, MPI_DOUBLE, rank ^ m, 2, b, n, MPI_DOUBLE, rank ^ m, 2, W,
                   MPI_STATUS_IGNORE);
      n *= 2;
    }
    if (rank + pof2 < size) MPI_Send(a, n, MPI_DOUBLE, rank + pof2, 3, W);
  }
  if (rank >= pof2) MPI_Recv(a, n, MPI_DOUBLE, rank - pof2, 3, W, MPI_STATUS_IGNORE);
}

// A sample sort.
static void strided_sample_sort(void) {
  MPI_Gather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 0, W);
  MPI_Bcast(b, size - 1, MPI_DOUBLE, 0, W);
  int sc[64], rc[64], sd[64], rd[64];
  for (int i = 0; i < size; i++) sc[i] = 10 + (rank * 7 + i * 3) % 5;
  MPI_Alltoall(sc, 1, MPI_INT, rc, 1, MPI_INT, W);
  sd[0] = rd[0] = 0;
  for (int i = 1; i < size; i++) {
    sd[i] = sd[i - 1] + sc[i - 1];
    rd[i] = rd[i - 1] + rc[i - 1];
  }
  MPI_Alltoallv(a, sc, sd, MPI_DOUBLE, b, rc, rd, MPI_DOUBLE, W);
}

// Thomas: forth, then back.
static void up_down_chain(void) {
  for (int it = 0; it < 6; it++) {
    if (rank > 0) MPI_Recv(b, 2, MPI_DOUBLE, rank - 1, 0, W, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(a, 2, MPI_DOUBLE, rank + 1, 0, W);
    if (rank < size - 1) MPI_Recv(b, 1, MPI_DOUBLE, rank + 1, 1, W, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Send(a, 1, MPI_DOUBLE, rank - 1, 1, W);
  }
}

// Cyclic reduction.
static void cyclic_reduction(void) {
  for (int s = 1; s < size; s *= 2) {
    int lo = rank - s, hi = rank + s;
    MPI_Request q[4];
    int n = 0;
    if ((rank / s) % 2 == 1 && rank % s == 0) {
      if (lo >= 0) MPI_Isend(a, 3, MPI_DOUBLE, lo, s, W, &q[n++]);
      if (hi < size) MPI_Isend(a, 3, MPI_DOUBLE, hi, s, W, &q[n++]);
    } else if (rank % s == 0) {
      if (lo >= 0) MPI_Irecv(b, 3, MPI_DOUBLE, lo, s, W, &q[n++]);
      if (hi < size) MPI_Irecv(b, 3, MPI_DOUBLE, hi, s, W, &q[n++]);
    }
    MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
  }
}

static const struct pattern patterns[] = {
    PATTERN(doubling_rest),      PATTERN(doubling_tail),
    PATTERN(hypercube_rest),     PATTERN(binomial_bcast),
    PATTERN(binomial_reduce),    PATTERN(bruck_blocks),
    PATTERN(pairwise),           PATTERN(pairwise_xor),
    PATTERN(shift_leftover),     PATTERN(odd_even_sort),
    PATTERN(token_ring),         PATTERN(pipe_feedback),
    PATTERN(tree_scatter),       PATTERN(dissemination_repeated),
    PATTERN(tournament_barrier), PATTERN(ring_allgather_v),
    PATTERN(neighbour_bidir),    PATTERN(heap_tree),
    PATTERN(rabenseifner_tail),  PATTERN(strided_sample_sort),
    PATTERN(up_down_chain),      PATTERN(cyclic_reduction),
};
RUN_ONE_OF(patterns)
