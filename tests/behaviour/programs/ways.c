/* SPDX-License-Identifier: Apache-2.0
 * One rank that does something with MPI, then goes on or ends in one of many ways, before, inside
 * or after MPI: ways WHEN WAY FEATURE
 *
 * WHEN     before  MPI_Init
 *          inside  MPI_Send, which fails, by its error handler
 *          between MPI calls
 *          exiting in a handler of exit() that was there before MPI_Init
 *          after   MPI_Finalize
 * WAY      return exit quick_exit term segv abort mpi_abort fatal jump thread_exit thread_cancel,
 *          and throw in C++ (ways_cpp.cpp includes this file)
 * FEATURE  what the program does with MPI, see work()
 *
 * Whatever leaves a call is followed by more work and MPI_Finalize. What happens is said on stdout.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef THROW
#define THROW abort()
#define TRY
#define CATCH
#endif

static const char *when, *way, *feature;
static jmp_buf back;
static int is_exiting; /* from within a call */

static void say(const char* what) {
  printf("%s\n", what);
  fflush(stdout);
}

static void messages(void) {
  int out = 1, in = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
}

static void requests(void) {
  int out[8] = {0}, in[8];
  MPI_Request all[16];
  for (int i = 0; i < 8; ++i) {
    MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_SELF, &all[i]);
    MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &all[8 + i]);
  }
  MPI_Waitall(16, all, MPI_STATUSES_IGNORE);
}

static void persistent(void) {
  int out = 1, in = 0;
  MPI_Request both[2];
  MPI_Recv_init(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[0]);
  MPI_Send_init(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[1]);
  MPI_Startall(2, both);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

static void objects(void) {
  MPI_Comm comm, half;
  MPI_Datatype type;
  MPI_Group group;
  int value = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_split(comm, 0, 0, &half);
  MPI_Comm_group(half, &group);
  MPI_Group_free(&group);
  MPI_Type_vector(1, 1, 1, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(&value, 1, type, 0, half);
  MPI_Type_free(&type);
  MPI_Comm_free(&half);
  MPI_Comm_free(&comm);
}

static void topology(void) {
  const int dims[1] = {1}, periods[1] = {1};
  int out = 1, in[2];
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, ring);
  MPI_Comm_free(&ring);
}

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  say("attribute copied");
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
  say("attribute refused");
  return MPI_ERR_OTHER;
}

static int forget(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  say("attribute deleted");
  return MPI_SUCCESS;
}

static void attributes(MPI_Comm_copy_attr_function* copied) {
  static int value;
  int key;
  MPI_Comm_create_keyval(copied, forget, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void many(void) {
  int value = 0;
  for (int i = 0; i < 200; ++i) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (i % 7 == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (i % 11 == 0) requests();
  }
}

static void work(void) {
  if (strcmp(feature, "messages") == 0) messages();
  if (strcmp(feature, "requests") == 0) requests();
  if (strcmp(feature, "persistent") == 0) persistent();
  if (strcmp(feature, "objects") == 0) objects();
  if (strcmp(feature, "topology") == 0) topology();
  if (strcmp(feature, "attributes") == 0) attributes(copy);
  if (strcmp(feature, "refusal") == 0) attributes(refuse);
  if (strcmp(feature, "many") == 0) many();
}

/* Deeper on the stack than the call that was left, whose frame it may leave as it was. */
static __attribute__((noinline)) void work_below(void) {
  volatile char room[5000];
  room[0] = 1;
  work();
  MPI_Barrier(MPI_COMM_WORLD);
  room[1] = room[0];
}

static void go(void) {
  is_exiting = strcmp(when, "inside") == 0 && strcmp(way, "exit") == 0;
  if (strcmp(way, "exit") == 0) exit(3);
  if (strcmp(way, "quick_exit") == 0) _exit(4);
  if (strcmp(way, "term") == 0) raise(SIGTERM);
  if (strcmp(way, "segv") == 0) *(volatile int*)8 = 1;
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "mpi_abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(way, "jump") == 0) longjmp(back, 1);
  if (strcmp(way, "thread_exit") == 0) pthread_exit(NULL);
  if (strcmp(way, "thread_cancel") == 0) pthread_cancel(pthread_self()), pthread_testcancel();
  if (strcmp(way, "throw") == 0) THROW;
}

static void on_error(MPI_Comm* comm, int* error, ...) {
  int error_class = 0;
  (void)comm;
  MPI_Error_class(*error, &error_class);
  printf("handler of class %d\n", error_class);
  fflush(stdout);
  go();
}

static void fail(void) {
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

static int is_about_threads(void) { return strncmp(way, "thread_", 7) == 0; }

static void* fail_in_thread(void* nothing) {
  fail();
  return nothing;
}

static __attribute__((noinline)) void leave_a_call(void) {
  MPI_Errhandler handler;
  pthread_t thread;
  MPI_Comm_create_errhandler(on_error, &handler);
  if (strcmp(way, "fatal") != 0) MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (volatile int i = 0; i < 3; ++i) {
    if (is_about_threads()) {
      pthread_create(&thread, NULL, fail_in_thread, NULL);
      pthread_join(thread, NULL);
    } else if (setjmp(back) == 0) {
      TRY { fail(); }
      CATCH
    }
  }
  work_below();
}

static void at_exit(void) {
  if (strcmp(when, "exiting") == 0) {
    work();
    MPI_Finalize();
    say("finalized at exit");
  } else if (is_exiting) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(feature, "many") == 0) MPI_Finalize();
    say("at exit");
  }
}

int main(int argc, char** argv) {
  int provided = 0;
  when = argc > 1 ? argv[1] : "between";
  way = argc > 2 ? argv[2] : "return";
  feature = argc > 3 ? argv[3] : "messages";
  atexit(at_exit);
  if (strcmp(when, "before") == 0) go();
  MPI_Init_thread(&argc, &argv, is_about_threads() ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  work();
  if (strcmp(when, "inside") == 0) leave_a_call();
  if (strcmp(when, "destroyed") == 0) return 0;
  if (strcmp(when, "between") == 0 || strcmp(when, "exiting") == 0) {
    go();
    if (strcmp(way, "return") == 0) return 6;
  }
  MPI_Finalize();
  say("finalized");
  if (strcmp(when, "after") == 0) go();
  return 0;
}
