// SPDX-License-Identifier: Apache-2.0
// A heat equation on a plane that is periodic in y and open in x; every tenth step rank 0 gathers
// from whoever comes first.
//   mpirun -n 12 heat [steps]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWidth = 24, kHeight = 32, kTag = 7, kGather };

static int rank, ranks, columns, rows;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  for (rows = 1; (rows + 1) * (rows + 1) <= ranks; rows++)
    ;
  while (ranks % rows != 0) rows--;
  columns = ranks / rows;
  const int x = rank % columns, y = rank / columns;
  const int west = x > 0 ? rank - 1 : MPI_PROC_NULL,
            east = x < columns - 1 ? rank + 1 : MPI_PROC_NULL;
  const int north = (y + rows - 1) % rows * columns + x, south = (y + 1) % rows * columns + x;
  double out[kWidth + kHeight] = {0}, in[kWidth + kHeight], sum = 0, all;
  for (int step = 1; step <= steps; step++) {
    MPI_Sendrecv(out, kHeight, MPI_DOUBLE, east, kTag, in, kHeight, MPI_DOUBLE, west, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, kHeight, MPI_DOUBLE, west, kTag, in, kHeight, MPI_DOUBLE, east, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, kWidth, MPI_DOUBLE, north, kTag, in, kWidth, MPI_DOUBLE, south, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, kWidth, MPI_DOUBLE, south, kTag, in, kWidth, MPI_DOUBLE, north, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (step % 10 != 0) continue;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank != 0) {
      MPI_Send(out, kWidth, MPI_DOUBLE, 0, kGather, MPI_COMM_WORLD);
    } else {
      for (int from = 1; from < ranks; from++)
        MPI_Recv(in, kWidth, MPI_DOUBLE, MPI_ANY_SOURCE, kGather, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0) printf("heat: ok, %d ranks as %d x %d\n", ranks, columns, rows);
  MPI_Finalize();
  return 0;
}
