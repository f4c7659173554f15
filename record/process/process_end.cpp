// SPDX-License-Identifier: Apache-2.0
// These are called by every program that is run under the recorder, also by those without MPI: they
// do nothing where nothing is recorded. Named by their labels, as the C library's headers promise
// that nothing is thrown, and a handler of exit() may end its thread.
#include "record/process/process_end.hpp"

#include "record/mpi_errors.hpp"
#include "record/process/signals.hpp"
#include "record/recorder.hpp"

#include <csignal>
#include <dlfcn.h>
#include <unistd.h>

namespace rondo::record {

void* library_exit() {
  static void* const found = ::dlsym(RTLD_NEXT, "exit");
  return found;
}

} // namespace rondo::record

extern "C" [[noreturn, gnu::visibility("default")]] void rondo_abort() asm("abort");
void rondo_abort() {
  using namespace rondo::record;
  // Else the signal that the C library raises is seen.
  if (recorder != nullptr && !on_thread.in_recorder && !is_watched(SIGABRT))
    recorder->write_ending({rondo::trace::Ending::kSignal, SIGABRT});
  static const auto next = reinterpret_cast<void (*)()>(::dlsym(RTLD_NEXT, "abort"));
  if (next != nullptr) next();
  ::raise(SIGABRT);
  ::_exit(127);
}

#ifdef MPICH
extern "C" [[noreturn, gnu::visibility("default")]] void rondo_exit(int status) asm("exit");
void rondo_exit(int status) {
  using namespace rondo::record;
  note_exit(status, __builtin_return_address(0));
  const auto next = reinterpret_cast<void (*)(int)>(library_exit());
  if (next != nullptr) next(status);
  ::_exit(status);
}
#endif
