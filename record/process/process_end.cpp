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
#include <sys/syscall.h>
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

// Nothing of the program runs any more after this; what is not written now is lost. A child of
// vfork(), which is no rank, has the rank's memory, and leaves by this call.
extern "C" [[noreturn, gnu::visibility("default")]] void rondo_exit_at_once(int) asm("_exit");
void rondo_exit_at_once(int status) {
  using namespace rondo::record;
  if (recorder != nullptr && !on_thread.in_recorder && is_rank_process())
    recorder->write_ending({rondo::trace::Ending::kExited, 0});
  for (;;) ::syscall(SYS_exit_group, status);
}

extern "C" [[noreturn, gnu::visibility("default")]] void rondo_exit_at_once_too(int) asm("_Exit");
void rondo_exit_at_once_too(int status) { rondo_exit_at_once(status); }

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
