// SPDX-License-Identifier: Apache-2.0
// Each rank writes files of its own, in a loop, and all read one that is there already.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, data[10] = {0};
  char name[64];
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_name(MPI_COMM_WORLD, rank % 2 == 0 ? "even" : "odd");
  for (int i = 0; i < 3; ++i) {
    snprintf(name, sizeof name, "own.%d.%d", rank, i);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 4 * rank, data, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_open(MPI_COMM_WORLD, "own.0.0", MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_read_at_all(file, 4 * rank, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
