// SPDX-License-Identifier: Apache-2.0
// What recording takes: of all calls after MPI is done, of one in so many before it, and what is
// for no call. By the clock, which goes on while the thread is without a processor: what the
// machine takes from the program is no cost of recording. Asking the kernel for CPU time would cost
// more than recording does. Only what was long is looked at: if the thread has been displaced since
// the last one that was, then it is taken to have been there.
#include "record/process/processors.hpp"
#include "record/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace rondo::record {

std::uint64_t Recorder::own_part(std::uint64_t ticks) {
  if (ticks <= kLongTicks) return ticks;
  const std::uint64_t displacements = displacements_of_thread();
  const bool was_displaced = std::exchange(on_thread.displacements, displacements) != displacements;
  return was_displaced ? kLongTicks : ticks;
}

void Recorder::end_call(Stream& stream, std::uint64_t end_ticks) {
  if (shares_processors_) [[unlikely]]
    begin_computing(stream);
  recorder_ticks_ += own_part(clock_.ticks() - end_ticks);
  stream.last_end_ticks = clock_.ticks();
  held_ticks_ = 0;
}

void Recorder::end_of_start(std::uint64_t begun_ticks, std::uint64_t begun_cpu_ns) {
  choose_way();
  keep_log(on_thread);
  on_thread.displacements = displacements_of_thread();
  recorder_ticks_ =
      std::min(clock_.ticks() - begun_ticks, clock_.to_ticks(thread_cpu_ns() - begun_cpu_ns));
  apart_ticks_ = recorder_ticks_;
  facts_.recorder_start_ns = live ? 0 : clock_.to_ns(recorder_ticks_);
}

std::uint64_t Recorder::cost_ticks() const {
  std::uint64_t ticks = recorder_ticks_;
  for (const auto& stream : streams_)
    ticks += std::atomic_ref(stream->before_ticks).load(std::memory_order_relaxed);
  return ticks;
}

} // namespace rondo::record
