// SPDX-License-Identifier: Apache-2.0
// More patterns as students, writers of libraries and of applications write them, one function
// each, for textbook.py, which counts calls and loops in their text.
//   mpirun -n 12 textbook_more ensemble
#include "textbook_driver.h"

#define N 64
#define STEPS 12

// Rows dealt out cyclically; each pivot row goes down the pipeline as soon as it is there.
static void gauss_pipelined(void) {
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int k = 0; k < N; k++) {
    int owner = k % size;
    if (rank != owner) MPI_Recv(a, N - k, MPI_DOUBLE, last, k, W, MPI_STATUS_IGNORE);
    if (next != owner) MPI_Send(a, N - k, MPI_DOUBLE, next, k, W);
  }
}

// Floyd-Warshall on a square of ranks: the k-th row and column are broadcast along it.
static void floyd_square(void) {
  int q = 1;
  while ((q + 1) * (q + 1) <= size) q++;
  MPI_Comm square, row, col;
  MPI_Comm_split(W, rank < q * q ? 0 : MPI_UNDEFINED, rank, &square);
  if (square == MPI_COMM_NULL) return;
  MPI_Comm_split(square, rank / q, rank % q, &row);
  MPI_Comm_split(square, rank % q, rank / q, &col);
  int n = 8;
  for (int k = 0; k < n * q; k++) {
    MPI_Bcast(a, n, MPI_INT, k / n, row);
    MPI_Bcast(b, n, MPI_INT, k / n, col);
  }
}

// 2.5-D matrix multiply: layers of squares; A and B go to all layers, each does its share of steps.
static void multiply_25d(void) {
  int layers = size % 2 == 0 ? 2 : 1, q = 1;
  while ((q + 1) * (q + 1) * layers <= size) q++;
  int dims[3] = {layers, q, q}, periods[3] = {0, 1, 1}, keep[3] = {1, 0, 0};
  MPI_Comm cube, depth;
  MPI_Cart_create(W, 3, dims, periods, 0, &cube);
  if (cube == MPI_COMM_NULL) return;
  MPI_Cart_sub(cube, keep, &depth);
  MPI_Bcast(a, 256, MPI_DOUBLE, 0, depth);
  MPI_Bcast(b, 256, MPI_DOUBLE, 0, depth);
  int left, right, up, down;
  MPI_Cart_shift(cube, 2, -1, &right, &left);
  MPI_Cart_shift(cube, 1, -1, &down, &up);
  for (int s = 0; s < q; s++) {
    MPI_Sendrecv_replace(a, 256, MPI_DOUBLE, left, 0, right, 0, cube, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(b, 256, MPI_DOUBLE, up, 1, down, 1, cube, MPI_STATUS_IGNORE);
  }
  MPI_Reduce(a, c, 256, MPI_DOUBLE, MPI_SUM, 0, depth);
}

// A broadcast in segments down a binary tree: receive the next while the last is sent on.
static void tree_segments(void) {
  int parent = (rank - 1) / 2, left = 2 * rank + 1, right = 2 * rank + 2;
  MPI_Request req[2];
  for (int s = 0; s < 20; s++) {
    int n = 0;
    if (rank > 0) MPI_Recv(a, 1000, MPI_BYTE, parent, s, W, MPI_STATUS_IGNORE);
    if (left < size) MPI_Isend(a, 1000, MPI_BYTE, left, s, W, &req[n++]);
    if (right < size) MPI_Isend(a, 1000, MPI_BYTE, right, s, W, &req[n++]);
    MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
  }
}

// Ring allreduce, the blocks cut into pieces that are sent while the last is added up.
static void ring_pieces(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size, pieces = 4;
  MPI_Request in[4], out[4];
  for (int phase = 0; phase < 2; phase++)
    for (int step = 0; step < size - 1; step++) {
      for (int p = 0; p < pieces; p++) {
        MPI_Irecv(b + 16 * p, 16, MPI_FLOAT, left, p, W, &in[p]);
        MPI_Isend(a + 16 * p, 16, MPI_FLOAT, right, p, W, &out[p]);
      }
      for (int p = 0; p < pieces; p++) MPI_Wait(&in[p], MPI_STATUS_IGNORE);
      MPI_Waitall(pieces, out, MPI_STATUSES_IGNORE);
    }
}

// Two buffers with persistent requests; one is filled while the other is under way.
static void double_buffer(void) {
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
      right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Request req[2][4];
  for (int i = 0; i < 2; i++) {
    MPI_Recv_init(a + 100 * i, 10, MPI_DOUBLE, left, i, W, &req[i][0]);
    MPI_Recv_init(a + 200 * i, 10, MPI_DOUBLE, right, i, W, &req[i][1]);
    MPI_Send_init(b + 100 * i, 10, MPI_DOUBLE, left, i, W, &req[i][2]);
    MPI_Send_init(b + 200 * i, 10, MPI_DOUBLE, right, i, W, &req[i][3]);
  }
  MPI_Startall(4, req[0]);
  for (int t = 1; t < 20; t++) {
    MPI_Startall(4, req[t % 2]);
    MPI_Waitall(4, req[(t + 1) % 2], MPI_STATUSES_IGNORE);
  }
  MPI_Waitall(4, req[1], MPI_STATUSES_IGNORE);
  for (int i = 0; i < 8; i++) MPI_Request_free(&req[i / 4][i % 4]);
}

// Work is drawn from a counter at rank 0, one-sided.
static void rma_queue(void) {
  int* counter;
  MPI_Win win;
  MPI_Win_allocate(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, W, &counter, &win);
  if (rank == 0) *counter = 0;
  MPI_Barrier(W);
  MPI_Win_lock_all(0, win);
  int one = 1, task;
  do {
    MPI_Fetch_and_op(&one, &task, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
  } while (task < 5 * size);
  MPI_Win_unlock_all(win);
  double sum = 0, all;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, W);
  MPI_Win_free(&win);
}

// The halo of a partitioned mesh: neighbours and their lists are only known at run time.
static void mesh_halo(void) {
  int neighbours[8], sizes[8], n = 0;
  int steps[4] = {1, -1, 3, -3};
  for (int i = 0; i < 4; i++) {
    int p = rank + steps[i];
    if (p >= 0 && p < size) {
      neighbours[n] = p;
      sizes[n++] = 20 + 5 * ((rank + p) % 3);
    }
  }
  MPI_Request req[16];
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < n; i++)
      MPI_Irecv(a + 100 * i, sizes[i], MPI_DOUBLE, neighbours[i], 5, W, &req[i]);
    for (int i = 0; i < n; i++)
      MPI_Isend(b + 100 * i, sizes[i], MPI_DOUBLE, neighbours[i], 5, W, &req[n + i]);
    MPI_Waitall(2 * n, req, MPI_STATUSES_IGNORE);
    double dot = 1, sum;
    MPI_Allreduce(&dot, &sum, 1, MPI_DOUBLE, MPI_SUM, W);
  }
}

// Particles that leave: how many is told by Alltoall, then Alltoallv, and rest to neighbours by
// Probe.
static void particle_moves(void) {
  int out[64], in[64], outs[64], ins[64];
  srand(rank + 1);
  for (int t = 0; t < 6; t++) {
    int n = 0, m = 0;
    for (int p = 0; p < size; p++) out[p] = rand() % 4;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, W);
    for (int p = 0; p < size; p++) outs[p] = n, ins[p] = m, n += out[p], m += in[p];
    MPI_Alltoallv(a, out, outs, MPI_DOUBLE, b, in, ins, MPI_DOUBLE, W);
    MPI_Request req;
    MPI_Status status;
    int count;
    MPI_Isend(a, rand() % 50, MPI_DOUBLE, (rank + 1) % size, 9, W, &req);
    MPI_Probe((rank + size - 1) % size, 9, W, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Recv(b, count, MPI_DOUBLE, status.MPI_SOURCE, 9, W, MPI_STATUS_IGNORE);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
  }
}

// Three members of an ensemble; each is a ring of its own, and their leaders compare results.
static void ensemble(void) {
  MPI_Comm member, leaders;
  int me, n, mine = rank % 3;
  MPI_Comm_split(W, mine, rank, &member);
  MPI_Comm_rank(member, &me);
  MPI_Comm_size(member, &n);
  MPI_Comm_split(W, me == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  for (int t = 0; t < 8; t++) {
    if (n > 1)
      MPI_Sendrecv(a, 30, MPI_DOUBLE, (me + 1) % n, t, b, 30, MPI_DOUBLE, (me + n - 1) % n, t,
                   member, MPI_STATUS_IGNORE);
    MPI_Reduce(a, b, 5, MPI_DOUBLE, MPI_SUM, 0, member);
    if (me == 0) MPI_Allreduce(MPI_IN_PLACE, b, 5, MPI_DOUBLE, MPI_MAX, leaders);
    MPI_Bcast(b, 5, MPI_DOUBLE, 0, member);
  }
}

// Every fourth step all send their blocks to rank 0, which writes a file in their order.
static void snapshots(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int t = 1; t <= 12; t++) {
    MPI_Sendrecv(a, N, MPI_DOUBLE, right, 1, b, N, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
    if (t % 4 == 0) {
      if (rank == 0)
        for (int p = 1; p < size; p++) MPI_Recv(b, N * N, MPI_DOUBLE, p, 2, W, MPI_STATUS_IGNORE);
      else
        MPI_Send(a, N * N, MPI_DOUBLE, 0, 2, W);
    }
  }
}

// Regular sampling, with the exchange by hand: everybody to everybody, sizes beforehand.
static void psrs(void) {
  int p1 = size - 1, counts[64], theirs[64];
  MPI_Request req[128];
  MPI_Gather(a, p1, MPI_INT, b, p1, MPI_INT, 0, W);
  MPI_Bcast(c, p1, MPI_INT, 0, W);
  for (int p = 0; p < size; p++) counts[p] = 10 + (rank * 7 + p * 3) % 5;
  MPI_Alltoall(counts, 1, MPI_INT, theirs, 1, MPI_INT, W);
  for (int p = 0; p < size; p++) MPI_Irecv(a, theirs[p], MPI_INT, p, 0, W, &req[p]);
  for (int p = 0; p < size; p++) MPI_Isend(b, counts[p], MPI_INT, p, 0, W, &req[size + p]);
  MPI_Waitall(2 * size, req, MPI_STATUSES_IGNORE);
}

// Ranks of a node by shared memory, leaders of sockets of two, a ring over the leaders.
static void nodes_and_sockets(void) {
  MPI_Comm node, socket, ring;
  int on_node, on_socket, me, n;
  MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &on_node);
  MPI_Comm_split(node, on_node / 2, on_node, &socket);
  MPI_Comm_rank(socket, &on_socket);
  MPI_Comm_split(W, on_socket, rank, &ring);
  for (int t = 0; t < 5; t++) {
    MPI_Reduce(a, b, 10, MPI_DOUBLE, MPI_SUM, 0, socket);
    if (on_socket == 0) {
      MPI_Comm_rank(ring, &me);
      MPI_Comm_size(ring, &n);
      MPI_Sendrecv(a, 10, MPI_DOUBLE, (me + 1) % n, 0, b, 10, MPI_DOUBLE, (me + n - 1) % n, 0, ring,
                   MPI_STATUS_IGNORE);
    }
    MPI_Bcast(b, 10, MPI_DOUBLE, 0, socket);
  }
}

// A graph that nobody planned, given to MPI edge by edge.
static void graph_of_edges(void) {
  int sources[3] = {rank, rank, rank}, degrees[1] = {2},
      to[2] = {(rank + 1) % size, (rank + 2) % size};
  MPI_Comm graph;
  MPI_Dist_graph_create(W, 1, sources, degrees, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  int in, out, weighted;
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  for (int t = 0; t < 7; t++) {
    MPI_Neighbor_allgather(a, 20, MPI_INT, b, 20, MPI_INT, graph);
    MPI_Allreduce(a, c, 1, MPI_DOUBLE, MPI_MAX, W);
  }
  MPI_Comm_free(&graph);
}

// A pipeline of stages: a reader, as many filters as there are ranks, two writers in turn.
static void stages(void) {
  int filters = size - 3;
  for (int item = 0; item < 24; item++) {
    int filter = 1 + item % filters, writer = size - 2 + item % 2;
    if (rank == 0) MPI_Send(a, 500, MPI_BYTE, filter, item, W);
    if (rank == filter) {
      MPI_Recv(a, 500, MPI_BYTE, 0, item, W, MPI_STATUS_IGNORE);
      MPI_Send(a, 300, MPI_BYTE, writer, item, W);
    }
    if (rank == writer) MPI_Recv(a, 300, MPI_BYTE, filter, item, W, MPI_STATUS_IGNORE);
  }
}

// A pipelined conjugate gradient: the reduction is under way during the halo exchange.
static void pipelined_cg(void) {
  int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request sum, halo[4];
  int done;
  for (int it = 0; it < 15; it++) {
    MPI_Iallreduce(a, b, 3, MPI_DOUBLE, MPI_SUM, W, &sum);
    MPI_Irecv(a, 1, MPI_DOUBLE, left, 0, W, &halo[0]);
    MPI_Irecv(b, 1, MPI_DOUBLE, right, 0, W, &halo[1]);
    MPI_Isend(a, 1, MPI_DOUBLE, left, 0, W, &halo[2]);
    MPI_Isend(b, 1, MPI_DOUBLE, right, 0, W, &halo[3]);
    MPI_Test(&sum, &done, MPI_STATUS_IGNORE);
    MPI_Waitall(4, halo, MPI_STATUSES_IGNORE);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
  }
}

// A coupler between two models of unequal size: every model rank sends to it, it sends back.
static void coupler(void) {
  int oceans = (size - 1) / 3 + (size < 4), model = rank == size - 1 ? 2 : rank < oceans ? 0 : 1;
  MPI_Comm own;
  MPI_Comm_split(W, model, rank, &own);
  for (int t = 0; t < 6; t++) {
    if (model == 2) {
      for (int p = 0; p < size - 1; p++) MPI_Recv(a, 40, MPI_DOUBLE, p, 11, W, MPI_STATUS_IGNORE);
      for (int p = 0; p < size - 1; p++) MPI_Send(b, 40, MPI_DOUBLE, p, 12, W);
    } else {
      MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, own);
      MPI_Send(a, 40, MPI_DOUBLE, size - 1, 11, W);
      MPI_Recv(b, 40, MPI_DOUBLE, size - 1, 12, W, MPI_STATUS_IGNORE);
    }
  }
}

// A ring with a spare: after step 5 the last rank takes the place of rank 1.
static void spare_ring(void) {
  int active = size - 1;
  for (int t = 0; t < 10; t++) {
    int dead = t >= 5;
    if (dead && rank == 1) continue;
    if (!dead && rank == size - 1) continue;
    int me = dead && rank == size - 1 ? 1 : rank, next = (me + 1) % active,
        last = (me + active - 1) % active;
    if (dead && next == 1) next = size - 1;
    if (dead && last == 1) last = size - 1;
    MPI_Sendrecv(a, 80, MPI_DOUBLE, next, 3, b, 80, MPI_DOUBLE, last, 3, W, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(W);
}

// One-sided halo with post, start, complete and wait.
static void pscw_halo(void) {
  MPI_Win win;
  MPI_Group all, near;
  int ranks[2], n = 0;
  if (rank > 0) ranks[n++] = rank - 1;
  if (rank < size - 1) ranks[n++] = rank + 1;
  MPI_Comm_group(W, &all);
  MPI_Group_incl(all, n, ranks, &near);
  MPI_Win_create(a, 1024, sizeof(double), MPI_INFO_NULL, W, &win);
  for (int t = 0; t < 9; t++) {
    MPI_Win_post(near, 0, win);
    MPI_Win_start(near, 0, win);
    for (int i = 0; i < n; i++) MPI_Put(b, 8, MPI_DOUBLE, ranks[i], 8 * i, 8, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
  }
  MPI_Win_free(&win);
  MPI_Group_free(&near);
  MPI_Group_free(&all);
}

// The same with fences, on a torus, with derived types.
static void fence_torus(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, to[4];
  MPI_Comm torus;
  MPI_Win win;
  MPI_Datatype column;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(W, 2, dims, periods, 1, &torus);
  MPI_Cart_shift(torus, 0, 1, &to[0], &to[1]);
  MPI_Cart_shift(torus, 1, 1, &to[2], &to[3]);
  MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Win_create(a, sizeof a, sizeof(double), MPI_INFO_NULL, torus, &win);
  MPI_Win_fence(0, win);
  for (int t = 0; t < 10; t++) {
    MPI_Put(b, 8, MPI_DOUBLE, to[0], 0, 8, MPI_DOUBLE, win);
    MPI_Put(b, 8, MPI_DOUBLE, to[1], 8, 8, MPI_DOUBLE, win);
    MPI_Put(b, 1, column, to[2], 16, 1, column, win);
    MPI_Put(b, 1, column, to[3], 17, 1, column, win);
    MPI_Win_fence(0, win);
  }
  MPI_Win_free(&win);
  MPI_Type_free(&column);
}

// Gets under lock_all, request by request.
static void lock_all_gets(void) {
  MPI_Win win;
  double* mine;
  MPI_Request req[2];
  MPI_Win_allocate(1024, sizeof(double), MPI_INFO_NULL, W, &mine, &win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (int t = 0; t < 8; t++) {
    MPI_Rget(a, 16, MPI_DOUBLE, (rank + 1) % size, 0, 16, MPI_DOUBLE, win, &req[0]);
    MPI_Rget(b, 16, MPI_DOUBLE, (rank + size - 1) % size, 16, 16, MPI_DOUBLE, win, &req[1]);
    MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
    MPI_Win_sync(win);
    MPI_Barrier(W);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// Pairs of ranks exchange, the partners shift from round to round as in a tournament.
static void tournament(void) {
  int n = size + size % 2;
  for (int r = 0; r < n - 1; r++) {
    int partner = rank == n - 1 ? r : rank == r ? n - 1 : (2 * r - rank + 2 * (n - 1)) % (n - 1);
    if (partner >= size || partner == rank) continue;
    MPI_Sendrecv(a, 25, MPI_DOUBLE, partner, r, b, 25, MPI_DOUBLE, partner, r, W,
                 MPI_STATUS_IGNORE);
  }
}

// Replica exchange: neighbours in temperature swap, even and odd pairs in turn, and log at rank 0.
static void replica_exchange(void) {
  double energy = rank, other, logged[64];
  for (int sweep = 0; sweep < 16; sweep++) {
    int partner = (rank + sweep) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner >= 0 && partner < size) {
      if (rank < partner) {
        MPI_Send(&energy, 1, MPI_DOUBLE, partner, 0, W);
        MPI_Recv(&other, 1, MPI_DOUBLE, partner, 1, W, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(&other, 1, MPI_DOUBLE, partner, 0, W, MPI_STATUS_IGNORE);
        MPI_Send(&energy, 1, MPI_DOUBLE, partner, 1, W);
      }
    }
    if (sweep % 4 == 3) MPI_Gather(&energy, 1, MPI_DOUBLE, logged, 1, MPI_DOUBLE, 0, W);
  }
}

// A parallel prefix in two levels: blocks of four, then their last members along a chain.
static void prefix_blocks(void) {
  int block = rank / 4, at = rank % 4, last = at == 3 || rank == size - 1;
  for (int t = 0; t < 3; t++) {
    if (at > 0) MPI_Recv(a, 1, MPI_LONG, rank - 1, 0, W, MPI_STATUS_IGNORE);
    if (!last) MPI_Send(b, 1, MPI_LONG, rank + 1, 0, W);
    if (last && block > 0) MPI_Recv(a, 1, MPI_LONG, 4 * block - 1, 1, W, MPI_STATUS_IGNORE);
    if (at == 3 && rank + 1 < size) {
      int to = rank + 4 < size ? rank + 4 : size - 1;
      MPI_Send(b, 1, MPI_LONG, to, 1, W);
    }
    if (last)
      for (int p = 4 * block; p < rank; p++) MPI_Send(b, 1, MPI_LONG, p, 2, W);
    else
      MPI_Recv(a, 1, MPI_LONG, 4 * block + 3 < size ? 4 * block + 3 : size - 1, 2, W,
               MPI_STATUS_IGNORE);
  }
}

// Manager with a queue of its own, workers report with their tag, a stop for everybody at the end.
static void manager_tags(void) {
  enum { READY = 1, WORK, STOP };
  MPI_Status status;
  int task = 0, open = size - 1;
  if (rank == 0) {
    while (open > 0) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
      MPI_Recv(a, 10, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, W, &status);
      if (task < 4 * size)
        task++, MPI_Send(a, 10, MPI_DOUBLE, status.MPI_SOURCE, WORK, W);
      else
        open--, MPI_Send(a, 0, MPI_DOUBLE, status.MPI_SOURCE, STOP, W);
    }
  } else {
    do {
      MPI_Send(a, 1, MPI_DOUBLE, 0, READY, W);
      MPI_Recv(b, 10, MPI_DOUBLE, 0, MPI_ANY_TAG, W, &status);
    } while (status.MPI_TAG != STOP);
  }
}

// A distributed hash table: requests to whoever owns the key, answers by whoever is asked.
static void hash_table(void) {
  int asked[64] = {0}, ask[64];
  srand(17 * rank + 1);
  MPI_Request req[64];
  for (int t = 0; t < 3; t++) {
    for (int p = 0; p < size; p++) ask[p] = 0;
    for (int k = 0; k < 4; k++) {
      int owner = rand() % size;
      ask[owner]++;
      MPI_Isend(a, 4, MPI_INT, owner, 50, W, &req[k]);
    }
    MPI_Reduce_scatter_block(ask, asked, 1, MPI_INT, MPI_SUM, W);
    for (int k = 0; k < asked[0]; k++) {
      MPI_Status status;
      MPI_Recv(b, 4, MPI_INT, MPI_ANY_SOURCE, 50, W, &status);
    }
    MPI_Waitall(4, req, MPI_STATUSES_IGNORE);
  }
}

static const struct pattern patterns[] = {
    PATTERN(gauss_pipelined),   PATTERN(floyd_square),     PATTERN(multiply_25d),
    PATTERN(tree_segments),     PATTERN(ring_pieces),      PATTERN(double_buffer),
    PATTERN(rma_queue),         PATTERN(mesh_halo),        PATTERN(particle_moves),
    PATTERN(ensemble),          PATTERN(snapshots),        PATTERN(psrs),
    PATTERN(nodes_and_sockets), PATTERN(graph_of_edges),   PATTERN(stages),
    PATTERN(pipelined_cg),      PATTERN(coupler),          PATTERN(spare_ring),
    PATTERN(pscw_halo),         PATTERN(fence_torus),      PATTERN(lock_all_gets),
    PATTERN(tournament),        PATTERN(replica_exchange), PATTERN(prefix_blocks),
    PATTERN(manager_tags),      PATTERN(hash_table),
};

RUN_ONE_OF(patterns)
