/* SPDX-License-Identifier: Apache-2.0
 * One thread waits for messages while another makes calls that do not repeat: sealing ROUNDS CALLS.
 * With little memory, chunks are sealed while the first thread is in a call whose arrays have been
 * noted. Not for MPICH 4.0.2, where it hangs without a recorder, too: a thread that waits in
 * MPI_Waitall takes MPICH's one lock again before another that wants it has woken up. Bare, on 2
 * cores, 2 of 6 runs of `sealing 20 1500` stood still for 20 s (the others took 0.2 s), and with
 * mpich_yield.c all 6, even of `sealing 2 50`. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kArrays = 40 };
static int rounds;

static void* wait_for_messages(void* unused) {
  MPI_Request none[kArrays];
  for (int i = 0; i < kArrays; ++i) none[i] = MPI_REQUEST_NULL;
  for (int i = 1; i < kArrays; ++i) MPI_Waitall(i, none, MPI_STATUSES_IGNORE);
  for (int i = 0; i < rounds; ++i) {
    MPI_Request requests[3];
    int in[3];
    const int n = 1 + i % 3;
    for (int k = 0; k < n; ++k) MPI_Irecv(&in[k], 1, MPI_INT, 0, k, MPI_COMM_SELF, &requests[k]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  }
  return unused;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atoi(argv[1]) : 30;
  const int calls = argc > 2 ? atoi(argv[2]) : 2000;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_t waiting;
  pthread_create(&waiting, NULL, wait_for_messages, NULL);
  unsigned state = 1;
  for (int i = 0; i < rounds; ++i) {
    for (int call = 0; call < calls; ++call) {
      MPI_Datatype type;
      int lengths[2], places[2] = {0, 5000};
      for (int k = 0; k < 2; ++k) {
        state = state * 1664525u + 1013904223u;
        lengths[k] = (int)(state >> 20) + 1;
      }
      MPI_Type_indexed(2, lengths, places, MPI_CHAR, &type);
      MPI_Type_free(&type);
    }
    for (int k = 0; k <= i % 3; ++k) MPI_Send(&i, 1, MPI_INT, 0, k, MPI_COMM_SELF);
  }
  pthread_join(waiting, NULL);
  MPI_Finalize();
  return provided != MPI_THREAD_MULTIPLE;
}
