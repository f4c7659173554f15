/* SPDX-License-Identifier: Apache-2.0
 * What a program may do with MPI on one rank, for matrix.c. Of each feature: use it up, leave it
 * open, and a call that goes into the error handler or another function of the program. Each
 * recorded call is said before it is made. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DO(name, arguments) (say_call(#name), name arguments)

static const char *when, *way;
static void go(void);

static void say(const char* what) {
  char line[200];
  const int size = snprintf(line, sizeof line, "%s\n", what);
  if (write(1, line, (size_t)size) != size) _exit(99);
}

static void say_call(const char* name) {
  char line[100];
  snprintf(line, sizeof line, "call %s", name);
  say(line);
}

static void handled(int error) {
  int error_class = 0;
  char line[100];
  MPI_Error_class(error, &error_class);
  snprintf(line, sizeof line, "handler of class %d", error_class);
  say(line);
  go();
}

static void on_error(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  handled(*error);
}

static void on_window_error(MPI_Win* win, int* error, ...) {
  (void)win;
  handled(*error);
}

static void on_file_error(MPI_File* file, int* error, ...) {
  (void)file;
  handled(*error);
}

static int is_fatal(void) { return strcmp(way, "fatal") == 0; }

static int is_inside(void) { return strcmp(when, "inside") == 0; }

static void watch(MPI_Comm comm) {
  MPI_Errhandler handler;
  if (is_fatal()) return;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

static int numbers[16];

/* messages */

static void use_messages(void) {
  int out = 1, in = 0;
  MPI_Status status;
  DO(MPI_Sendrecv, (&out, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                    MPI_COMM_SELF, &status));
}

static void open_messages(void) { /* a buffer stays attached */
  static char room[1000 + MPI_BSEND_OVERHEAD];
  MPI_Message message;
  MPI_Status status;
  DO(MPI_Buffer_attach, (room, sizeof room));
  DO(MPI_Bsend, (numbers, 1, MPI_INT, 0, 6, MPI_COMM_SELF));
  DO(MPI_Mprobe, (0, 6, MPI_COMM_SELF, &message, &status));
  DO(MPI_Mrecv, (numbers, 1, MPI_INT, &message, &status));
}

static void fail_messages(void) {
  watch(MPI_COMM_WORLD);
  DO(MPI_Send, (numbers, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
}

/* requests */

static void use_requests(void) {
  MPI_Request all[8];
  for (int i = 0; i < 4; ++i) {
    DO(MPI_Irecv, (&numbers[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_SELF, &all[i]));
    DO(MPI_Isend, (&numbers[4 + i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &all[4 + i]));
  }
  DO(MPI_Waitall, (8, all, MPI_STATUSES_IGNORE));
}

static void open_requests(void) {
  MPI_Request all[2];
  int index;
  DO(MPI_Irecv, (&numbers[0], 1, MPI_INT, 0, 8, MPI_COMM_SELF, &all[0]));
  DO(MPI_Irecv, (&numbers[1], 1, MPI_INT, 0, 9, MPI_COMM_SELF, &all[1]));
  DO(MPI_Send, (&numbers[2], 1, MPI_INT, 0, 9, MPI_COMM_SELF));
  DO(MPI_Waitany, (2, all, &index, MPI_STATUS_IGNORE));
}

static void fail_requests(void) {
  MPI_Request request;
  watch(MPI_COMM_WORLD);
  DO(MPI_Irecv, (numbers, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request));
}

/* persistent */

static void use_persistent(void) {
  MPI_Request both[2];
  DO(MPI_Recv_init, (&numbers[0], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[0]));
  DO(MPI_Send_init, (&numbers[1], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[1]));
  DO(MPI_Startall, (2, both));
  DO(MPI_Waitall, (2, both, MPI_STATUSES_IGNORE));
  DO(MPI_Request_free, (&both[0]));
  DO(MPI_Request_free, (&both[1]));
}

static void open_persistent(void) {
  static MPI_Request receive;
  DO(MPI_Recv_init, (&numbers[0], 1, MPI_INT, 0, 11, MPI_COMM_SELF, &receive));
  DO(MPI_Start, (&receive));
}

static void fail_persistent(void) {
  MPI_Request request;
  watch(MPI_COMM_WORLD);
  DO(MPI_Send_init, (numbers, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request));
}

/* collectives */

static void use_collectives(void) {
  int sum;
  DO(MPI_Bcast, (numbers, 4, MPI_INT, 0, MPI_COMM_WORLD));
  for (int i = 0; i < 20; ++i)
    DO(MPI_Allreduce, (numbers, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  DO(MPI_Barrier, (MPI_COMM_WORLD));
}

static void open_collectives(void) {
  for (int i = 0; i < 3; ++i) DO(MPI_Barrier, (MPI_COMM_WORLD));
}

static void fail_collectives(void) {
  watch(MPI_COMM_WORLD);
  DO(MPI_Bcast, (numbers, 1, MPI_INT, 99, MPI_COMM_WORLD));
}

/* icollectives */

static void use_icollectives(void) {
  MPI_Request both[2];
  int sum;
  DO(MPI_Iallreduce, (numbers, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &both[0]));
  DO(MPI_Ibarrier, (MPI_COMM_WORLD, &both[1]));
  DO(MPI_Waitall, (2, both, MPI_STATUSES_IGNORE));
}

static void open_icollectives(void) {
  static MPI_Request request;
  static int sum;
  DO(MPI_Iallreduce, (numbers, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
}

static void fail_icollectives(void) {
  MPI_Request request;
  watch(MPI_COMM_WORLD);
  DO(MPI_Ibcast, (numbers, 1, MPI_INT, 99, MPI_COMM_WORLD, &request));
}

/* windows */

static MPI_Win left = MPI_WIN_NULL; /* open; MPI_Finalize wants it freed */
static int is_locked;

static MPI_Win window(void) {
  MPI_Win win;
  DO(MPI_Win_create, (numbers, sizeof numbers, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  return win;
}

static void close_window(void) {
  if (left == MPI_WIN_NULL) return;
  if (is_locked) DO(MPI_Win_unlock, (0, left));
  if (!is_locked) DO(MPI_Win_fence, (0, left));
  DO(MPI_Win_free, (&left));
}

static void use_windows(void) {
  int out = 3;
  MPI_Win win;
  close_window();
  win = window();
  DO(MPI_Win_fence, (0, win));
  DO(MPI_Put, (&out, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
  DO(MPI_Win_fence, (0, win));
  DO(MPI_Win_free, (&win));
}

static void open_windows(void) {
  static int out = 3;
  left = window();
  is_locked = 1;
  DO(MPI_Win_lock, (MPI_LOCK_EXCLUSIVE, 0, 0, left));
  DO(MPI_Put, (&out, 1, MPI_INT, 0, 1, 1, MPI_INT, left));
}

static void fail_windows(void) {
  MPI_Errhandler handler;
  left = window();
  MPI_Win_create_errhandler(on_window_error, &handler);
  if (!is_fatal()) MPI_Win_set_errhandler(left, handler);
  DO(MPI_Win_fence, (0, left));
  DO(MPI_Put, (numbers, 1, MPI_INT, 99, 0, 1, MPI_INT, left));
}

/* files */

static MPI_File file(void) {
  MPI_File file;
  DO(MPI_File_open,
     (MPI_COMM_WORLD, (char*)"matrix.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  return file;
}

static void use_files(void) {
  MPI_File f = file();
  DO(MPI_File_write_at, (f, 8, numbers, 4, MPI_INT, MPI_STATUS_IGNORE));
  DO(MPI_File_read_at_all, (f, 8, numbers, 4, MPI_INT, MPI_STATUS_IGNORE));
  DO(MPI_File_close, (&f));
}

static void open_files(void) {
  MPI_File f = file();
  DO(MPI_File_write, (f, numbers, 4, MPI_INT, MPI_STATUS_IGNORE));
}

static void fail_files(void) {
  MPI_Errhandler handler;
  MPI_File f = file();
  MPI_File_create_errhandler(on_file_error, &handler);
  MPI_File_set_errhandler(f, is_fatal() ? MPI_ERRORS_ARE_FATAL : handler);
  DO(MPI_File_write_at, (f, 8, numbers, -1, MPI_INT, MPI_STATUS_IGNORE));
}

/* datatypes */

static MPI_Datatype columns(void) {
  MPI_Datatype type;
  DO(MPI_Type_vector, (2, 1, 3, MPI_INT, &type));
  DO(MPI_Type_commit, (&type));
  return type;
}

static void use_datatypes(void) {
  MPI_Datatype type = columns();
  int in[16];
  DO(MPI_Sendrecv,
     (numbers, 1, type, 0, 0, in, 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  DO(MPI_Type_free, (&type));
}

static void open_datatypes(void) {
  MPI_Datatype type = columns();
  static MPI_Request request;
  DO(MPI_Irecv, (numbers, 1, type, 0, 12, MPI_COMM_SELF, &request));
  DO(MPI_Type_free, (&type));
}

static void fail_datatypes(void) {
  MPI_Datatype type;
  watch(MPI_COMM_WORLD);
  DO(MPI_Type_contiguous, (-1, MPI_INT, &type));
}

/* communicators */

static void use_communicators(void) {
  MPI_Comm comm, half;
  MPI_Group group, part;
  const int first[1] = {0};
  DO(MPI_Comm_dup, (MPI_COMM_WORLD, &comm));
  DO(MPI_Comm_group, (comm, &group));
  DO(MPI_Group_incl, (group, 1, first, &part));
  DO(MPI_Comm_create, (comm, part, &half));
  DO(MPI_Group_free, (&group));
  DO(MPI_Group_free, (&part));
  DO(MPI_Barrier, (half));
  DO(MPI_Comm_free, (&half));
  DO(MPI_Comm_free, (&comm));
}

static void open_communicators(void) {
  MPI_Comm comm, half;
  MPI_Group group;
  DO(MPI_Comm_dup, (MPI_COMM_WORLD, &comm));
  DO(MPI_Comm_split, (comm, 0, 0, &half));
  DO(MPI_Comm_group, (half, &group));
}

static void fail_communicators(void) {
  MPI_Comm comm;
  watch(MPI_COMM_WORLD);
  DO(MPI_Comm_create, (MPI_COMM_WORLD, MPI_GROUP_NULL, &comm));
}

/* grids */

static MPI_Comm ring(int size) {
  const int periods[1] = {1};
  MPI_Comm comm = MPI_COMM_NULL;
  DO(MPI_Cart_create, (MPI_COMM_WORLD, 1, &size, periods, 0, &comm));
  return comm;
}

static void use_grids(void) {
  int out = 1, in[2];
  MPI_Comm comm = ring(1);
  DO(MPI_Neighbor_allgather, (&out, 1, MPI_INT, in, 1, MPI_INT, comm));
  DO(MPI_Comm_free, (&comm));
}

static void open_grids(void) { ring(1); }

static void fail_grids(void) {
  watch(MPI_COMM_WORLD);
  ring(5);
}

/* attributes */

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  say("attribute copied");
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value;
  say("attribute deleted");
  return extra == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static MPI_Comm marked(void* extra) {
  MPI_Comm comm;
  int key;
  DO(MPI_Comm_dup, (MPI_COMM_WORLD, &comm));
  MPI_Comm_create_keyval(copy, forget, &key, extra);
  MPI_Comm_set_attr(comm, key, numbers);
  return comm;
}

static void use_attributes(void) {
  MPI_Comm other, comm = marked(NULL);
  DO(MPI_Comm_dup, (comm, &other));
  DO(MPI_Comm_free, (&other));
  DO(MPI_Comm_free, (&comm));
}

static void open_attributes(void) {
  int key;
  marked(NULL);
  MPI_Comm_create_keyval(copy, forget, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, numbers);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, numbers);
}

static void fail_attributes(void) { /* by the attribute that will not go */
  MPI_Comm comm = marked(numbers);
  watch(MPI_COMM_WORLD), watch(comm);
  DO(MPI_Comm_free, (&comm));
}

/* handlers of errors */

static void use_handlers(void) {
  int value = 0, error, code;
  MPI_Add_error_class(&error);
  MPI_Add_error_code(error, &code);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  DO(MPI_Send, (&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void open_handlers(void) {
  watch(MPI_COMM_SELF);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  DO(MPI_Send, (numbers, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
}

static void fail_handlers(void) { /* by no call of MPI that is recorded */
  watch(MPI_COMM_WORLD);
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_RANK);
}

/* operations of the program's own */

static void add(void* in, void* inout, int* size, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *size; ++i) ((int*)inout)[i] += ((int*)in)[i];
  say("operation");
  if (is_inside()) go();
}

static MPI_Op operation(void) {
  MPI_Op op;
  DO(MPI_Op_create, (add, 1, &op));
  return op;
}

static void use_operations(void) {
  MPI_Op op = operation();
  int out = 2, sum = 0;
  DO(MPI_Reduce, (&out, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD));
  DO(MPI_Op_free, (&op));
}

static void open_operations(void) { operation(); }

static void fail_operations(void) {
  int sum;
  if (is_fatal()) DO(MPI_Reduce, (numbers, &sum, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD));
  MPI_Reduce_local(numbers, numbers + 4, 2, MPI_INT, operation()); /* local: not recorded */
}

/* generalized requests */

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  say("queried");
  MPI_Status_set_elements(status, MPI_INT, 1);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  if (is_inside()) go();
  return is_inside() && is_fatal() ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int forget_request(void* extra) {
  (void)extra;
  say("request freed");
  return MPI_SUCCESS;
}

static int cancel_request(void* extra, int is_complete) {
  (void)extra, (void)is_complete;
  return MPI_SUCCESS;
}

static MPI_Request generalized(void) {
  MPI_Request request;
  DO(MPI_Grequest_start, (query, forget_request, cancel_request, NULL, &request));
  return request;
}

static void finish_generalized(void) {
  MPI_Request request = generalized();
  MPI_Status status;
  DO(MPI_Grequest_complete, (request));
  DO(MPI_Wait, (&request, &status));
}

static void use_generalized(void) {
  if (!is_inside()) finish_generalized();
}

static void open_generalized(void) { generalized(); }

static void fail_generalized(void) { finish_generalized(); }

/* processes; matrix_spawn.c makes some */

static void open_processes(void) {
#ifdef OPEN_MPI /* MPICH opens none without a launcher */
  char port[MPI_MAX_PORT_NAME];
  MPI_Open_port(MPI_INFO_NULL, port);
#endif
}

static void use_processes(void) {
  MPI_Comm parent;
  DO(MPI_Comm_get_parent, (&parent));
  open_processes();
}

static void fail_processes(void) {
  MPI_Comm comm;
  watch(MPI_COMM_WORLD), watch(MPI_COMM_SELF);
  DO(MPI_Comm_connect, ((char*)"nowhere", MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm));
}

static const struct Feature {
  const char* name;
  void (*use)(void);
  void (*open)(void); /* and leave it so */
  void (*fail)(void);
} features[] = {
    {"messages", use_messages, open_messages, fail_messages},
    {"requests", use_requests, open_requests, fail_requests},
    {"persistent", use_persistent, open_persistent, fail_persistent},
    {"collectives", use_collectives, open_collectives, fail_collectives},
    {"icollectives", use_icollectives, open_icollectives, fail_icollectives},
    {"windows", use_windows, open_windows, fail_windows},
    {"files", use_files, open_files, fail_files},
    {"datatypes", use_datatypes, open_datatypes, fail_datatypes},
    {"communicators", use_communicators, open_communicators, fail_communicators},
    {"grids", use_grids, open_grids, fail_grids},
    {"attributes", use_attributes, open_attributes, fail_attributes},
    {"handlers", use_handlers, open_handlers, fail_handlers},
    {"operations", use_operations, open_operations, fail_operations},
    {"generalized", use_generalized, open_generalized, fail_generalized},
    {"processes", use_processes, open_processes, fail_processes},
};
