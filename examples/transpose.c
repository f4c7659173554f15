// SPDX-License-Identifier: Apache-2.0
// Matrix times vector over and over, with the matrix dealt out in two dimensions as in NAS CG: a
// butterfly inside each row of ranks adds up the product, then every rank swaps its part with its
// transpose partner, so that the result lies where the next multiplication wants it. Arithmetic is
// modulo a prime, and every rank checks against a serial run.
//   mpirun -n 8 transpose [rounds]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kOrder = 64, kPrime = 10007, kRowTag = 1, kTransposeTag = 2, kDotTag = 3 };

static int rank, ranks, rows, columns; // rows x columns ranks; columns is rows or twice that

static long element(int i, int j) { return (3 * i + 7 * j + i * j) % 11; }

static void swap(const long* mine, long* theirs, int count, int partner, int tag) {
  MPI_Request request;
  MPI_Irecv(theirs, count, MPI_LONG, partner, tag, MPI_COMM_WORLD, &request);
  MPI_Send(mine, count, MPI_LONG, partner, tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Sum over the ranks of a row; rows are runs of `columns` ranks and begin at multiples of it.
static void sum_over_row(long* numbers, int count, int tag) {
  long other[kOrder];
  for (int bit = 1; bit < columns; bit *= 2) {
    swap(numbers, other, count, rank ^ bit, tag);
    for (int i = 0; i < count; i++) numbers[i] = (numbers[i] + other[i]) % kPrime;
  }
}

// p holds the columns of this rank's block before and after.
static void multiply(long* p) {
  const int row = rank / columns, column = rank % columns, ratio = columns / rows;
  const int height = kOrder / rows, width = kOrder / columns;
  long product[kOrder];
  for (int i = 0; i < height; i++) {
    product[i] = 0;
    for (int j = 0; j < width; j++)
      product[i] += element(row * height + i, column * width + j) * p[j];
    product[i] %= kPrime;
  }
  sum_over_row(product, height, kRowTag);
  // The partner's columns are among our rows: all of them, or one half where there are twice as
  // many columns.
  const int partner = column / ratio * columns + row * ratio + column % ratio;
  swap(product + column % ratio * width, p, width, partner, kTransposeTag);
}

static void multiply_serially(long* p) {
  long product[kOrder];
  for (int i = 0; i < kOrder; i++) {
    product[i] = 0;
    for (int j = 0; j < kOrder; j++) product[i] += element(i, j) * p[j];
    product[i] %= kPrime;
  }
  memcpy(p, product, sizeof product);
}

static long dot(const long* p, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += p[i] * p[i] % kPrime;
  return sum % kPrime;
}

static void check(const char* what, int round, long expected, long came) {
  if (came == expected) return;
  fprintf(stderr, "transpose: rank %d, round %d, %s: expected %ld, came %ld\n", rank, round, what,
          expected, came);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  if ((ranks & (ranks - 1)) != 0 || ranks > kOrder) {
    if (rank == 0)
      fprintf(stderr, "transpose: needs a power of two of at most %d ranks, not %d\n", kOrder,
              ranks);
    MPI_Finalize();
    return 2;
  }
  for (rows = 1; 4 * rows * rows <= ranks; rows *= 2) {
  }
  columns = ranks / rows;

  const int width = kOrder / columns, first = rank % columns * width;
  long p[kOrder], whole[kOrder], rho = 0;
  for (int j = 0; j < kOrder; j++) whole[j] = j + 1;
  memcpy(p, whole + first, width * sizeof *p);
  for (int round = 0; round < rounds; round++) {
    multiply(p);
    multiply_serially(whole);
    for (int j = 0; j < width; j++) check("element", round, whole[first + j], p[j]);
    rho = dot(p, width);
    sum_over_row(&rho, 1, kDotTag);
    check("dot product", round, dot(whole, kOrder), rho);
  }
  MPI_Barrier(MPI_COMM_WORLD); // nobody says ok before everybody is
  if (rank == 0)
    printf("transpose: ok, %d ranks as %d x %d, %d rounds, dot product %ld\n", ranks, rows, columns,
           rounds, rho);
  MPI_Finalize();
  return 0;
}
