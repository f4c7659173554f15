// SPDX-License-Identifier: Apache-2.0
// Lets many MPICH ranks share few cores. Debian's MPICH waits by calling UCX's progress function in
// a tight loop and never lets go of the core; with more ranks than cores the rank that has the
// message then waits for a whole time slice. Preloaded, this library stands before UCX's function
// and yields whenever it made no progress:
//   mpirun.mpich -n 16 -genv LD_PRELOAD <build>/lib/libmpich_yield.so ./program
// A test aid only: it changes when ranks run, never what they say. Open MPI has this built in
// (--mca mpi_yield_when_idle 1).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

typedef unsigned progress_function(void* worker);

// dlsym gives an object pointer; the union is the portable way from there to a function pointer.
static union {
  void* symbol;
  progress_function* call;
} next;

__attribute__((constructor)) static void find_next(void) {
  next.symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
}

unsigned ucp_worker_progress(void* worker) {
  if (next.symbol == NULL) find_next(); // UCX may come later than we do, through dlopen
  unsigned events = next.call(worker);
  if (events == 0) sched_yield();
  return events;
}
