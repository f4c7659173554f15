// SPDX-License-Identifier: Apache-2.0
#include "record/mpi_errors.hpp"

#include "record/by_hand.hpp"
#include "record/open_call.hpp"
#include "record/process/modules.hpp"
#include "record/process/signals.hpp"
#include "record/recorder.hpp"

#include <atomic>
#include <mpi.h>
#include <real_calls.hpp>
#include <utility>

#define RONDO_ENTRY(name) extern "C" int rondo_entry_##name

namespace rondo::record {

int error_class_of(int code) {
  int error_class = MPI_ERR_UNKNOWN;
  if (code < 0) return error_class;
  if (code > MPI_ERR_LASTCODE) {
    int* last = nullptr;
    int has_last = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &has_last);
    if (has_last == 0 || code > *last) return error_class;
  }
  PMPI_Error_class(code, &error_class);
  return error_class;
}

void note_abort(int code) {
  if (recorder != nullptr) recorder->write_ending({trace::Ending::kAborted, code});
}

namespace {

// In a call of the program's, and not in a question of the recorder's.
bool is_of_program() {
  return recorder != nullptr && on_thread.call.frame != nullptr && !on_thread.in_recorder;
}

[[maybe_unused]] void note_error_raised(int code) {
  if (is_of_program()) on_thread.call.error = code;
}

// The error that the program has MPI call a handler for. A handler that leaves by a jump leaves it
// there; it is asked for only where MPI ends the process.
[[maybe_unused]] thread_local int handled_error [[gnu::tls_model("initial-exec")]] = MPI_SUCCESS;

// A thread of MPI's own, as one that has lost the launcher, ends a program that is somewhere else,
// for no error of a call: its code is the library's own.
void note_end_by_mpi() {
  if (recorder != nullptr) recorder->write_ending({trace::Ending::kFatalError, 0});
}

// The call that the thread is in is its last; there is none if the program has called a handler.
[[maybe_unused]] void note_fatal_error(int code) {
  const bool has_called_handler =
      recorder != nullptr && !on_thread.in_recorder && handled_error != MPI_SUCCESS;
  if (!is_of_program() && !has_called_handler)
    return on_thread.is_watched ? note_abort(code) : note_end_by_mpi();
  if (on_thread.call.frame != nullptr) on_thread.call.error = code;
  recorder->write_ending({trace::Ending::kFatalError, error_number(error_class_of(code))});
}

[[maybe_unused]] bool ends_process(MPI_Errhandler handler) {
#ifdef MPI_ERRORS_ABORT
  if (handler == MPI_ERRORS_ABORT) return true;
#endif
  return handler == MPI_ERRORS_ARE_FATAL;
}

#ifdef MPICH

// MPICH may hold a lock of its own when it raises an error, so it cannot be asked what handler
// there is. Until the program sets one, all errors of communicators and windows end it.
std::atomic<bool> has_set_handler = false;

void note_handler(MPI_Errhandler handler) {
  if (!ends_process(handler)) has_set_handler.store(true, std::memory_order_relaxed);
}

void raise_error(int code) {
  if (code == MPI_SUCCESS || !is_of_program()) return;
  note_error_raised(code);
  if (!has_set_handler.load(std::memory_order_relaxed)) note_fatal_error(code);
}

#endif

template <class Function> Function behind(const char* name) {
  return reinterpret_cast<Function>(real::find(name));
}

} // namespace

#ifdef MPICH

void note_exit(int status, const void* caller) {
  constexpr int kMostClasses = 0x7f; // of an error code, the rest says more
  if (recorder == nullptr || on_thread.in_recorder) return;
  const auto [begin, end] = range_of_module(real::find("PMPI_Init"));
  const auto code = reinterpret_cast<std::uintptr_t>(caller);
  if (code < begin || code >= end) return; // the program's own
  int error = on_thread.call.frame != nullptr ? on_thread.call.error : handled_error;
  if (error == MPI_SUCCESS && status > kMostClasses) error = status;
  if (error != MPI_SUCCESS) note_fatal_error(error);
}

#endif
} // namespace rondo::record

#if defined(OPEN_MPI) || defined(MPICH)
#define RONDO_CALLS_HANDLER(name, Object)                                                          \
  RONDO_ENTRY(name)(Object object, int code) {                                                     \
    static const auto next = rondo::record::behind<int (*)(Object, int)>(#name);                   \
    const int before = std::exchange(rondo::record::handled_error, code);                          \
    const int result = next(object, code);                                                         \
    rondo::record::handled_error = before;                                                         \
    return result;                                                                                 \
  }
RONDO_CALLS_HANDLER(MPI_Comm_call_errhandler, MPI_Comm)
RONDO_CALLS_HANDLER(PMPI_Comm_call_errhandler, MPI_Comm)
RONDO_CALLS_HANDLER(MPI_Win_call_errhandler, MPI_Win)
RONDO_CALLS_HANDLER(PMPI_Win_call_errhandler, MPI_Win)
RONDO_CALLS_HANDLER(MPI_File_call_errhandler, MPI_File)
RONDO_CALLS_HANDLER(PMPI_File_call_errhandler, MPI_File)
#endif

// Both libraries call these by name, so that ours, which come first, are found. Arguments that a
// version of the library does not have cost nothing and harm nobody.
#ifdef OPEN_MPI

RONDO_ENTRY(ompi_errhandler_invoke)
(void* handler, void* object, int type, int code, const char* message) {
  using Function = int (*)(void*, void*, int, int, const char*);
  static const auto next = rondo::record::behind<Function>("ompi_errhandler_invoke");
  rondo::record::note_error_raised(code);
  return next(handler, object, type, code, message);
}

RONDO_ENTRY(ompi_mpi_abort)(void* comm, int code, void* more) {
  using Function = int (*)(void*, int, void*);
  static const auto next = rondo::record::behind<Function>("ompi_mpi_abort");
  rondo::record::note_fatal_error(code);
  return next(comm, code, more);
}

#endif
#ifdef MPICH

RONDO_ENTRY(MPIR_Err_return_comm)(void* comm, const char* function, int code) {
  using Function = int (*)(void*, const char*, int);
  static const auto next = rondo::record::behind<Function>("MPIR_Err_return_comm");
  rondo::record::raise_error(code);
  return next(comm, function, code);
}

RONDO_ENTRY(MPIR_Err_return_win)(void* win, const char* function, int code) {
  using Function = int (*)(void*, const char*, int);
  static const auto next = rondo::record::behind<Function>("MPIR_Err_return_win");
  rondo::record::raise_error(code);
  return next(win, function, code);
}

// Also those that MPICH's Fortran bindings call.
#define RONDO_SETS_HANDLER(name, Object)                                                           \
  RONDO_ENTRY(name)(Object object, MPI_Errhandler handler) {                                       \
    static const auto next = rondo::record::behind<int (*)(Object, MPI_Errhandler)>(#name);        \
    rondo::record::note_handler(handler);                                                          \
    return next(object, handler);                                                                  \
  }
RONDO_SETS_HANDLER(MPI_Comm_set_errhandler, MPI_Comm)
RONDO_SETS_HANDLER(PMPI_Comm_set_errhandler, MPI_Comm)
RONDO_SETS_HANDLER(MPI_Errhandler_set, MPI_Comm)
RONDO_SETS_HANDLER(PMPI_Errhandler_set, MPI_Comm)
RONDO_SETS_HANDLER(MPI_Win_set_errhandler, MPI_Win)
RONDO_SETS_HANDLER(PMPI_Win_set_errhandler, MPI_Win)

#endif
