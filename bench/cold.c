/* SPDX-License-Identifier: Apache-2.0
 * What a recorder adds to a call that finds nothing in the caches: one rank talks to itself, and
 * between any two calls it writes over as much memory as it is told to: cold CALLS BYTES
 * Three calls go by what stands before MPI, and three to the MPI library itself, in turn: memory is
 * slower in some seconds than in others. Prints the ns of a bare call and what is added to it, by
 * the three calls' medians, and by the means of calls of up to 100 us, in which those are that a
 * recorder does more in now and then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kBare, kSeen, kWays };
enum { kCalls = 3, kMost = 100000 };

struct ways { /* in a line of the cache */
  int (*irecv)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*waitall)(int, MPI_Request*, MPI_Status*);
};
static _Alignas(64) struct {
  struct ways way;
  char fill[40];
} ways[kWays];
static char in[64], out[64], *memory;
static long bytes;
static double* taken[kWays][kCalls];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Not inlined, so that what it costs can be told from the rest. */
__attribute__((noinline)) static void clear(void) {
  for (long i = 0; i < bytes; i += 64) ++memory[i];
}

#define COLD(kind, call)                                                                           \
  do {                                                                                             \
    clear();                                                                                       \
    const double from = now();                                                                     \
    way->call;                                                                                     \
    taken[which][kind][i] = now() - from;                                                          \
  } while (0)

__attribute__((noinline)) static void measure(long rounds) {
  MPI_Request requests[2];
  for (long i = 0; i < rounds; ++i) {
    for (int which = 0; which < kWays; ++which) {
      const struct ways* const way = &ways[which].way;
      COLD(0, irecv(in, 8, MPI_CHAR, 0, 7, MPI_COMM_SELF, &requests[0]));
      COLD(1, isend(out, 8, MPI_CHAR, 0, 7, MPI_COMM_SELF, &requests[1]));
      COLD(2, waitall(2, requests, MPI_STATUSES_IGNORE));
    }
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The last library of the list that has MPI's functions is MPI's. */
static int find_library(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  void* const file = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  Dl_info facts;
  const char* const function = file ? dlsym(file, "MPI_Isend") : NULL;
  if (function && dladdr(function, &facts) && (ElfW(Addr))facts.dli_fbase == info->dlpi_addr)
    *(void**)found = file;
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long rounds = (argc > 1 ? atol(argv[1]) : 3000) / (kCalls * kWays);
  bytes = argc > 2 ? atol(argv[2]) : 64 << 20;
  memory = calloc(1, (size_t)bytes + 1);
  for (int i = 0; i < kWays * kCalls; ++i)
    taken[i / kCalls][i % kCalls] = calloc((size_t)rounds + 20, sizeof(double));
  void* library = NULL;
  dl_iterate_phdr(find_library, &library);
  if (!library) return 1;
  ways[kSeen].way = (struct ways){MPI_Irecv, MPI_Isend, MPI_Waitall};
  *(void**)&ways[kBare].way.irecv = dlsym(library, "MPI_Irecv");
  *(void**)&ways[kBare].way.isend = dlsym(library, "MPI_Isend");
  *(void**)&ways[kBare].way.waitall = dlsym(library, "MPI_Waitall");
  measure(20);
  measure(rounds);
  double medians[kWays] = {0}, means[kWays] = {0};
  for (int which = 0; which < kWays; ++which) {
    long usual = 0;
    for (int kind = 0; kind < kCalls; ++kind) {
      double* const times = taken[which][kind];
      for (long i = 0; i < rounds; ++i) {
        if (times[i] > kMost) continue; /* displaced */
        means[which] += times[i];
        ++usual;
      }
      qsort(times, (size_t)rounds, sizeof *times, compare);
      medians[which] += times[rounds / 2] / kCalls;
    }
    means[which] /= (double)usual;
  }
  printf("cold %ld %.1f %.1f %.1f %.1f\n", rounds * kCalls * kWays, medians[kBare],
         medians[kSeen] - medians[kBare], means[kBare], means[kSeen] - means[kBare]);
  MPI_Finalize();
  return 0;
}
