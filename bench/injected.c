// SPDX-License-Identifier: Apache-2.0
// Four ranks, one of which sleeps in each phase while others wait for it. Every kind of waiting has
// a phase of its own; what it should be is found by the program's own clock, of when each rank came
// and went, and printed: "phase seconds".
#include "rondo/rondo_phase.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRanks = 4, kLarge = 1 << 20 };
typedef enum { kNobody, kOne, kTwo, kAll, kRoot, kToRoot, kLower, kNeighbours } WaitsFor;

static int rank;
static double delay_s;
// When the rank came to its side, when it began to wait, and when it went on.
static double came, entered, went;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void late(int who) {
  const struct timespec length = {(time_t)delay_s,
                                  (long)((delay_s - (double)(time_t)delay_s) * 1e9)};
  if (rank == who) nanosleep(&length, NULL);
}

#define WAITING(call)                                                                              \
  do {                                                                                             \
    entered = now();                                                                               \
    if (came == 0) came = entered;                                                                 \
    call;                                                                                          \
    went = now();                                                                                  \
  } while (0)
#define COMING(call)                                                                               \
  do {                                                                                             \
    came = now();                                                                                  \
    call;                                                                                          \
  } while (0)

static void begin(const char* phase) {
  came = entered = went = 0;
  MPI_Barrier(MPI_COMM_WORLD); // what is waited for here is of no phase
  rondo_phase_begin(phase);
}

// `one` waits for `other`, or as the kind says.
static int waits(WaitsFor kind, int one, int other, int who, int whom) {
  switch (kind) {
  case kNobody:
    return 0;
  case kOne:
    return who == one && whom == other;
  case kTwo: // for all others that came
    return who == one;
  case kAll:
    return 1;
  case kRoot:
    return who != other && whom == other;
  case kToRoot:
    return who == one;
  case kLower:
    return whom < who;
  case kNeighbours:
    return whom == (who + 1) % kRanks || whom == (who + kRanks - 1) % kRanks;
  }
  return 0;
}

static void end(const char* phase, WaitsFor kind, int one, int other) {
  rondo_phase_end(phase);
  MPI_Pcontrol(0);
  double own[3] = {came, entered, went}, all[kRanks][3];
  MPI_Gather(own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  double sum = 0;
  for (int who = 0; rank == 0 && who < kRanks; ++who) {
    double until = 0;
    for (int whom = 0; whom < kRanks; ++whom) {
      if (whom != who && waits(kind, one, other, who, whom) && all[whom][0] > until)
        until = all[whom][0];
    }
    if (all[who][2] < until) until = all[who][2];
    if (until > all[who][1]) sum += until - all[who][1];
  }
  if (rank == 0) printf("%s %.9f\n", phase, sum);
}

static void messages(char* buffer) {
  int value = 0, values[2] = {0, 0};
  MPI_Request requests[2];
  begin("late sender");
  late(0);
  if (rank == 0) COMING(MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
  if (rank == 1) WAITING(MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  end("late sender", kOne, 1, 0);
  begin("late sender, waitall");
  late(3);
  if (rank == 2) {
    MPI_Irecv(&values[0], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 3, 2, MPI_COMM_WORLD, &requests[1]);
    WAITING(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  } else if (rank != 1) {
    COMING(MPI_Send(values, 1, MPI_INT, 2, 2, MPI_COMM_WORLD));
  }
  end("late sender, waitall", kTwo, 2, 0);
  begin("late receiver");
  late(3);
  if (rank == 2) WAITING(MPI_Send(buffer, kLarge, MPI_CHAR, 3, 3, MPI_COMM_WORLD));
  if (rank == 3)
    COMING(MPI_Recv(buffer, kLarge, MPI_CHAR, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  end("late receiver", kOne, 2, 3);
  begin("late receiver, synchronous");
  late(3);
  if (rank == 2) WAITING(MPI_Ssend(&value, 1, MPI_INT, 3, 3, MPI_COMM_WORLD));
  if (rank == 3) COMING(MPI_Recv(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  end("late receiver, synchronous", kOne, 2, 3);
  begin("late receiver, wait");
  late(3);
  if (rank == 2) {
    MPI_Isend(buffer, kLarge, MPI_CHAR, 3, 3, MPI_COMM_WORLD, requests);
    WAITING(MPI_Wait(requests, MPI_STATUS_IGNORE));
  }
  if (rank == 3)
    COMING(MPI_Recv(buffer, kLarge, MPI_CHAR, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  end("late receiver, wait", kOne, 2, 3);
  begin("messages in wrong order");
  if (rank == 0) {
    MPI_Send(&values[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    late(0);
    COMING(MPI_Send(&values[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD));
  } else if (rank == 1) {
    WAITING(MPI_Recv(&values[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_Recv(&values[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  end("messages in wrong order", kOne, 1, 0);
}

#define COLLECTIVE(phase, who, kind, one, other, call)                                             \
  do {                                                                                             \
    begin(phase);                                                                                  \
    late(who);                                                                                     \
    WAITING(call);                                                                                 \
    end(phase, kind, one, other);                                                                  \
  } while (0)

static void collectives(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  int value = rank, sum = 0, four[kRanks] = {0}, others[kRanks] = {0};
  MPI_Comm twin;
  COLLECTIVE("wait at barrier", 2, kAll, 0, 0, MPI_Barrier(world));
  COLLECTIVE("wait at all-to-all", 1, kAll, 0, 0,
             MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world));
  COLLECTIVE("wait at all-to-all, alltoall", 3, kAll, 0, 0,
             MPI_Alltoall(four, 1, MPI_INT, others, 1, MPI_INT, world));
  COLLECTIVE("wait at all-to-all, allgather", 0, kAll, 0, 0,
             MPI_Allgather(&value, 1, MPI_INT, others, 1, MPI_INT, world));
  COLLECTIVE("wait at all-to-all, reduce_scatter", 2, kAll, 0, 0,
             MPI_Reduce_scatter_block(four, &sum, 1, MPI_INT, MPI_SUM, world));
  COLLECTIVE("wait at all-to-all, dup", 1, kAll, 0, 0, MPI_Comm_dup(world, &twin));
  COLLECTIVE("late broadcast", 0, kRoot, 0, 0, MPI_Bcast(&value, 1, MPI_INT, 0, world));
  COLLECTIVE("late broadcast, scatter", 0, kRoot, 0, 0,
             MPI_Scatter(four, 1, MPI_INT, &value, 1, MPI_INT, 0, world));
  COLLECTIVE("early reduce", 1, kToRoot, 0, 0,
             MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, world));
  COLLECTIVE("early reduce, gather", 1, kToRoot, 0, 0,
             MPI_Gather(&value, 1, MPI_INT, others, 1, MPI_INT, 0, world));
  COLLECTIVE("early scan", 0, kLower, 0, 0, MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, world));
  COLLECTIVE("early scan, exscan", 0, kLower, 0, 0,
             MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, world));
  MPI_Comm_free(&twin);
}

static void behind(MPI_Comm ring) {
  int value = rank, sum = 0, around[2] = {0, 0};
  MPI_Request request;
  begin("wait for completion");
  late(0);
  COMING(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  WAITING(MPI_Wait(&request, MPI_STATUS_IGNORE));
  end("wait for completion", kAll, 0, 0);
  begin("wait for completion, iallreduce");
  late(1);
  COMING(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  WAITING(MPI_Wait(&request, MPI_STATUS_IGNORE));
  end("wait for completion, iallreduce", kAll, 0, 0);
  COLLECTIVE("wait for neighbours", 3, kNeighbours, 0, 0,
             MPI_Neighbor_allgather(&value, 1, MPI_INT, around, 1, MPI_INT, ring));
  begin("nobody waits");
  COMING(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  for (int who = 0; who < kRanks; ++who) late(who); // all compute meanwhile
  WAITING(MPI_Wait(&request, MPI_STATUS_IGNORE));
  end("nobody waits", kNobody, 0, 0);
}

static MPI_Group group_of(int member) {
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &member, &one);
  MPI_Group_free(&all);
  return one;
}

static void windows(void) {
  int cell = 0, value = rank;
  MPI_Win win;
  MPI_Group peer = group_of(rank ^ 1);
  COLLECTIVE("wait at window", 3, kAll, 0, 0,
             MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Win_fence(0, win);
  COLLECTIVE("wait at fence", 1, kAll, 0, 0, MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  begin("late post");
  late(0);
  if (rank == 1) {
    entered = now();
    MPI_Win_start(peer, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    went = now();
  } else if (rank == 0) {
    COMING(MPI_Win_post(peer, 0, win));
    MPI_Win_wait(win);
  }
  end("late post", kOne, 1, 0);
  begin("late complete");
  if (rank == 1) {
    MPI_Win_start(peer, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    late(1);
    COMING(MPI_Win_complete(win));
  } else if (rank == 0) {
    MPI_Win_post(peer, 0, win);
    WAITING(MPI_Win_wait(win));
  }
  end("late complete", kOne, 0, 1);
  begin("wait for lock");
  if (rank < 2) {
    late(1); // comes when the other has it for so long, and will for as long again
    entered = now();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win);
    MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, win);
    MPI_Win_flush(3, win); // now it has it, under any MPI
    went = now();
    late(0);
    late(0);
    COMING(MPI_Win_unlock(3, win));
  }
  end("wait for lock", kOne, 1, 0);
  COLLECTIVE("wait at window, free", 2, kAll, 0, 0, MPI_Win_free(&win));
  MPI_Group_free(&peer);
}

int main(int argc, char** argv) {
  delay_s = argc > 1 ? atof(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int around[2] = {(rank + 3) % 4, (rank + 1) % 4};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  char* const buffer = calloc(kLarge, 1);
  messages(buffer);
  collectives();
  behind(ring);
  windows();
  free(buffer);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
