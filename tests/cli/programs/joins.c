// SPDX-License-Identifier: Apache-2.0
// joins OWN: each rank starts a thread that computes 100 ms, sends around a ring, and computes 50
// ms, while the first one computes OWN ms before it joins it. Rank 0 prints how long that took.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;

static double cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void compute(double milliseconds) {
  const double end = cpu_s() + milliseconds / 1000;
  while (cpu_s() < end) {
  }
}

static void* talk(void* unused) {
  int word = rank;
  compute(100);
  MPI_Sendrecv_replace(&word, 1, MPI_INT, (rank + 1) % size, 5, (rank + size - 1) % size, 5,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compute(50);
  return unused;
}

int main(int argc, char** argv) {
  int level;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (level < MPI_THREAD_MULTIPLE || argc < 2) MPI_Abort(MPI_COMM_WORLD, 4);
  const double begin = MPI_Wtime();
  pthread_create(&thread, NULL, talk, NULL);
  compute(atof(argv[1]));
  pthread_join(thread, NULL);
  const double end = MPI_Wtime();
  if (rank == 0) printf("took %.6f\n", end - begin);
  return MPI_Finalize();
}
