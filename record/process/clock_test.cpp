// SPDX-License-Identifier: Apache-2.0
// Two clocks read at one moment, though the process loses its processor meanwhile; of clocks of
// hosts, tests/behaviour/hosts_test.py.
#include "record/process/clock.hpp"

#include <gtest/gtest.h>

namespace rondo::record {
namespace {

// A counter of 2 ticks to the nanosecond, and a clock whose first readings come late.
class LateClock {
public:
  explicit LateClock(int late) : late_(late) {}
  std::uint64_t ticks() { return 2 * (now_ns_ += 10); }
  std::uint64_t host_ns() {
    const std::uint64_t read_ns = now_ns_ += 10;
    if (late_-- > 0) now_ns_ += 600'000'000;
    return read_ns;
  }

private:
  int late_;
  std::uint64_t now_ns_ = 1'000'000'000;
};

TEST(ClosestMoment, PassesOverReadingsThatCameLate) {
  for (const int late : {0, 1, 4}) {
    LateClock clock(late);
    const Moment moment =
        closest_moment([&] { return clock.ticks(); }, [&] { return clock.host_ns(); });
    EXPECT_EQ(moment.ticks, 2 * moment.host_ns) << late;
  }
}

// As long as each of them comes late, the error is what it took: nothing better is known.
TEST(ClosestMoment, AllLate) {
  LateClock clock(100);
  const Moment moment =
      closest_moment([&] { return clock.ticks(); }, [&] { return clock.host_ns(); });
  EXPECT_NEAR(static_cast<double>(moment.ticks) / 2, static_cast<double>(moment.host_ns),
              300'000'100);
}

} // namespace
} // namespace rondo::record
