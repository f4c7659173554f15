// SPDX-License-Identifier: Apache-2.0
// Four ranks of two threads that both call MPI, each on a communicator of its own: in each phase of
// a thread one rank's sleeps while others wait for it. What the waiting should be is found by the
// program's own clock, and printed: "phase seconds". Nothing is printed if this MPI gives no
// MPI_THREAD_MULTIPLE.
#include "rondo/rondo_phase.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRanks = 4, kLarge = 1 << 20, kAll = -1 };

static int rank;
static double delay_s;

typedef struct { // of a thread
  const char* name;
  MPI_Comm comm;
  int shift; // of all ranks, so that the threads of a rank do different things
  // When the rank came to its side, when it began to wait, and when it went on.
  double came, entered, went;
} Thread;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int shifted(const Thread* thread, int who) { return (who + thread->shift) % kRanks; }

static void late(const Thread* thread, int who) {
  const struct timespec length = {(time_t)delay_s,
                                  (long)((delay_s - (double)(time_t)delay_s) * 1e9)};
  if (rank == shifted(thread, who)) nanosleep(&length, NULL);
}

static void begin(Thread* thread, const char* kind, char* phase, size_t size) {
  snprintf(phase, size, "%s, %s", kind, thread->name);
  thread->came = thread->entered = thread->went = 0;
  MPI_Barrier(thread->comm); // what is waited for here is of no phase
  rondo_phase_begin(phase);
}

// `one` waits for `other`, or all for all.
static void end(Thread* thread, const char* phase, int one, int other) {
  rondo_phase_end(phase);
  double own[3] = {thread->came, thread->entered, thread->went}, all[kRanks][3];
  MPI_Gather(own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, thread->comm);
  double sum = 0;
  for (int who = 0; rank == 0 && who < kRanks; ++who) {
    double until = 0;
    for (int whom = 0; whom < kRanks; ++whom) {
      const int waits =
          one == kAll || (who == shifted(thread, one) && whom == shifted(thread, other));
      if (whom != who && waits && all[whom][0] > until) until = all[whom][0];
    }
    if (all[who][2] < until) until = all[who][2];
    if (until > all[who][1]) sum += until - all[who][1];
  }
  if (rank == 0) printf("%s %.9f\n", phase, sum);
}

static void* run(void* of) {
  Thread* const thread = of;
  char* const buffer = calloc(kLarge, 1);
  char phase[64];
  int value = rank, sum = 0;
  const int zero = shifted(thread, 0), one = shifted(thread, 1);

  begin(thread, "late sender", phase, sizeof phase);
  late(thread, 0);
  thread->came = now();
  if (rank == zero) MPI_Send(&value, 1, MPI_INT, one, 1, thread->comm);
  if (rank == one) {
    thread->entered = now();
    MPI_Recv(&sum, 1, MPI_INT, zero, 1, thread->comm, MPI_STATUS_IGNORE);
    thread->went = now();
  }
  end(thread, phase, 1, 0);

  begin(thread, "late receiver", phase, sizeof phase);
  late(thread, 1);
  thread->came = now();
  if (rank == one) MPI_Recv(buffer, kLarge, MPI_CHAR, zero, 2, thread->comm, MPI_STATUS_IGNORE);
  if (rank == zero) {
    thread->entered = now();
    MPI_Send(buffer, kLarge, MPI_CHAR, one, 2, thread->comm);
    thread->went = now();
  }
  end(thread, phase, 0, 1);

  begin(thread, "wait at all-to-all", phase, sizeof phase);
  late(thread, 2);
  thread->came = thread->entered = now();
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, thread->comm);
  thread->went = now();
  end(thread, phase, kAll, kAll);
  free(buffer);
  return NULL;
}

int main(int argc, char** argv) {
  delay_s = argc > 1 ? atof(argv[1]) : 1;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided == MPI_THREAD_MULTIPLE) {
    Thread threads[2] = {{"first thread", MPI_COMM_NULL, 0, 0, 0, 0},
                         {"second thread", MPI_COMM_NULL, 1, 0, 0, 0}};
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
    pthread_t second;
    pthread_create(&second, NULL, run, &threads[1]);
    run(&threads[0]);
    pthread_join(second, NULL);
    for (int i = 0; i < 2; ++i) MPI_Comm_free(&threads[i].comm);
  }
  MPI_Finalize();
  return 0;
}
