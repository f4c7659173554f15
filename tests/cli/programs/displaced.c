// SPDX-License-Identifier: Apache-2.0
// Computes in short steps for a while, sleeps, computes again, and is then displaced by a child on
// its processor, at last in computation in which it also sleeps for a moment. Prints its CPU time,
// its time asleep and all that passed, in ns.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static long asleep;

static long ns_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void compute(long ns) {
  const long end = ns_of(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (ns_of(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

static void compute_for_a_while(void) {
  for (int i = 0; i < 800; i++) {
    compute(i % 2 ? 50000 : 150000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// What it waits for the processor behind a sleep is none of that.
static void nap(void) {
  const struct timespec pause = {0, 10000000};
  nanosleep(&pause, NULL);
  asleep += pause.tv_nsec;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void compute_with_moment(void) {
  const struct timespec moment = {0, 1000000};
  compute(10000000);
  nanosleep(&moment, NULL);
  asleep += moment.tv_nsec;
  compute(10000000);
  MPI_Barrier(MPI_COMM_WORLD);
}

static pid_t displace(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
  }
}

int main(int argc, char** argv) {
  cpu_set_t processor;
  CPU_ZERO(&processor);
  CPU_SET(sched_getcpu(), &processor);
  MPI_Init(&argc, &argv);
  sched_setaffinity(0, sizeof processor, &processor);
  const long begin = ns_of(CLOCK_MONOTONIC), cpu = ns_of(CLOCK_THREAD_CPUTIME_ID);
  compute_for_a_while();
  for (int i = 0; i < 20; i++) nap();
  compute_for_a_while();
  const pid_t child = displace();
  for (int i = 0; i < 20; i++) {
    compute(20000000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < 20; i++) compute_with_moment();
  kill(child, SIGKILL);
  printf("%ld %ld %ld\n", ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu, asleep,
         ns_of(CLOCK_MONOTONIC) - begin);
  MPI_Finalize();
  return 0;
}
