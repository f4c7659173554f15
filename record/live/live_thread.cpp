// SPDX-License-Identifier: Apache-2.0
#include "record/live/live_thread.hpp"

#include "record/process/clock.hpp"
#include "record/process/processors.hpp"

#include <algorithm>
#include <pthread.h>

namespace rondo::record {
namespace {

// Nothing if the thread is no more.
std::optional<std::uint64_t> ns_on(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

bool LiveThread::asks_again(std::uint64_t computed_ns) {
  constexpr std::uint64_t kMostInARow = 1000;
  constexpr std::uint64_t kNextToNothing_ns = 10'000; // in the mean: it is interrupted at times
  constexpr std::uint64_t kMostBeyond_ns = 1'000'000;
  beyond_ns += computed_ns;
  beyond_ns -= std::min(beyond_ns, kNextToNothing_ns);
  ++asked_in_a_row;
  if (beyond_ns > kMostBeyond_ns) beyond_ns = asked_in_a_row = 0;
  return asked_in_a_row > kMostInARow;
}

void LiveThread::note_end() {
  if (clockid_t clock{}; !cpu_clock && ::pthread_getcpuclockid(::pthread_self(), &clock) == 0)
    cpu_clock = clock;
  ends[calls % ends.size()] = {calls, monotonic_ns()};
  cpu_at_end_ns = thread_cpu_ns();
  cpu_at_begin_ns.reset();
}

void LiveThread::note_begin() { cpu_at_begin_ns = thread_cpu_ns(); }

std::optional<LiveThread::Standing> LiveThread::standing_at(std::uint64_t moment_ns) const {
  const End* last = nullptr;
  for (const End& end : ends) {
    const bool is_before = end.calls > 0 && end.at_ns <= moment_ns;
    if (is_before && (last == nullptr || end.calls > last->calls)) last = &end;
  }
  if (last == nullptr) return std::nullopt;
  if (last->calls < calls) return Standing{last->calls, 0};
  const std::uint64_t cpu_ns = cpu_at_begin_ns ? *cpu_at_begin_ns
                               : cpu_clock     ? ns_on(*cpu_clock).value_or(cpu_at_end_ns)
                                               : cpu_at_end_ns;
  return Standing{last->calls, std::min(cpu_ns - cpu_at_end_ns, moment_ns - last->at_ns)};
}

} // namespace rondo::record
