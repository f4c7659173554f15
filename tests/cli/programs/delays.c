// SPDX-License-Identifier: Apache-2.0
// Four ranks that sleep where it is known: each kind of waiting once, for 0.3 s, and nothing else.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { kLarge = 1 << 20 };

static void delay(void) {
  const struct timespec length = {0, 300 * 1000 * 1000};
  nanosleep(&length, NULL);
}

static void late_sender(int rank) {
  int value = rank;
  if (rank == 0) {
    delay();
    MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void late_sender_in_waitall(int rank) {
  int values[2] = {rank, rank};
  MPI_Request requests[2];
  if (rank == 2) {
    MPI_Irecv(&values[0], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 3, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 0 || rank == 3) {
    if (rank == 3) delay();
    MPI_Send(values, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
  }
}

static void late_receiver(int rank, char* buffer) {
  if (rank == 2) {
    MPI_Send(buffer, kLarge, MPI_CHAR, 3, 3, MPI_COMM_WORLD);
  } else if (rank == 3) {
    delay();
    MPI_Recv(buffer, kLarge, MPI_CHAR, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void collectives(int rank) {
  int value = rank, sum = 0;
  if (rank == 1) delay();
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) delay();
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const buffer = calloc(kLarge, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  late_sender(rank);
  late_sender_in_waitall(rank); // rank 2 alone waits in it: 0 is late already, as 3 is
  late_receiver(rank, buffer);
  MPI_Barrier(MPI_COMM_WORLD);
  collectives(rank);
  free(buffer);
  MPI_Finalize();
  return 0;
}
