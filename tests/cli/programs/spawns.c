// SPDX-License-Identifier: Apache-2.0
// Starts another process and speaks with it; MPI_Wtime must not go backwards.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, child;
  int word = 1, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Bcast(&word, 1, MPI_INT, 0, parent);
    MPI_Comm_disconnect(&parent);
    return MPI_Finalize();
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double last = MPI_Wtime();
  MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child,
                 MPI_ERRCODES_IGNORE);
  MPI_Bcast(&word, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, child);
  MPI_Comm_disconnect(&child);
  for (int i = 0; i < 1000; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double now = MPI_Wtime();
    if (now < last) MPI_Abort(MPI_COMM_WORLD, 3);
    last = now;
  }
  if (rank == 0) puts("done");
  return MPI_Finalize();
}
