// SPDX-License-Identifier: Apache-2.0
// Neighbourhood collectives, blocking and nonblocking, on two topologies: a binary tree by
// MPI_Dist_graph_create_adjacent (parent and children), and a grid without wrap-around by
// MPI_Cart_create.
//   mpirun -n 8 neighbors [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 4 }; // neighbours that a rank can have

static int rank, ranks;

// RUN(Neighbor_alltoall, ...) calls MPI_Neighbor_alltoall or, in every other round,
// MPI_Ineighbor_alltoall and waits.
#define RUN(blocking, nonblocking, ...)                                                            \
  do {                                                                                             \
    if (round % 2 == 0) {                                                                          \
      MPI_##blocking(__VA_ARGS__);                                                                 \
    } else {                                                                                       \
      MPI_Request request;                                                                         \
      MPI_##nonblocking(__VA_ARGS__, &request);                                                    \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                                                       \
    }                                                                                              \
  } while (0)

// What `from` says to `to` in a round; a rank that is not there says -1.
static long word(int from, int to, int round) {
  return from == MPI_PROC_NULL ? -1 : 10000L * round + 100L * from + to;
}

static void check(const char* what, long expected, long came) {
  if (came == expected) return;
  fprintf(stderr, "neighbors: rank %d: %s: expected %ld, came %ld\n", rank, what, expected, came);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// Everyone says one word to all neighbours; gather makes it the same word, alltoall one for each.
static void talk(MPI_Comm comm, const int* neighbors, int count, int round) {
  long said[kMost], heard[kMost];
  for (int i = 0; i < kMost; i++) heard[i] = -1;
  said[0] = word(rank, 0, round);
  RUN(Neighbor_allgather, Ineighbor_allgather, said, 1, MPI_LONG, heard, 1, MPI_LONG, comm);
  for (int i = 0; i < count; i++) check("allgather", word(neighbors[i], 0, round), heard[i]);

  for (int i = 0; i < count; i++) {
    said[i] = word(rank, neighbors[i], round);
    heard[i] = -1;
  }
  RUN(Neighbor_alltoall, Ineighbor_alltoall, said, 1, MPI_LONG, heard, 1, MPI_LONG, comm);
  for (int i = 0; i < count; i++) check("alltoall", word(neighbors[i], rank, round), heard[i]);
}

// Everyone says as many words as its number in the tree has digits or so: 1 + rank % 3.
static void talk_at_length(MPI_Comm comm, const int* neighbors, int count, int round) {
  long said[kMost * 3], heard[kMost * 3];
  const int length = 1 + rank % 3;
  int send_counts[kMost], send_starts[kMost], counts[kMost], starts[kMost];
  MPI_Aint send_bytes[kMost], bytes[kMost];
  MPI_Datatype types[kMost];
  for (int i = 0; i < count; i++) {
    send_counts[i] = length;
    send_starts[i] = 3 * i;
    counts[i] = 1 + neighbors[i] % 3;
    starts[i] = 3 * i;
    send_bytes[i] = bytes[i] = 3 * i * (MPI_Aint)sizeof(long);
    types[i] = MPI_LONG;
    for (int k = 0; k < length; k++) said[3 * i + k] = word(rank, neighbors[i], round) + k;
  }
  long first[3];
  for (int k = 0; k < length; k++) first[k] = word(rank, 0, round) + k;

  RUN(Neighbor_allgatherv, Ineighbor_allgatherv, first, length, MPI_LONG, heard, counts, starts,
      MPI_LONG, comm);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < counts[i]; k++)
      check("allgatherv", word(neighbors[i], 0, round) + k, heard[starts[i] + k]);

  RUN(Neighbor_alltoallv, Ineighbor_alltoallv, said, send_counts, send_starts, MPI_LONG, heard,
      counts, starts, MPI_LONG, comm);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < counts[i]; k++)
      check("alltoallv", word(neighbors[i], rank, round) + k, heard[starts[i] + k]);

  for (int i = 0; i < 3 * kMost; i++) heard[i] = -1;
  RUN(Neighbor_alltoallw, Ineighbor_alltoallw, said, send_counts, send_bytes, types, heard, counts,
      bytes, types, comm);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < counts[i]; k++)
      check("alltoallw", word(neighbors[i], rank, round) + k, heard[starts[i] + k]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;

  int relatives[3], family = 0;
  if (rank > 0) relatives[family++] = (rank - 1) / 2;
  for (int child = 2 * rank + 1; child <= 2 * rank + 2; child++)
    if (child < ranks) relatives[family++] = child;
  MPI_Comm tree;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, family, relatives, MPI_UNWEIGHTED, family,
                                 relatives, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &tree);

  int shape[2] = {0, 0}, open_ends[2] = {0, 0}, around[4];
  MPI_Comm grid;
  MPI_Dims_create(ranks, 2, shape);
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, open_ends, 0, &grid);
  for (int d = 0; d < 2; d++) MPI_Cart_shift(grid, d, 1, &around[2 * d], &around[2 * d + 1]);

  for (int round = 0; round < rounds; round++) {
    talk(tree, relatives, family, round);
    talk_at_length(tree, relatives, family, round);
    talk(grid, around, 4, round);
  }
  MPI_Comm_free(&grid);
  MPI_Comm_free(&tree);
  MPI_Barrier(MPI_COMM_WORLD); // nobody says ok before everybody is
  if (rank == 0)
    printf("neighbors: ok, %d ranks, grid %d x %d, %d rounds\n", ranks, shape[0], shape[1], rounds);
  MPI_Finalize();
  return 0;
}
