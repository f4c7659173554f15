// SPDX-License-Identifier: Apache-2.0
// Patterns whose time on a network is known, for live runs: live WHICH [BYTES]. Rank 0 prints what
// MPI_Wtime says the pattern took; every rank checks that it never goes backwards.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 100 };
static int rank, size, bytes = 1000;
static char* buffer;
static double last;

static double now(void) {
  const double t = MPI_Wtime();
  if (t < last) {
    fprintf(stderr, "rank %d: MPI_Wtime went from %.9f back to %.9f\n", rank, last, t);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  last = t;
  return t;
}

static void to(int dest) { MPI_Send(buffer, bytes, MPI_BYTE, dest, 0, MPI_COMM_WORLD); }
static void from(int source) {
  MPI_Recv(buffer, bytes, MPI_BYTE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pingpong(void) {
  for (int i = 0; i < ROUNDS && rank < 2; ++i) {
    if (rank == 0) to(1);
    from(1 - rank);
    if (rank == 1) to(0);
    now();
  }
}

static void ring(void) {
  if (rank == 0) to(1 % size);
  from((rank + size - 1) % size);
  if (rank != 0) to((rank + 1) % size);
}

static void fan_in(void) {
  if (rank != 0) return to(0);
  for (int i = 1; i < size; ++i) from(i);
}

// Who comes first is not known beforehand, and said by the status only.
static void anybody(void) {
  MPI_Request requests[64];
  if (rank != 0) return to(0);
  for (int i = 1; i < size; ++i)
    MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
              &requests[i - 1]);
  MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
}

// Works only if messages of this size are buffered.
static void head_to_head(void) {
  for (int i = 0; i < 3; ++i) {
    to(size - 1 - rank);
    now();
    from(size - 1 - rank);
  }
}

// Rank 0 asks for the time while its message waits for a receiver that waits for its next message.
static void buffered(void) {
  if (rank == 0) {
    to(1);
    now();
    MPI_Send(buffer, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(buffer, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    from(0);
  }
}

// Waits for time to pass.
static void clock_watch(void) {
  const double start = now();
  while (now() - start < 0.02) continue;
}

// The same work on every rank, and a neighbour's answer in each round.
static void work(void) {
  volatile double sum = 0;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < bytes * 1000; ++i) sum += i * 1e-9;
    MPI_Sendrecv(buffer, 8, MPI_BYTE, (rank + 1) % size, 0, buffer + 8, 8, MPI_BYTE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void bcast(void) { MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } patterns[] = {{"pingpong", pingpong}, {"ring", ring},         {"bcast", bcast},
                  {"fan-in", fan_in},     {"anybody", anybody},   {"head-to-head", head_to_head},
                  {"buffered", buffered}, {"clock", clock_watch}, {"work", work}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 2) bytes = atoi(argv[2]);
  buffer = calloc((size_t)bytes + 64, 1);
  if (rank == 0) puts("begun");
  fflush(stdout);
  const double start = now();
  for (size_t i = 0; argc > 1 && i < sizeof patterns / sizeof *patterns; ++i) {
    if (strcmp(argv[1], patterns[i].name) == 0) patterns[i].run();
  }
  if (rank == 0) printf("%.12f\n", now() - start);
  free(buffer);
  return MPI_Finalize();
}
