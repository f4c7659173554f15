// SPDX-License-Identifier: Apache-2.0
// Spawns three processes, merges with them and passes 800 B around all; what is spawned comes last.
#include <mpi.h>

static void pass_around(MPI_Comm with, int is_high) {
  static double from[100], to[100];
  MPI_Comm all;
  int rank, size;
  MPI_Intercomm_merge(with, is_high, &all);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Sendrecv(from, 100, MPI_DOUBLE, (rank + 1) % size, 0, to, 100, MPI_DOUBLE,
               (rank + size - 1) % size, 0, all, MPI_STATUS_IGNORE);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&with);
}

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    pass_around(parent, 1);
  } else {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    pass_around(children, 0);
  }
  return MPI_Finalize();
}
