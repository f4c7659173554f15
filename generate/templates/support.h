/* What the benchmark needs besides MPI: computation, requests, objects and memory. Calls of its own go
   through PMPI, so that tools see only what the recorded program said. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__GNUC__) && !defined(__clang__)
/* GCC believes that MPI writes to where MPI_STATUSES_IGNORE and MPI_UNWEIGHTED point. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#ifndef COMPUTE
#define COMPUTE spin /* or sleep, or none */
#endif
#ifndef SCALE_COMPUTE
#define SCALE_COMPUTE 1.0
#endif

static int rank; /* in MPI_COMM_WORLD */
static double scale_compute = SCALE_COMPUTE;
static enum { SPIN, SLEEP, NOTHING } compute_by;
static double started;
{{#has_data}}
static char *send_buffer, *receive_buffer;
{{/has_data}}
{{#attached_bytes}}
static char attached_buffer[{{attached_bytes}}];
{{/attached_bytes}}
{{#objects}}
static {{{type}}} {{name}}[{{length}}];
{{/objects}}
{{#ignored}}
static {{{type}}} {{name}};
{{/ignored}}

/* ---- Computation --------------------------------------------------------------------------------- */

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

{{#computes}}
/* Computes, or sleeps, for so long. Short sleeps are saved up, as none is shorter than the system's. */
static inline void compute(double seconds) {
  static double owed;
  seconds *= scale_compute;
  if (compute_by == SPIN) {
    const double end = now() + seconds;
    while (now() < end) {
    }
  } else if (compute_by == SLEEP && (owed += seconds) > 100e-6) {
    const double begin = now();
    struct timespec t = {(time_t)owed, (long)((owed - (double)(time_t)owed) * 1e9)};
    nanosleep(&t, NULL);
    owed -= now() - begin;
  }
}
{{/computes}}
{{#draws}}

struct histogram {
  int bins;
  const double (*bin)[2]; /* seconds, and the share of times up to them */
  unsigned long state; /* of the random numbers: the same in every run */
};

static inline double drawn(struct histogram *h) {
  h->state = h->state * 6364136223846793005ul + 1442695040888963407ul + 2 * (unsigned long)rank;
  const double share = (double)(h->state >> 11) / 9007199254740992.0;
  int b = 0;
  while (b + 1 < h->bins && h->bin[b][1] <= share) ++b;
  return h->bin[b][0];
}
{{/draws}}
{{#has_series}}

/* ---- Values that come one after the other ---------------------------------------------------------- */

struct progression {
  long first, step, count;
};

struct series {
  const struct progression *at;
  long done; /* of it */
};

static inline long next(struct series *s) {
  const long value = s->at->first + s->at->step * s->done;
  if (++s->done == s->at->count) {
    ++s->at;
    s->done = 0;
  }
  return value;
}
{{/has_series}}
{{#rank_in}}

static inline int rank_in(MPI_Comm c) {
  int own;
  PMPI_Comm_rank(c, &own);
  return own;
}
{{/rank_in}}
{{#requests}}

/* ---- Requests, in a ring in the order in which they are made ----------------------------------------- */

static MPI_Request ring[{{requests}}];
static unsigned long made;

static inline MPI_Request *new_request(void) { return &ring[made++ % {{requests}}]; }
/* The youngest request has age 0. */
static inline MPI_Request *request(long age) { return &ring[(made - 1 - (unsigned long)age) % {{requests}}]; }
{{/requests}}
{{#persistent}}

static MPI_Request persistent[{{persistent}}];

static inline MPI_Request *new_persistent(void) {
  int slot = 0;
  while (persistent[slot] != MPI_REQUEST_NULL) ++slot;
  return &persistent[slot];
}
{{/persistent}}
{{#lists}}

static MPI_Request listed[{{lists}}];
static int listed_requests;
{{#requests}}

/* The youngest n, the oldest of them first. */
static inline MPI_Request *newest(int n) {
  for (int i = 0; i < n; ++i) listed[i] = *request(n - 1 - i);
  listed_requests = n;
  return listed;
}
{{/requests}}

/* By codes: twice an age, 3 and twice a place of a persistent one, or 1 for none. */
static inline MPI_Request *requests_of(const int *codes, int n) {
  for (int i = 0; i < n; ++i) {
    listed[i] = MPI_REQUEST_NULL;
{{#requests}}
    if (codes[i] % 2 == 0) listed[i] = *request(codes[i] / 2);
{{/requests}}
{{#persistent}}
    if (codes[i] % 2 == 1 && codes[i] >= 3) listed[i] = persistent[(codes[i] - 3) / 2];
{{/persistent}}
  }
  listed_requests = n;
  return listed;
}

static inline MPI_Request *request_of(int code) { return requests_of(&code, 1); }

/* Waits out of sight, so that a test finds what it found. */
static inline MPI_Request *all_finished(MPI_Request *list) {
  for (int i = 0; i < listed_requests; ++i) {
    int done = 0;
    while (!done) PMPI_Request_get_status(list[i], &done, MPI_STATUS_IGNORE);
  }
  return list;
}
{{/lists}}
{{#polls}}

static inline MPI_Request *finished(MPI_Request *r) {
  int done = 0;
  while (!done) PMPI_Request_get_status(*r, &done, MPI_STATUS_IGNORE);
  return r;
}

/* Tests that found nothing ask for what never comes: a message that nobody sends. */
static MPI_Comm nowhere;
static MPI_Request never, never_list[1];
static inline MPI_Request *never_all(int n) {
  (void)n;
  never_list[0] = never;
  return never_list;
}

static inline void probe_found(int source, int tag, MPI_Comm c) {
  int flag;
  PMPI_Probe(source, tag, c, MPI_STATUS_IGNORE);
  MPI_Iprobe(source, tag, c, &flag, MPI_STATUS_IGNORE);
}

static inline void mprobe_found(int source, int tag, MPI_Comm c, MPI_Message *m) {
  int flag;
  PMPI_Probe(source, tag, c, MPI_STATUS_IGNORE);
  MPI_Improbe(source, tag, c, &flag, m, MPI_STATUS_IGNORE);
}
{{/polls}}
{{#win_test}}

static inline void win_test_found(MPI_Win w) {
  int flag = 0;
  while (!flag) MPI_Win_test(w, &flag);
}
{{/win_test}}
{{#no_operation}}

static inline void no_operation(void *in, void *inout, int *count, MPI_Datatype *type_of_them) {
  (void)in, (void)inout, (void)count, (void)type_of_them;
}
{{/no_operation}}
{{#types}}

static inline MPI_Datatype *types_of(const int *places, int n) {
  static MPI_Datatype list[{{types}}];
  for (int i = 0; i < n; ++i) list[i] = type[places[i]];
  return list;
}
{{/types}}
{{#triples}}

static inline int (*triples(const int *list))[3] { return (int(*)[3])list; }
{{/triples}}
{{#windows}}

static inline void *window_memory(long bytes) { return calloc(1, bytes > 0 ? (size_t)bytes : 1); }
{{/windows}}

/* ---- Start and end ------------------------------------------------------------------------------- */

static inline void read_options(int argc, char **argv) {
  const char *by = TEXT(COMPUTE);
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--scale-compute") == 0 && i + 1 < argc) {
      scale_compute = atof(argv[++i]);
    } else if (strcmp(argv[i], "--compute") == 0 && i + 1 < argc) {
      by = argv[++i];
    } else {
      fprintf(stderr, "usage: %s [--scale-compute FACTOR] [--compute spin|sleep|none]\n", argv[0]);
      exit(2);
    }
  }
  compute_by = strcmp(by, "sleep") == 0 ? SLEEP : strcmp(by, "none") == 0 ? NOTHING : SPIN;
}

static void set_up_tables(void);

static inline void start(void) {
  int size;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != RANKS) {
    if (rank == 0) fprintf(stderr, "this benchmark runs on %d ranks, not on %d\n", RANKS, size);
    PMPI_Finalize();
    exit(2);
  }
{{#has_data}}
  /* In the middle, as datatypes may begin before the address. Memory that is not touched costs nothing. */
  send_buffer = (char *)calloc(3, BUFFER_BYTES) + BUFFER_BYTES;
  receive_buffer = (char *)calloc(3, BUFFER_BYTES) + BUFFER_BYTES;
{{/has_data}}
{{#persistent}}
  for (int i = 0; i < {{persistent}}; ++i) persistent[i] = MPI_REQUEST_NULL;
{{/persistent}}
  set_up_tables();
{{#polls}}
  PMPI_Comm_dup(MPI_COMM_SELF, &nowhere);
  PMPI_Irecv(NULL, 0, MPI_BYTE, 0, 0, nowhere, &never);
{{/polls}}
{{#files}}
  if (rank == 0) {
    FILE *made_file = fopen("{{name}}", "wb");
    if (made_file != NULL) {
      if (ftruncate(fileno(made_file), {{bytes}}) != 0) perror("{{name}}");
      fclose(made_file);
    }
  }
{{/files}}
  PMPI_Barrier(MPI_COMM_WORLD);
  started = now();
}

static inline void finish(void) {
  double seconds = now() - started, longest;
  PMPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f seconds\n", longest);
{{#polls}}
  PMPI_Cancel(&never);
  PMPI_Wait(&never, MPI_STATUS_IGNORE);
  PMPI_Comm_free(&nowhere);
{{/polls}}
{{#scratch}}
  if (rank == 0) remove("{{name}}");
{{/scratch}}
}

#endif
