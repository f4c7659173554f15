// SPDX-License-Identifier: Apache-2.0
// A master that gives the next task to whoever is done with the last one.
//   mpirun -n 7 farm [tasks]
#include <mpi.h>
#include <stdlib.h>

enum { kTask = 1, kResult, kStop };

static void give_out(int tasks, int workers) {
  int sent = 0;
  double result;
  MPI_Status status;
  for (int worker = 1; worker <= workers; worker++, sent++)
    MPI_Send(&sent, 1, MPI_INT, worker, kTask, MPI_COMM_WORLD);
  for (int done = 0; done < sent; done++) {
    MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status);
    if (sent == tasks) continue;
    MPI_Send(&sent, 1, MPI_INT, status.MPI_SOURCE, kTask, MPI_COMM_WORLD);
    sent++;
  }
  for (int worker = 1; worker <= workers; worker++)
    MPI_Send(&sent, 1, MPI_INT, worker, kStop, MPI_COMM_WORLD);
}

static void work(void) {
  for (;;) {
    int task;
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStop) return;
    volatile double result = task;
    for (int i = 0; i < 1000 * (task % 7); i++) result = result * 1.0001;
    const double done = result;
    MPI_Send(&done, 1, MPI_DOUBLE, 0, kResult, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int tasks = argc > 1 ? atoi(argv[1]) : 200;
  if (rank == 0)
    give_out(tasks, ranks - 1);
  else
    work();
  MPI_Finalize();
  return 0;
}
