/* SPDX-License-Identifier: Apache-2.0
 * A loop of calls that folds to nothing: steady CALLS. What grows with it are its times. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 1000;
  int out = 1;
  int in = 0;
  MPI_Init(&argc, &argv);
  for (long i = 0; i < calls; ++i)
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
