// SPDX-License-Identifier: Apache-2.0
// One-sided communication of every kind of epoch, on all ranks and on halves of them.
#include <mpi.h>

int main(int argc, char** argv) {
  static double from[40000], window[40000], own[4000];
  int rank, size, half_rank, half_size;
  MPI_Comm half;
  MPI_Win all, some;
  MPI_Group world, to, of;
  MPI_Request put;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  MPI_Win_create(window, sizeof window, sizeof window[0], MPI_INFO_NULL, MPI_COMM_WORLD, &all);
  MPI_Win_create(own, sizeof own, sizeof own[0], MPI_INFO_NULL, half, &some);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const int next = (half_rank + 1) % half_size;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &right, &to);
  MPI_Group_incl(world, 1, &left, &of);
  for (int i = 0; i < 20; ++i) {
    MPI_Win_fence(0, all);
    MPI_Put(from, 2000, MPI_DOUBLE, right, 0, 2000, MPI_DOUBLE, all);
    MPI_Get(from + 10000, 1000, MPI_DOUBLE, left, 5000, 1000, MPI_DOUBLE, all);
    MPI_Accumulate(from, 500, MPI_DOUBLE, (rank + 2) % size, 20000, 500, MPI_DOUBLE, MPI_SUM, all);
    MPI_Win_fence(0, all);
    MPI_Win_post(of, 0, all);
    MPI_Win_start(to, 0, all);
    MPI_Put(from, 1000, MPI_DOUBLE, right, 0, 1000, MPI_DOUBLE, all);
    MPI_Win_complete(all);
    MPI_Win_wait(all);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, some);
    MPI_Rput(from, 3000, MPI_DOUBLE, next, 0, 3000, MPI_DOUBLE, some, &put);
    MPI_Wait(&put, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(from, from + 1, MPI_DOUBLE, next, 3500, MPI_SUM, some);
    MPI_Win_unlock(next, some);
  }
  MPI_Win_free(&some);
  MPI_Win_free(&all);
  return MPI_Finalize();
}
