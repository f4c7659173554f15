/* SPDX-License-Identifier: Apache-2.0
 * One rank that uses features of MPI and ends in one of many ways, before, between, inside or after
 * calls of MPI: matrix WHEN WAY FEATURE,FEATURE,...
 *
 * WHEN     before   MPI_Init
 *          between  calls, with the features left open: requests, epochs, files, objects
 *          inside   a call, by its error handler or another function of the program that it calls
 *          after    MPI_Finalize
 * WAY      return     from main
 *          exit       with nothing to do
 *          atexit     exit, and a handler of it that is older than MPI_Init goes on and finalizes
 *          destructor exit, and what runs at the end of the program goes on and finalizes
 *          quick_exit term segv abort mpi_abort fatal
 *          nothing jump throw thread_exit thread_cancel: leave the call and go on
 * FEATURE  see matrix_features.h; with "threads" in front, all is done by another thread
 *
 * All is said on stdout, the calls too, before they are made.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "matrix_features.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#ifndef THROW
#define THROW abort()
#define TRY
#define CATCH
#define DESTRUCTOR __attribute__((destructor))
#endif

static const char* chosen; /* features */
static int uses_threads, is_begun;
static jmp_buf back;

typedef void (*Part)(void);

static int is(const char* a, const char* b) { return strcmp(a, b) == 0; }

static int is_chosen(const char* name) {
  const char* found = strstr(chosen, name);
  const size_t size = strlen(name);
  while (found != NULL) {
    const int begins = found == chosen || found[-1] == ',';
    if (begins && (found[size] == ',' || found[size] == '\0')) return 1;
    found = strstr(found + 1, name);
  }
  return 0;
}

static void finalize(void) {
  close_window();
  DO(MPI_Finalize, ());
  say("finalized");
}

static void go_on(const char* called) {
  say(called);
  if (!is_begun) return;
  DO(MPI_Barrier, (MPI_COMM_WORLD));
  finalize();
}

static void at_exit(void) {
  if (is(way, "atexit")) go_on("handler of exit");
}

DESTRUCTOR static void at_the_end(void) {
  if (way != NULL && is(way, "destructor")) go_on("destructor");
}

static void go(void) {
  if (is(way, "exit") || is(way, "atexit") || is(way, "destructor")) exit(3);
  if (is(way, "quick_exit")) _exit(4);
  if (is(way, "term")) raise(SIGTERM);
  if (is(way, "segv")) *(volatile int*)8 = 1;
  if (is(way, "abort")) abort();
  if (is(way, "mpi_abort")) DO(MPI_Abort, (MPI_COMM_WORLD, 5));
  if (!is_inside()) return;
  if (is(way, "jump")) longjmp(back, 1);
  if (is(way, "thread_exit")) pthread_exit(NULL);
  if (is(way, "thread_cancel")) pthread_cancel(pthread_self()), pthread_testcancel();
  if (is(way, "throw")) THROW;
}

static void* run_part(void* part) {
  (*(Part*)part)();
  return NULL;
}

static void* run_and_end(void* part) {
  (*(Part*)part)();
  pthread_exit(NULL);
}

static void in_thread(void* (*run)(void*), Part part) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, &part);
  pthread_join(thread, NULL);
}

static void run(Part part) {
  if (!uses_threads) part();
  if (uses_threads) in_thread(run_part, part);
}

static int ends_thread(void) { return strncmp(way, "thread_", 7) == 0; }

static void leave(Part fail) {
  if (ends_thread() && is_inside()) {
    in_thread(run_part, fail);
  } else if (ends_thread()) {
    in_thread(run_and_end, fail);
  } else if (setjmp(back) == 0) {
    TRY { fail(); }
    CATCH
  }
}

/* Deeper on the stack than the call that was left, whose frame it may leave as it was. */
static __attribute__((noinline)) void use_below(Part use) {
  volatile char room[5000];
  room[0] = 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  use();
  room[1] = room[0];
}

static void use_all(void) {
  for (size_t i = 0; i < sizeof features / sizeof *features; ++i)
    if (is_chosen(features[i].name)) features[i].use();
}

static void leave_open_all(void) {
  for (size_t i = 0; i < sizeof features / sizeof *features; ++i)
    if (is_chosen(features[i].name)) features[i].open();
  if (!ends_thread()) go();
}

static void leave_all(void) {
  for (size_t i = 0; i < sizeof features / sizeof *features; ++i) {
    if (!is_chosen(features[i].name)) continue;
    say(features[i].name);
    leave(features[i].fail);
    if (!is(features[i].name, "operations")) use_below(features[i].use);
  }
}

int main(int argc, char** argv) {
  int provided = 0;
  when = argc > 1 ? argv[1] : "between";
  way = argc > 2 ? argv[2] : "return";
  chosen = argc > 3 ? argv[3] : "messages";
  uses_threads = strncmp(chosen, "threads", 7) == 0;
  atexit(at_exit);
  if (is(when, "before")) go();
  if (is(when, "before")) return 6;
  is_begun = 1;
  DO(MPI_Init_thread,
     (&argc, &argv, uses_threads || ends_thread() ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
      &provided));
  if (!is_inside()) run(use_all);
  if (is(when, "between") && ends_thread()) leave(leave_open_all);
  if (is(when, "between") && !ends_thread()) run(leave_open_all);
  if (is(when, "between") && is(way, "return")) return 6;
  if (is_inside()) run(leave_all);
  finalize();
  is_begun = 0;
  if (is(when, "after")) run(go);
  return 0;
}
