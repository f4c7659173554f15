// SPDX-License-Identifier: Apache-2.0
#include "record/open_call.hpp"

#include "record/by_hand.hpp"
#include "record/mpi_errors.hpp"
#include "record/process/modules.hpp"
#include "record/process/process_end.hpp"
#include "record/process/signals.hpp"
#include "record/recorder.hpp"
#include "rondo/trace/functions.hpp"

#include <climits>
#include <pthread.h>
#include <unwind.h>

namespace rondo::record {

constinit thread_local OnThread on_thread [[gnu::tls_model("initial-exec")]];

namespace {

void on_thread_end(void* value);

// Asking the stack itself is the only sure way: where the open call's frame was, later frames may
// have left its bytes as they were.
struct Search {
  std::uintptr_t sought; // an address in the open call's frame
  std::uintptr_t code = 0; // in the function whose frame was seen last
  bool is_passed = false; // the frame seen last is the one that holds the address, if any does
  bool is_exiting = false; // exit() was met on the way: it never returns to the call
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* data) {
  Search& search = *static_cast<Search*>(data);
  // The stack pointer in this frame: what is below belongs to the frames seen before.
  search.is_passed = _Unwind_GetCFA(context) > search.sought;
  if (search.is_passed) return _URC_END_OF_STACK;
  search.code = _Unwind_GetIP(context);
  search.is_exiting =
      _Unwind_GetRegionStart(context) == reinterpret_cast<std::uintptr_t>(library_exit());
  return search.is_exiting ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool is_in_recorder(std::uintptr_t code) {
  static const auto own = range_of_module(reinterpret_cast<const void*>(&look_at_frame));
  return code >= own.first && code < own.second;
}

pthread_key_t thread_end_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    return ::pthread_key_create(&made, on_thread_end) == 0 ? made : ~pthread_key_t{0};
  }();
  return key;
}

// The program may have such functions of its own, which may call MPI: the recorder is done with
// the thread in the last but one of the rounds in which they are called. In the last one
// ThreadSanitizer takes its allocator from the thread.
void on_thread_end(void* value) {
  if (recorder == nullptr) return;
  if (on_thread.call.frame != nullptr) close_left_call();
  if (++on_thread.end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
    ::pthread_setspecific(thread_end_key(), value);
    return;
  }
  enter_recorder();
  recorder->enter();
  recorder->leave_log(on_thread);
  recorder->end_thread();
  recorder->leave();
  leave_recorder();
}

} // namespace

bool is_inside_open_call(const void* frame) {
  if (frame >= on_thread.call.frame) return false; // the stack has shrunk since
  Search search{reinterpret_cast<std::uintptr_t>(on_thread.call.frame)};
  _Unwind_Backtrace(look_at_frame, &search);
  if (search.is_exiting) return false;
  // Code without unwind tables ends the walk early. Then the call is taken to be still there, as
  // calls that MPI makes inside others are more frequent than calls that are left.
  return !search.is_passed || is_in_recorder(search.code);
}

void record_left_call() {
  constexpr std::size_t kHead = fold::kEventHead;
  if (on_thread.is_in_log) recorder->take_from_log();
  const OpenCall open = on_thread.call;
  on_thread.call.frame = nullptr;
  on_thread.call.is_quiet = 0;
  on_thread.fortran.site = nullptr; // if it stood in a Fortran binding, that was left, too
  Stream& stream = recorder->stream();
  stream.scratch.unknown.clear();
  stream.begun_ticks = 0;
  const trace::Function* function = trace::find_function(open.function);
  if (stream.open.function == 0 || function == nullptr) return; // MPI had not got the call yet
  stream.open.function = 0;
  const std::uint64_t now = clock_.ticks();
  if (open.is_quiet != 0) return recorder->pass(stream, stream.open_ticks, now);
  std::size_t word = 0;
  for (const trace::Field& field : function->fields) {
    const bool is_status = field.kind == trace::FieldKind::kStatus;
    for (int i = is_status && !field.is_array ? 3 : 1; i > 0; --i, ++word)
      if (kHead + word >= stream.open.size)
        on_thread.event[kHead + word] = is_status && field.is_array ? 0 : trace::kNothing;
  }
  const int error_class = open.error == MPI_SUCCESS ? MPI_ERR_UNKNOWN : error_class_of(open.error);
  on_thread.event[0] |= error_number(error_class) << 16;
  recorder->commit(stream, on_thread.event, kHead + word, stream.open_ticks, now);
}

void close_left_call() {
  const bool was_inside = on_thread.in_recorder; // left by a callback that a question of ours ran
  if (!was_inside) enter_recorder();
  if (!was_inside) recorder->enter();
  recorder->fold_log(true);
  record_left_call();
  recorder->leave();
  leave_recorder();
}

void watch_thread() {
  on_thread.is_watched = true;
  ::pthread_setspecific(thread_end_key(), &on_thread.call);
}

} // namespace rondo::record
