// SPDX-License-Identifier: Apache-2.0
// Communicators of the same ranks that are made in another order on each of them: by nonblocking
// calls, by threads. Each is used in a way of its own, so that a mistake is seen.
//
//   same_members idup|free|copies|some|inter|threads ROUNDS
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 6 };

static int rank, size, rounds;

// The k-th of them: a sum of k + 1 numbers, and a message of as many around the ring.
static void use(MPI_Comm comm, int k) {
  int in[kMost] = {0}, out[kMost];
  MPI_Allreduce(in, out, k + 1, MPI_INT, MPI_SUM, comm);
  if (k % 2 == 0) MPI_Barrier(comm);
  MPI_Sendrecv(in, k + 1, MPI_INT, (rank + 1) % size, 0, out, k + 1, MPI_INT,
               (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
}

static void idup(void) {
  MPI_Comm parents[3], copies[3];
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 3; ++i) {
      const int k = (i + rank) % 3;
      MPI_Comm_idup(parents[k], &copies[k], &requests[k]);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 3; ++k) use(copies[k], k);
    for (int k = 0; k < 3; ++k) MPI_Comm_free(&copies[k]);
  }
  for (int i = 0; i < 3; ++i) MPI_Comm_free(&parents[i]);
}

// Even ranks free the last one before they begin the next, odd ones afterwards.
static void free_in_any_order(void) {
  MPI_Comm last = MPI_COMM_NULL, next;
  MPI_Request request;
  for (int round = 0; round < rounds; ++round) {
    if (rank % 2 == 0 && round > 0) MPI_Comm_free(&last);
    MPI_Comm_idup(MPI_COMM_WORLD, &next, &request);
    if (rank % 2 == 1 && round > 0) MPI_Comm_free(&last);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(next, round % kMost);
    last = next;
  }
  MPI_Comm_free(&last);
}

static void copies_of_copies(void) {
  MPI_Comm last, next;
  MPI_Comm_dup(MPI_COMM_WORLD, &last);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm_dup(last, &next);
    MPI_Comm_free(&last);
    use(next, 2);
    last = next;
  }
  MPI_Comm_free(&last);
}

// What only odd ranks make stands before what all make.
static void some(void) {
  MPI_Comm half, copy, all;
  int in[4] = {0}, out[4];
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int round = 0; round < rounds; ++round) {
    if (rank % 2 == 1) {
      MPI_Comm_dup(half, &copy);
      MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, copy);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, all);
    if (rank % 2 == 1) MPI_Comm_free(&copy);
    MPI_Comm_free(&all);
  }
  MPI_Comm_free(&half);
}

// Even and odd ranks, and all of them again; both sides have made other communicators before.
static void inter(void) {
  MPI_Comm half, other, between, all;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 0) MPI_Comm_dup(half, &other);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < 2; ++k) {
      MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 10 + k, &between);
      MPI_Barrier(between);
      MPI_Intercomm_merge(between, 0, &all);
      int in[2] = {0}, out[2];
      MPI_Allreduce(in, out, 1 + k, MPI_INT, MPI_SUM, all);
      MPI_Comm_free(&all);
      MPI_Comm_free(&between);
    }
  }
  if (rank % 2 == 0) MPI_Comm_free(&other);
  MPI_Comm_free(&half);
}

// A thread has a parent of its own; all members are the same, and what it makes has a tag.
static void* of_thread(void* parent) {
  MPI_Comm comm = ((MPI_Comm*)parent)[0], copy, grouped = MPI_COMM_NULL;
  int k;
  MPI_Group group;
  memcpy(&k, (MPI_Comm*)parent + 1, sizeof k);
  MPI_Comm_group(comm, &group);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm_dup(comm, &copy);
    use(copy, k);
    MPI_Comm_free(&copy);
#ifdef OPEN_MPI // MPICH 4.0 crashes where threads do that at the same time
    MPI_Comm_create_group(MPI_COMM_WORLD, group, k, &grouped);
    use(grouped, k);
    MPI_Comm_free(&grouped);
#endif
  }
  (void)grouped;
  MPI_Group_free(&group);
  return NULL;
}

static void threads(void) {
  pthread_t thread[4];
  MPI_Comm parents[4][2]; // and the number of the thread
  for (int i = 0; i < 4; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &parents[i][0]);
    memcpy(&parents[i][1], &i, sizeof i);
  }
  for (int i = 0; i < 4; ++i) {
    const int k = (i + rank) % 4;
    pthread_create(&thread[k], NULL, of_thread, parents[k]);
  }
  for (int i = 0; i < 4; ++i) pthread_join(thread[i], NULL);
  for (int i = 0; i < 4; ++i) MPI_Comm_free(&parents[i][0]);
}

int main(int argc, char** argv) {
  const char* way = argc > 2 ? argv[1] : "idup";
  int provided;
  rounds = argc > 2 ? atoi(argv[2]) : 3;
  MPI_Init_thread(&argc, &argv,
                  strcmp(way, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(way, "idup") == 0) idup();
  if (strcmp(way, "free") == 0) free_in_any_order();
  if (strcmp(way, "copies") == 0) copies_of_copies();
  if (strcmp(way, "some") == 0) some();
  if (strcmp(way, "inter") == 0) inter();
  if (strcmp(way, "threads") == 0 && provided == MPI_THREAD_MULTIPLE) threads();
  MPI_Finalize();
  return 0;
}
