/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: each sums over a communicator that the first thread made for it, and sends columns, of a
   datatype of its own, to the thread of its number on the next rank; one more answers whoever asks,
   until all ranks have said that they are done. */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 3, STEPS = 6, TAG_ASK = 50, TAG_ANSWER = 51 };

static MPI_Comm comm_of[THREADS];
static int rank, size;

static void* exchange(void* argument) {
  const int t = (int)(size_t)argument;
  double here[64] = {0}, there[64], sum;
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < STEPS + t; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(there, 1, column, (rank + size - 1) % size, t, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(here, 1, column, (rank + 1) % size, t, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(here, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_of[t]);
  }
  MPI_Type_free(&column);
  return NULL;
}

static void* answer(void* argument) {
  for (int done = 0; done < size;) {
    int asked;
    MPI_Status status;
    MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &status);
    if (asked < 0) {
      ++done;
    } else {
      MPI_Send(&asked, 1, MPI_INT, status.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD);
    }
  }
  return argument;
}

int main(int argc, char** argv) {
  int provided, answered;
  pthread_t threads[THREADS + 1];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int t = 0; t < THREADS; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &comm_of[t]);
  for (size_t t = 0; t < THREADS; ++t) pthread_create(&threads[t], NULL, exchange, (void*)t);
  pthread_create(&threads[THREADS], NULL, answer, NULL);
  for (int i = 0; i < STEPS; ++i) {
    MPI_Send(&i, 1, MPI_INT, (rank + i) % size, TAG_ASK, MPI_COMM_WORLD);
    MPI_Recv(&answered, 1, MPI_INT, (rank + i) % size, TAG_ANSWER, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  const int none = -1;
  for (int r = 0; r < size; ++r) MPI_Send(&none, 1, MPI_INT, r, TAG_ASK, MPI_COMM_WORLD);
  for (int t = 0; t <= THREADS; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < THREADS; ++t) MPI_Comm_free(&comm_of[t]);
  MPI_Finalize();
  return 0;
}
