// SPDX-License-Identifier: Apache-2.0
// Columns of a matrix that have the extent of one number, and a receive that could take 2 GiB.
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

enum { N = 1000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* matrix = calloc(N * N, sizeof *matrix);
  MPI_Datatype strided, column;
  MPI_Type_vector(N, 1, N, MPI_DOUBLE, &strided);
  MPI_Type_create_resized(strided, 0, sizeof(double), &column);
  MPI_Type_commit(&column);
  MPI_Bcast(matrix, 2, column, 0, MPI_COMM_WORLD);
  MPI_Sendrecv(matrix, 5, MPI_CHAR, (rank + 1) % size, 0, matrix + N, INT_MAX, MPI_CHAR,
               MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  free(matrix);
  return 0;
}
