/* SPDX-License-Identifier: Apache-2.0
 * Another tool of the profiling interface, to be preloaded beside the recorder: counts what is
 * sent. */
#include <mpi.h>
#include <stdio.h>

static long sends;
static long reductions;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++reductions;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Finalize(void) {
  long counts[2] = {sends, reductions};
  long all[2] = {0, 0};
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(counts, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) fprintf(stderr, "counter: %ld sends, %ld reductions\n", all[0], all[1]);
  return PMPI_Finalize();
}
