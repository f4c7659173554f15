/* SPDX-License-Identifier: Apache-2.0
 * Uses signals itself: handlers from before and after MPI_Init, ignored ones, a fault that it
 * survives, a timer. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t early;
static volatile sig_atomic_t late;
static volatile sig_atomic_t ticks;
static sigjmp_buf back;

static void on_early(int signal) { early = signal; }
static void on_late(int signal) { late = signal; }
static void on_tick(int signal) {
  (void)signal;
  ticks = ticks + 1;
}
static void on_fault(int signal) { siglongjmp(back, signal); }

int main(int argc, char** argv) {
  int rank = 0;
  int sum = 0;
  signal(SIGUSR1, on_early);
  signal(SIGHUP, SIG_IGN);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  signal(SIGUSR2, on_late);
  signal(SIGALRM, on_tick);
  const struct itimerval often = {{0, 2000},
                                  {0, 2000}}; /* interrupts whatever runs, the recorder too */
  setitimer(ITIMER_REAL, &often, NULL);
  raise(SIGUSR1);
  raise(SIGUSR2);
  raise(SIGHUP);
  for (int i = 0; i < 100000; ++i) {
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, i % 7, &sum, 1, MPI_INT, rank, i % 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  while (ticks == 0) {
  }
  struct sigaction before;
  struct sigaction fault = {0};
  fault.sa_handler = on_fault;
  sigaction(SIGSEGV, &fault, &before);
  volatile int survived = 0;
  if (sigsetjmp(back, 1) == 0) {
    *(volatile int*)8 = 1;
  } else {
    survived = 1;
  }
  sigaction(SIGSEGV, &before, NULL);
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("early %d late %d survived %d ticked %d sum %d\n", early == SIGUSR1, late == SIGUSR2,
           survived, ticks > 0, sum);
  MPI_Finalize();
  return 0;
}
