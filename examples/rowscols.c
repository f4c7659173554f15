// SPDX-License-Identifier: Apache-2.0
// Ranks in rows and columns, each row and each column a communicator of its own by MPI_Comm_split,
// with collectives inside. A copy of the row's communicator is made and freed again in every round,
// as libraries do.
//   mpirun -n 6 rowscols [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

static void check(const char* what, long expected, long came) {
  if (came == expected) return;
  fprintf(stderr, "rowscols: rank %d: %s: expected %ld, came %ld\n", rank, what, expected, came);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static long sum_of(const long* numbers, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += numbers[i];
  return sum;
}

// The sum of i = first, first + step, ... (count of them).
static long progression(long first, long step, long count) {
  return count * first + step * count * (count - 1) / 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;

  int shape[2] = {0, 0};
  MPI_Dims_create(ranks, 2, shape);
  const int rows = shape[0], columns = shape[1], row = rank / columns, column = rank % columns;
  MPI_Comm my_row, my_column;
  MPI_Comm_split(MPI_COMM_WORLD, row, column, &my_row);
  // Keys count down, so that the last row comes first: rank r of a column is in row rows-1-r.
  MPI_Comm_split(MPI_COMM_WORLD, column, -row, &my_column);
  int row_size, column_size, column_rank;
  MPI_Comm_size(my_row, &row_size);
  MPI_Comm_size(my_column, &column_size);
  MPI_Comm_rank(my_column, &column_rank);
  check("size of the row", columns, row_size);
  check("size of the column", rows, column_size);
  check("rank in the column", rows - 1 - row, column_rank);

  long* numbers = malloc(ranks * sizeof *numbers);
  for (int round = 0; round < rounds; round++) {
    const long row_sum = progression((long)row * columns, 1, columns);
    const long column_sum = progression(column, columns, rows);
    long mine = rank + round, sum;

    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, my_row);
    check("sum of the row", row_sum + (long)columns * round, sum);

    MPI_Allgather(&mine, 1, MPI_LONG, numbers, 1, MPI_LONG, my_column);
    check("sum of the column", column_sum + (long)rows * round, sum_of(numbers, rows));
    check("head of the column", (rows - 1) * columns + column + round, numbers[0]);

    // Each rank of the row in turn speaks to the others, on a copy that is gone after the round.
    const int speaker = round % columns;
    MPI_Comm copy;
    MPI_Comm_dup(my_row, &copy);
    MPI_Bcast(&mine, 1, MPI_LONG, speaker, copy);
    check("number from the speaker", row * columns + speaker + round, mine);
    MPI_Comm_free(&copy);

    // Only the first rows go on; the others have no communicator.
    MPI_Comm above;
    MPI_Comm_split(my_column, row <= rows / 2 ? 0 : MPI_UNDEFINED, row, &above);
    if (above != MPI_COMM_NULL) {
      sum = 0;
      mine = rank;
      MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, 0, above);
      if (row == 0) check("sum of the first rows", progression(column, columns, rows / 2 + 1), sum);
      MPI_Comm_free(&above);
    }
  }
  free(numbers);
  MPI_Comm_free(&my_column);
  MPI_Comm_free(&my_row);
  MPI_Barrier(MPI_COMM_WORLD); // nobody says ok before everybody is
  if (rank == 0)
    printf("rowscols: ok, %d ranks as %d x %d, %d rounds\n", ranks, rows, columns, rounds);
  MPI_Finalize();
  return 0;
}
