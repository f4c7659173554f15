// SPDX-License-Identifier: Apache-2.0
// Kernels with real computation between their messages, to time generated benchmarks against: what
// the examples say, said by programs that also work. Each prints one number that depends on all of
// it.
//   mpirun -n 16 kernels jacobi|sweep|cg|bodies|transform|sort|fractal SIZE ROUNDS [nap]
// With "nap" ranks sleep for about as long as they would compute, as if each had a processor: what
// is left to compute is less than a tenth of a millisecond at a time.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks;
static int dims[2], place[2], up, down, left, right; // on a grid of ranks without wrap-around
static MPI_Comm grid;
static int naps;

// True if that was all: the rank has slept in place of so many steps of so many nanoseconds.
static int nap(double steps, double each_ns) {
  const double ns = steps * each_ns;
  struct timespec t = {(time_t)(ns * 1e-9), (long)fmod(ns, 1e9)};
  if (naps) nanosleep(&t, NULL);
  return naps;
}

static double* zeros(long count) {
  double* values = calloc((size_t)count, sizeof *values);
  if (values == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return values;
}

static double sum(double own) {
  double all;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void make_grid(void) {
  const int periods[2] = {0, 0};
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, place);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
}

// Heat on a plate: a block of n x n cells a rank, borders swapped before each round.
static double jacobi(int n, int rounds) {
  const int width = n + 2;
  double *u = zeros((long)width * width), *next = zeros((long)width * width), change = 0;
  MPI_Datatype column;
  make_grid();
  MPI_Type_vector(n, 1, width, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) u[i * width + j] = (rank + i + j) % 7;
  for (int round = 0; round < rounds; round++) {
    MPI_Request requests[8];
    MPI_Irecv(u + 1, n, MPI_DOUBLE, up, 1, grid, &requests[0]);
    MPI_Irecv(u + (n + 1) * width + 1, n, MPI_DOUBLE, down, 2, grid, &requests[1]);
    MPI_Irecv(u + width, 1, column, left, 3, grid, &requests[2]);
    MPI_Irecv(u + width + n + 1, 1, column, right, 4, grid, &requests[3]);
    MPI_Isend(u + n * width + 1, n, MPI_DOUBLE, down, 1, grid, &requests[4]);
    MPI_Isend(u + width + 1, n, MPI_DOUBLE, up, 2, grid, &requests[5]);
    MPI_Isend(u + width + n, 1, column, right, 3, grid, &requests[6]);
    MPI_Isend(u + width + 1, 1, column, left, 4, grid, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    double own = 0;
    if (!nap((double)n * n, 1.5)) {
      for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
          const int k = i * width + j;
          next[k] = 0.25 * (u[k - width] + u[k + width] + u[k - 1] + u[k + 1]);
          own += (next[k] - u[k]) * (next[k] - u[k]);
        }
    }
    double* old = u;
    u = next;
    next = old;
    if (round % 10 == 9) change = sum(own);
  }
  MPI_Type_free(&column);
  free(u);
  free(next);
  return change;
}

// Pipelined sweeps over n planes of n x n cells, as NAS LU has them.
static double sweep(int n, int rounds) {
  double *v = zeros((long)n * n), *north = zeros(n), *west = zeros(n);
  make_grid();
  for (int round = 0; round < rounds; round++)
    for (int plane = 0; plane < n; plane++) {
      MPI_Recv(north, n, MPI_DOUBLE, up, 1, grid, MPI_STATUS_IGNORE);
      MPI_Recv(west, n, MPI_DOUBLE, left, 2, grid, MPI_STATUS_IGNORE);
      if (!nap((double)n * n, 10)) {
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++) {
            const double above = i > 0 ? v[(i - 1) * n + j] : north[j];
            const double before = j > 0 ? v[i * n + j - 1] : west[i];
            v[i * n + j] = 0.3 * (above + before + sqrt(1 + v[i * n + j])) + 0.1;
          }
      }
      for (int i = 0; i < n; i++) west[i] = v[i * n + n - 1];
      MPI_Send(v + (n - 1) * n, n, MPI_DOUBLE, down, 1, grid);
      MPI_Send(west, n, MPI_DOUBLE, right, 2, grid);
    }
  const double result = sum(v[n * n - 1]);
  free(v);
  free(north);
  free(west);
  return result;
}

// Conjugate gradients for a chain of n * 1024 springs a rank.
static double cg(int n, int rounds) {
  const long size = (long)n * 1024;
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int after = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  double *x = zeros(size), *r = zeros(size), *p = zeros(size + 2), *q = zeros(size);
  double own = 0;
  if (!nap((double)size, 4)) {
    for (long i = 0; i < size; i++) {
      r[i] = p[i + 1] = 1 + (double)(i % 3);
      own += r[i] * r[i];
    }
  }
  double rho = sum(own + naps);
  for (int round = 0; round < rounds; round++) {
    MPI_Sendrecv(p + size, 1, MPI_DOUBLE, after, 1, p, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(p + 1, 1, MPI_DOUBLE, before, 2, p + size + 1, 1, MPI_DOUBLE, after, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    own = 0;
    if (!nap((double)size, 1)) {
      for (long i = 0; i < size; i++) {
        q[i] = 2.1 * p[i + 1] - p[i] - p[i + 2];
        own += q[i] * p[i + 1];
      }
    }
    const double alpha = rho / sum(own + naps);
    own = 0;
    if (!nap((double)size, 1)) {
      for (long i = 0; i < size; i++) {
        x[i] += alpha * p[i + 1];
        r[i] -= alpha * q[i];
        own += r[i] * r[i];
      }
    }
    const double next = sum(own), beta = next / rho;
    rho = next;
    if (!nap((double)size, 1))
      for (long i = 0; i < size; i++) p[i + 1] = r[i] + beta * p[i + 1];
  }
  free(x);
  free(r);
  free(p);
  free(q);
  return rho;
}

// All pairs of n bodies a rank, whose places travel round a ring.
static double bodies(int n, int rounds) {
  double *at = zeros(n), *speed = zeros(n), *guest = zeros(n), own = 0;
  for (int i = 0; i < n; i++) at[i] = rank * n + i;
  for (int round = 0; round < rounds; round++) {
    memcpy(guest, at, (size_t)n * sizeof *at);
    for (int step = 0; step < ranks; step++) {
      if (!nap((double)n * n, 1.2)) {
        for (int i = 0; i < n; i++) {
          double force = 0;
          for (int j = 0; j < n; j++) {
            const double away = guest[j] - at[i];
            force += away / (1 + away * away);
          }
          speed[i] += 1e-3 * force;
        }
      }
      MPI_Sendrecv_replace(guest, n, MPI_DOUBLE, (rank + 1) % ranks, 1, (rank + ranks - 1) % ranks,
                           1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n; i++) at[i] += 1e-3 * speed[i];
  }
  for (int i = 0; i < n; i++) own += speed[i] * speed[i];
  free(at);
  free(speed);
  free(guest);
  return sum(own);
}

// Waves along the n rows of a rank and then, transposed, along what were columns: as NAS FT.
static double transform(int n, int rounds) {
  const int block = n / ranks > 0 ? n / ranks : 1, width = block * ranks;
  double *a = zeros((long)block * width), *b = zeros((long)block * width);
  for (int i = 0; i < block * width; i++)
    a[i] = b[i] = (rank + i) % 5; // also what a napping rank sends
  for (int round = 0; round < rounds; round++) {
    if (!nap((double)block * width, 22)) {
      for (int row = 0; row < block; row++)
        for (int span = 1; span < width; span *= 2)
          for (int j = 0; j + span < width; j++) {
            const double x = a[row * width + j], y = a[row * width + j + span];
            a[row * width + j] = 0.7 * x + 0.3 * y;
            a[row * width + j + span] = 0.7 * y - 0.3 * x;
          }
      for (int to = 0; to < ranks; to++)
        for (int i = 0; i < block; i++)
          for (int j = 0; j < block; j++)
            b[(to * block + j) * block + i] = a[i * width + to * block + j];
    }
    MPI_Alltoall(b, block * block, MPI_DOUBLE, a, block * block, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  const double result = sum(a[0]);
  free(a);
  free(b);
  return result;
}

static int ascending(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

// n * 1024 random keys a rank find the rank that they belong to, and are sorted there: as NAS IS.
static double sort(int n, int rounds) {
  const int keys = n * 1024, room = 4 * keys;
  int *key = calloc((size_t)keys, sizeof *key), *bucket = calloc((size_t)keys, sizeof *bucket);
  int *mine = calloc((size_t)room, sizeof *mine),
      *places = malloc((size_t)ranks * 4 * sizeof *places);
  int *count = places, *offset = places + ranks, *gets = places + 2 * ranks,
      *from = places + 3 * ranks;
  unsigned state = 12345u + (unsigned)rank;
  double own = 0;
  for (int round = 0; round < rounds; round++) {
    memset(count, 0, (size_t)ranks * sizeof *count);
    const int at_once = naps ? 256 : 1; // who sleeps draws fewer, and counts each as so many
    for (int i = 0; i < keys; i += at_once) {
      state = state * 1664525u + 1013904223u;
      key[i] = (int)(state >> 8);
      count[(long)key[i] * ranks >> 24] += at_once;
    }
    offset[0] = 0;
    for (int r = 1; r < ranks; r++) offset[r] = offset[r - 1] + count[r - 1];
    if (!nap(keys, 12)) {
      for (int i = 0; i < keys; i++) bucket[offset[(long)key[i] * ranks >> 24]++] = key[i];
      for (int r = 0; r < ranks; r++) offset[r] -= count[r];
    }
    MPI_Alltoall(count, 1, MPI_INT, gets, 1, MPI_INT, MPI_COMM_WORLD);
    from[0] = 0;
    for (int r = 1; r < ranks; r++) from[r] = from[r - 1] + gets[r - 1];
    const int all = from[ranks - 1] + gets[ranks - 1];
    if (all > room) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Alltoallv(bucket, count, offset, MPI_INT, mine, gets, from, MPI_INT, MPI_COMM_WORLD);
    if (!nap(all, 80)) qsort(mine, (size_t)all, sizeof *mine, ascending);
    own += mine[all / 2];
  }
  free(key);
  free(bucket);
  free(mine);
  free(places);
  return sum(own);
}

static int escapes(double x, double y) {
  double a = 0, b = 0;
  int steps = 0;
  for (; steps < 500 && a * a + b * b < 4; steps++) {
    const double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
  }
  return steps;
}

// A picture of n rows by a master who hands out rows to whoever is done; alone, it does them
// itself.
static double fractal(int n, int rounds) {
  double total = 0;
  int row = 0;
  for (int round = 0; round < rounds; round++) {
    if (rank == 0) {
      int given = 0, done = 0, result;
      MPI_Status status;
      for (int r = 1; r < ranks; r++, given++)
        MPI_Send(&given, 1, MPI_INT, r, given < n ? 1 : 2, MPI_COMM_WORLD);
      for (; done < n; done++) {
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
        total += result;
        MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, given < n ? 1 : 2, MPI_COMM_WORLD);
        given++;
      }
    } else {
      MPI_Status status;
      for (;;) {
        MPI_Recv(&row, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == 2) break;
        int steps = 0;
        if (!nap(n * (1 + row % 7), 200))
          for (int j = 0; j < n; j++) steps += escapes(-2 + 3.0 * j / n, -1.2 + 2.4 * row / n);
        MPI_Send(&steps, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
      }
    }
  }
  return sum(total);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    double (*run)(int, int);
  } kernels[] = {{"jacobi", jacobi},  {"sweep", sweep},         {"cg", cg},
                 {"bodies", bodies},  {"transform", transform}, {"sort", sort},
                 {"fractal", fractal}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  naps = argc == 5 && strcmp(argv[4], "nap") == 0;
  for (size_t k = 0; argc == 4 + naps && k < sizeof kernels / sizeof *kernels; k++) {
    if (strcmp(argv[1], kernels[k].name) != 0) continue;
    const double result = kernels[k].run(atoi(argv[2]), atoi(argv[3]));
    if (rank == 0) printf("%s: %.10g\n", argv[1], result);
    MPI_Finalize();
    return 0;
  }
  if (rank == 0)
    fprintf(stderr,
            "usage: kernels jacobi|sweep|cg|bodies|transform|sort|fractal SIZE ROUNDS [nap]\n");
  MPI_Finalize();
  return 2;
}
