// SPDX-License-Identifier: Apache-2.0
// Three ranks ask again and again for messages of a rank that is late by DELAY: two sleep in
// between, one does not. Then rank 1 asks now and then while it computes, and waits for nothing.
#include <mpi.h>
#include <time.h>

static const double kDelay = 0.3;

static void sleep_for(double seconds) {
  struct timespec time = {0, (long)(seconds * 1e9)};
  nanosleep(&time, NULL);
}

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(double seconds) {
  const double end = cpu_seconds() + seconds;
  while (cpu_seconds() < end) {
  }
}

int main(int argc, char** argv) {
  int rank;
  int size;
  int found = 0;
  double values[2] = {0, 0};
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    sleep_for(kDelay);
    for (int other = 1; other < size; ++other) {
      MPI_Send(values, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
      MPI_Send(values, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    }
  } else if (rank == 1) {
    while (!found) {
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      if (!found) sleep_for(1e-3);
    }
    for (int tag = 0; tag < 2; ++tag)
      MPI_Recv(values, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (int tag = 0; tag < 2; ++tag)
      MPI_Irecv(values + tag, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, requests + tag);
    while (!found) {
      MPI_Testall(2, requests, &found, MPI_STATUSES_IGNORE);
      if (!found && rank == 2) sleep_for(1e-3);
    }
  }
  if (rank == 1) {
    int there = 0;
    MPI_Irecv(values, 1, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD, requests);
    for (int i = 0; i < 50; ++i) {
      compute(2e-3);
      if (!there) MPI_Test(requests, &there, MPI_STATUS_IGNORE);
    }
    if (!there) MPI_Wait(requests, MPI_STATUS_IGNORE);
  } else if (rank == 2) {
    sleep_for(0.02);
    MPI_Send(values, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
