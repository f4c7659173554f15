// SPDX-License-Identifier: Apache-2.0
// Textbook patterns as tutorials, benchmark suites and proxy applications have them; textbook.py
// runs them. Written without regard to how Rondo says them.
#include "textbook_driver.h"

// Transport sweeps over a plane of columns: eight octants, each in blocks of planes and angles.
static void octant_sweeps(void) {
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  int x = rank % dims[0], y = rank / dims[0];
  for (int iteration = 0; iteration < 3; iteration++) {
    for (int octant = 0; octant < 8; octant++) {
      int dx = octant & 1 ? 1 : -1, dy = octant & 2 ? 1 : -1;
      int from_x = x - dx >= 0 && x - dx < dims[0] ? rank - dx : MPI_PROC_NULL;
      int to_x = x + dx >= 0 && x + dx < dims[0] ? rank + dx : MPI_PROC_NULL;
      int from_y = y - dy >= 0 && y - dy < dims[1] ? rank - dy * dims[0] : MPI_PROC_NULL;
      int to_y = y + dy >= 0 && y + dy < dims[1] ? rank + dy * dims[0] : MPI_PROC_NULL;
      for (int block = 0; block < 5; block++) {
        if (from_x != MPI_PROC_NULL)
          MPI_Recv(a, 80, MPI_DOUBLE, from_x, 1000 + octant, W, MPI_STATUS_IGNORE);
        if (from_y != MPI_PROC_NULL)
          MPI_Recv(b, 80, MPI_DOUBLE, from_y, 2000 + octant, W, MPI_STATUS_IGNORE);
        if (to_x != MPI_PROC_NULL) MPI_Send(a, 80, MPI_DOUBLE, to_x, 1000 + octant, W);
        if (to_y != MPI_PROC_NULL) MPI_Send(b, 80, MPI_DOUBLE, to_y, 2000 + octant, W);
      }
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
}

// Molecular dynamics on a periodic box of cells: faces one dimension after the other.
static void box_of_atoms(void) {
  int dims[3] = {0, 0, 0}, got;
  MPI_Status status;
  MPI_Dims_create(size, 3, dims);
  int at[3] = {rank % dims[0], rank / dims[0] % dims[1], rank / dims[0] / dims[1]};
  int faces[6];
  for (int face = 0; face < 6; face++) {
    int there[3] = {at[0], at[1], at[2]}, d = face / 2;
    there[d] = (there[d] + (face % 2 ? 1 : dims[d] - 1)) % dims[d];
    faces[face] = there[0] + dims[0] * (there[1] + dims[1] * there[2]);
  }
  MPI_Bcast(a, 20, MPI_DOUBLE, 0, W);
  for (int step = 0; step < 20; step++) {
    for (int d = 0; d < 3; d++) {
      int low = 2 * d, high = 2 * d + 1;
      MPI_Sendrecv(a, 60 + rank, MPI_DOUBLE, faces[low], 0, b, 4096, MPI_DOUBLE, faces[high], 0, W,
                   &status);
      MPI_Get_count(&status, MPI_DOUBLE, &got);
      MPI_Sendrecv(a, 60 + rank, MPI_DOUBLE, faces[high], 0, b, 4096, MPI_DOUBLE, faces[low], 0, W,
                   &status);
      MPI_Get_count(&status, MPI_DOUBLE, &got);
    }
    if (step % 10 == 0) MPI_Allreduce(a, b, 2, MPI_DOUBLE, MPI_SUM, W);
  }
  MPI_Reduce(a, b, 3, MPI_DOUBLE, MPI_MAX, 0, W);
}

// Conjugate gradients on finite elements: whoever shares nodes, as a matrix says.
static void element_cg(void) {
  int neighbours[32], n = 0;
  MPI_Request requests[32];
  for (int other = 0; other < size; other++)
    if (other != rank && ((rank * other) % 5 == 1 || abs(rank - other) == 1))
      neighbours[n++] = other;
  MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  for (int iteration = 0; iteration < 25; iteration++) {
    for (int i = 0; i < n; i++)
      MPI_Irecv(b + 100 * i, 30 + (rank + neighbours[i]) % 3, MPI_DOUBLE, neighbours[i], 99, W,
                &requests[i]);
    for (int i = 0; i < n; i++)
      MPI_Send(a, 30 + (rank + neighbours[i]) % 3, MPI_DOUBLE, neighbours[i], 99, W);
    for (int i = 0; i < n; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

// Integer sort: sizes of buckets, keys, and a check against the next rank's first key.
static void integer_sort(void) {
  int counts[64], displs[64], got[64], from[64];
  MPI_Request request;
  for (int trial = 0; trial < 6; trial++) {
    MPI_Allreduce(a, b, 128, MPI_INT, MPI_SUM, W);
    for (int i = 0; i < size; i++)
      counts[i] = 5 + (rank + i) % 3, displs[i] = 16 * i, got[i] = 5 + (rank + i) % 3,
      from[i] = 16 * i;
    MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, W);
    MPI_Alltoallv(a, counts, displs, MPI_INT, b, got, from, MPI_INT, W);
  }
  if (rank > 0) MPI_Irecv(b, 1, MPI_INT, rank - 1, 1000, W, &request);
  if (rank < size - 1) MPI_Send(a, 1, MPI_INT, rank + 1, 1000, W);
  if (rank > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, W);
}

// One-dimensional Jacobi whose requests are made once.
static void jacobi_startall(void) {
  MPI_Request requests[4];
  int n = 0;
  if (rank > 0) {
    MPI_Recv_init(a, 64, MPI_DOUBLE, rank - 1, 0, W, &requests[n++]);
    MPI_Send_init(b, 64, MPI_DOUBLE, rank - 1, 1, W, &requests[n++]);
  }
  if (rank < size - 1) {
    MPI_Recv_init(a + 64, 64, MPI_DOUBLE, rank + 1, 1, W, &requests[n++]);
    MPI_Send_init(b + 64, 64, MPI_DOUBLE, rank + 1, 0, W, &requests[n++]);
  }
  for (int sweep = 0; sweep < 50; sweep++) {
    MPI_Startall(n, requests);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, W);
  }
  for (int i = 0; i < n; i++) MPI_Request_free(&requests[i]);
  MPI_Gather(a, 64, MPI_DOUBLE, b, 64, MPI_DOUBLE, 0, W);
}

// A large message in segments, one broadcast ahead of the one that is waited for.
static void bcast_segments(void) {
  MPI_Request requests[2];
  for (int round = 0; round < 4; round++) {
    MPI_Ibcast(a, 512, MPI_DOUBLE, 0, W, &requests[0]);
    for (int segment = 1; segment < 12; segment++) {
      MPI_Ibcast(a + 512 * segment, 512, MPI_DOUBLE, 0, W, &requests[segment % 2]);
      MPI_Wait(&requests[(segment + 1) % 2], MPI_STATUS_IGNORE);
    }
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MIN, W);
  }
}

// Tasks by a shared counter on rank 0, results by get and accumulate.
static void next_value(void) {
  MPI_Win counter, matrix;
  long one = 1, mine = 0;
  long* shared;
  double* field;
  MPI_Win_allocate(rank == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, W, &shared, &counter);
  MPI_Win_allocate(800, sizeof(double), MPI_INFO_NULL, W, &field, &matrix);
  if (rank == 0) *shared = 0;
  MPI_Barrier(W);
  MPI_Win_lock_all(0, counter);
  for (;;) {
    MPI_Fetch_and_op(&one, &mine, MPI_LONG, 0, 0, MPI_SUM, counter);
    MPI_Win_flush(0, counter);
    if (mine >= 5 * size) break;
    MPI_Win_lock(MPI_LOCK_SHARED, (int)(mine % size), 0, matrix);
    MPI_Get(a, 50, MPI_DOUBLE, (int)(mine % size), 0, 50, MPI_DOUBLE, matrix);
    MPI_Win_unlock((int)(mine % size), matrix);
    MPI_Win_lock(MPI_LOCK_SHARED, (int)((mine + 1) % size), 0, matrix);
    MPI_Accumulate(a, 50, MPI_DOUBLE, (int)((mine + 1) % size), 50, 50, MPI_DOUBLE, MPI_SUM,
                   matrix);
    MPI_Win_unlock((int)((mine + 1) % size), matrix);
  }
  MPI_Win_unlock_all(counter);
  MPI_Win_free(&matrix);
  MPI_Win_free(&counter);
}

// Each process's number among those of all, by gather and scatter.
static void parallel_rank(void) {
  for (int trial = 0; trial < 10; trial++) {
    MPI_Gather(a, 1, MPI_FLOAT, b, 1, MPI_FLOAT, 0, W);
    MPI_Scatter(b, 1, MPI_INT, a, 1, MPI_INT, 0, W);
  }
}

// An array dealt out by the first task, updated, and collected again.
static void array_chunks(void) {
  int offset = 0, chunk = 64;
  if (rank == 0) {
    for (int to = 1; to < size; to++) {
      MPI_Send(&offset, 1, MPI_INT, to, 2, W);
      MPI_Send(a, chunk, MPI_FLOAT, to, 1, W);
      offset += chunk;
    }
    for (int from = 1; from < size; from++) {
      MPI_Recv(&offset, 1, MPI_INT, from, 2, W, MPI_STATUS_IGNORE);
      MPI_Recv(b, chunk, MPI_FLOAT, from, 1, W, MPI_STATUS_IGNORE);
    }
    MPI_Reduce(a, b, 1, MPI_FLOAT, MPI_SUM, 0, W);
  } else {
    MPI_Recv(&offset, 1, MPI_INT, 0, 2, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, chunk, MPI_FLOAT, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Send(&offset, 1, MPI_INT, 0, 2, W);
    MPI_Send(b, chunk, MPI_FLOAT, 0, 1, W);
    MPI_Reduce(a, b, 1, MPI_FLOAT, MPI_SUM, 0, W);
  }
}

// A wave on a string: ends exchanged each step, points to the first task at last.
static void wave_string(void) {
  int steps = 60, points[2];
  int left = rank == size - 1 ? 0 : rank + 1, right = rank == 0 ? size - 1 : rank - 1;
  if (rank == 0) {
    for (int to = 1; to < size; to++) MPI_Send(&steps, 1, MPI_INT, to, 0, W);
  } else {
    MPI_Recv(&steps, 1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE);
  }
  for (int step = 0; step < 60; step++) {
    if (rank != 0) {
      MPI_Send(a, 1, MPI_DOUBLE, right, 10, W);
      MPI_Recv(b, 1, MPI_DOUBLE, right, 20, W, MPI_STATUS_IGNORE);
    }
    if (rank != size - 1) {
      MPI_Send(a, 1, MPI_DOUBLE, left, 20, W);
      MPI_Recv(b, 1, MPI_DOUBLE, left, 10, W, MPI_STATUS_IGNORE);
    }
  }
  if (rank != 0) {
    MPI_Send(points, 2, MPI_INT, 0, 1, W);
    MPI_Send(a, 40, MPI_DOUBLE, 0, 2, W);
  } else {
    for (int from = 1; from < size; from++) {
      MPI_Recv(points, 2, MPI_INT, from, 1, W, MPI_STATUS_IGNORE);
      MPI_Recv(b, 40, MPI_DOUBLE, from, 2, W, MPI_STATUS_IGNORE);
    }
  }
}

// The exchange benchmark: chains of 2, 4, ... ranks and all, over sizes, others wait.
static void exchange_groups(void) {
  for (int active = 2;; active = 2 * active < size ? 2 * active : size) {
    MPI_Comm group;
    MPI_Comm_split(W, rank < active ? 1 : MPI_UNDEFINED, rank, &group);
    if (group != MPI_COMM_NULL) {
      for (int bytes = 1; bytes <= 4096; bytes *= 8) {
        MPI_Barrier(group);
        int next = (rank + 1) % active, before = (rank + active - 1) % active;
        for (int i = 0; i < 6; i++) {
          MPI_Request requests[2];
          MPI_Isend(a, bytes, MPI_BYTE, next, 1, group, &requests[0]);
          MPI_Isend(a, bytes, MPI_BYTE, before, 1, group, &requests[1]);
          MPI_Recv(b, bytes, MPI_BYTE, before, 1, group, MPI_STATUS_IGNORE);
          MPI_Recv(b, bytes, MPI_BYTE, next, 1, group, MPI_STATUS_IGNORE);
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
      }
      MPI_Comm_free(&group);
    }
    MPI_Barrier(W);
    if (active == size) break;
  }
}

// Dense LU as Linpack has it: panels around a ring of each row, swaps along columns.
static void linpack_ring(void) {
  int dims[2] = {0, 0};
  MPI_Comm row, column;
  MPI_Dims_create(size, 2, dims);
  int me = rank % dims[1], my_row = rank / dims[1];
  MPI_Comm_split(W, my_row, me, &row);
  MPI_Comm_split(W, me, my_row, &column);
  for (int panel = 0; panel < 12; panel++) {
    int owner = panel % dims[1];
    if (me == owner)
      for (int i = 0; i < 4; i++) MPI_Allreduce(a, b, 6, MPI_DOUBLE, MPI_MAX, column);
    if (dims[1] > 1) {
      int next = (me + 1) % dims[1], before = (me + dims[1] - 1) % dims[1];
      if (me != owner) MPI_Recv(a, 300, MPI_DOUBLE, before, 9, row, MPI_STATUS_IGNORE);
      if (next != owner) MPI_Send(a, 300, MPI_DOUBLE, next, 9, row);
    }
    MPI_Bcast(b, 40, MPI_DOUBLE, panel % dims[0], column);
  }
  MPI_Comm_free(&column);
  MPI_Comm_free(&row);
}

// Multigrid of elements where each level has half of the ranks, and the last one gathers.
static void halved_levels(void) {
  for (int cycle = 0; cycle < 8; cycle++) {
    int stride = 1;
    for (; stride < size; stride *= 2) {
      if (rank % stride) continue;
      for (int smooth = 0; smooth < 2; smooth++) {
        int low = rank - stride >= 0 ? rank - stride : MPI_PROC_NULL,
            high = rank + stride < size ? rank + stride : MPI_PROC_NULL;
        MPI_Sendrecv(a, 32, MPI_DOUBLE, low, 3, b, 32, MPI_DOUBLE, high, 3, W, MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, 32, MPI_DOUBLE, high, 4, b, 32, MPI_DOUBLE, low, 4, W, MPI_STATUS_IGNORE);
      }
    }
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

// Ghost particles of unknown number to both sides: sent without waiting, probed for, received.
static void ghost_probe(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, count;
  for (int step = 0; step < 25; step++) {
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Isend(a, 5 + (rank + step) % 4, MPI_DOUBLE, next, 0, W, &requests[0]);
    MPI_Isend(a, 5 + (rank * step) % 4, MPI_DOUBLE, before, 1, W, &requests[1]);
    MPI_Probe(before, 0, W, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Recv(b, count, MPI_DOUBLE, before, 0, W, MPI_STATUS_IGNORE);
    MPI_Probe(next, 1, W, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Recv(b, count, MPI_DOUBLE, next, 1, W, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// The sieve of Eratosthenes.
static void sieve(void) {
  for (int prime = 2; prime * prime <= 400; prime++) MPI_Bcast(&prime, 1, MPI_INT, 0, W);
  MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, W);
}

// Documents classified: a manager, workers that know a dictionary that the first of them reads.
static void documents(void) {
  MPI_Comm workers;
  MPI_Comm_split(W, rank == 0 ? MPI_UNDEFINED : 0, rank, &workers);
  if (rank == 0) {
    int out = 0, next = 0, files = 4 * size;
    MPI_Request pending;
    MPI_Status status;
    MPI_Irecv(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &pending);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    do {
      MPI_Recv(b, 20, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
      if (status.MPI_TAG == 1) out--;
      if (next < files) {
        MPI_Send(a, 30, MPI_CHAR, status.MPI_SOURCE, 2, W);
        next++;
        out++;
      } else {
        MPI_Send(a, 0, MPI_CHAR, status.MPI_SOURCE, 3, W);
      }
    } while (next < files || out > 0);
  } else {
    MPI_Request request;
    MPI_Status status;
    int me;
    MPI_Comm_rank(workers, &me);
    MPI_Isend(a, 0, MPI_INT, 0, 4, W, &request);
    if (me == 0) MPI_Send(a, 1, MPI_INT, 0, 0, W);
    MPI_Bcast(a, 1, MPI_LONG, 0, workers);
    MPI_Bcast(a, 500, MPI_CHAR, 0, workers);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (;;) {
      int length;
      MPI_Probe(0, MPI_ANY_TAG, W, &status);
      MPI_Get_count(&status, MPI_CHAR, &length);
      MPI_Recv(b, length, MPI_CHAR, 0, MPI_ANY_TAG, W, &status);
      if (length == 0) break;
      MPI_Send(a, 20, MPI_INT, 0, 1, W);
    }
    MPI_Comm_free(&workers);
  }
}

// A long broadcast: scattered down a binomial tree, collected around a ring.
static void bcast_long(void) {
  int mask = 1;
  for (; mask < size; mask *= 2)
    if (rank & mask) {
      MPI_Recv(a, 4096, MPI_DOUBLE, rank - mask, 6, W, MPI_STATUS_IGNORE);
      break;
    }
  for (mask /= 2; mask > 0; mask /= 2)
    if (rank + mask < size)
      MPI_Send(a, 16 * (mask < size - rank - mask ? mask : size - rank - mask), MPI_DOUBLE,
               rank + mask, 6, W);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 1; i < size; i++)
    MPI_Sendrecv(a, 16, MPI_DOUBLE, next, 7, b, 16, MPI_DOUBLE, before, 7, W, MPI_STATUS_IGNORE);
}

// Heat on a plane: halos and the residual on their way while the inside is computed.
static void heat_overlap(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 1}, n[4];
  MPI_Comm grid;
  MPI_Datatype column;
  MPI_Request halo[8], sum;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 1, &grid);
  MPI_Cart_shift(grid, 0, 1, &n[0], &n[1]);
  MPI_Cart_shift(grid, 1, 1, &n[2], &n[3]);
  MPI_Type_vector(20, 1, 20, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int step = 0; step < 30; step++) {
    for (int i = 0; i < 4; i++)
      MPI_Irecv(b + 500 * i, 1, i < 2 ? MPI_DOUBLE : column, n[i], i ^ 1, grid, &halo[i]);
    for (int i = 0; i < 4; i++)
      MPI_Isend(a + 500 * i, 1, i < 2 ? MPI_DOUBLE : column, n[i], i, grid, &halo[4 + i]);
    if (step > 0) MPI_Wait(&sum, MPI_STATUS_IGNORE);
    MPI_Waitall(8, halo, MPI_STATUSES_IGNORE);
    MPI_Iallreduce(a, c, 1, MPI_DOUBLE, MPI_SUM, grid, &sum);
  }
  MPI_Wait(&sum, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
}

// A prefix sum over a tree, up and down again.
static void up_and_down(void) {
  int top = 1;
  for (; top < size && (rank + 1) % (2 * top) == 0 && rank >= top; top *= 2)
    MPI_Recv(a, 4, MPI_DOUBLE, rank - top, 1, W, MPI_STATUS_IGNORE);
  if (rank + top < size) {
    MPI_Send(a, 4, MPI_DOUBLE, rank + top, 1, W);
    MPI_Recv(a, 4, MPI_DOUBLE, rank + top, 2, W, MPI_STATUS_IGNORE);
  }
  for (top /= 2; top > 0; top /= 2) MPI_Send(a, 4, MPI_DOUBLE, rank - top, 2, W);
}

// Monte Carlo where the last rank deals out random numbers.
static void random_server(void) {
  MPI_Comm workers;
  MPI_Status status;
  int server = size - 1, request = 1;
  MPI_Comm_split(W, rank == server ? MPI_UNDEFINED : 0, rank, &workers);
  MPI_Bcast(a, 1, MPI_DOUBLE, 0, W);
  if (rank == server) {
    for (;;) {
      MPI_Recv(&request, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &status);
      if (!request) break;
      MPI_Send(a, 1000, MPI_INT, status.MPI_SOURCE, 2, W);
    }
  } else {
    MPI_Send(&request, 1, MPI_INT, server, 1, W);
    for (int round = 0; round < 15; round++) {
      MPI_Recv(b, 1000, MPI_INT, server, 2, W, MPI_STATUS_IGNORE);
      MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, workers);
      MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, workers);
      int more = round < 14;
      if (more || rank == 0) MPI_Send(&more, 1, MPI_INT, server, 1, W);
    }
    MPI_Comm_free(&workers);
  }
}

// All pairs of bodies: positions go half way round a ring, forces come back.
static void half_ring(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int step = 0; step < 6; step++) {
    for (int i = 0; i < size / 2; i++)
      MPI_Sendrecv_replace(a, 90, MPI_DOUBLE, next, 1, before, 1, W, MPI_STATUS_IGNORE);
    int back = (rank + size - size / 2) % size, ahead = (rank + size / 2) % size;
    MPI_Sendrecv(a, 90, MPI_DOUBLE, back, 2, b, 90, MPI_DOUBLE, ahead, 2, W, MPI_STATUS_IGNORE);
    if (step % 2) MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, W);
  }
}

// Matrix multiplication on a cube of ranks: copies along two dimensions, a sum along the third.
static void cube_multiply(void) {
  int q = 1;
  while ((q + 1) * (q + 1) * (q + 1) <= size) q++;
  MPI_Comm cube, line[3];
  int dims[3] = {q, q, q}, periods[3] = {0, 0, 0}, at[3];
  MPI_Cart_create(W, 3, dims, periods, 0, &cube);
  if (cube == MPI_COMM_NULL) return;
  MPI_Cart_coords(cube, rank, 3, at);
  for (int d = 0; d < 3; d++) {
    int keep[3] = {d == 0, d == 1, d == 2};
    MPI_Cart_sub(cube, keep, &line[d]);
  }
  if (at[2] == 0 && at[1] > 0) {
    int to[3] = {at[0], at[1], at[1]}, other;
    MPI_Cart_rank(cube, to, &other);
    MPI_Send(a, 200, MPI_DOUBLE, other, 1, cube);
  }
  if (at[2] > 0 && at[2] == at[1]) {
    int from[3] = {at[0], at[1], 0}, other;
    MPI_Cart_rank(cube, from, &other);
    MPI_Recv(a, 200, MPI_DOUBLE, other, 1, cube, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(a, 200, MPI_DOUBLE, at[2] % q, line[1]);
  MPI_Bcast(b, 200, MPI_DOUBLE, at[2] % q, line[0]);
  MPI_Reduce(a, c, 200, MPI_DOUBLE, MPI_SUM, 0, line[2]);
  for (int d = 0; d < 3; d++) MPI_Comm_free(&line[d]);
  MPI_Comm_free(&cube);
}

static const struct pattern patterns[] = {
    PATTERN(octant_sweeps), PATTERN(box_of_atoms),    PATTERN(element_cg),
    PATTERN(integer_sort),  PATTERN(jacobi_startall), PATTERN(bcast_segments),
    PATTERN(next_value),    PATTERN(parallel_rank),   PATTERN(array_chunks),
    PATTERN(wave_string),   PATTERN(exchange_groups), PATTERN(linpack_ring),
    PATTERN(halved_levels), PATTERN(ghost_probe),     PATTERN(sieve),
    PATTERN(documents),     PATTERN(bcast_long),      PATTERN(heat_overlap),
    PATTERN(up_and_down),   PATTERN(random_server),   PATTERN(half_ring),
    PATTERN(cube_multiply),
};
RUN_ONE_OF(patterns)
