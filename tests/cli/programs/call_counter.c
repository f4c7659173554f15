// SPDX-License-Identifier: Apache-2.0
// Counts calls and bytes of MPI functions as a profiler between the program and MPI does, to
// compare with what is recorded. Preloaded in front of the recorder; knows nothing of it. At the
// end each rank writes "function,calls,bytes" to counted.<rank>.csv.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMost = 64 };
static struct {
  const char* name;
  long long calls, bytes;
} counted[kMost];

static void count(const char* name, long long bytes) {
  int i = 0;
  while (counted[i].name != NULL && strcmp(counted[i].name, name) != 0) ++i;
  counted[i].name = name;
  ++counted[i].calls;
  counted[i].bytes += bytes;
}

static long long bytes_of(long long elements, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return elements * size;
}

static int size_of(MPI_Comm comm) {
  int size;
  PMPI_Comm_size(comm, &size);
  return size;
}

static int is_root(MPI_Comm comm, int root) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

static long long sum(const int* counts, int n) {
  long long all = 0;
  for (int i = 0; i < n; ++i) all += counts[i];
  return all;
}

// NEXT(f): the recorder's f, or MPI's
#define NEXT(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))
#define WRAP(f, parameters, arguments, bytes)                                                      \
  int f parameters {                                                                               \
    count(#f, bytes);                                                                              \
    return NEXT(f) arguments;                                                                      \
  }

WRAP(MPI_Send, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c),
     (b, n, t, to, tag, c), bytes_of(n, t))
WRAP(MPI_Isend, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r),
     (b, n, t, to, tag, c, r), bytes_of(n, t))
WRAP(MPI_Irecv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* r),
     (b, n, t, from, tag, c, r), 0)
WRAP(MPI_Recv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s),
     (b, n, t, from, tag, c, s), 0)
WRAP(MPI_Sendrecv,
     (const void* b, int n, MPI_Datatype t, int to, int tag, void* rb, int rn, MPI_Datatype rt,
      int from, int rtag, MPI_Comm c, MPI_Status* s),
     (b, n, t, to, tag, rb, rn, rt, from, rtag, c, s), bytes_of(n, t))
WRAP(MPI_Wait, (MPI_Request * r, MPI_Status* s), (r, s), 0)
WRAP(MPI_Waitall, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s), 0)
WRAP(MPI_Barrier, (MPI_Comm c), (c), 0)
WRAP(MPI_Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c),
     is_root(c, root) ? bytes_of(n, t) : 0)
WRAP(MPI_Reduce, (const void* b, void* rb, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c),
     (b, rb, n, t, o, root, c), bytes_of(n, t))
WRAP(MPI_Allreduce, (const void* b, void* rb, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
     (b, rb, n, t, o, c), bytes_of(n, t))
WRAP(MPI_Allgather,
     (const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c),
     (b, n, t, rb, rn, rt, c), bytes_of(n, t))
WRAP(MPI_Alltoall,
     (const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c),
     (b, n, t, rb, rn, rt, c), bytes_of((long long)n* size_of(c), t))
WRAP(MPI_Alltoallv,
     (const void* b, const int n[], const int d[], MPI_Datatype t, void* rb, const int rn[],
      const int rd[], MPI_Datatype rt, MPI_Comm c),
     (b, n, d, t, rb, rn, rd, rt, c), bytes_of(sum(n, size_of(c)), t))
WRAP(MPI_Put,
     (const void* b, int n, MPI_Datatype t, int to, MPI_Aint d, int tn, MPI_Datatype tt, MPI_Win w),
     (b, n, t, to, d, tn, tt, w), bytes_of(n, t))
WRAP(MPI_Get,
     (void* b, int n, MPI_Datatype t, int to, MPI_Aint d, int tn, MPI_Datatype tt, MPI_Win w),
     (b, n, t, to, d, tn, tt, w), bytes_of(n, t))
WRAP(MPI_File_write_at_all,
     (MPI_File f, MPI_Offset o, const void* b, int n, MPI_Datatype t, MPI_Status* s),
     (f, o, b, n, t, s), bytes_of(n, t))
WRAP(MPI_File_read_at, (MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Status* s),
     (f, o, b, n, t, s), bytes_of(n, t))

int MPI_Finalize(void) {
  char name[64];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "counted.%d.csv", rank);
  FILE* file = fopen(name, "w");
  for (int i = 0; file != NULL && i < kMost && counted[i].name != NULL; ++i)
    fprintf(file, "%s,%lld,%lld\n", counted[i].name, counted[i].calls, counted[i].bytes);
  if (file != NULL) fclose(file);
  return NEXT(MPI_Finalize)();
}
