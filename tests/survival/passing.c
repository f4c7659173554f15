/* SPDX-License-Identifier: Apache-2.0
 * Threads that come and go, one after the other: passing THREADS. Each makes a call, and another
 * when the destructor of its key is called, after which the recorder is done with it. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key;

static void receive_nothing(int tag) {
  int in = 0;
  MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void at_end(void* unused) {
  (void)unused;
  receive_nothing(2);
}

static void* pass(void* self) {
  pthread_setspecific(key, &key);
  receive_nothing(1);
  return self;
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 100;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_key_create(&key, at_end); /* after the recorder's, which is called first then */
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, pass, NULL);
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return provided != MPI_THREAD_MULTIPLE;
}
