// SPDX-License-Identifier: Apache-2.0
// Files written and read again, windows of all kinds, buffered sends, probes and an
// inter-communicator: what the examples leave out.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void files(void) {
  MPI_File file;
  int values[16];
  memset(values, 0, sizeof values);
  MPI_Datatype every_other;
  MPI_Type_vector(8, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_File_open(MPI_COMM_WORLD, "replayed.bin", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  MPI_File_set_size(file, 4096);
  MPI_File_set_view(file, rank * 64, MPI_INT, every_other, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, values, 8, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_Request request;
  MPI_File_iread_at(file, 0, values, 8, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, "replayed.bin", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_read_at_all(file, rank * 4, values, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&every_other);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_File_delete("replayed.bin", MPI_INFO_NULL);
}

static void windows(void) {
  int local[8] = {0}, other = 0, old = 0;
  const int next = (rank + 1) % size;
  MPI_Win win;
  MPI_Win_create(local, sizeof local, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(&other, 1, MPI_INT, next, 3, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
  MPI_Fetch_and_op(&other, &old, MPI_INT, next, 1, MPI_SUM, win);
  MPI_Win_flush(next, win);
  MPI_Get(local, 2, MPI_INT, next, 4, 2, MPI_INT, win);
  MPI_Win_unlock(next, win);
  MPI_Win_free(&win);
  int* memory;
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  MPI_Request request;
  MPI_Raccumulate(&other, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);

  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win); // to which nothing is attached
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void messages(void) {
  char space[1024 + MPI_BSEND_OVERHEAD];
  int value = rank, flag = 0;
  const int next = (rank + 1) % size;
  MPI_Buffer_attach(space, sizeof space);
  MPI_Bsend(&value, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
  MPI_Message message;
  MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  void* back;
  int bytes;
  MPI_Buffer_detach(&back, &bytes);
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &request);
  while (!flag)
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Request receiving;
  MPI_Imrecv(&value, 1, MPI_INT, &message, &receiving);
  MPI_Wait(&receiving, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void) {
  MPI_Comm half, inter, merged, copy;
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? (size - 1) / 2 * 2 : size / 2 * 2 - 1, 7,
                       &inter);
  MPI_Barrier(inter);
  int half_rank, words[3];
  MPI_Comm_rank(half, &half_rank);
  MPI_Bcast(words, 3, MPI_INT,
            rank % 2 == 0    ? 0
            : half_rank == 0 ? MPI_ROOT
                             : MPI_PROC_NULL,
            inter);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Comm_idup(merged, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(copy);
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int range[1][3] = {{0, size - 1, 2}};
  MPI_Group_range_incl(all, 1, range, &some);
  MPI_Comm even;
  MPI_Comm_create(MPI_COMM_WORLD, some, &even);
  if (even != MPI_COMM_NULL) {
    MPI_Barrier(even);
    MPI_Comm_free(&even);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  files();
  windows();
  messages();
  communicators();
  MPI_Finalize();
  return 0;
}
