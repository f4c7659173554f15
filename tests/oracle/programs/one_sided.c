// SPDX-License-Identifier: Apache-2.0
// Every call of one-sided communication, under each kind of synchronisation and on each kind of
// window. Each rank speaks to the next one, which is itself if there is only one.
#include "check.h"

enum { kSlots = 8 };

static void refill(MPI_Win win, int* memory) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < kSlots; ++i) memory[i] = 100 * rank + i;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The value at `slot` of this rank's memory when all have done their part.
static int settled(MPI_Win win, const int* memory, int slot) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  int value = memory[slot];
  MPI_Win_unlock(rank, win);
  return value;
}

static void fences(MPI_Win win, int* memory) {
  int mine = rank + 7, got = -1;
  refill(win, memory);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  SIZED(MPI_Put)(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, win);
  SIZED(MPI_Get)(&got, 1, MPI_INT, next, 3, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(got == 100 * next + 3);
  SIZED(MPI_Accumulate)(&mine, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_SUM, win);
  SIZED(MPI_Put)(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
  CHECK(settled(win, memory, 0) == previous + 7);
  CHECK(settled(win, memory, 1) == 100 * rank + 1 + previous + 7);
}

static void groups(MPI_Win win, int* memory) {
  MPI_Group all, to, from;
  int mine = rank + 9;
  refill(win, memory);
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &previous, &from);
  MPI_Win_post(from, MPI_MODE_NOSTORE, win);
  MPI_Win_start(to, 0, win);
  SIZED(MPI_Put)(&mine, 1, MPI_INT, next, 2, 1, MPI_INT, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  CHECK(settled(win, memory, 2) == previous + 9);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  MPI_Group_free(&all);
}

static void locks(MPI_Win win, int* memory) {
  int mine = rank + 1, compare = 100 * next + 5, got = -1, none = 0, many[2] = {1, 2}, old[2];
  refill(win, memory);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
  SIZED(MPI_Put)(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, win);
  MPI_Win_flush(next, win);
  SIZED(MPI_Get)(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win);
  MPI_Win_flush_local(next, win);
  MPI_Win_unlock(next, win);
  CHECK(got == rank + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  SIZED(MPI_Get_accumulate)
  (&mine, 1, MPI_INT, &got, 1, MPI_INT, next, 4, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_flush_all(win);
  CHECK(got == 100 * next + 4);
  SIZED(MPI_Get_accumulate)
  (NULL, 0, MPI_INT, &got, 1, MPI_INT, next, 4, 1, MPI_INT, MPI_NO_OP, win);
  MPI_Win_flush_local_all(win);
  CHECK(got == rank + 1);
  MPI_Compare_and_swap(&mine, &compare, &got, MPI_INT, next, 5, win);
  MPI_Win_flush(next, win);
  CHECK(got == compare);
  MPI_Fetch_and_op(&mine, &got, MPI_INT, next, 5, MPI_SUM, win);
  MPI_Win_flush(next, win);
  CHECK(got == rank + 1);
  MPI_Fetch_and_op(&none, &got, MPI_INT, next, 5, MPI_NO_OP, win);
  MPI_Win_flush(next, win);
  CHECK(got == 2 * (rank + 1));
  SIZED(MPI_Accumulate)(many, 2, MPI_INT, next, 6, 2, MPI_INT, MPI_MAX, win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  CHECK(settled(win, memory, 6) == (rank ? 100 * rank + 6 : 6));

  MPI_Request requests[4];
  refill(win, memory);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  SIZED(MPI_Rput)(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, win, &requests[0]);
  SIZED(MPI_Rget)(&got, 1, MPI_INT, next, 1, 1, MPI_INT, win, &requests[1]);
  SIZED(MPI_Raccumulate)(&mine, 1, MPI_INT, next, 2, 1, MPI_INT, MPI_SUM, win, &requests[2]);
  SIZED(MPI_Rget_accumulate)
  (&mine, 1, MPI_INT, &old[0], 1, MPI_INT, next, 3, 1, MPI_INT, MPI_SUM, win, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(got == 100 * next + 1);
  CHECK(old[0] == 100 * next + 3);
  SIZED(MPI_Rget_accumulate)
  (NULL, 0, MPI_DATATYPE_NULL, &old[1], 1, MPI_INT, next, 3, 1, MPI_INT, MPI_NO_OP, win,
   &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  CHECK(old[1] == 100 * next + 3 + rank + 1);
  MPI_Win_unlock_all(win);
  CHECK(settled(win, memory, 0) == previous + 1);
  CHECK(settled(win, memory, 2) == 100 * rank + 2 + previous + 1);
}

static void every_access(MPI_Win win, int* memory) {
  fences(win, memory);
  groups(win, memory);
  locks(win, memory);
}

static void shared(void) {
  MPI_Comm node;
  MPI_Win win;
  int* memory;
  int size, queried_unit, me, here;
  MPI_Aint queried;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_rank(node, &me);
  SIZED(MPI_Win_allocate_shared)(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win);
  MPI_Win_lock_all(0, win);
  *memory = 10 * me;
  MPI_Win_sync(win);
  MPI_Barrier(node);
  int* theirs;
  MPI_Win_shared_query(win, (me + 1) % here, &queried, &queried_unit, &theirs);
  MPI_Win_sync(win);
  CHECK(*theirs == 10 * ((me + 1) % here));
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
  MPI_Win win, second;
  MPI_Comm backwards;
  int created[kSlots], *allocated;
  begin(&argc, &argv);
  SIZED(MPI_Win_create)(created, sizeof created, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_name(win, "created");
  every_access(win, created);
  SIZED(MPI_Win_allocate)
  (sizeof created, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &second);
  every_access(second, allocated); // two windows at a time
  MPI_Win_free(&win);
  MPI_Win_free(&second);
  shared();
  // A window without memory, of a communicator whose ranks run the other way.
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  SIZED(MPI_Win_create)(NULL, 0, 1, MPI_INFO_NULL, backwards, &win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&backwards);
  CHECK(win == MPI_WIN_NULL);
  return end("one_sided");
}
