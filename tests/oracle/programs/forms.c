// SPDX-License-Identifier: Apache-2.0
// Every collective in all its forms: blocking, nonblocking and, since MPI-4, persistent. The
// results of all forms are checked alike.
#include "check.h"

enum { kMany = 64 };
static int out[kMany], in[kMany];
static MPI_Comm comm;

static void clear(void) {
  for (int i = 0; i < kMany; ++i) out[i] = 100 * rank + i, in[i] = -1;
}

#if MPI_VERSION >= 4
#define PERSISTENT(Init, ...)                                                                      \
  do {                                                                                             \
    MPI_Request request;                                                                           \
    clear();                                                                                       \
    Init(__VA_ARGS__, MPI_INFO_NULL, &request);                                                    \
    MPI_Start(&request); /* once: MPICH 4.0 copies a rank's own part when the request is made */   \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                         \
    MPI_Request_free(&request);                                                                    \
  } while (0)
#else
#define PERSISTENT(Init, ...) clear()
#endif

/// Calls MPI_Name, MPI_Iname and MPI_Name_init, and checks the result of each.
#define FORMS(Name, Iname, expected, ...)                                                          \
  do {                                                                                             \
    MPI_Request request;                                                                           \
    clear();                                                                                       \
    SIZED(MPI_##Name)(__VA_ARGS__);                                                                \
    CHECK(expected);                                                                               \
    clear();                                                                                       \
    SIZED(MPI_##Iname)(__VA_ARGS__, &request);                                                     \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                         \
    CHECK(expected);                                                                               \
    if (MPI_VERSION >= 4) {                                                                        \
      PERSISTENT(SIZED(MPI_##Name##_init), __VA_ARGS__);                                           \
      CHECK(expected);                                                                             \
    }                                                                                              \
  } while (0)

static int sum_of_ranks(int upto) { return upto * (upto - 1) / 2; }

static void collectives(void) {
  int last = ranks - 1;
  Count counts[kMany];
  Displacement places[kMany], offsets[kMany];
  MPI_Datatype types[kMany];
  for (int i = 0; i < ranks; ++i)
    counts[i] = 1, places[i] = i, offsets[i] = i * (int)sizeof(int), types[i] = MPI_INT;
#ifndef LARGE_COUNTS
  MPI_Request request;
  MPI_Barrier(comm);
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
  PERSISTENT(MPI_Barrier_init, comm);
#endif
#endif
  FORMS(Bcast, Ibcast, out[1] == 100 * last + 1, out, 2, MPI_INT, last, comm);
  FORMS(Gather, Igather, rank != last || in[0] == 0 && in[last] == 100 * last, out, 1, MPI_INT, in,
        1, MPI_INT, last, comm);
  FORMS(Gatherv, Igatherv, rank || in[last] == 100 * last, out, 1, MPI_INT, in, counts, places,
        MPI_INT, 0, comm);
  FORMS(Scatter, Iscatter, in[0] == rank, out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
  FORMS(Scatterv, Iscatterv, in[0] == 100 * last + rank, out, counts, places, MPI_INT, in, 1,
        MPI_INT, last, comm);
  FORMS(Allgather, Iallgather, in[last] == 100 * last, out, 1, MPI_INT, in, 1, MPI_INT, comm);
  FORMS(Allgatherv, Iallgatherv, in[last] == 100 * last, out, 1, MPI_INT, in, counts, places,
        MPI_INT, comm);
  FORMS(Alltoall, Ialltoall, in[last] == 100 * last + rank, out, 1, MPI_INT, in, 1, MPI_INT, comm);
  FORMS(Alltoallv, Ialltoallv, in[last] == 100 * last + rank, out, counts, places, MPI_INT, in,
        counts, places, MPI_INT, comm);
  FORMS(Alltoallw, Ialltoallw, in[last] == 100 * last + rank, out, counts, offsets, types, in,
        counts, offsets, types, comm);
  FORMS(Reduce, Ireduce, rank != last || in[0] == 100 * sum_of_ranks(ranks), out, in, 1, MPI_INT,
        MPI_SUM, last, comm);
  FORMS(Allreduce, Iallreduce, in[0] == 100 * last, out, in, 1, MPI_INT, MPI_MAX, comm);
  FORMS(Reduce_scatter, Ireduce_scatter, in[0] == 100 * sum_of_ranks(ranks) + ranks * rank, out, in,
        counts, MPI_INT, MPI_SUM, comm);
  FORMS(Reduce_scatter_block, Ireduce_scatter_block,
        in[0] == 100 * sum_of_ranks(ranks) + ranks * rank, out, in, 1, MPI_INT, MPI_SUM, comm);
  FORMS(Scan, Iscan, in[0] == 100 * sum_of_ranks(rank + 1), out, in, 1, MPI_INT, MPI_SUM, comm);
  FORMS(Exscan, Iexscan, rank == 0 || in[0] == 100 * sum_of_ranks(rank), out, in, 1, MPI_INT,
        MPI_SUM, comm);

  // In place, where MPI reads less.
  FORMS(Allgather, Iallgather, 1, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
  FORMS(Gather, Igather, 1, rank == last ? MPI_IN_PLACE : (void*)out, 1, MPI_INT, in, 1, MPI_INT,
        last, comm);
  FORMS(Allreduce, Iallreduce, out[0] == 100 * last, MPI_IN_PLACE, out, 1, MPI_INT, MPI_MAX, comm);
  FORMS(Alltoallv, Ialltoallv, 1, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, places,
        MPI_INT, comm);
}

static void neighborhoods(void) {
  int two[2] = {previous, next};
  Count counts[2] = {1, 1};
  Displacement places[2] = {0, 1};
  MPI_Aint offsets[2] = {0, sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Comm world = comm;
  MPI_Dist_graph_create_adjacent(world, 2, two, MPI_UNWEIGHTED, 2, two, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  int from = 100 * previous, got = ranks == 1 ? 0 : 1; // alone, a rank is its neighbour twice
  FORMS(Neighbor_allgather, Ineighbor_allgather, in[0] == from, out, 1, MPI_INT, in, 1, MPI_INT,
        comm);
  FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, in[0] == from, out, 1, MPI_INT, in, counts,
        places, MPI_INT, comm);
  FORMS(Neighbor_alltoall, Ineighbor_alltoall, ranks < 3 || in[0] == from + got, out, 1, MPI_INT,
        in, 1, MPI_INT, comm);
  FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, ranks < 3 || in[0] == from + got, out, counts,
        places, MPI_INT, in, counts, places, MPI_INT, comm);
  FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, ranks < 3 || in[0] == from + got, out, counts,
        offsets, types, in, counts, offsets, types, comm);
  MPI_Comm_free(&comm);
  comm = world;
}

#ifdef LARGE_COUNTS
static void add(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
#else
static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
#endif
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
  MPI_Op op;
  begin(&argc, &argv);
  if (ranks > kMany) return MPI_Finalize(), 2;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  collectives();
  neighborhoods();
  SIZED(MPI_Op_create)(add, 1, &op);
  FORMS(Allreduce, Iallreduce, in[0] == 100 * sum_of_ranks(ranks), out, in, 1, MPI_INT, op, comm);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
  return end("forms");
}
