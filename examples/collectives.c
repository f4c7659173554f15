// SPDX-License-Identifier: Apache-2.0
// Every collective of MPI 3.1, in its blocking and its nonblocking form, plain and with
// MPI_IN_PLACE, and a reduction with an operation of the program's own that does not commute. In
// round r, rank r (modulo ranks) is the root.
//   mpirun -n 8 collectives [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostRanks = 256 };

static int rank, ranks, root, nonblocking;
static long in[2 * kMostRanks], out[2 * kMostRanks];
// Rank r has r % 2 + 1 numbers in the v and w variants, from place 2 * r on.
static int counts[kMostRanks], starts[kMostRanks], my_counts[kMostRanks], byte_starts[kMostRanks];
static MPI_Datatype types[kMostRanks];

// RUN(Bcast, Ibcast, ...) calls one or the other with the same arguments.
#define RUN(blocking_name, nonblocking_name, ...)                                                  \
  do {                                                                                             \
    if (!nonblocking) {                                                                            \
      MPI_##blocking_name(__VA_ARGS__);                                                            \
    } else {                                                                                       \
      MPI_Request request;                                                                         \
      MPI_##nonblocking_name(__VA_ARGS__, &request);                                               \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                                                       \
    }                                                                                              \
  } while (0)

static void check(const char* what, long expected, long came) {
  if (came == expected) return;
  fprintf(stderr, "collectives: rank %d, %s, root %d, %s: expected %ld, came %ld\n", rank,
          nonblocking ? "nonblocking" : "blocking", root, what, expected, came);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static long word(int from, int to) { return 1000L * (from + 1) + to; }

static long triangle(long n) { return n * (n + 1) / 2; }

// in: what we say to every rank; out: nothing yet.
static void fill(void) {
  for (int r = 0; r < ranks; r++) {
    in[2 * r] = in[2 * r + 1] = word(rank, r);
    out[2 * r] = out[2 * r + 1] = -1;
  }
}

static void one_to_all(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  RUN(Barrier, Ibarrier, comm);
  long number = word(rank, 0);
  RUN(Bcast, Ibcast, &number, 1, MPI_LONG, root, comm);
  check("bcast", word(root, 0), number);

  fill();
  RUN(Scatter, Iscatter, in, 2, MPI_LONG, out, 2, MPI_LONG, root, comm);
  check("scatter", word(root, rank), out[1]);
  fill();
  void* mine = rank == root ? MPI_IN_PLACE : out;
  RUN(Scatter, Iscatter, in, 2, MPI_LONG, mine, 2, MPI_LONG, root, comm);
  check("scatter in place", word(root, rank), rank == root ? in[2 * rank] : out[0]);
  fill();
  RUN(Scatterv, Iscatterv, in, counts, starts, MPI_LONG, out, counts[rank], MPI_LONG, root, comm);
  check("scatterv", word(root, rank), out[counts[rank] - 1]);
}

static void all_to_one(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  fill();
  RUN(Gather, Igather, in, 2, MPI_LONG, out, 2, MPI_LONG, root, comm);
  for (int r = 0; r < ranks && rank == root; r++) check("gather", word(r, 0), out[2 * r]);
  fill();
  out[2 * rank] = word(rank, 0); // where the root's own number lies before it gathers in place
  RUN(Gather, Igather, rank == root ? MPI_IN_PLACE : in, 2, MPI_LONG, out, 2, MPI_LONG, root, comm);
  for (int r = 0; r < ranks && rank == root; r++) check("gather in place", word(r, 0), out[2 * r]);
  fill();
  RUN(Gatherv, Igatherv, in, counts[rank], MPI_LONG, out, counts, starts, MPI_LONG, root, comm);
  for (int r = 0; r < ranks && rank == root; r++) check("gatherv", word(r, 0), out[2 * r]);

  long number = rank + 1, sum = 0;
  RUN(Reduce, Ireduce, &number, &sum, 1, MPI_LONG, MPI_SUM, root, comm);
  if (rank == root) check("reduce", triangle(ranks), sum);
  void* send = rank == root ? MPI_IN_PLACE : &number;
  void* receive = rank == root ? &number : NULL;
  RUN(Reduce, Ireduce, send, receive, 1, MPI_LONG, MPI_MAX, root, comm);
  if (rank == root) check("reduce in place", ranks, number);
}

static void all_to_all(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  fill();
  RUN(Allgather, Iallgather, in, 2, MPI_LONG, out, 2, MPI_LONG, comm);
  for (int r = 0; r < ranks; r++) check("allgather", word(r, 0), out[2 * r]);
  fill();
  out[2 * rank] = out[2 * rank + 1] = word(rank, 0);
  RUN(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_LONG, out, 2, MPI_LONG, comm);
  for (int r = 0; r < ranks; r++) check("allgather in place", word(r, 0), out[2 * r + 1]);
  fill();
  RUN(Allgatherv, Iallgatherv, in, counts[rank], MPI_LONG, out, counts, starts, MPI_LONG, comm);
  for (int r = 0; r < ranks; r++) check("allgatherv", word(r, 0), out[2 * r]);

  fill();
  RUN(Alltoall, Ialltoall, in, 2, MPI_LONG, out, 2, MPI_LONG, comm);
  for (int r = 0; r < ranks; r++) check("alltoall", word(r, rank), out[2 * r]);
  fill();
  RUN(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_LONG, in, 2, MPI_LONG, comm);
  for (int r = 0; r < ranks; r++) check("alltoall in place", word(r, rank), in[2 * r]);
  // Everybody sends rank r as much as r has room for, so we get counts[rank] from everyone.
  fill();
  RUN(Alltoallv, Ialltoallv, in, counts, starts, MPI_LONG, out, my_counts, starts, MPI_LONG, comm);
  for (int r = 0; r < ranks; r++) check("alltoallv", word(r, rank), out[2 * r]);
  fill();
  RUN(Alltoallw, Ialltoallw, in, counts, byte_starts, types, out, my_counts, byte_starts, types,
      comm);
  for (int r = 0; r < ranks; r++) check("alltoallw", word(r, rank), out[2 * r]);
}

static void reductions(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const long sum = 1000L * triangle(ranks) + (long)ranks * rank; // of word(r, rank) over all r
  long number = rank + 1, result = 0;
  RUN(Allreduce, Iallreduce, &number, &result, 1, MPI_LONG, MPI_SUM, comm);
  check("allreduce", triangle(ranks), result);
  RUN(Allreduce, Iallreduce, MPI_IN_PLACE, &number, 1, MPI_LONG, MPI_SUM, comm);
  check("allreduce in place", triangle(ranks), number);

  fill();
  RUN(Reduce_scatter_block, Ireduce_scatter_block, in, out, 2, MPI_LONG, MPI_SUM, comm);
  check("reduce_scatter_block", sum, out[1]);
  int two_each[kMostRanks];
  for (int r = 0; r < ranks; r++) two_each[r] = 2;
  RUN(Reduce_scatter, Ireduce_scatter, in, out, two_each, MPI_LONG, MPI_MAX, comm);
  check("reduce_scatter", word(ranks - 1, rank), out[0]);
  RUN(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, in, two_each, MPI_LONG, MPI_SUM, comm);
  check("reduce_scatter in place", sum, in[1]);

  number = rank + 1;
  RUN(Scan, Iscan, &number, &result, 1, MPI_LONG, MPI_SUM, comm);
  check("scan", triangle(rank + 1), result);
  result = 0; // rank 0 gets nothing from Exscan
  RUN(Exscan, Iexscan, &number, &result, 1, MPI_LONG, MPI_SUM, comm);
  check("exscan", triangle(rank), result);
  RUN(Scan, Iscan, MPI_IN_PLACE, &number, 1, MPI_LONG, MPI_SUM, comm);
  check("scan in place", triangle(rank + 1), number);
}

// The rest of the in-place forms; here everybody gives everybody one number, in the v and w
// variants too.
static void more_in_place(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int one_each[kMostRanks];
  for (int r = 0; r < ranks; r++) one_each[r] = 1;
  void* receive = rank == root ? MPI_IN_PLACE : out;
  fill();
  RUN(Scatterv, Iscatterv, in, counts, starts, MPI_LONG, receive, counts[rank], MPI_LONG, root,
      comm);
  check("scatterv in place", word(root, rank), rank == root ? in[2 * rank] : out[0]);
  fill();
  out[2 * rank] = word(rank, 0);
  void* send = rank == root ? MPI_IN_PLACE : in;
  RUN(Gatherv, Igatherv, send, 1, MPI_LONG, out, one_each, starts, MPI_LONG, root, comm);
  for (int r = 0; r < ranks && rank == root; r++) check("gatherv in place", word(r, 0), out[2 * r]);
  fill();
  out[2 * rank] = word(rank, 0);
  RUN(Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, MPI_LONG, out, one_each, starts, MPI_LONG, comm);
  for (int r = 0; r < ranks; r++) check("allgatherv in place", word(r, 0), out[2 * r]);
  fill();
  RUN(Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, MPI_LONG, in, one_each, starts, MPI_LONG,
      comm);
  for (int r = 0; r < ranks; r++) check("alltoallv in place", word(r, rank), in[2 * r]);
  fill();
  RUN(Alltoallw, Ialltoallw, MPI_IN_PLACE, NULL, NULL, NULL, in, one_each, byte_starts, types,
      comm);
  for (int r = 0; r < ranks; r++) check("alltoallw in place", word(r, rank), in[2 * r]);

  fill();
  RUN(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, in, 2, MPI_LONG, MPI_MAX, comm);
  check("reduce_scatter_block in place", word(ranks - 1, rank), in[0]);
  long number = rank + 1;
  RUN(Exscan, Iexscan, MPI_IN_PLACE, &number, 1, MPI_LONG, MPI_SUM, comm);
  check("exscan in place", rank == 0 ? 1 : triangle(rank), number);
}

// Joins two spans of ranks [first, last]; spans that do not touch give [-1, -1], so the order of
// operands matters.
static void join(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  int(*a)[2] = left, (*b)[2] = right;
  for (int i = 0; i < *count; i++) {
    const int touch = a[i][1] + 1 == b[i][0];
    b[i][0] = touch ? a[i][0] : -1;
    b[i][1] = touch ? b[i][1] : -1;
  }
}

static void own_operation(MPI_Datatype span, MPI_Op join_spans) {
  int mine[2] = {rank, rank}, joined[2] = {0, 0};
  RUN(Allreduce, Iallreduce, mine, joined, 1, span, join_spans, MPI_COMM_WORLD);
  check("first of own operation", 0, joined[0]);
  check("last of own operation", ranks - 1, joined[1]);
  RUN(Scan, Iscan, mine, joined, 1, span, join_spans, MPI_COMM_WORLD);
  check("last of own operation's scan", rank, joined[1]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  if (ranks > kMostRanks) {
    if (rank == 0)
      fprintf(stderr, "collectives: needs at most %d ranks, not %d\n", kMostRanks, ranks);
    MPI_Finalize();
    return 2;
  }
  for (int r = 0; r < ranks; r++) {
    counts[r] = r % 2 + 1;
    my_counts[r] = rank % 2 + 1;
    starts[r] = 2 * r;
    byte_starts[r] = starts[r] * (int)sizeof(long);
    types[r] = MPI_LONG;
  }
  MPI_Datatype span;
  MPI_Op join_spans;
  MPI_Type_contiguous(2, MPI_INT, &span);
  MPI_Type_commit(&span);
  MPI_Op_create(join, 0, &join_spans);
  for (int round = 0; round < rounds; round++) {
    root = round % ranks;
    for (nonblocking = 0; nonblocking < 2; nonblocking++) {
      one_to_all();
      all_to_one();
      all_to_all();
      reductions();
      more_in_place();
      own_operation(span, join_spans);
    }
  }
  MPI_Op_free(&join_spans);
  MPI_Type_free(&span);
  MPI_Barrier(MPI_COMM_WORLD); // nobody says ok before everybody is
  if (rank == 0) printf("collectives: ok, %d ranks, %d rounds\n", ranks, rounds);
  MPI_Finalize();
  return 0;
}
