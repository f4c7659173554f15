// SPDX-License-Identifier: Apache-2.0
// What the examples do not say: rare functions, failing calls, null handles, inter-communicators,
// every way to make a datatype or a group. Any number of ranks; nothing depends on time.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMany = 64 };
static int rank, ranks, next, previous;
static int out[kMany], in[kMany];

static MPI_Comm in_comm(MPI_Comm comm) {
  MPI_Comm_rank(comm, &rank);
  next = (rank + 1) % ranks;
  previous = (rank + ranks - 1) % ranks;
  return comm;
}

static void sends(MPI_Comm comm) {
  MPI_Request r[4];
  MPI_Status status;
  MPI_Message message;
  int flag = 0, index, count, indices[4];
  char buffer[1024 + MPI_BSEND_OVERHEAD];
  void* detached;

  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(out, 1, MPI_INT, next, 1, comm);
  MPI_Recv(in, kMany, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
  MPI_Ibsend(out, 2, MPI_INT, next, 2, comm, &r[0]);
  MPI_Recv(in, kMany, MPI_INT, previous, MPI_ANY_TAG, comm, &status);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&detached, &count);

  MPI_Irecv(in, kMany, MPI_INT, previous, 3, comm, &r[0]);
  MPI_Barrier(comm);
  MPI_Rsend(out, 1, MPI_INT, next, 3, comm);
  MPI_Wait(&r[0], &status);
  MPI_Irecv(in, kMany, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r[0]);
  MPI_Barrier(comm);
  MPI_Irsend(out, 3, MPI_INT, next, 4, comm, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Issend(out, 1, MPI_INT, next, 5, comm, &r[0]);
  MPI_Mprobe(previous, 5, comm, &message, &status);
  MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Isend(out, 1, MPI_INT, next, 6, comm, &r[0]);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, 1, MPI_INT, &message, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Improbe(next, 77, comm, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 0, comm, &message, &status);
  MPI_Mrecv(in, 1, MPI_INT, &message, &status);

  MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 9, comm, &r[0]);
  MPI_Cancel(&r[0]);
  MPI_Wait(&r[0], &status);
  r[0] = r[1] = r[2] = MPI_REQUEST_NULL;
  MPI_Waitany(2, r, &index, &status);
  MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
  MPI_Waitsome(2, r, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Testsome(2, r, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
  MPI_Wait(&r[0], &status);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);

  MPI_Irecv(in, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &r[0]);
  MPI_Request_get_status(r[0], &flag, &status);
  MPI_Testsome(3, r, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Recv(in, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &status);
  MPI_Sendrecv_replace(out, 2, MPI_INT, next, 8, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
  MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &r[0]);
  MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, 2, comm, &r[1]);
  MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
  MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
  MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, 3, comm, &r[0]);
  MPI_Request_free(&r[0]);
}

static void persistent(MPI_Comm comm) {
  MPI_Request r[5];
  int count, flag, indices[5];
  MPI_Status statuses[5];
  MPI_Ssend_init(out, 1, MPI_INT, next, 11, comm, &r[0]);
  MPI_Send_init(out, 1, MPI_INT, next, 12, comm, &r[1]);
  MPI_Recv_init(in, kMany, MPI_INT, MPI_ANY_SOURCE, 11, comm, &r[2]);
  MPI_Recv_init(in + 1, 1, MPI_INT, previous, MPI_ANY_TAG, comm, &r[3]);
  MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, 13, comm, &r[4]);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&r[2]);
    MPI_Start(&r[0]);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Startall(3, r + 1); // sends 12, receives 11 (cancelled) and 12
    MPI_Cancel(&r[2]);
    MPI_Waitall(5, r, statuses);
    MPI_Barrier(comm); // else the next message with tag 11 may be earlier than MPI_Cancel
  }
  MPI_Waitsome(5, r, &count, indices, statuses);
  MPI_Testall(5, r, &flag, MPI_STATUSES_IGNORE);
  MPI_Request_free(&r[0]);
  MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 1, comm,
                &r[0]); // takes the place of the one just freed
  MPI_Startall(1, r);
  MPI_Wait(&r[0], &statuses[0]);
  for (int i = 0; i < 5; ++i) MPI_Request_free(&r[i]);
}

static void failures(void) {
  MPI_Comm comm, none;
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Datatype type;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Send(out, 1, MPI_INT, ranks + 5, 1, comm);
  MPI_Send(out, -1, MPI_INT, next, 1, comm);
  MPI_Isend(out, 1, MPI_INT, next, -7, comm, &r);
  MPI_Bcast(out, 1, MPI_INT, ranks, comm);
  MPI_Comm_split(comm, -5, 0, &none);
  MPI_Type_contiguous(-1, MPI_INT, &type);
  MPI_Sendrecv(out, 1, MPI_INT, next, 3, in, 0, MPI_INT, previous, 3, comm,
               MPI_STATUS_IGNORE); // too short
  MPI_Irecv(in, 1, MPI_INT, previous, 4, comm, &r);
  MPI_Send(out, 2, MPI_INT, next, 4, comm);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
}

static void communicators(void) {
  MPI_Comm a, b, c;
  MPI_Group world, half, other;
  MPI_Request r;
  char name[] = "a \"name\"";
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_set_name(a, name);
  MPI_Comm_idup(a, &b, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Barrier(b);
  MPI_Comm_disconnect(&b);
  MPI_Comm_dup_with_info(a, MPI_INFO_NULL, &b);
  MPI_Comm_free(&b);
  MPI_Comm_split_type(a, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &b);
  MPI_Comm_free(&b);
  MPI_Comm_split(a, rank % 3 == 2 ? MPI_UNDEFINED : rank % 3, -rank, &b);
  if (b != MPI_COMM_NULL) MPI_Comm_free(&b);

  int range[1][3] = {{0, ranks - 1, 2}}, first = 0;
  MPI_Comm_group(a, &world);
  MPI_Group_range_incl(world, 1, range, &half);
  MPI_Group_range_excl(world, 1, range, &other); // empty on one rank
  if (other != MPI_GROUP_EMPTY) MPI_Group_free(&other);
  MPI_Group_excl(world, 1, &first, &other);
  MPI_Group groups[3];
  MPI_Group_union(half, other, &groups[0]);
  MPI_Group_intersection(half, other, &groups[1]);
  MPI_Group_difference(half, other, &groups[2]);
  for (int i = 0; i < 3; ++i)
    if (groups[i] != MPI_GROUP_EMPTY) MPI_Group_free(&groups[i]);
  MPI_Comm_create(a, half, &b);
  if (b != MPI_COMM_NULL) {
    MPI_Bcast(out, 1, MPI_INT, 0, b);
    MPI_Comm_create_group(b, half, 5, &c);
    MPI_Comm_free(&c);
    MPI_Comm_free(&b);
  }
  if (other != MPI_GROUP_EMPTY) MPI_Group_free(&other);
  MPI_Group_free(&half);
  MPI_Group_free(&world);
  MPI_Comm_group(a, &world); // Open MPI gives one handle several times
  MPI_Comm_group(a, &half);
  MPI_Group_free(&half);
  MPI_Group_incl(world, 1, &first, &other);
  MPI_Group_free(&other);
  MPI_Group_free(&world);
  MPI_Comm_get_parent(&c);

  if (ranks > 1) { // even and odd ranks speak to each other
    MPI_Comm_split(a, rank % 2, rank, &b);
    MPI_Intercomm_create(b, 0, a, 1 - rank % 2, 17, &c);
    int leader = rank < 2, root = rank % 2 ? 0 : leader ? MPI_ROOT : MPI_PROC_NULL, size;
    MPI_Comm_remote_size(c, &size);
    MPI_Bcast(out, 3, MPI_INT, root, c);
    MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, root, c);
    MPI_Reduce(out, in, 2, MPI_INT, MPI_MAX, root, c);
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, c);
    int counts[kMany], displacements[kMany];
    for (int i = 0; i < size; ++i) counts[i] = 1, displacements[i] = i;
    MPI_Alltoallv(out, counts, displacements, MPI_INT, in, counts, displacements, MPI_INT, c);
    if (leader)
      MPI_Sendrecv(out, 1, MPI_INT, 0, 4, in, 1, MPI_INT, MPI_ANY_SOURCE, 4, c, MPI_STATUS_IGNORE);
    MPI_Group_free((MPI_Comm_remote_group(c, &world), &world));
    MPI_Comm d;
    MPI_Intercomm_merge(c, rank % 2, &d);
    MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_BOR, d);
    MPI_Comm_free(&d);
    MPI_Comm_dup(c, &d);
    MPI_Comm_free(&d);
    MPI_Comm_free(&c);
    MPI_Comm_free(&b);
  }
  MPI_Comm_free(&a);
}

static void topologies(void) {
  MPI_Comm comm;
  int index[kMany], edges[2 * kMany], one = 1, sources[2] = {previous, next}, weights[2] = {3, 4};
  for (int i = 0; i < ranks; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + ranks - 1) % ranks;
    edges[2 * i + 1] = (i + 1) % ranks;
  }
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comm);
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &comm);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, &weights[0], MPI_INFO_NULL, 0,
                        &comm);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, sources, weights,
                                 MPI_INFO_NULL, 0, &comm);
  int counts[2] = {1, 1}, displacements[2] = {0, 1};
  MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, counts, displacements, MPI_INT, comm);
  MPI_Neighbor_alltoallv(out, counts, displacements, MPI_INT, in, counts, displacements, MPI_INT,
                         comm);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
                                 MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm);
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Comm_free(&comm);
}

static void datatypes(void) {
  MPI_Datatype t[16], parts[2] = {MPI_INT, MPI_DOUBLE}, contents[2];
  int n = 0, lengths[2] = {1, 2}, places[2] = {0, 4}, integers[8];
  MPI_Aint offsets[2] = {0, 32}, addresses[8];
  MPI_Type_contiguous(3, MPI_CHAR, &t[n++]);
  MPI_Type_create_hvector(2, 1, 24, t[0], &t[n++]);
  MPI_Type_indexed(2, lengths, places, MPI_SHORT, &t[n++]);
  MPI_Type_create_hindexed(2, lengths, offsets, MPI_FLOAT, &t[n++]);
  MPI_Type_create_indexed_block(2, 2, places, MPI_LONG, &t[n++]);
  MPI_Type_create_hindexed_block(2, 2, offsets, MPI_BYTE, &t[n++]);
  MPI_Type_create_struct(2, lengths, offsets, parts, &t[n++]);
  MPI_Type_create_resized(t[6], -8, 128, &t[n++]);
  MPI_Type_dup(t[6], &t[n++]);
  MPI_Type_dup(MPI_INT, &t[n++]);
  int whole[2] = {8, 8}, part[2] = {2, 3}, start[2] = {1, 4}, grid[2] = {1, 1};
  int blocks[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
      arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, MPI_INT, &t[n++]);
  MPI_Type_create_darray(1, 0, 2, whole, blocks, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT,
                         &t[n++]);
  for (int i = 0; i < n; ++i) MPI_Type_commit(&t[i]);
  MPI_Type_set_name(t[6], "pair");
  MPI_Type_get_contents(t[0], 1, 0, 1, integers, addresses, contents);
  MPI_Type_get_contents(t[8], 0, 0, 1, integers, addresses, contents);
  MPI_Type_free(&contents[0]);
  MPI_Sendrecv(out, 1, t[10], next, 21, in, 6, MPI_INT, previous, 21, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Bcast(MPI_BOTTOM, 0, t[2], 0, MPI_COMM_WORLD);
  MPI_Bcast(out, 1, MPI_2INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(out, in, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  MPI_Bcast(out, 1, MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD);
  MPI_Bcast(out, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  MPI_Bcast(out, 1, MPI_AINT, 0, MPI_COMM_WORLD);
  MPI_Bcast(out, 1, MPI_PACKED, 0, MPI_COMM_WORLD);
  MPI_Type_create_f90_real(6, MPI_UNDEFINED, &contents[0]);
  MPI_Bcast(out, 1, contents[0], 0, MPI_COMM_WORLD);
  while (n > 0) MPI_Type_free(&t[--n]);
}

static void collectives(MPI_Comm comm) {
  int counts[kMany], displacements[kMany];
  MPI_Datatype types[kMany];
  for (int i = 0; i < ranks; ++i) counts[i] = 1, displacements[i] = 4 * i, types[i] = MPI_INT;
  MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(MPI_IN_PLACE, in, 1, MPI_INT, MPI_MAX, comm);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, comm);
  MPI_Scatter(out, 1, MPI_INT, rank == ranks - 1 ? MPI_IN_PLACE : (void*)in, 1, MPI_INT, ranks - 1,
              comm);
  MPI_Alltoallw(out, counts, displacements, types, in, counts, displacements, types, comm);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, displacements, types, comm);
  MPI_Reduce_local(out, in, 1, MPI_INT, MPI_LXOR);
  MPI_Pcontrol(1, "with", 2, "more");
}

int main(int argc, char** argv) {
  int provided;
  MPI_Comm comm;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > kMany) return MPI_Finalize(), 2;
  in_comm(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm); // its ranks run the other way
  for (int round = 0; round < 2; ++round) {
    sends(in_comm(comm));
    persistent(comm);
    collectives(comm);
    sends(in_comm(MPI_COMM_WORLD));
    communicators();
    topologies();
    datatypes();
  }
  failures();
  MPI_Comm_free(&comm);
  if (rank == 0) puts("corners: ok");
  return MPI_Finalize();
}
