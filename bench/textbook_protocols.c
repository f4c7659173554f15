// SPDX-License-Identifier: Apache-2.0
// Protocols, searches and collectives by hand, from courses on distributed algorithms and from
// newer parts of MPI, written not to suit Rondo. One for each name.
#include "textbook_driver.h"

// A vote in two phases: rank 0 asks, counts, decides and waits until all have heard.
static void two_phase_commit(void) {
  for (int transaction = 0; transaction < 8; transaction++) {
    int vote, votes = 0;
    if (rank == 0) {
      for (int to = 1; to < size; to++) MPI_Send(&transaction, 1, MPI_INT, to, 1, W);
      for (int from = 1; from < size; from++) {
        MPI_Recv(&vote, 1, MPI_INT, MPI_ANY_SOURCE, 2, W, MPI_STATUS_IGNORE);
        votes += vote;
      }
      int tag = votes == size - 1 ? 3 : 4;
      for (int to = 1; to < size; to++) MPI_Send(&votes, 1, MPI_INT, to, tag, W);
      for (int from = 1; from < size; from++)
        MPI_Recv(&vote, 1, MPI_INT, from, 5, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&vote, 1, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
      vote = transaction % 4 != 3 || rank != size / 2;
      MPI_Send(&vote, 1, MPI_INT, 0, 2, W);
      MPI_Recv(&votes, 1, MPI_INT, 0, MPI_ANY_TAG, W, MPI_STATUS_IGNORE);
      MPI_Send(&vote, 1, MPI_INT, 0, 5, W);
    }
  }
}

// Heartbeats of a leader, who changes each fourth term.
static void heartbeats(void) {
  for (int term = 0; term < 3; term++) {
    int leader = term * 2 % size;
    for (int beat = 0; beat < 4; beat++) {
      if (rank == leader) {
        MPI_Request requests[64];
        int n = 0;
        for (int to = 0; to < size; to++)
          if (to != rank) MPI_Isend(a, 2, MPI_INT, to, term, W, &requests[n++]);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        for (int from = 0; from < size; from++)
          if (from != rank) MPI_Recv(b, 1, MPI_INT, from, term, W, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(b, 2, MPI_INT, leader, term, W, MPI_STATUS_IGNORE);
        MPI_Send(a, 1, MPI_INT, leader, term, W);
      }
    }
  }
}

// The echo algorithm on a tree of ranks: out to the leaves, back to the root.
static void echo_tree(void) {
  int first = 2 * rank + 1, parent = (rank - 1) / 2;
  for (int wave = 0; wave < 7; wave++) {
    if (rank > 0) MPI_Recv(a, 1, MPI_INT, parent, 0, W, MPI_STATUS_IGNORE);
    for (int child = first; child <= first + 1 && child < size; child++)
      MPI_Send(a, 1, MPI_INT, child, 0, W);
    for (int child = first; child <= first + 1 && child < size; child++)
      MPI_Recv(b, 1, MPI_INT, child, 1, W, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Send(b, 1, MPI_INT, parent, 1, W);
  }
}

// Philosophers in a ring: forks go to and fro, those with even numbers begin.
static void philosophers(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int meal = 0; meal < 10; meal++) {
    if (rank % 2 == 0) {
      MPI_Send(a, 1, MPI_CHAR, right, 0, W);
      MPI_Recv(b, 1, MPI_CHAR, left, 0, W, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(b, 1, MPI_CHAR, left, 0, W, MPI_STATUS_IGNORE);
      MPI_Send(a, 1, MPI_CHAR, right, 0, W);
    }
    MPI_Barrier(W);
  }
}

// The knapsack problem in blocks: each item needs the values so many ranks before.
static void knapsack(void) {
  static const int weights[] = {1, 2, 1, 3, 2, 1, 2, 3, 1, 1};
  for (int item = 0; item < 10; item++) {
    int to = rank + weights[item], from = rank - weights[item];
    MPI_Request request = MPI_REQUEST_NULL;
    if (to < size) MPI_Isend(a, 100, MPI_INT, to, item, W, &request);
    if (from >= 0) MPI_Recv(b, 100, MPI_INT, from, item, W, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(a, 1, MPI_INT, size - 1, W);
}

// Two strings compared: columns of the table on ranks, rows in chunks.
static void table_of_strings(void) {
  for (int sequence = 0; sequence < 3; sequence++) {
    if (rank == 0) {
      for (int to = 1; to < size; to++) MPI_Send(a, 500 + sequence, MPI_CHAR, to, 1, W);
    } else {
      MPI_Recv(a, 1000, MPI_CHAR, 0, 1, W, MPI_STATUS_IGNORE);
    }
    for (int chunk = 0; chunk < 10; chunk++) {
      if (rank > 0) MPI_Recv(b, 51, MPI_INT, rank - 1, 2, W, MPI_STATUS_IGNORE);
      if (rank < size - 1) MPI_Send(b, 51, MPI_INT, rank + 1, 2, W);
    }
    if (rank == size - 1) MPI_Send(b, 1, MPI_INT, 0, 3, W);
    if (rank == 0) MPI_Recv(b, 1, MPI_INT, size - 1, 3, W, MPI_STATUS_IGNORE);
  }
}

// A tree of calls: half of the data goes to a helper, the sorted half comes back.
static void helpers_merge(void) {
  int n = 4096, level = 0, step = 1;
  while (step < size) step *= 2;
  if (rank > 0) {
    while (rank % step) step /= 2;
    MPI_Status status;
    MPI_Probe(rank - step, 1, W, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    MPI_Recv(a, n, MPI_INT, rank - step, 1, W, MPI_STATUS_IGNORE);
  }
  int total = n;
  int helpers[16], sizes[16];
  for (int half = step / 2; half > 0; half /= 2)
    if (rank + half < size) {
      helpers[level] = rank + half, sizes[level] = n / 2;
      MPI_Send(a, n / 2, MPI_INT, rank + half, 1, W);
      n -= n / 2, level++;
    }
  while (level-- > 0) MPI_Recv(b, sizes[level], MPI_INT, helpers[level], 2, W, MPI_STATUS_IGNORE);
  if (rank > 0) MPI_Send(a, total, MPI_INT, rank - step, 2, W);
}

// Broadcast as a scatter down a binomial tree and an allgather round a ring.
static void bcast_scattered(void) {
  for (int repeat = 0; repeat < 4; repeat++) {
    int mask = 1;
    while (mask < size) {
      if (rank & mask) {
        int blocks = rank + mask <= size ? mask : size - rank;
        MPI_Recv(a, 64 * blocks, MPI_BYTE, rank - mask, 0, W, MPI_STATUS_IGNORE);
        break;
      }
      mask *= 2;
    }
    for (mask /= 2; mask > 0; mask /= 2)
      if (rank + mask < size) {
        int blocks = rank + 2 * mask <= size ? mask : size - rank - mask;
        MPI_Send(a, 64 * blocks, MPI_BYTE, rank + mask, 0, W);
      }
    for (int i = 1; i < size; i++)
      MPI_Sendrecv(a, 64, MPI_BYTE, (rank + 1) % size, 1, b, 64, MPI_BYTE, (rank + size - 1) % size,
                   1, W, MPI_STATUS_IGNORE);
  }
}

// Gather up a binomial tree: messages grow, the last ones are shorter.
static void gather_up(void) {
  for (int repeat = 0; repeat < 5; repeat++)
    for (int mask = 1; mask < size; mask *= 2) {
      if (rank & mask) {
        int blocks = rank + mask <= size ? mask : size - rank;
        MPI_Send(a, 16 * blocks, MPI_INT, rank - mask, 0, W);
        break;
      }
      if (rank + mask < size) {
        int blocks = rank + 2 * mask <= size ? mask : size - rank - mask;
        MPI_Recv(b, 16 * blocks, MPI_INT, rank + mask, 0, W, MPI_STATUS_IGNORE);
      }
    }
}

// Carries of a long sum: blocks of ranks that double pass on to the next one's.
static void carries(void) {
  for (int d = 1; d < size; d *= 2) {
    if (rank % (2 * d) == d - 1 && rank + 1 < size)
      for (int to = rank + 1; to <= rank + d && to < size; to++) MPI_Send(a, 1, MPI_INT, to, d, W);
    if (rank % (2 * d) >= d)
      MPI_Recv(b, 1, MPI_INT, rank - rank % (2 * d) + d - 1, d, W, MPI_STATUS_IGNORE);
  }
}

// A barrier of butterflies on a number of ranks that is no power of two.
static void folded_butterfly(void) {
  int power = 1;
  while (2 * power <= size) power *= 2;
  for (int repeat = 0; repeat < 5; repeat++) {
    if (rank >= power) {
      MPI_Send(a, 8, MPI_DOUBLE, rank - power, 0, W);
      MPI_Recv(b, 8, MPI_DOUBLE, rank - power, 9, W, MPI_STATUS_IGNORE);
      continue;
    }
    if (rank + power < size) MPI_Recv(b, 8, MPI_DOUBLE, rank + power, 0, W, MPI_STATUS_IGNORE);
    for (int bit = 1; bit < power; bit *= 2) {
      MPI_Request request;
      MPI_Irecv(b, 8, MPI_DOUBLE, rank ^ bit, bit, W, &request);
      MPI_Send(a, 8, MPI_DOUBLE, rank ^ bit, bit, W);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank + power < size) MPI_Send(a, 8, MPI_DOUBLE, rank + power, 9, W);
  }
}

// Parts of uneven length are moved so that all are as long, by sums of what stands before.
static void even_parts(void) {
  for (int step = 0; step < 5; step++) {
    long mine = 100 + (rank * 13 + step * 5) % 40, before = 0, all;
    MPI_Exscan(&mine, &before, 1, MPI_LONG, MPI_SUM, W);
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, W);
    if (rank == 0) before = 0;
    int counts[64], in[64], at[64], in_at[64];
    for (int i = 0; i < size; i++) {
      long from = all * i / size, to = all * (i + 1) / size;
      long low = from > before ? from : before, high = to < before + mine ? to : before + mine;
      counts[i] = high > low ? high - low : 0, at[i] = low > before ? low - before : 0,
      in_at[i] = 0;
    }
    MPI_Alltoall(counts, 1, MPI_INT, in, 1, MPI_INT, W);
    MPI_Alltoallv(a, counts, at, MPI_DOUBLE, b, in, in_at, MPI_DOUBLE, W);
  }
}

// Chaotic iteration: neighbours' values are taken if they are there, a ring says when to stop.
static void chaotic(void) {
  int left = rank - 1 < 0 ? MPI_PROC_NULL : rank - 1,
      right = rank + 1 == size ? MPI_PROC_NULL : rank + 1;
  for (int step = 0; step < 15; step++) {
    MPI_Request sent[2], got[2];
    int there = 0;
    MPI_Irecv(b, 20, MPI_DOUBLE, left, 0, W, &got[0]);
    MPI_Irecv(b + 20, 20, MPI_DOUBLE, right, 0, W, &got[1]);
    MPI_Isend(a, 20, MPI_DOUBLE, left, 0, W, &sent[0]);
    MPI_Isend(a, 20, MPI_DOUBLE, right, 0, W, &sent[1]);
    while (!there) MPI_Testall(2, got, &there, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
  }
  MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
}

// Structures packed by hand to the next one, with lengths before.
static void packed(void) {
  int at = 0, next = (rank + 1) % size, before = (rank + size - 1) % size, length;
  for (int step = 0; step < 9; step++) {
    at = 0;
    MPI_Pack(&step, 1, MPI_INT, a, 4000, &at, W);
    MPI_Pack(b, 10 + step % 3, MPI_DOUBLE, a, 4000, &at, W);
    MPI_Sendrecv(&at, 1, MPI_INT, next, 0, &length, 1, MPI_INT, before, 0, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, at, MPI_PACKED, next, 1, c, length, MPI_PACKED, before, 1, W,
                 MPI_STATUS_IGNORE);
    at = 0;
    MPI_Unpack(c, length, &at, &step, 1, MPI_INT, W);
  }
}

// Messages of unknown length from anyone, matched by probe.
static void matched_probe(void) {
  for (int step = 0; step < 6; step++) {
    MPI_Request requests[2];
    MPI_Isend(a, 10 + (rank + step) % 4, MPI_INT, (rank + 1) % size, step, W, &requests[0]);
    MPI_Isend(a, 20 + (rank + step) % 4, MPI_INT, (rank + 2) % size, step, W, &requests[1]);
    for (int i = 0; i < 2; i++) {
      MPI_Message message;
      MPI_Status status;
      int n;
      MPI_Mprobe(MPI_ANY_SOURCE, step, W, &message, &status);
      MPI_Get_count(&status, MPI_INT, &n);
      MPI_Mrecv(b, n, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// Three ways to send in turn, as a course shows them.
static void ways_to_send(void) {
  static char buffer[1 << 16];
  MPI_Buffer_attach(buffer, sizeof buffer);
  int peer = rank ^ 1;
  for (int length = 1; length <= 256 && peer < size; length *= 4) {
    if (rank % 2 == 0) {
      MPI_Send(a, length, MPI_DOUBLE, peer, 0, W);
      MPI_Ssend(a, length, MPI_DOUBLE, peer, 1, W);
      MPI_Bsend(a, length, MPI_DOUBLE, peer, 2, W);
    } else {
      for (int tag = 0; tag < 3; tag++)
        MPI_Recv(b, length, MPI_DOUBLE, peer, tag, W, MPI_STATUS_IGNORE);
    }
  }
  int detached;
  void* was;
  MPI_Buffer_detach(&was, &detached);
}

// A queue of moves between random pairs that all ranks draw alike.
static void random_pairs(void) {
  unsigned seed = 17;
  for (int move = 0; move < 40; move++) {
    seed = seed * 1103515245u + 12345u;
    int one = (seed >> 16) % size;
    seed = seed * 1103515245u + 12345u;
    int other = (seed >> 16) % size;
    if (one == other) continue;
    if (rank == one || rank == other) {
      int peer = rank == one ? other : one;
      MPI_Sendrecv(a, 25, MPI_INT, peer, 0, b, 25, MPI_INT, peer, 0, W, MPI_STATUS_IGNORE);
    }
    if (move % 10 == 9) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, W);
  }
}

// Matrices in strips: A stays, pieces of B come from their owners by one-sided gets.
static void gets_in_turn(void) {
  MPI_Win window;
  MPI_Win_create(a, 1000 * sizeof(double), sizeof(double), MPI_INFO_NULL, W, &window);
  MPI_Win_fence(0, window);
  for (int i = 1; i < size; i++) {
    MPI_Get(b, 100, MPI_DOUBLE, (rank + i) % size, 0, 100, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
  MPI_Accumulate(b, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

// Corner turn between a group of readers and a group of workers.
static void corner_turn(void) {
  int readers = size / 3 > 0 ? size / 3 : 1, workers = size - readers;
  for (int image = 0; image < 6; image++) {
    if (rank < readers) {
      for (int w = 0; w < workers; w++) MPI_Send(a, 128, MPI_FLOAT, readers + w, image, W);
    } else {
      MPI_Request requests[32];
      for (int r = 0; r < readers; r++)
        MPI_Irecv(b + 128 * r, 128, MPI_FLOAT, r, image, W, &requests[r]);
      MPI_Waitall(readers, requests, MPI_STATUSES_IGNORE);
    }
  }
}

// A halo whose pieces are sent when they are ready, and a sum that is set up once.
static void partitions_ready(void) {
#if MPI_VERSION >= 4
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request requests[2], sum;
  MPI_Psend_init(a, 4, 32, MPI_DOUBLE, right, 0, W, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(b, 4, 32, MPI_DOUBLE, left, 0, W, MPI_INFO_NULL, &requests[1]);
  MPI_Allreduce_init(a, c, 1, MPI_DOUBLE, MPI_SUM, W, MPI_INFO_NULL, &sum);
  for (int step = 0; step < 8; step++) {
    MPI_Startall(2, requests);
    for (int part = 0; part < 4; part++) MPI_Pready(part, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&sum);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
  MPI_Request_free(&sum);
#endif
}

static const struct pattern patterns[] = {
    PATTERN(two_phase_commit), PATTERN(heartbeats),       PATTERN(echo_tree),
    PATTERN(philosophers),     PATTERN(knapsack),         PATTERN(table_of_strings),
    PATTERN(helpers_merge),    PATTERN(bcast_scattered),  PATTERN(gather_up),
    PATTERN(carries),          PATTERN(folded_butterfly), PATTERN(even_parts),
    PATTERN(chaotic),          PATTERN(packed),           PATTERN(matched_probe),
    PATTERN(ways_to_send),     PATTERN(random_pairs),     PATTERN(gets_in_turn),
    PATTERN(corner_turn),      PATTERN(partitions_ready),
};

RUN_ONE_OF(patterns)
