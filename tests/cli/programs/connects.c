// SPDX-License-Identifier: Apache-2.0
// Connects to itself, which no network model has, and goes on; MPI_Wtime must not go backwards.
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm other;
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double last = MPI_Wtime();
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  if (rank == 1) MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  if (rank < 2) MPI_Comm_disconnect(&other);
  for (int i = 0; i < 1000; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double now = MPI_Wtime();
    if (now < last) MPI_Abort(MPI_COMM_WORLD, 3);
    last = now;
  }
  if (rank == 0) puts("done");
  return MPI_Finalize();
}
