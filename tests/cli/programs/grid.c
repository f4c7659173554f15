/* SPDX-License-Identifier: Apache-2.0
   A 2x3 process grid by MPI_Comm_split. The columns count their ranks from below, most messages go
   along columns, and the rows have the program's own name. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, place, size, got = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 6) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm column, row, all;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &column);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &row);
  MPI_Comm_set_name(row, "my row");
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  for (int i = 0; i < 40; ++i) {
    MPI_Comm_rank(column, &place);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - place, 7, &got, 1, MPI_INT, 1 - place, 7, column,
                 MPI_STATUS_IGNORE);
    if (i % 4 == 0) {
      MPI_Comm_rank(row, &place);
      MPI_Comm_size(row, &size);
      MPI_Sendrecv(&rank, 1, MPI_INT, (place + 1) % size, 8, &got, 1, MPI_INT,
                   (place + size - 1) % size, 8, row, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&got, 1, MPI_INT, 0, all);
    MPI_Bcast(&got, 1, MPI_INT, 0, row);
  }
  MPI_Finalize();
  return 0;
}
