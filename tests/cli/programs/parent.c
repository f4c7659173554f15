// SPDX-License-Identifier: Apache-2.0
// Spawns two processes; rank 0 sends the first of them 4000 B and gets 40 B back.
#include <mpi.h>

int main(int argc, char** argv) {
  static int words[1000];
  int rank;
  MPI_Comm parent, children;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    if (rank == 0) {
      MPI_Recv(words, 1000, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
      MPI_Send(words, 10, MPI_INT, 0, 0, parent);
    }
    MPI_Comm_disconnect(&parent);
    return MPI_Finalize();
  }
  MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                 MPI_ERRCODES_IGNORE);
  if (rank == 0) {
    MPI_Send(words, 1000, MPI_INT, 0, 0, children);
    MPI_Recv(words, 10, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE);
  }
  MPI_Comm_disconnect(&children);
  return MPI_Finalize();
}
