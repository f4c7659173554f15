/* SPDX-License-Identifier: Apache-2.0
 * What a call costs that finds nothing in the caches: one rank talks to itself, and between any two
 * calls it writes over as much memory as it is told to: cold CALLS BYTES
 * Prints the ns of a call, what is written left out: the mean, that of the three calls' medians,
 * which others on the machine hardly change, and the mean of calls of up to 100 us, in which those
 * are that a recorder does more in now and then. Run it bare and under a recorder in
 * alternation and subtract (bench/record_overhead.py --cold does).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static char in[64], out[64], *memory;
static long bytes;
static double* taken; /* by each call, in ns */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Not inlined, so that what it costs can be told from the rest. */
__attribute__((noinline)) static void clear(void) {
  for (long i = 0; i < bytes; i += 64) ++memory[i];
}

#define COLD(i, call)                                                                              \
  do {                                                                                             \
    clear();                                                                                       \
    const double from = now();                                                                     \
    call;                                                                                          \
    taken[i] = now() - from;                                                                       \
  } while (0)

__attribute__((noinline)) static void measure(long rounds) {
  MPI_Request requests[2];
  for (long i = 0; i < rounds; ++i) {
    COLD(i, MPI_Irecv(in, 8, MPI_CHAR, 0, 7, MPI_COMM_SELF, &requests[0]));
    COLD(i + rounds, MPI_Isend(out, 8, MPI_CHAR, 0, 7, MPI_COMM_SELF, &requests[1]));
    COLD(i + 2 * rounds, MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long rounds = (argc > 1 ? atol(argv[1]) : 3000) / 3;
  bytes = argc > 2 ? atol(argv[2]) : 64 << 20;
  memory = calloc(1, (size_t)bytes + 1);
  taken = calloc((size_t)(3 * rounds) + 60, sizeof *taken);
  measure(20);
  measure(rounds);
  double sum = 0, medians = 0, usual_sum = 0;
  long usual = 0;
  for (long i = 0; i < 3 * rounds; ++i) {
    sum += taken[i];
    if (taken[i] > 100e3) continue; /* displaced */
    usual_sum += taken[i];
    ++usual;
  }
  for (int kind = 0; kind < 3; ++kind) {
    qsort(taken + kind * rounds, (size_t)rounds, sizeof *taken, compare);
    medians += taken[kind * rounds + rounds / 2] / 3;
  }
  printf("cold %ld %.1f %.1f %.1f\n", 3 * rounds, sum / (double)(3 * rounds), medians,
         usual_sum / (double)usual);
  MPI_Finalize();
  return 0;
}
