// SPDX-License-Identifier: Apache-2.0
#include "record/process/clock.hpp"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace rondo::record {
namespace {

// The kernel uses the counter itself only if it is synchronous on all cores and constant in rate.
bool kernel_trusts_counter() {
  const int file = ::open("/sys/devices/system/clocksource/clocksource0/available_clocksource",
                          O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[256] = {};
  const ssize_t n = ::read(file, text, sizeof text - 1);
  ::close(file);
  return n > 0 && std::strstr(text, "tsc") != nullptr;
}

constexpr std::uint64_t kLeastSpan_ns = 1'000'000; // a shorter span gives no good rate

} // namespace

void Clock::start() {
#if defined(__x86_64__)
  uses_counter_ = kernel_trusts_counter();
#endif
  start_ = moment();
}

void Clock::calibrate() {
  if (!uses_counter_) return;
  while (monotonic_ns() - start_.host_ns < kLeastSpan_ns) {
  }
  const Moment here = moment();
  const std::uint64_t span_ns = here.host_ns - start_.host_ns;
  const std::uint64_t span_ticks = here.ticks - start_.ticks;
  ns_per_tick_ = static_cast<std::uint64_t>((static_cast<Product>(span_ns) << 32) /
                                            (span_ticks == 0 ? 1 : span_ticks));
}

} // namespace rondo::record
