// SPDX-License-Identifier: Apache-2.0
// Four ranks that sleep where it is known: before a fence, before a window is opened, before access
// to one ends, before the first of two messages that the receiver wants, and with a window's lock.
#include <mpi.h>
#include <time.h>

static void delay(void) {
  const struct timespec length = {0, 300 * 1000 * 1000};
  nanosleep(&length, NULL);
}

static MPI_Group group_of(int rank) {
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&all);
  return one;
}

// `origin` puts into `target`, one of which sleeps before its first or last call.
static void put(int rank, int origin, int target, int is_post_late, MPI_Win win) {
  if (rank == origin) {
    MPI_Group peers = group_of(target);
    MPI_Win_start(peers, 0, win);
    MPI_Put(&rank, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    if (!is_post_late) delay();
    MPI_Win_complete(win);
    MPI_Group_free(&peers);
  } else if (rank == target) {
    MPI_Group peers = group_of(origin);
    if (is_post_late) delay();
    MPI_Win_post(peers, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&peers);
  }
}

// One sleeps while it has the lock that the other wants.
static void lock(int rank, MPI_Win win) {
  if (rank > 1) return;
  if (rank == 1) delay(); // comes when the other has it for so long, and will for as long again
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win);
  MPI_Put(&rank, 1, MPI_INT, 3, 0, 1, MPI_INT, win);
  MPI_Win_flush(3, win); // now it has it, under any MPI
  if (rank == 0) delay();
  if (rank == 0) delay();
  MPI_Win_unlock(3, win);
}

static void wrong_order(int rank) {
  int values[2] = {rank, rank};
  if (rank == 0) {
    MPI_Send(&values[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    delay();
    MPI_Send(&values[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(&values[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&values[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, cell = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  if (rank == 1) delay();
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win); // the other three wait
  put(rank, 1, 0, 1, win);
  MPI_Barrier(MPI_COMM_WORLD); // 2 and 3 wait
  put(rank, 3, 2, 0, win);
  MPI_Barrier(MPI_COMM_WORLD); // 0 and 1 wait
  wrong_order(rank);
  MPI_Barrier(MPI_COMM_WORLD); // 2 and 3 wait
  lock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD); // 2 and 3 wait for two delays
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
