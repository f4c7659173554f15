// SPDX-License-Identifier: Apache-2.0
// Calls that are noted now and folded later. Where a program computes between its calls, nothing of
// the recorder is in the caches when the next one comes, and what folding looks at, code and data,
// takes longer to fetch than to work through. So a usual call of a usual program leaves what it was
// given, and its times, in a log that is written from its beginning to its end. They are folded one
// after the other when the log is full, before any other call is, and before anything is written.
// What comes out is the same: between two calls in the log the program has called nothing else.
//
//   fetch_ahead(rondo_log_MPI_Bcast);
//   OnThread& thread = thread_at(rondo_thread_MPI_Bcast);
//   if (!is_for_log(thread, bit_of(key_of(comm)))) return ...; // the usual way
//   std::int64_t* const entry = open_entry(thread);
//   entry[kEntryHead] = count; ...    // what goes in
//   if (make_in_log(thread, entry, fold_MPI_Bcast, 60, site, __builtin_frame_address(0)))
//     count = open_entry(thread)[kEntryHead]; ...
//   open_in_log(thread);
//   const int result = real(...);
//   const std::uint64_t end = Clock::counter();
//   if (is_usual_end(thread, result, __builtin_frame_address(0)))
//     return close_in_log(thread, end, kEntryHead + 1, result);
//   return end_otherwise(end, result);
//
// Only what can be known later may wait: handles that the recorder has met, of objects that cannot
// go before the log is folded, as their end is a call, too; requests by their handles; no statuses
// that are worth keeping. MPI need not be asked, so that whoever writes may fold.
//
// Thread rule: one thread's calls are in the log, and only below MPI_THREAD_MULTIPLE. It alone adds
// to it. Whoever is in the recorder may fold what is complete; the log begins anew by a call only.
#pragma once

#include "record/open_call.hpp"
#include "record/process/clock.hpp"
#include "record/stream.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace rondo::record {

class Recorder;

/// What an entry is folded with.
struct Folding {
  Recorder& recorder;
  Stream& stream;
  // Of the call. Stuck: MPI had to be asked, and might not be; nothing has changed.
  enum class State : std::uint8_t { kDone, kFailed, kOpen, kStuck };
  State state = State::kDone;
  bool may_ask = false; // MPI, of handles that are not known
  bool is_looked_at = false; // behind each entry: stuck, or ranks share processors
  std::uint32_t size = 0; // words of the event
  const std::int64_t* event = on_thread.event; // as where that is takes a look at a table

  bool is_over() const { return state <= State::kFailed; } // the call, and nothing is in the way
  int result() const { return state == State::kFailed ? MPI_ERR_OTHER : MPI_SUCCESS; }
};

/// Makes an entry's event, and gives where the next one begins.
using FoldEntry = const std::int64_t* (*)(Folding& folding, const std::int64_t* entry);

// An entry is these words, and what its function takes. Where the next one will begin stands when
// the last one ended (kStart), and where that begins (kEnd).
enum EntryWord : std::uint8_t { kFold, kSite, kStart, kEnd, kEntryHead };
constexpr std::size_t kMostEntry = 40; // words
[[gnu::visibility("hidden")]] extern constinit OnThread no_thread; // none that has a log

inline std::uint64_t ticks_at(const std::int64_t* entry, EntryWord word) {
  return static_cast<std::uint64_t>(entry[word]);
}
/// The one before, from the end of the log.
inline const std::int64_t* entry_before(const std::int64_t* end) {
  return reinterpret_cast<const std::int64_t*>(end[kEnd]);
}

/// What `known_handles` says of a handle: those that are numbers differ in their lowest bits, those
/// that are addresses in higher ones.
inline std::uint64_t bit_of(std::uint64_t handle) {
  return std::uint64_t{1} << ((handle ^ handle >> 9) % 64);
}

/// Has the wrapper's code come side by side, as the processor would ask for one line after the
/// other. The first two lines, with the door, are there.
template <class Function> [[gnu::always_inline]] inline void fetch_ahead(Function* wrapper) {
  const char* const code = reinterpret_cast<const char*>(wrapper);
  __builtin_prefetch(code + 96);
  __builtin_prefetch(code + 160);
  __builtin_prefetch(code + 224);
  __builtin_prefetch(code + 288);
}

inline std::int64_t* open_entry(const OnThread& thread) {
  return thread.log.end.load(std::memory_order_relaxed);
}

inline void begin_log_sample(OnThread& thread) {
  thread.begun_ticks = Clock::counter();
  thread.inside_bits = 0;
}

/// Whether the call may be noted; if not, it has to be recorded now.
/// @param handles   bits of all that it is given, but requests
[[gnu::always_inline]] inline bool is_for_log(const OnThread& thread, std::uint64_t handles) {
  const std::uint64_t unknown = handles & ~thread.log.known_handles;
  // Two branches, as each further one makes the code longer.
  return open_entry(thread) <= thread.log.limit &&
         (unknown | reinterpret_cast<std::uintptr_t>(thread.call.frame)) == 0;
}

/// The time since the last call's end was long, where ranks share processors: notes what of it was
/// no computation, and when the open call begins.
void end_rest(std::uint64_t last_end_ticks);
/// The last call was long, or something else is to be looked at behind it.
/// @return   the result that it is given
int look_behind_call(std::int64_t* next, std::uint64_t end_ticks, int result);

/// Makes an entry for a call that will be made.
/// @return   whether a function was called for it: who takes its arguments out of the entry then
///           does not have to keep them in registers that must be saved, which costs each call
[[gnu::always_inline]] inline bool make_in_log(OnThread& thread, std::int64_t* entry,
                                               FoldEntry fold, std::uint16_t function,
                                               const void* return_address, const void* frame) {
  const void* site = site_in_fortran(thread, frame);
  if (site == nullptr) site = return_address;
  entry[kFold] = reinterpret_cast<std::int64_t>(fold);
  entry[kSite] = reinterpret_cast<std::int64_t>(site);
  if (--thread.until_sample == 0) [[unlikely]]
    begin_log_sample(thread);
  thread.call.function = function;
  thread.call.is_quiet = 0;
  thread.call.error = MPI_SUCCESS;
  thread.call.frame = frame;
  const std::uint64_t start = Clock::counter();
  const std::uint64_t last_end = ticks_at(entry, kStart);
  entry[kStart] = static_cast<std::int64_t>(start);
  if ((start - last_end) >> thread.rest_bits == 0) [[likely]]
    return false;
  end_rest(last_end);
  return true;
}

/// The last before the call is made.
[[gnu::always_inline]] inline void open_in_log(OnThread& thread) {
  std::atomic_signal_fence(std::memory_order_release);
  thread.is_in_log = true;
}

/// Not if it failed, or was taken for the rank's last.
[[gnu::always_inline]] inline bool is_usual_end(const OnThread& thread, int result,
                                                const void* frame) {
  static_assert(MPI_SUCCESS == 0);
  const auto of = [](const void* each) { return reinterpret_cast<std::uintptr_t>(each); };
  return ((of(thread.call.frame) ^ of(frame)) | static_cast<unsigned>(result)) == 0;
}

/// A call with these handles has been recorded at once, and has succeeded.
void note_log_handles(std::uint64_t bits);

/// @param size   words of the entry
/// @return       the call's result
[[gnu::always_inline]] inline int close_in_log(OnThread& thread, std::uint64_t end_ticks,
                                               std::size_t size, int result) {
  std::int64_t* const entry = open_entry(thread);
  std::int64_t* const next = entry + size;
  entry[kEnd] = static_cast<std::int64_t>(end_ticks);
  next[kStart] = static_cast<std::int64_t>(end_ticks);
  next[kEnd] = reinterpret_cast<std::int64_t>(entry);
  std::atomic_signal_fence(std::memory_order_release);
  thread.is_in_log = false;
  thread.log.end.store(next, std::memory_order_release);
  thread.call.frame = nullptr;
  if ((end_ticks - ticks_at(entry, kStart)) >> thread.inside_bits != 0) [[unlikely]]
    return look_behind_call(next, end_ticks, result);
  return result;
}

/// Records a call that has failed, or forgets one that was taken for the last. Gives the result.
int end_otherwise(std::uint64_t end_ticks, int result);

} // namespace rondo::record
