// SPDX-License-Identifier: Apache-2.0
// A token goes round the ring by blocking Send and Recv; every rank adds its number to it. Before
// each lap all ranks pass their numbers on together, by Sendrecv, until everybody has seen
// everybody's.
//   mpirun -n 8 ring [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kShiftTag = 1, kTokenTag = 2 };

static int rank, ranks, left, right;

static void check(const char* what, long expected, long came) {
  if (came == expected) return;
  fprintf(stderr, "ring: rank %d: %s: expected %ld, came %ld\n", rank, what, expected, came);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// Everybody talks at once: after as many steps as there are ranks each number has been everywhere.
static long shift_lap(void) {
  long number = rank, sum = 0;
  for (int step = 0; step < ranks; step++) {
    long arriving = number;
    MPI_Sendrecv(&number, 1, MPI_LONG, right, kShiftTag, &arriving, 1, MPI_LONG, left, kShiftTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    number = arriving;
    sum += number;
  }
  return sum;
}

// One after the other: rank 0 sends first and receives last, which keeps blocking calls from
// locking up.
static void token_lap(long* token) {
  if (rank == 0) {
    MPI_Send(token, 1, MPI_LONG, right, kTokenTag, MPI_COMM_WORLD);
    MPI_Recv(token, 1, MPI_LONG, left, kTokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(token, 1, MPI_LONG, left, kTokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *token += rank;
    MPI_Send(token, 1, MPI_LONG, right, kTokenTag, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  // A single rank has nobody to talk to: its messages go nowhere and its buffers keep what they
  // hold.
  left = ranks > 1 ? (rank + ranks - 1) % ranks : MPI_PROC_NULL;
  right = ranks > 1 ? (rank + 1) % ranks : MPI_PROC_NULL;

  const long everybody = (long)ranks * (ranks - 1) / 2;
  long token = 0;
  for (int round = 0; round < rounds; round++) {
    check("sum of the shifts", everybody, shift_lap());
    token_lap(&token);
  }
  if (rank == 0) {
    check("token", rounds * everybody, token);
    printf("ring: ok, %d ranks, %d rounds, sum %ld\n", ranks, rounds, token);
  }
  MPI_Finalize();
  return 0;
}
