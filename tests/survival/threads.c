/* SPDX-License-Identifier: Apache-2.0
 * Threads that all talk at once under MPI_THREAD_MULTIPLE: threads THREADS ROUNDS. Odd ones also
 * use a persistent request; a request that the main thread made is completed by thread 0. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostThreads = 16 };
static int rank;
static int size;
static int rounds;
static MPI_Request handed_over;
static int from_main;

static void* talk(void* argument) {
  const int me = (int)(long)argument;
  int out = rank;
  int in = -1;
  int errors = 0;
  MPI_Request persistent;
  if (me == 0) MPI_Wait(&handed_over, MPI_STATUS_IGNORE);
  MPI_Send_init(&out, 1, MPI_INT, rank, 1000 + me, MPI_COMM_WORLD, &persistent);
  for (int i = 0; i < rounds; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, me, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, me, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    errors += in != (rank + size - 1) % size;
    if (me % 2 == 0) continue;
    MPI_Start(&persistent);
    MPI_Recv(&in, 1, MPI_INT, rank, 1000 + me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&persistent);
  return (void*)(long)errors;
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 4;
  rounds = argc > 2 ? atoi(argv[2]) : 100;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_t running[kMostThreads];
  const int to = (rank + 1) % size;
  MPI_Irecv(&from_main, 1, MPI_INT, (rank + size - 1) % size, 500, MPI_COMM_WORLD, &handed_over);
  MPI_Send(&rank, 1, MPI_INT, to, 500, MPI_COMM_WORLD);
  for (long t = 0; t < threads; ++t) pthread_create(&running[t], NULL, talk, (void*)t);
  long errors = provided != MPI_THREAD_MULTIPLE;
  for (int t = 0; t < threads; ++t) {
    void* wrong = NULL;
    pthread_join(running[t], &wrong);
    errors += (long)wrong;
  }
  long all = 0;
  MPI_Reduce(&errors, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("threads: %ld errors\n", all);
  MPI_Finalize();
  return errors != 0;
}
