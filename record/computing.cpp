// SPDX-License-Identifier: Apache-2.0
// Computation of ranks that share processors.
#include "record/processors.hpp"
#include "record/recorder.hpp"

#include <algorithm>

namespace rondo::record {

// Where ranks are more than processors, a rank is displaced while it computes, and the clock goes
// on. What it computed is then its thread's CPU time; but a thread that slept, for a timer, a disk
// or another thread, would have done so on a processor of its own too, and its sleep counts.
//
// Asking the kernel at each call would cost more than recording it. What passes between two calls
// is looked at only if it is longer than any computation that could be worth displacing, and then
// measured from a reading that was made before it, not long ago: so much CPU time at most is taken
// for computation that was spent in MPI.
namespace {
constexpr std::uint64_t kNoticeable_ns = 20'000;
constexpr std::uint64_t kFresh_ns = 50'000;
} // namespace

void Recorder::watch_processors() {
  shares_processors_ = true;
  noticeable_ticks_ = clock_.to_ticks(kNoticeable_ns);
  fresh_ticks_ = clock_.to_ticks(kFresh_ns);
}

// A system call is where the kernel displaces a thread whose time is up. So the clock is read
// before those at the end of a computation, and after those at its beginning.
void Recorder::begin_computing(Stream& stream) {
  CpuReading& reading = on_thread.reading;
  const std::uint64_t now = clock_.ticks();
  stream.rest_thread = &on_thread;
  if (reading.ticks == 0 || now - reading.ticks > fresh_ticks_)
    reading = {now, thread_cpu_ns(), sleeps_of_thread()};
  stream.rest_ticks = clock_.ticks();
}

// As if the call before had ended so much later.
void Recorder::take_off(Stream& stream, std::uint64_t ticks, std::uint64_t now) {
  if (stream.last_end_ticks >= now) return;
  const std::uint64_t displaced = std::min(ticks, now - stream.last_end_ticks);
  stream.last_end_ticks += displaced;
  facts_.displaced_ns += clock_.to_ns(displaced);
}

void Recorder::end_computing(Stream& stream) {
  if (stream.rest_thread != &on_thread) return; // another thread made the last call
  const CpuReading& reading = on_thread.reading;
  const std::uint64_t now = clock_.ticks();
  if (now - stream.rest_ticks < noticeable_ticks_) return;
  const std::uint64_t passed_ns = clock_.to_ns(now - stream.rest_ticks);
  const std::uint64_t cpu_ns = thread_cpu_ns() - reading.cpu_ns;
  if (cpu_ns + kNoticeable_ns < passed_ns && sleeps_of_thread() == reading.sleeps)
    take_off(stream, clock_.to_ticks(passed_ns - cpu_ns), now);
  const std::uint64_t asked = clock_.ticks();
  take_off(stream, asked - now, asked);
}

} // namespace rondo::record
