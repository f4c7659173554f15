// SPDX-License-Identifier: Apache-2.0
#include "record/mpi_errors.hpp"

#include "record/by_hand.hpp"
#include "record/open_call.hpp"
#include "record/recorder.hpp"
#include "record/signals.hpp"

#include <dlfcn.h>
#include <mpi.h>

#define RONDO_EXPORT extern "C" __attribute__((visibility("default")))

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
  if (recorder != nullptr) recorder->write_last_words({trace::Ending::kAborted, code});
}

namespace {

// In a call of the program's, and not in a question of the recorder's.
bool is_of_program() { return recorder != nullptr && open_call.frame != nullptr && !in_recorder; }

[[maybe_unused]] void note_error_raised(int code) {
  if (is_of_program()) open_call.error = code;
}

// The call that the thread is in is its last.
[[maybe_unused]] void note_fatal_error(int code) {
  if (!is_of_program()) return note_abort(code);
  open_call.error = code;
  recorder->write_last_words({trace::Ending::kFatalError, error_number(error_class_of(code))});
}

[[maybe_unused]] bool ends_process(MPI_Errhandler handler) {
#ifdef MPI_ERRORS_ABORT
  if (handler == MPI_ERRORS_ABORT) return true;
#endif
  return handler == MPI_ERRORS_ARE_FATAL;
}

#ifdef MPICH

thread_local bool is_asking [[gnu::tls_model("initial-exec")]] = false; // of an error in an error

// All of MPICH's objects begin with their handle. An object without a handler of its own has the
// world's, and MPI calls that fatal.
int handle_in(const void* object) { return *static_cast<const int*>(object); }

bool ends_process_on_comm(const void* comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm == nullptr ? MPI_COMM_WORLD : handle_in(comm), &handler);
  if (!ends_process(handler)) return false;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  return ends_process(handler);
}

bool ends_process_on_win(const void* win) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (win == nullptr) return ends_process_on_comm(nullptr);
  PMPI_Win_get_errhandler(handle_in(win), &handler);
  return ends_process(handler) && ends_process_on_comm(nullptr);
}

// The handler of the program's own that MPICH gives is counted: it stays until the program ends,
// which matters to nobody.
void raise_error(const void* object, int code, bool (*ends)(const void*)) {
  if (code == MPI_SUCCESS || is_asking || !is_of_program()) return;
  note_error_raised(code);
  is_asking = true;
  const bool is_fatal = ends(object);
  is_asking = false;
  if (is_fatal) note_fatal_error(code);
}

#endif

template <class Function> Function behind(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

} // namespace
} // namespace rondo::record

// Both libraries call these by name, so that ours, which come first, are found. Arguments that a
// version of the library does not have cost nothing and harm nobody.
#ifdef OPEN_MPI

RONDO_EXPORT int ompi_errhandler_invoke(void* handler, void* object, int type, int code,
                                        const char* message) {
  using Function = int (*)(void*, void*, int, int, const char*);
  static const auto next = rondo::record::behind<Function>("ompi_errhandler_invoke");
  rondo::record::note_error_raised(code);
  return next(handler, object, type, code, message);
}

RONDO_EXPORT int ompi_mpi_abort(void* comm, int code, void* more) {
  using Function = int (*)(void*, int, void*);
  static const auto next = rondo::record::behind<Function>("ompi_mpi_abort");
  rondo::record::note_fatal_error(code);
  return next(comm, code, more);
}

#endif
#ifdef MPICH

RONDO_EXPORT int MPIR_Err_return_comm(void* comm, const char* function, int code) {
  using Function = int (*)(void*, const char*, int);
  static const auto next = rondo::record::behind<Function>("MPIR_Err_return_comm");
  rondo::record::raise_error(comm, code, rondo::record::ends_process_on_comm);
  return next(comm, function, code);
}

RONDO_EXPORT int MPIR_Err_return_win(void* win, const char* function, int code) {
  using Function = int (*)(void*, const char*, int);
  static const auto next = rondo::record::behind<Function>("MPIR_Err_return_win");
  rondo::record::raise_error(win, code, rondo::record::ends_process_on_win);
  return next(win, function, code);
}

#endif
