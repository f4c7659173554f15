// SPDX-License-Identifier: Apache-2.0
// What differs from run to run: how often a program asks until something has come, which answer is
// first, addresses as displacements.
#include "check.h"

enum { kMany = 8 };

static void asks(MPI_Comm comm) {
  MPI_Request r[kMany];
  MPI_Message message;
  MPI_Status status, statuses[kMany];
  int out = rank, in[kMany], flag, index, count, indices[kMany], done;
  for (int round = 0; round < 20; ++round) {
    SIZED(MPI_Isend)(&out, 1, MPI_INT, next, round, comm, &r[0]);
    do MPI_Iprobe(MPI_ANY_SOURCE, round, comm, &flag, MPI_STATUS_IGNORE);
    while (!flag);
    do MPI_Improbe(previous, round, comm, &flag, &message, &status);
    while (!flag);
    MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    do MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    while (!flag);
    do MPI_Test(&r[0], &flag, &status);
    while (!flag);
    CHECK(in[0] == previous);

    for (int i = 0; i < kMany; ++i)
      SIZED(MPI_Irecv)(&in[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : previous, i, comm, &r[i]);
    for (int i = kMany - 1; i >= 0; --i) SIZED(MPI_Send)(&i, 1, MPI_INT, next, i, comm);
    switch (round % 3) {
    case 0:
      do MPI_Testall(kMany, r, &flag, statuses);
      while (!flag);
      break;
    case 1:
      do MPI_Testany(kMany, r, &index, &flag, MPI_STATUS_IGNORE);
      while (!flag || index != MPI_UNDEFINED);
      break;
    case 2:
      for (done = 0; done < kMany; done += count)
        MPI_Testsome(kMany, r, &count, indices, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < kMany; ++i) CHECK(in[i] == i);
    MPI_Barrier(comm);
  }
}

#if MPI_VERSION >= 4
static void partitioned(void) {
  enum { kParts = 6 };
  int out[kParts], in[kParts], list[2] = {1, 3}, flag;
  MPI_Request r[2];
  for (int i = 0; i < kParts; ++i) out[i] = 10 * rank + i;
  MPI_Psend_init(out, kParts, 1, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Precv_init(in, kParts, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  for (int round = 0; round < 2; ++round) {
    memset(in, -1, sizeof in);
    MPI_Startall(2, r);
    MPI_Pready(0, r[0]);
    MPI_Pready_list(2, list, r[0]);
    MPI_Pready(2, r[0]);
    MPI_Pready_range(4, kParts - 1, r[0]);
    do MPI_Parrived(r[1], 2, &flag);
    while (!flag);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(in[0] == 10 * previous && in[kParts - 1] == 10 * previous + kParts - 1);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}
#endif

static void windows(void) {
  MPI_Win win;
  MPI_Group all, to, from;
  MPI_Aint mine, theirs;
  int memory[2] = {rank, -1}, value = rank + 3, got = -1, flag;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Get_address(memory, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, previous, 1, &theirs, 1, MPI_AINT, next, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  SIZED(MPI_Get)(&got, 1, MPI_INT, next, theirs, 1, MPI_INT, win);
  SIZED(MPI_Put)(&value, 1, MPI_INT, next, MPI_Aint_add(theirs, sizeof(int)), 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK(got == next);
  CHECK(memory[1] == previous + 3);
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &previous, &from);
  for (int round = 0; round < 5; ++round) {
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    SIZED(MPI_Accumulate)(&value, 1, MPI_INT, next, theirs, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_complete(win);
    do MPI_Win_test(win, &flag);
    while (!flag);
    CHECK(memory[0] == previous + 3);
  }
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  MPI_Group_free(&all);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

/// A type of absolute addresses, used with MPI_BOTTOM.
static void addresses(void) {
  int a = rank, b = rank + 1, in[2];
  Count lengths[2] = {1, 1};
  TypeDisplacement places[2];
  MPI_Aint address;
  MPI_Datatype types[2] = {MPI_INT, MPI_INT}, both;
  MPI_Get_address(&a, &address), places[0] = address;
  MPI_Get_address(&b, &address), places[1] = address;
  SIZED(MPI_Type_create_struct)(2, lengths, places, types, &both);
  MPI_Type_commit(&both);
  SIZED(MPI_Sendrecv)
  (MPI_BOTTOM, 1, both, next, 2, in, 2, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in[0] == previous && in[1] == previous + 1);
  MPI_Type_free(&both);
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  asks(comm);
  addresses();
#if MPI_VERSION >= 4
  partitioned();
#endif
#ifdef OPEN_MPI // 4.1 makes no window of one rank's memory
  if (ranks > 1)
#endif
    windows();
  MPI_Comm_free(&comm);
  return end("varying");
}
