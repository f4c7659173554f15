/* SPDX-License-Identifier: Apache-2.0
 * Calls whose sizes and tags never repeat, to itself: irregular CALLS. Nothing folds, memory must
 * be bounded all the same. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { kLargest = 4096 };
  static int out[kLargest];
  static int in[kLargest];
  const long calls = argc > 1 ? atol(argv[1]) : 1000;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned random = (unsigned)rank + 1;
  for (long i = 0; i < calls; ++i) {
    random = random * 1664525u + 1013904223u;
    const int count = (int)((random >> 8) % kLargest);
    const int tag = (int)((random >> 3) % 30000);
    MPI_Sendrecv(out, count, MPI_INT, rank, tag, in, kLargest, MPI_INT, rank, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
