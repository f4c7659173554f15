/* SPDX-License-Identifier: Apache-2.0
 * MPI crashes when it is asked what came: this program stands in for it. */
#include <mpi.h>
#include <stdio.h>

static int crashes;

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  (void)status, (void)datatype;
  if (crashes) *(volatile int*)8 = 1;
  *count = 4;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int in = 0, out = 1;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) {
    crashes = i == 2;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, i, &in, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
