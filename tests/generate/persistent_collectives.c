// SPDX-License-Identifier: Apache-2.0
// Each persistent collective operation. Open MPI 4 has them as an extension.
#include <mpi.h>
#include <stddef.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name##_init
#else
#define PERSISTENT(name) MPI_##name##_init
#endif

#ifdef MPICH // whose 4.0 fails when an MPI_Scatter_init is started again
#define STARTS 1
#else
#define STARTS 3
#endif
#define MOST 8

static MPI_Request requests[32];
static int made;

static MPI_Request* next(void) { return &requests[made++]; }

static int out[MOST * MOST], in[32][MOST * MOST]; // no two operations receive in the same place
static int ones[MOST], starts[MOST], bytes[MOST];
static MPI_Aint places[MOST];
static MPI_Datatype types[MOST];

static void make_collectives(MPI_Comm comm) {
  const MPI_Info none = MPI_INFO_NULL;
  PERSISTENT(Barrier)(comm, none, next());
  PERSISTENT(Bcast)(in[0], 3, MPI_INT, 1, comm, none, next());
  PERSISTENT(Gather)(out, 1, MPI_INT, in[1], 1, MPI_INT, 0, comm, none, next());
  PERSISTENT(Gatherv)(out, 1, MPI_INT, in[2], ones, starts, MPI_INT, 0, comm, none, next());
  PERSISTENT(Scatter)(out, 1, MPI_INT, in[3], 1, MPI_INT, 0, comm, none, next());
  PERSISTENT(Scatterv)(out, ones, starts, MPI_INT, in[4], 1, MPI_INT, 0, comm, none, next());
  PERSISTENT(Allgather)(out, 1, MPI_INT, in[5], 1, MPI_INT, comm, none, next());
  PERSISTENT(Allgatherv)(out, 1, MPI_INT, in[6], ones, starts, MPI_INT, comm, none, next());
  PERSISTENT(Alltoall)(out, 1, MPI_INT, in[7], 1, MPI_INT, comm, none, next());
  PERSISTENT(Alltoallv)
  (out, ones, starts, MPI_INT, in[8], ones, starts, MPI_INT, comm, none, next());
  PERSISTENT(Alltoallw)(out, ones, bytes, types, in[9], ones, bytes, types, comm, none, next());
  PERSISTENT(Reduce)(out, in[10], 2, MPI_INT, MPI_SUM, 1, comm, none, next());
  PERSISTENT(Allreduce)(out, in[11], 2, MPI_INT, MPI_MAX, comm, none, next());
  PERSISTENT(Reduce_scatter_block)(out, in[12], 1, MPI_INT, MPI_SUM, comm, none, next());
  PERSISTENT(Reduce_scatter)(out, in[13], ones, MPI_INT, MPI_SUM, comm, none, next());
  PERSISTENT(Scan)(out, in[14], 1, MPI_INT, MPI_SUM, comm, none, next());
  PERSISTENT(Exscan)(out, in[15], 1, MPI_INT, MPI_SUM, comm, none, next());
}

static void make_neighborhoods(MPI_Comm ring) {
  const MPI_Info none = MPI_INFO_NULL;
  PERSISTENT(Neighbor_allgather)(out, 1, MPI_INT, in[16], 1, MPI_INT, ring, none, next());
  PERSISTENT(Neighbor_allgatherv)
  (out, 1, MPI_INT, in[17], ones, starts, MPI_INT, ring, none, next());
  PERSISTENT(Neighbor_alltoall)(out, 1, MPI_INT, in[18], 1, MPI_INT, ring, none, next());
  PERSISTENT(Neighbor_alltoallv)
  (out, ones, starts, MPI_INT, in[19], ones, starts, MPI_INT, ring, none, next());
  PERSISTENT(Neighbor_alltoallw)
  (out, ones, places, types, in[20], ones, places, types, ring, none, next());
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size, wraps = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < MOST; ++i) {
    ones[i] = 1;
    starts[i] = i;
    bytes[i] = (int)sizeof(int) * i;
    places[i] = bytes[i];
    types[i] = MPI_INT;
  }
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wraps, 0, &ring);
  make_collectives(MPI_COMM_WORLD);
  make_neighborhoods(ring);
  for (int i = 0; i < STARTS; ++i) {
    MPI_Startall(made, requests);
    MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < made; ++i) MPI_Request_free(&requests[i]);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
