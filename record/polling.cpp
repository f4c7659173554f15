// SPDX-License-Identifier: Apache-2.0
#include "record/polling.hpp"

#include "record/process/processors.hpp"

#include <algorithm>

namespace rondo::record {
namespace {

// Who sleeps is woken by a timer, which takes longer; and asking the kernel three times takes one
// to two percent of that.
constexpr std::uint64_t kLong_ns = 40'000;
constexpr std::uint64_t kNothing_ns = 10'000; // with the poll and the questions themselves
// Going to sleep, waking and polling on caches that others have used take so long.
constexpr std::uint64_t kWaking_ns = 25'000;
constexpr std::uint64_t kLittle = 8; // what takes less than one in so many parts

void read(Polling& polling, std::uint64_t now) {
  polling.reading_ticks = now;
  polling.cpu_ns = thread_cpu_ns();
  polling.sleeps_counted = sleeps_of_thread();
}

} // namespace

void begin_polling(Polling& polling) { read(polling, clock_.ticks()); }

// Since the reading behind the poll before. Who worked there and was displaced would have worked
// without; who did next to nothing gave its processor away (sched_yield).
std::uint64_t idle_between_polls(Polling& polling, std::uint64_t gap_ticks) {
  if (clock_.to_ns(gap_ticks) < kLong_ns) return 0;
  if (polling.busy >= kBusy && polling.busy % kSeldom > 1) {
    ++polling.busy;
    polling.reading_ticks = 0;
    return 0;
  }
  const Polling before = polling;
  read(polling, clock_.ticks());
  const std::uint64_t passed = polling.reading_ticks - before.reading_ticks;
  const std::uint64_t cpu_ns = polling.cpu_ns - before.cpu_ns;
  const std::uint64_t worked = clock_.to_ticks(cpu_ns);
  const bool rested = polling.sleeps_counted != before.sleeps_counted || cpu_ns < kNothing_ns;
  const bool is_idle = before.reading_ticks != 0 && rested && worked < passed;
  const bool did_little = cpu_ns < kWaking_ns && kLittle * worked < passed;
  const std::uint64_t rest = did_little ? passed : passed - worked;
  const std::uint64_t idle = is_idle ? std::min(rest, gap_ticks) : 0;
  if (2 * idle > gap_ticks) {
    polling.busy = 0;
    polling.sleeps = true;
  } else if (before.reading_ticks != 0 || polling.busy >= kBusy) {
    ++polling.busy;
  }
  return idle;
}

} // namespace rondo::record
