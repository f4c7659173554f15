/* SPDX-License-Identifier: Apache-2.0
 * Says something for a while, then ends in one of many ways: endings HOW SECONDS
 * Ranks first exchange ROUND messages each, so that one knows what must be in the recording, and
 * say so on stdout
 * ("said N"). Then the last rank does HOW, and the others wait for it in MPI_Barrier. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kRounds = 500 };

static int exchange(int rank, int size, int tag) {
  int out = rank;
  int in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT, (rank + size - 1) % size,
               tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return in;
}

static void end(const char* how) {
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "quick_exit") == 0) _exit(5);
  if (strcmp(how, "return") == 0) return;
  if (strcmp(how, "segv") == 0) *(volatile int*)8 = 1;
  if (strcmp(how, "assert") == 0) abort();
  if (strcmp(how, "term") == 0) raise(SIGTERM);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "hang") == 0) {
    for (;;) pause();
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "finalize";
  const double seconds = argc > 2 ? atof(argv[2]) : 0;
  int rank = 0;
  int size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < kRounds; ++i) exchange(rank, size, i % 3);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("said %d\n", kRounds);
    fflush(stdout);
  }
  usleep((useconds_t)(seconds * 1e6));
  if (rank == size - 1) {
    end(how);
    if (strcmp(how, "return") == 0) return 6;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
