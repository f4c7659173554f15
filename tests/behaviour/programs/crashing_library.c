/* SPDX-License-Identifier: Apache-2.0
 * An MPI that crashes when it is asked what came with tag 2: to be preloaded behind the recorder.
 */
#include <mpi.h>

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  (void)datatype;
  if (status->MPI_TAG == 2) *(volatile int*)8 = 1;
  *count = 4;
  return MPI_SUCCESS;
}
