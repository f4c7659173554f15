// SPDX-License-Identifier: Apache-2.0
// Marks for the recorder, in C (C99) and C++: where phases of a program begin and end, and which of
// it is recorded at all. Nothing is linked: without the recorder all of this does nothing.
//
//   rondo_phase_begin("solve");
//   ...
//   rondo_phase_end("solve");
//
//   rondo_pause();      from here on, calls of this rank are not recorded
//   rondo_resume();
//
// The functions are the recorder's, looked up when first used. (Weak references would do, but for
// linkers that settle them for good in programs that are not position-independent.) Call them from
// any thread that may call MPI, after MPI_Init.
#pragma once

#include <dlfcn.h>
#pragma weak dlsym // in libc; where it is in libdl, it may be missing

#define rondo_phase_begin(name) RONDO_MARK_NAME(0, name)
#define rondo_phase_end(name) RONDO_MARK_NAME(1, name)
#define rondo_pause() RONDO_MARK(2)
#define rondo_resume() RONDO_MARK(3)

// Macros, so that the call stands in the program's own line.
#define RONDO_MARK_NAME(index, name)                                                               \
  (rondo_marker(index) ? (__extension__(void (*)(const char*)) rondo_marker(index))(name) : (void)0)
#define RONDO_MARK(index)                                                                          \
  (rondo_marker(index) ? (__extension__(void (*)(void)) rondo_marker(index))() : (void)0)

// The recorder's function, or a null pointer. Threads that look it up at once find the same.
static inline void* rondo_marker(int index) {
  static const char* const names[] = {"rondo_phase_begin", "rondo_phase_end", "rondo_pause",
                                      "rondo_resume"};
  static void* volatile markers[4];
  static volatile char is_known[4];
  if (!is_known[index]) {
    markers[index] = dlsym ? dlsym((void*)0, names[index]) : (void*)0;
    is_known[index] = 1;
  }
  return markers[index];
}
