// SPDX-License-Identifier: Apache-2.0
// Jacobi sweeps on a plate that is cut into blocks, one per rank, on a grid without wrap-around.
// Blocks swap their borders before each sweep: rows as they lie in memory, columns through a
// strided datatype. The plate is bent a little further in every step; how many sweeps that takes,
// the residual decides.
//   mpirun -n 8 halo2d [steps]
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 8, kSweepsPerCheck = 4, kRowTag = 10, kColumnTag = 20 };
static const double kStiffness = 2.0, kTolerance = 1e-6;

static double u[kCells + 2][kCells + 2]; // the block and a frame of one cell
static int rank, origin[2];
static int up, down, left, right;
static MPI_Comm grid;
static MPI_Datatype column;

// The shape that the plate shall take in a step; a plane, which the sweeps reproduce exactly.
static double target(int step, int i, int j) {
  return (double)step * step * (origin[0] + i + 2.0 * (origin[1] + j));
}

static void clamp_outer_edges(int step) {
  for (int k = 1; k <= kCells; k++) {
    if (up == MPI_PROC_NULL) u[0][k] = target(step, 0, k);
    if (down == MPI_PROC_NULL) u[kCells + 1][k] = target(step, kCells + 1, k);
    if (left == MPI_PROC_NULL) u[k][0] = target(step, k, 0);
    if (right == MPI_PROC_NULL) u[k][kCells + 1] = target(step, k, kCells + 1);
  }
}

static void swap_borders(void) {
  MPI_Request requests[8];
  MPI_Irecv(&u[0][1], kCells, MPI_DOUBLE, up, kRowTag, grid, &requests[0]);
  MPI_Irecv(&u[kCells + 1][1], kCells, MPI_DOUBLE, down, kRowTag + 1, grid, &requests[1]);
  MPI_Irecv(&u[1][0], 1, column, left, kColumnTag, grid, &requests[2]);
  MPI_Irecv(&u[1][kCells + 1], 1, column, right, kColumnTag + 1, grid, &requests[3]);
  MPI_Isend(&u[kCells][1], kCells, MPI_DOUBLE, down, kRowTag, grid, &requests[4]);
  MPI_Isend(&u[1][1], kCells, MPI_DOUBLE, up, kRowTag + 1, grid, &requests[5]);
  MPI_Isend(&u[1][kCells], 1, column, right, kColumnTag, grid, &requests[6]);
  MPI_Isend(&u[1][1], 1, column, left, kColumnTag + 1, grid, &requests[7]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

// One Jacobi sweep; returns the largest change of a cell.
static double sweep(int step) {
  double next[kCells + 2][kCells + 2], change = 0;
  for (int i = 1; i <= kCells; i++)
    for (int j = 1; j <= kCells; j++) {
      double around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
      next[i][j] = (around + kStiffness * target(step, i, j)) / (4 + kStiffness);
      change = fmax(change, fabs(next[i][j] - u[i][j]));
    }
  for (int i = 1; i <= kCells; i++)
    for (int j = 1; j <= kCells; j++) u[i][j] = next[i][j];
  return change;
}

static int sweep_until_still(int step) {
  int sweeps = 0;
  double change = 1;
  clamp_outer_edges(step);
  while (change > kTolerance) {
    for (int k = 0; k < kSweepsPerCheck; k++, sweeps++) {
      swap_borders();
      change = sweep(step);
    }
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, grid);
  }
  return sweeps;
}

int main(int argc, char** argv) {
  int ranks, dims[2] = {0, 0}, open_ends[2] = {0, 0}, place[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open_ends, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, place);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  MPI_Type_vector(kCells, 1, kCells + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int d = 0; d < 2; d++) origin[d] = place[d] * kCells;

  int sweeps = 0;
  for (int step = 1; step <= steps; step++) sweeps += sweep_until_still(step);

  double error = 0, worst;
  for (int i = 1; i <= kCells; i++)
    for (int j = 1; j <= kCells; j++) error = fmax(error, fabs(u[i][j] - target(steps, i, j)));
  MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, grid);
  const int failed = !(worst <= 10 * kTolerance); // also when it is not a number
  if (rank == 0 && failed)
    fprintf(stderr, "halo2d: expected an error of at most %g, came %g\n", 10 * kTolerance, worst);
  else if (rank == 0)
    printf("halo2d: ok, %d ranks as %d x %d, %d steps, %d sweeps\n", ranks, dims[0], dims[1], steps,
           sweeps);
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return failed;
}
