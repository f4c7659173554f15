// SPDX-License-Identifier: Apache-2.0
// A library that takes datatypes apart before each message, as PETSc does: it asks for the contents
// of a copy, looks into what it got, and frees that by the same call that frees types of its own.
#include <mpi.h>
#include <stdlib.h>

static void free_type(MPI_Datatype* type) { MPI_Type_free(type); }

static int parts_of(MPI_Datatype type) {
  int integers[4], count;
  MPI_Aint addresses[4];
  MPI_Datatype inner, innermost;
  MPI_Type_get_contents(type, 0, 0, 1, integers, addresses, &inner); // of a copy: the original
  MPI_Type_get_contents(inner, 1, 0, 1, integers, addresses, &innermost);
  count = integers[0];
  free_type(&inner);
  return count;
}

int main(int argc, char** argv) {
  double data[64] = {0};
  int rank, size;
  MPI_Datatype block, copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 5; ++i) {
    MPI_Type_contiguous(4 + i % 2, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    MPI_Type_dup(block, &copy);
    for (int j = 0; j <= i % 3; ++j) {
      if (parts_of(copy) != 4 + i % 2) abort();
      MPI_Sendrecv(data, 1, copy, (rank + 1) % size, 7, data + 32, 1, copy,
                   (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free_type(&copy);
    free_type(&block);
  }
  MPI_Type_contiguous(4, MPI_DOUBLE, &block);
  for (int i = 0; i < 40; ++i) { // in which nothing but questions is asked, and something computed
    int integers[1];
    MPI_Aint addresses[1];
    MPI_Datatype inner;
    const double begin = MPI_Wtime();
    while (MPI_Wtime() < begin + 1e-3) continue;
    MPI_Type_get_contents(block, 1, 0, 1, integers, addresses, &inner);
  }
  free_type(&block);
  for (int i = 0; i < 12; ++i) { // in an order that no loop explains
    MPI_Datatype both[2];
    int integers[4];
    MPI_Aint addresses[4];
    const int first = (0x5a3 >> i) & 1;
    MPI_Type_contiguous(3, MPI_INT, &both[0]);
    MPI_Type_dup(both[0], &copy);
    MPI_Type_get_contents(copy, 0, 0, 1, integers, addresses, &both[1]);
    for (int j = 0; j < 2; ++j) free_type(&both[j == 0 ? first : !first]);
    MPI_Type_free(&copy);
  }
  if (argc > 1) { // then a datatype of a query is used
    MPI_Datatype inner;
    int integers[4];
    MPI_Aint addresses[4];
    MPI_Type_contiguous(2, MPI_INT, &block);
    MPI_Type_dup(block, &copy);
    MPI_Type_get_contents(copy, 0, 0, 1, integers, addresses, &inner);
    MPI_Type_commit(&inner);
    MPI_Bcast(data, 1, inner, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
