/* SPDX-License-Identifier: Apache-2.0
 * Two threads that call MPI under MPI_THREAD_FUNNELED, as some libraries' helpers do: at_once
 * ROUNDS TURNS. With turns one after the other, else at once. What they call changes nothing in
 * MPI. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int rounds, has_turns;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static MPI_Datatype blocks[3];

static void ask(int block) {
  int number;
  MPI_Aint address;
  MPI_Datatype old;
  MPI_Type_get_contents(blocks[block], 1, 0, 1, &number, &address, &old);
}

/* 3 calls a round, by which block changes from round to round. */
static void calls(int block) {
  for (int i = 0; i < rounds; ++i) {
    if (has_turns) pthread_mutex_lock(&turn);
    ask(block);
    ask(i % 7 == block ? 2 : block);
    ask(i % 11 < 5 ? block + 1 : block);
    if (has_turns) pthread_mutex_unlock(&turn);
  }
}

static void* other(void* unused) {
  calls(1);
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  rounds = atoi(argv[1]);
  has_turns = atoi(argv[2]);
  for (int i = 0; i < 3; ++i) MPI_Type_contiguous(i + 2, MPI_INT, &blocks[i]);
  pthread_t thread;
  if (pthread_create(&thread, NULL, other, NULL) != 0) return 3;
  calls(0);
  pthread_join(thread, NULL);
  for (int i = 0; i < 3; ++i) MPI_Type_free(&blocks[i]);
  MPI_Finalize();
  return 0;
}
