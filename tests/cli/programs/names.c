/* SPDX-License-Identifier: Apache-2.0
   Calls with all kinds of names in them: a phase, a file, its data's representation. */
#include "../../../include/rondo/rondo_phase.h"

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, got;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rondo_phase_begin("exchange");
  for (int i = 0; i < 5; ++i) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, &got, 1, MPI_INT,
                 (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  rondo_phase_end("exchange");
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "names.tmp",
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_at(file, rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
