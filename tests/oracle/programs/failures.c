// SPDX-License-Identifier: Apache-2.0
// Calls that fail under MPI_ERRORS_RETURN: no argument of theirs may be read where MPI would not
// read it, the program gets its return codes, and what comes after works. Prints the error classes.
#include "check.h"

static int out[8], in[8];
static MPI_Comm comm;

/// The call fails with the class, and the handler of the program has been called as often as
/// failed.
static int failed;
static void handler(MPI_Comm* of, int* code, ...) { ++failed; }
static void win_handler(MPI_Win* of, int* code, ...) { ++failed; }
static void file_handler(MPI_File* of, int* code, ...) { ++failed; }

static int class_of(int code) {
  int found;
  MPI_Error_class(code, &found);
  return found;
}

/// Rank 0 prints what a call gave back, so that runs with and without a recorder can be compared.
static void said(const char* call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "no error";
  int length;
  if (code != MPI_SUCCESS) MPI_Error_string(class_of(code), text, &length);
  if (rank == 0) printf("%.*s: %s\n", (int)strcspn(call, "("), call, text);
}
#define FAILS(call)                                                                                \
  do {                                                                                             \
    int code = call;                                                                               \
    CHECK(code != MPI_SUCCESS);                                                                    \
    said(#call, code);                                                                             \
  } while (0)
#define FAILS_WITH(class, call)                                                                    \
  do {                                                                                             \
    int code = call;                                                                               \
    CHECK(class_of(code) == class);                                                                \
    said(#call, code);                                                                             \
  } while (0)

/// Some MPIs take it.
#define MAY_FAIL(call)                                                                             \
  do {                                                                                             \
    made = MPI_COMM_NULL;                                                                          \
    int code = call;                                                                               \
    said(#call, code);                                                                             \
    if (code == MPI_SUCCESS && made != MPI_COMM_NULL) MPI_Comm_free(&made);                        \
  } while (0)

static void point_to_point(void) {
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Status status;
  int flag;
  FAILS_WITH(MPI_ERR_RANK, MPI_Send(out, 1, MPI_INT, ranks + 5, 1, comm));
  FAILS_WITH(MPI_ERR_RANK, MPI_Recv(in, 1, MPI_INT, -77, 1, comm, &status));
  FAILS_WITH(MPI_ERR_COUNT, MPI_Send(out, -1, MPI_INT, next, 1, comm));
  FAILS_WITH(MPI_ERR_TAG, MPI_Isend(out, 1, MPI_INT, next, -7, comm, &r));
  FAILS_WITH(MPI_ERR_TYPE, MPI_Send(out, 1, MPI_DATATYPE_NULL, next, 1, comm));
  FAILS_WITH(MPI_ERR_COMM, MPI_Send(out, 1, MPI_INT, next, 1, MPI_COMM_NULL));
  FAILS_WITH(MPI_ERR_COMM,
             MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_NULL, &r));
#ifndef OPEN_MPI // 4.1 ends the program
  FAILS_WITH(MPI_ERR_COMM, MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_NULL, &status));
#endif
  FAILS_WITH(MPI_ERR_RANK, MPI_Iprobe(ranks, 1, comm, &flag, MPI_STATUS_IGNORE));
  FAILS_WITH(MPI_ERR_COUNT,
             MPI_Sendrecv(out, 1, MPI_INT, next, 1, in, -3, MPI_INT, previous, 1, comm, &status));
  FAILS_WITH(MPI_ERR_TYPE, MPI_Recv_init(in, 1, MPI_DATATYPE_NULL, previous, 1, comm, &r));
  FAILS_WITH(MPI_ERR_REQUEST, MPI_Start((r = MPI_REQUEST_NULL, &r)));
  // What is shorter than what comes.
  FAILS_WITH(MPI_ERR_TRUNCATE, MPI_Sendrecv(out, 4, MPI_INT, next, 2, in, 1, MPI_INT,
                                            MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE));
  MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &r);
  MPI_Send(out, 4, MPI_INT, next, 3, comm);
  FAILS_WITH(MPI_ERR_TRUNCATE, MPI_Wait(&r, MPI_STATUS_IGNORE));
  CHECK(r == MPI_REQUEST_NULL);
}

/// Several requests of which some fail; then the same handles again.
static void arrays(void) {
  MPI_Request r[3];
  MPI_Status statuses[3];
  int index, count, indices[3], flag;
  for (int round = 0; round < 5; ++round) {
    MPI_Irecv(in, 1, MPI_INT, previous, 11, comm, &r[0]);
    MPI_Irecv(in + 1, 1, MPI_INT, MPI_ANY_SOURCE, 12, comm, &r[1]);
    MPI_Irecv(in + 2, 4, MPI_INT, previous, MPI_ANY_TAG, comm, &r[2]);
    MPI_Barrier(comm);
    for (int tag = 11; tag < 14; ++tag) MPI_Send(out, tag == 12 ? 3 : 1, MPI_INT, next, tag, comm);
    MPI_Barrier(comm);
    switch (round) {
    case 0:
      FAILS_WITH(MPI_ERR_IN_STATUS, MPI_Waitall(3, r, statuses));
      CHECK(class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
      break;
    case 1:
      FAILS(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
      break;
    case 2:
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
      FAILS_WITH(MPI_ERR_TRUNCATE, MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE));
      CHECK(r[1] == MPI_REQUEST_NULL);
      break;
    case 3:
      MPI_Wait(&r[2], &statuses[2]);
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
      FAILS_WITH(MPI_ERR_IN_STATUS, MPI_Waitsome(3, r, &count, indices, statuses));
      break;
    case 4:
      MPI_Wait(&r[2], &statuses[2]);
      FAILS_WITH(MPI_ERR_TRUNCATE, MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE));
      break;
    }
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; ++i) CHECK(r[i] == MPI_REQUEST_NULL);
  }
}

static void collectives(void) {
  int one[64];
  MPI_Request r;
  MPI_Comm made;
  for (int i = 0; i < 64; ++i) one[i] = 1;
  FAILS_WITH(MPI_ERR_ROOT, MPI_Bcast(out, 1, MPI_INT, ranks, comm));
  FAILS_WITH(MPI_ERR_ROOT, MPI_Bcast(out, 1, MPI_INT, -55, comm));
  FAILS_WITH(MPI_ERR_COMM, MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_NULL));
  FAILS_WITH(MPI_ERR_COMM,
             MPI_Alltoallv(out, one, one, MPI_INT, in, one, one, MPI_INT, MPI_COMM_NULL));
  FAILS_WITH(MPI_ERR_COMM, MPI_Reduce_scatter(out, in, one, MPI_INT, MPI_SUM, MPI_COMM_NULL));
  FAILS_WITH(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
  FAILS_WITH(MPI_ERR_COMM,
             MPI_Neighbor_alltoallv(out, one, one, MPI_INT, in, one, one, MPI_INT, MPI_COMM_NULL));
  FAILS_WITH(MPI_ERR_OP, MPI_Allreduce(out, in, 1, MPI_INT, MPI_OP_NULL, comm));
  FAILS(MPI_Scan(out, in, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
  FAILS_WITH(MPI_ERR_COUNT, MPI_Allgather(out, -1, MPI_INT, in, -1, MPI_INT, comm));
  FAILS_WITH(MPI_ERR_COUNT, MPI_Ibcast(out, -1, MPI_INT, 0, comm, &r));
  FAILS_WITH(MPI_ERR_COMM,
             MPI_Ialltoallw(out, one, one, NULL, in, one, one, NULL, MPI_COMM_NULL, &r));
  FAILS(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm)); // it has no neighbours
  MAY_FAIL(MPI_Comm_split(comm, -5, 0, &made));
}

static void objects(void) {
  MPI_Comm made, graph;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Op op;
  int far[2] = {ranks + 1, -9}, sizes[2] = {-1, 2}, yes[2] = {1, 1}, n[3];
  MPI_Aint addresses[1];
  FAILS_WITH(MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, &made));
  FAILS_WITH(MPI_ERR_COMM, MPI_Comm_free((made = MPI_COMM_NULL, &made)));
  FAILS_WITH(MPI_ERR_GROUP, MPI_Comm_create(comm, MPI_GROUP_NULL, &made));
  FAILS(MPI_Comm_split_type(comm, 12345, 0, MPI_INFO_NULL, &made));
  MAY_FAIL(MPI_Cart_create(comm, 2, sizes, yes, 0, &made));
  MAY_FAIL(MPI_Graph_create(comm, -2, NULL, NULL, 0, &made));
  MAY_FAIL(MPI_Dist_graph_create_adjacent(comm, 1, far, MPI_UNWEIGHTED, 1, far, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, &made));
  FAILS(MPI_Cart_sub(comm, yes, &made)); // no grid
  MPI_Dist_graph_create_adjacent(comm, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  FAILS(MPI_Cart_sub(graph, NULL, &made));
  MPI_Comm_free(&graph);
  MPI_Comm_group(comm, &group);
  FAILS_WITH(MPI_ERR_RANK, MPI_Group_incl(group, 2, far, &group));
  FAILS(MPI_Group_incl(MPI_GROUP_NULL, 1, far, &group));
  MPI_Group_free(&group);
  FAILS_WITH(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
  FAILS_WITH(MPI_ERR_TYPE, MPI_Type_vector(1, 1, 1, MPI_DATATYPE_NULL, &type));
  FAILS(MPI_Type_indexed(-2, NULL, NULL, MPI_INT, &type));
  FAILS_WITH(MPI_ERR_TYPE, MPI_Type_get_contents(MPI_DATATYPE_NULL, 3, 1, 1, n, addresses, &type));
  FAILS(MPI_Type_free((type = MPI_INT, &type)));
  FAILS(MPI_Op_free((op = MPI_SUM, &op)));
}

static void windows_and_files(void) {
  MPI_Win win;
  MPI_File file;
  MPI_Status status;
  MPI_Request r;
  FAILS(MPI_Put(out, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_WIN_NULL));
  FAILS(MPI_Win_fence(0, MPI_WIN_NULL));
  FAILS(MPI_Win_free((win = MPI_WIN_NULL, &win)));
  FAILS_WITH(MPI_ERR_COMM, MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win));
  if (ranks > 1) { // Open MPI 4.1 makes no window of one rank's memory
    MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, comm, &win);
    MPI_Errhandler mine;
    MPI_Win_create_errhandler(win_handler, &mine);
    MPI_Win_set_errhandler(win, mine);
    MPI_Win_fence(0, win);
    failed = 0;
    FAILS_WITH(MPI_ERR_RANK, MPI_Put(out, 1, MPI_INT, ranks + 3, 0, 1, MPI_INT, win));
    FAILS_WITH(MPI_ERR_COUNT, MPI_Get(in, -1, MPI_INT, next, 0, 1, MPI_INT, win));
    FAILS_WITH(MPI_ERR_TYPE,
               MPI_Accumulate(out, 1, MPI_DATATYPE_NULL, next, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK(failed == 3);
    MPI_Win_fence(0, win);
    MPI_Errhandler_free(&mine);
    MPI_Win_free(&win);
  }
  FAILS_WITH(MPI_ERR_NO_SUCH_FILE,
             MPI_File_open(comm, "no such file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_SELF, "x", MPI_MODE_RDONLY | MPI_MODE_RDWR,
                                          MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_NO_SUCH_FILE, MPI_File_delete("no such file", MPI_INFO_NULL));
  FAILS(MPI_File_read((file = MPI_FILE_NULL), in, 1, MPI_INT, &status));
  FAILS(MPI_File_iwrite(MPI_FILE_NULL, out, 1, MPI_INT, &r));
  FAILS(MPI_File_close((file = MPI_FILE_NULL, &file)));
  char name[32];
  snprintf(name, sizeof name, "rank %d.bin", rank);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  FAILS_WITH(MPI_ERR_COUNT, MPI_File_write(file, out, -1, MPI_INT, &status));
  FAILS_WITH(MPI_ERR_TYPE, MPI_File_read_at(file, 0, in, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
  FAILS(MPI_File_seek(file, -1, MPI_SEEK_SET));
  FAILS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no such form", MPI_INFO_NULL));
  MPI_File_close(&file);
  MPI_File_delete(name, MPI_INFO_NULL);
}

/// The program's own error handler is called once for each of its own failing calls, and classes
/// that it adds come back to it.
static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  return *(int*)state;
}
static int nothing(void* state) { return MPI_SUCCESS; }
static int no_cancel(void* state, int complete) { return MPI_SUCCESS; }

static void own_handler(void) {
  MPI_Errhandler mine;
  MPI_Comm none;
  MPI_Datatype type;
  MPI_Request r;
  int added, n[1];
  MPI_Aint a[1];
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
  MPI_Comm_set_errhandler(comm, mine);
  failed = 0;
  MPI_Send(out, 1, MPI_INT, ranks, 1, comm);
  CHECK(failed == 1);
  failed = 0;
  MPI_Barrier(MPI_COMM_NULL);
  MPI_Reduce_scatter(out, in, NULL, MPI_INT, MPI_SUM, MPI_COMM_NULL);
  MPI_Comm_dup(MPI_COMM_NULL, &none);
  MPI_Type_get_contents(MPI_DATATYPE_NULL, 1, 1, 1, n, a, &type);
  MPI_Cart_sub(MPI_COMM_NULL, NULL, &none);
  if (rank == 0) printf("handler called %d times\n", failed);
#ifndef OPEN_MPI // 4.1 does not pass it on
  MPI_Add_error_class(&added);
  failed = 0;
  MPI_Grequest_start(query, nothing, no_cancel, &added, &r);
  MPI_Grequest_complete(r);
  CHECK(class_of(MPI_Wait(&r, MPI_STATUS_IGNORE)) == added);
#endif
  MPI_Errhandler_free(&mine);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  point_to_point();
  arrays();
  collectives();
  objects();
  windows_and_files();
  own_handler();
  MPI_Comm_free(&comm);
  return end("failures");
}
