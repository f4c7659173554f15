/* SPDX-License-Identifier: Apache-2.0
 * Wrong on purpose: calls with null handles and, for "freed", with a communicator that is freed.
 * Says how often the program's error handler runs for each. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int runs;

static void count_run(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++runs;
}

#define TRY(call)                                                                                  \
  do {                                                                                             \
    const int before = runs;                                                                       \
    int error_class = (call);                                                                      \
    MPI_Error_class(error_class, &error_class);                                                    \
    printf("%s: class %d, %d\n", #call, error_class, runs - before);                               \
  } while (0)

static void try_comm(MPI_Comm comm) {
  int data[8] = {0}, one[4] = {1, 1, 1, 1}, zero[4] = {0};
  MPI_Comm made;
  MPI_Datatype types[1] = {MPI_INT};
  TRY(MPI_Barrier(comm));
  TRY(MPI_Send(data, 1, MPI_INT, 0, 0, comm));
  TRY(MPI_Bcast(data, 1, MPI_INT, 0, comm));
  TRY(MPI_Gatherv(data, 1, MPI_INT, data + 4, one, zero, MPI_INT, 0, comm));
  TRY(MPI_Alltoallv(data, one, zero, MPI_INT, data + 4, one, zero, MPI_INT, comm));
  TRY(MPI_Alltoallw(data, one, zero, types, data + 4, one, zero, types, comm));
  TRY(MPI_Neighbor_alltoallv(data, one, zero, MPI_INT, data + 4, one, zero, MPI_INT, comm));
  TRY(MPI_Comm_dup(comm, &made));
  TRY(MPI_Comm_split(comm, 0, 0, &made));
  TRY(MPI_Cart_sub(comm, one, &made));
}

static void try_null_objects(void) {
  int data[2] = {0}, one[1] = {1};
  MPI_Comm made;
  MPI_Datatype type;
  MPI_Group group;
  TRY(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
  TRY(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
  TRY(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &made));
  TRY(MPI_Group_incl(MPI_GROUP_NULL, 1, one, &group));
  TRY(MPI_Reduce(data, data + 1, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  MPI_Comm comm, freed;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(count_run, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  freed = comm;
  MPI_Comm_free(&comm);
  try_comm(argc > 1 && strcmp(argv[1], "freed") == 0 ? freed : MPI_COMM_NULL);
  try_null_objects();
  printf("in all %d\n", runs);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Finalize();
  return 0;
}
