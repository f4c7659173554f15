// SPDX-License-Identifier: Apache-2.0
// Four ranks that sleep where it is known, for 0.3 s, at operations that go on behind the program,
// among neighbours, and towards and from single ranks. With an argument the run is cut short after
// them.
#include <mpi.h>
#include <time.h>

static void delay(void) {
  const struct timespec length = {0, 300 * 1000 * 1000};
  nanosleep(&length, NULL);
}

// Three wait for completion of each.
static void behind(int rank) {
  int value = rank, sum = 0;
  MPI_Request request;
  if (rank == 0) delay();
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) delay();
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Nobody waits: all compute meanwhile.
static void overlapped(int rank) {
  int value = rank, sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  delay();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Both neighbours of the late rank wait for it, the one across at the barrier behind.
static void neighbours(int rank, MPI_Comm ring) {
  int value = rank, around[2] = {0, 0}, values[2] = {rank, rank};
  MPI_Request request;
  if (rank == 3) delay();
  MPI_Neighbor_allgather(&value, 1, MPI_INT, around, 1, MPI_INT, ring);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) delay();
  MPI_Ineighbor_alltoall(values, 1, MPI_INT, around, 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

// The root waits for rank 1, two others at the barrier behind; three wait in the scan.
static void rooted(int rank) {
  int value = rank, sum = 0;
  if (rank == 1) delay();
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) delay();
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int around[2] = {(rank + 3) % 4, (rank + 1) % 4}, weights[2] = {1, 1};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, weights, 2, around, weights,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Pcontrol(0); // that ranks leave MPI_Init apart is nobody's delay
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  behind(rank);
  overlapped(rank);
  neighbours(rank, ring);
  rooted(rank);
  if (argc > 1) { // what was called in the last second may be lost
    for (int i = 0; i < 6; ++i) delay();
    if (rank == 2) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
