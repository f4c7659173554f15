/* SPDX-License-Identifier: Apache-2.0
 * Programs whose recording grows with their length, one rank: growing KIND N prints KIND, the calls
 * that it made, and ns of processor time a call, of all its threads and the recorder's. Run it bare
 * and recorded side by side (bench/growing_costs.py does).
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char buffer[1 << 16];
static unsigned state = 12345;

static unsigned drawn(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

static void receive_nothing(int count, int tag) {
  MPI_Recv(buffer, count, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* All alive before the first is freed. */
static long groups(long n) {
  MPI_Group world, *made = malloc((size_t)n * sizeof *made);
  int first[1] = {0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (long i = 0; i < n; ++i) MPI_Group_incl(world, 1, first, &made[i]);
  for (long i = 0; i < n; ++i) MPI_Group_free(&made[i]);
  MPI_Group_free(&world);
  free(made);
  return 2 * n + 2;
}

/* Datatypes that all differ, and each is used. */
static long datatypes(long n) {
  MPI_Datatype* made = malloc((size_t)n * sizeof *made);
  for (long i = 0; i < n; ++i) {
    MPI_Type_contiguous((int)i + 1, MPI_CHAR, &made[i]);
    MPI_Type_commit(&made[i]);
    MPI_Recv(buffer, 1, made[i], MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  for (long i = 0; i < n; ++i) MPI_Type_free(&made[i]);
  free(made);
  return 4 * n;
}

static void* one_call(void* unused) {
  receive_nothing(1, 0);
  return unused;
}

/* One after the other, with a call each. */
static long threads(long n) {
  pthread_t thread;
  for (long i = 0; i < n; ++i) {
    pthread_create(&thread, NULL, one_call, NULL);
    pthread_join(thread, NULL);
  }
  return n;
}

/* Tags and sizes without any order. */
static long numbers(long n) {
  for (long i = 0; i < n; ++i) receive_nothing((int)drawn(60000), (int)drawn(30000));
  return n;
}

/* Arrays of which none comes again. */
static long arrays(long n) {
  MPI_Datatype type;
  for (long i = 0; i < n; ++i) {
    int lengths[4], places[4];
    for (int k = 0; k < 4; ++k) {
      lengths[k] = (int)drawn(1000) + 1;
      places[k] = 1000 * k + (int)drawn(1000);
    }
    MPI_Type_indexed(4, lengths, places, MPI_CHAR, &type);
    MPI_Type_free(&type);
  }
  return 2 * n;
}

/* Texts of which none comes again. */
static long texts(long n) {
  char name[64];
  for (long i = 0; i < n; ++i) {
    snprintf(name, sizeof name, "part %ld", i);
    MPI_Comm_set_name(MPI_COMM_SELF, name);
  }
  return n;
}

/* Calls of many places in the program in an order that never comes again. */
#define ONE(k)                                                                                     \
  case k:                                                                                          \
    receive_nothing(k, 0);                                                                         \
    break;
#define EIGHT(k) ONE(k) ONE(k + 1) ONE(k + 2) ONE(k + 3) ONE(k + 4) ONE(k + 5) ONE(k + 6) ONE(k + 7)
static __attribute__((always_inline)) inline void receive_here(int count) {
  MPI_Recv(buffer, count, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
#define receive_nothing(count, tag) receive_here(count)
static long orders(long n) {
  for (long i = 0; i < n; ++i) {
    switch (drawn(64)) {
      EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) EIGHT(32) EIGHT(40) EIGHT(48) EIGHT(56)
    }
  }
  return n;
}

/* Places, sizes and datatypes, all without order: what one phase folds, the next does not. */
static long all(long n) {
  long calls = 0;
  while (calls < n) {
    const long some = 200 + drawn(200);
    switch (drawn(4)) {
    case 0:
      calls += numbers(some);
      break;
    case 1:
      calls += arrays(some);
      break;
    case 2:
      calls += orders(some);
      break;
    default:
      calls += datatypes(some / 4);
      break;
    }
  }
  return calls;
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    long (*run)(long);
  } kinds[] = {
      {"groups", groups}, {"datatypes", datatypes}, {"threads", threads}, {"numbers", numbers},
      {"arrays", arrays}, {"texts", texts},         {"orders", orders},   {"all", all}};
  const char* wanted = argc > 1 ? argv[1] : "all";
  const long n = argc > 2 ? atol(argv[2]) : 1000;
  int provided;
  const int is_threaded = strcmp(wanted, "threads") == 0;
  MPI_Init_thread(&argc, &argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  double seconds = 0;
  long calls = 1;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(kinds[i].name, wanted) != 0) continue;
    seconds = processor_seconds();
    calls = kinds[i].run(n);
    seconds = processor_seconds() - seconds;
  }
  MPI_Finalize();
  printf("%s %ld %.0f\n", wanted, calls, seconds / (double)calls * 1e9);
  return 0;
}
