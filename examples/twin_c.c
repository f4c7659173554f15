// SPDX-License-Identifier: Apache-2.0
// One of four twins (twin_c.c, twin_mpif.f90, twin_usempi.f90, twin_f08.f90): the same program,
// call by call, in C and in the three Fortran bindings. A recording must not show which one ran, so
// nothing here depends on time: every probe, test and wait finds the same in every run. Change all
// four together.
//   mpirun -n 4 twin_c [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostRanks = 256 };

static int rank, ranks, failures;

static void check(const char* what, int expected, int came) {
  if (came == expected) return;
  if (failures == 0)
    fprintf(stderr, "twin_c: rank %d, %s: expected %d, came %d\n", rank, what, expected, came);
  failures++;
}

int main(int argc, char** argv) {
  int rounds = 10, right, left, next, previous, west, east, column, total;
  int dims[2] = {0, 0}, periodic[2] = {1, 0}, keep[2] = {0, 1};
  int members[kMostRanks], counts[kMostRanks], starts[kMostRanks], gathered[3 * kMostRanks];
  int number, arrived, shared, sum, index, indices[2], flag, count, strided[8], four[4], words[3];
  double real, real_arrived, reals[3], reals_arrived[3];
  MPI_Comm copy, half, grid, line, front;
  MPI_Group everyone, first_half;
  MPI_Datatype stripe;
  MPI_Request requests[2], lasting[2];
  MPI_Status status, statuses[2];

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Pcontrol(1);
  if (argc > 1) rounds = atoi(argv[1]);
  if (ranks > kMostRanks) {
    if (rank == 0) fprintf(stderr, "twin_c: needs at most 256 ranks, not %d\n", ranks);
    MPI_Finalize();
    return 2;
  }
  right = (rank + 1) % ranks;
  left = (rank + ranks - 1) % ranks;
  next = ranks > 1 ? right
                   : MPI_PROC_NULL; // for blocking calls, which one rank must not use on itself
  previous = ranks > 1 ? left : MPI_PROC_NULL;

  // Communicators of all kinds, a datatype, persistent requests.
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
  MPI_Cart_shift(grid, 1, 1, &west, &east);
  MPI_Cart_sub(grid, keep, &line);
  MPI_Comm_rank(line, &column);
  for (int r = 0; r < (ranks + 1) / 2; r++) members[r] = r;
  MPI_Comm_group(MPI_COMM_WORLD, &everyone);
  MPI_Group_incl(everyone, (ranks + 1) / 2, members, &first_half);
  MPI_Comm_create(MPI_COMM_WORLD, first_half, &front);
  MPI_Group_free(&first_half);
  MPI_Group_free(&everyone);
  MPI_Type_vector(4, 1, 2, MPI_INT, &stripe);
  MPI_Type_commit(&stripe);
  MPI_Send_init(&number, 1, MPI_INT, right, 7, copy, &lasting[0]);
  MPI_Recv_init(&arrived, 1, MPI_INT, left, 7, copy, &lasting[1]);
  for (int r = 0; r < ranks; r++) {
    counts[r] = r % 3 + 1;
    starts[r] = 3 * r;
  }

  for (int round = 1; round <= rounds; round++) {
    number = 100 * round + rank;

    shared = number;
    MPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check("bcast", 100 * round, shared);

    // Blocking, around the ring: even ranks send first.
    arrived = 100 * round + left;
    if (rank % 2 == 0) {
      MPI_Send(&number, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
      MPI_Recv(&arrived, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&arrived, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&number, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    }
    check("recv", 100 * round + left, arrived);

    // Nonblocking, around the ring.
    for (int i = 0; i < 3; i++) reals[i] = number + i;
    MPI_Irecv(reals_arrived, 3, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(reals, 3, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check("waitall", 100 * round + left + 2, (int)reals_arrived[2]);

    // Every other integer, by a vector type; Waitany has one request left to wait for.
    for (int i = 0; i < 8; i++) strided[i] = number + i;
    MPI_Isend(strided, 1, stripe, right, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(four, 4, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &index, &status);
    check("waitany", 1, index);
    check("source", left, status.MPI_SOURCE);
    check("vector", 100 * round + left + 6, four[3]);

    // Nobody has sent yet: the barrier stands between the test and the message.
    MPI_Irecv(&arrived, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Test(&requests[0], &flag, &status);
    check("test before the barrier", 0, flag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&number, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], &status);
    check("tag", 4, status.MPI_TAG);
    check("wait", 100 * round + left, arrived);
    MPI_Irecv(&arrived, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    check("test of nobody", 1, flag);

    MPI_Sendrecv(&number, 1, MPI_INT, right, 5, &arrived, 1, MPI_INT, left, 5, MPI_COMM_WORLD,
                 &status);
    check("sendrecv", 100 * round + left, arrived);
    shared = number;
    MPI_Sendrecv_replace(&shared, 1, MPI_INT, left, 5, right, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check("sendrecv_replace", 100 * round + right, shared);

    // Wildcards, on the copy, where only the left neighbour speaks to us.
    MPI_Isend(&number, 1, MPI_INT, right, 6, copy, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check("count", 1, count);
    MPI_Recv(&arrived, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, copy, MPI_STATUS_IGNORE);
    check("recv after probe", 100 * round + left, arrived);
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    check("waitsome", 1, count);
    MPI_Iprobe(MPI_ANY_SOURCE, 8, copy, &flag, MPI_STATUS_IGNORE);
    check("iprobe", 0, flag);

    // Persistent, all at once and one by one.
    MPI_Startall(2, lasting);
    MPI_Waitall(2, lasting, MPI_STATUSES_IGNORE);
    check("startall", 100 * round + left, arrived);
    MPI_Start(&lasting[1]);
    MPI_Start(&lasting[0]);
    MPI_Waitall(2, lasting, statuses);
    check("start", left, statuses[1].MPI_SOURCE);

    // Collectives, each on another communicator.
    sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, half);
    check("allreduce in place", (ranks + 1 - rank % 2) / 2, sum);
    for (int i = 0; i < 3; i++) words[i] = number;
    MPI_Gatherv(words, rank % 3 + 1, MPI_INT, gathered, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) check("gatherv", number + ranks - 1, gathered[3 * (ranks - 1)]);
    real = column;
    MPI_Allreduce(&real, &real_arrived, 1, MPI_DOUBLE, MPI_MAX, line);
    check("allreduce on the line", dims[1] - 1, (int)real_arrived);
    if (front != MPI_COMM_NULL) {
      shared = number;
      MPI_Bcast(&shared, 1, MPI_INT, 0, front);
      check("bcast in front", 100 * round, shared);
    }

    // Along the open dimension of the grid, where the ends have nobody beside them.
    real = number;
    real_arrived = -1;
    MPI_Sendrecv(&real, 1, MPI_DOUBLE, east, 9, &real_arrived, 1, MPI_DOUBLE, west, 9, grid,
                 MPI_STATUS_IGNORE);
    check("grid", west == MPI_PROC_NULL ? -1 : 100 * round + west, (int)real_arrived);
  }

  MPI_Request_free(&lasting[0]);
  MPI_Request_free(&lasting[1]);
  MPI_Type_free(&stripe);
  if (front != MPI_COMM_NULL) MPI_Comm_free(&front);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && total == 0) printf("twin_c: ok, %d ranks, %d rounds\n", ranks, rounds);
  MPI_Finalize();
  return total != 0;
}
