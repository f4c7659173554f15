/* SPDX-License-Identifier: Apache-2.0
 * Three messages, of which the recorder asks what came: see crashing_library.c. */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char** argv) {
  int in = 0, out = 1;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) {
    MPI_Sendrecv(&out, 1, MPI_INT, 0, i, &in, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
