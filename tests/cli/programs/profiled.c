// SPDX-License-Identifier: Apache-2.0
// A bit of everything that moves data, in loops, with ranks that do not do the same: for profiles.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static double out[1 << 16], in[1 << 16], window[1 << 12];

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* counts = calloc((size_t)size, sizeof *counts);
  int* places = calloc((size_t)size, sizeof *places);
  int* from = calloc((size_t)size, sizeof *from);
  for (int i = 0; i < size; ++i) {
    counts[i] = (rank + i) % 3;
    from[i] = (rank + i) % 3;
    places[i] = 3 * i;
  }
  MPI_Request requests[2];
  MPI_Comm half;
  MPI_Win win;
  MPI_File file;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Win_create(window, sizeof window, sizeof window[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < 40; ++step) {
    const int n = 100 * (rank + 1) + step % 5;
    MPI_Irecv(in, 1 << 16, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, n, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank > 0) MPI_Send(out, rank, MPI_INT, 0, 2, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; ++i)
      MPI_Recv(in, 1 << 16, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(out, 10, MPI_DOUBLE, step % size, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, half);
    MPI_Alltoall(out, 4, MPI_INT, in, 4, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(out, counts, places, MPI_INT, in, from, places, MPI_INT, MPI_COMM_WORLD);
    if (step % 10 == 0 && rank == size - 1) usleep(2000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Put(out, rank + 1, MPI_DOUBLE, right, 0, rank + 1, MPI_DOUBLE, win);
    MPI_Get(in, 2, MPI_DOUBLE, left, 100, 2, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
  MPI_Sendrecv(out, 5, MPI_INT, right, 3, in, 5, MPI_INT, left, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allgather(out, 3, MPI_INT, in, 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Reduce(out, in, 7, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int step = 0; step < 3; ++step) {
    char name[] = "part.0";
    name[5] = (char)('0' + step);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 4096, out, 100 + step, MPI_DOUBLE, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_File_read_at(file, 0, in, 10, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_Win_free(&win);
  MPI_Comm_free(&half);
  free(from);
  free(places);
  free(counts);
  return MPI_Finalize();
}
