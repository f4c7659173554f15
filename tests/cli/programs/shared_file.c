// SPDX-License-Identifier: Apache-2.0
// All ranks write a file of the working directory, and rank 0 reads of it; one small message.
#include <mpi.h>

int main(int argc, char** argv) {
  static double values[1000];
  int rank, ranks, word = 1;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_File_open(MPI_COMM_WORLD, "shared.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  MPI_File_write_at_all(file, (MPI_Offset)rank * 8000, values, 1000, MPI_DOUBLE, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_File_read_at(file, 0, values, 10, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  if (rank == 0 && ranks > 1) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
