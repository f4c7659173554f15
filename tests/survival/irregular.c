/* SPDX-License-Identifier: Apache-2.0
 * Calls whose sizes and tags never repeat, to itself: irregular CALLS [LIMIT [PAUSE]]. Nothing
 * folds, memory must be bounded all the same. LIMIT is on the size of files, in bytes, 0 for none;
 * after PAUSE calls there is a pause in which checkpoints are made. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char** argv) {
  enum { kLargest = 4096 };
  static int out[kLargest];
  static int in[kLargest];
  const long calls = argc > 1 ? atol(argv[1]) : 1000;
  const rlim_t limit = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  const long pause_after = argc > 3 ? atol(argv[3]) : -1;
  const struct rlimit files = {limit, limit};
  int rank = 0;
  MPI_Init(&argc, &argv);
  if (limit > 0) setrlimit(RLIMIT_FSIZE, &files);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned random = (unsigned)rank + 1;
  for (long i = 0; i < calls; ++i) {
    random = random * 1664525u + 1013904223u;
    const int count = (int)((random >> 8) % kLargest);
    const int tag = (int)((random >> 3) % 30000);
    MPI_Sendrecv(out, count, MPI_INT, rank, tag, in, kLargest, MPI_INT, rank, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (i == pause_after) sleep(2);
  }
  MPI_Finalize();
  return 0;
}
