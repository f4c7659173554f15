// SPDX-License-Identifier: Apache-2.0
// Two threads call MPI at once; MPI_Wtime must not go backwards.
//   threads ring          a thread passes 1000 B around three times, while the first one joins it
//   threads ring alone    the first one does
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void* ring(void* unused) {
  static char word[1000];
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Send(word, 1000, MPI_CHAR, 1, 6, MPI_COMM_WORLD);
    MPI_Recv(word, 1000, MPI_CHAR, (rank + size - 1) % size, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(word, 1000, MPI_CHAR, (rank + 1) % size, 6, MPI_COMM_WORLD);
    MPI_Wtime();
  }
  return unused;
}

static void* talk(void* unused) {
  int rank, word = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i) {
    if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&word, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return unused;
}

int main(int argc, char** argv) {
  int level, rank;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 4);
  if (argc > 1) {
    if (argc == 2) {
      pthread_create(&thread, NULL, ring, NULL);
      pthread_join(thread, NULL);
    } else {
      ring(NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
  }
  double last = MPI_Wtime();
  pthread_create(&thread, NULL, talk, NULL);
  for (int i = 0; i < 1000; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double now = MPI_Wtime();
    if (now < last) MPI_Abort(MPI_COMM_WORLD, 3);
    last = now;
  }
  pthread_join(thread, NULL);
  if (rank == 0) puts("done");
  return MPI_Finalize();
}
