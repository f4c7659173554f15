// SPDX-License-Identifier: Apache-2.0
// The call of the program's that a thread is in. A wrapper opens it and closes it, unless the
// program leaves the call: by an exception or longjmp() out of an error handler, by the end of the
// thread, or by exit(), whose handlers may call MPI. Then the thread's next call, or its end, finds
// it open although its wrapper is no longer on the stack, and records it as a call that failed.
//
// Thread-local, in the initial TLS block: no function call on access, and nothing to destroy. That
// it is constinit is said where it is declared, or each access would look first whether it has to
// be initialised. One object: where it is takes a look at a table for each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::record {

constexpr std::size_t kMaxWords = 48;

struct OpenCall {
  const void* frame = nullptr; // an address in the wrapper's frame; nullptr between calls
  // What follows is written as one word by calls that are left for later.
  std::uint16_t function = 0;
  std::uint16_t is_quiet = 0; // not recorded; between calls 0
  int error = 0; // what MPI says went wrong in it (record/mpi_errors.cpp)
};

/// The Fortran binding of MPI that this thread is in, on its way to the C function that does the
/// work.
struct FortranScope {
  const void* site = nullptr; // return address into the program; nullptr: in none
  const void* frame = nullptr; // an address in the binding's frame
};

struct CpuReading { // only where computation is CPU time (record/computing.cpp)
  std::uint64_t ticks = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t sleeps = 0; // that were counted last
  std::uint64_t counted_ticks = 0; // when they were
  std::uint32_t wakeful = 0; // readings in a row between which the thread did not sleep
  std::uint64_t waited_ns = 0; // ready to run, without a processor, up to then
  std::uint64_t waited_ticks = 0; // when that was asked; 0: not yet
};

struct Polling { // record/polling.hpp
  bool found_nothing = false; // the thread's last poll
  bool sleeps = false; // the thread has slept between polls
  std::uint32_t busy = 0; // long times between polls in a row in which it worked
  std::uint64_t reading_ticks = 0; // of what follows; 0: none since the polls began
  std::uint64_t cpu_ns = 0;
  std::uint64_t sleeps_counted = 0;
};

constexpr std::size_t kLogWords = 1024;
constexpr std::uint8_t kNoBits = 63; // so long that no time in ticks is any longer
[[gnu::visibility("hidden")]] extern std::int64_t log_words[kLogWords];

/// Where the thread leaves calls that are folded later (record/call_log.hpp).
struct CallLog {
  std::atomic<std::int64_t*> end = log_words; // of those that are done; an open one begins there
  std::int64_t* limit = nullptr; // for where one may begin; nullptr: no call is left for later
  std::uint64_t known_handles = 0; // a bit for each, which several may have
};

/// What all calls look at of the thread that makes them, together: the first line of the cache is
/// all that is needed of a call that is folded later, another one has events of up to eight words.
struct alignas(128) OnThread {
  bool in_recorder =
      false; // a signal waits until the thread leaves it (record/process/signals.hpp)
  volatile bool is_in_log = false; // the open call: its words are there, and nowhere else
  bool leaves_waits = false; // what completes requests may be folded later
  std::uint8_t until_sample = 1; // calls in the log
  volatile std::int8_t waiting_signal = 0; // that came meanwhile, or 0
  // Times before calls in the log, and in them, are looked at from 2 to so many ticks on.
  std::uint8_t rest_bits = kNoBits;
  std::uint8_t inside_bits = kNoBits;
  OpenCall call;
  FortranScope fortran;
  CallLog log;
  std::int64_t event[kMaxWords] = {}; // the call's words
  CpuReading reading;
  Polling polling;
  int end_rounds = 0; // of the thread's, that the recorder has heard of
  bool is_watched = false; // the recorder will hear of this thread's end
  std::uint64_t begun_ticks = 0; // when the call came, if it is one of the log's that are sampled
  std::uint64_t sampled_ticks = 0; // that the recorder took for calls in the log, estimated
  std::uint64_t displacements = 0; // that were counted last (record/cost.cpp)
};
extern constinit thread_local OnThread on_thread;

inline std::intptr_t thread_pointer() {
#if defined(__x86_64__)
  std::intptr_t pointer;
  asm("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
#else
  return reinterpret_cast<std::intptr_t>(__builtin_thread_pointer());
#endif
}
/// on_thread by how far it is from there, where the table of offsets is in no cache.
inline OnThread& thread_at(std::intptr_t distance) {
  return *reinterpret_cast<OnThread*>(thread_pointer() + distance);
}

/// Where the Fortran call stands that a wrapper with this frame is called for, or nullptr.
inline const void* site_in_fortran(const OnThread& thread, const void* frame) {
  return thread.fortran.frame > frame ? thread.fortran.site : nullptr; // stacks grow downwards
}
inline const void* site_in_fortran(const void* frame) { return site_in_fortran(on_thread, frame); }

/// Whether `frame` belongs to a call that MPI, or a callback, makes inside the open one.
/// @complexity   unwinds the stack as far as the open call: some 1 us for 10 frames
bool is_inside_open_call(const void* frame);
/// Records the open call as failed, with what MPI said of it. Outside of the recorder.
void close_left_call();
/// The same inside of it.
void record_left_call();
/// Has the end of the calling thread noticed.
void watch_thread();

} // namespace rondo::record
