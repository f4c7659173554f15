/* SPDX-License-Identifier: Apache-2.0
 * What recording costs: one rank talks to itself in three mixes of calls, and each mix prints one
 * line MIX CALLS NS_PER_CALL Run it bare and under a recorder in alternation and subtract
 * (bench/record_overhead.py does). A fourth mix is a ping-pong between the first two ranks, if
 * there are two. Of one rank's mixes a second argument chooses one: overhead ROUNDS MIX
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLargest = 4096, kInner = 40 };

static char in[kLargest], out[kLargest];

static void exchange(int bytes, int tag) {
  MPI_Request requests[2];
  MPI_Irecv(in, bytes, MPI_CHAR, 0, tag, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(out, bytes, MPI_CHAR, 0, tag, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* One steady loop. */
static long steady(long rounds) {
  for (long i = 0; i < rounds; ++i) exchange(8, 7);
  return 3 * rounds;
}

/* Loops in a loop, with tags and sizes that vary with the inner one. */
static long nested(long rounds) {
  double mine = 1, sum;
  for (long i = 0; i < rounds / kInner; ++i) {
    for (int k = 0; k < kInner; ++k) exchange(16 << (k & 7), k);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  }
  return rounds / kInner * (3 * kInner + 1);
}

/* Tags and sizes without any order. */
static long irregular(long rounds) {
  unsigned state = 12345;
  for (long i = 0; i < rounds; ++i) {
    state = state * 1664525u + 1013904223u;
    exchange((int)(state >> 20 & 1023), (int)(state >> 8 & 63));
  }
  return 3 * rounds;
}

static long ping_pong(long rounds) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 1) return 1;
  for (long i = 0; i < rounds; ++i) {
    if (rank == 0) MPI_Send(out, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 8, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
  return 2 * rounds;
}

/* Not inlined: instruction counts are taken from its start to its end. */
__attribute__((noinline)) static void measure(const char* name, long (*mix)(long), long rounds,
                                              int prints) {
  mix(rounds / 10 + kInner);
  const double start = MPI_Wtime();
  const long calls = mix(rounds);
  const double seconds = MPI_Wtime() - start;
  if (prints) printf("%s %ld %.1f\n", name, calls, seconds / (double)calls * 1e9);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long rounds = argc > 1 ? atol(argv[1]) : 300000;
  const char* wanted = argc > 2 ? argv[2] : "";
  if (size == 1) {
    if (strstr("steady", wanted)) measure("steady", steady, rounds, 1);
    if (strstr("nested", wanted)) measure("nested", nested, rounds, 1);
    if (strstr("irregular", wanted)) measure("irregular", irregular, rounds, 1);
  } else {
    measure("ping_pong", ping_pong, rounds, rank == 0);
  }
  MPI_Finalize();
  return 0;
}
