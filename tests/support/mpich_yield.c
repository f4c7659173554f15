// SPDX-License-Identifier: Apache-2.0
// Lets many MPICH ranks share few cores. Debian's MPICH waits by calling UCX's progress function in
// a tight loop and never lets go of the core; with more ranks than cores the rank that has the
// message then waits for a whole time slice. Preloaded, this library stands before UCX's function,
// yields where it made no progress, and sleeps where it made none for long:
//   mpirun.mpich -n 16 -genv LD_PRELOAD <build>/lib/libmpich_yield.so ./program
// Yielding alone is not enough: of 16 ranks 15 then ask in turn whether something has come, which
// takes two thirds of all processor time and more.
// A test aid only: it changes when ranks run, never what they say. Open MPI yields by itself
// (--mca mpi_yield_when_idle 1).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

typedef unsigned progress_function(void* worker);

// dlsym gives an object pointer; the union is the portable way from there to a function pointer.
static union {
  void* symbol;
  progress_function* call;
} next;

// Ranks that have a core each seldom ask more often before a message comes.
enum { kYields = 10, kSleepNanoseconds = 50000 };

__attribute__((constructor)) static void find_next(void) {
  next.symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
}

unsigned ucp_worker_progress(void* worker) {
  static _Thread_local int in_vain;
  if (next.symbol == NULL) find_next(); // UCX may come later than we do, through dlopen
  const unsigned events = next.call(worker);
  if (events != 0) {
    in_vain = 0;
  } else if (in_vain < kYields) {
    ++in_vain;
    sched_yield();
  } else {
    const struct timespec time = {.tv_nsec = kSleepNanoseconds};
    nanosleep(&time, NULL);
  }
  return events;
}
