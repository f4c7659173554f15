// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/drawing.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rondo::generate::internal {
namespace {

TEST(Drawing, AnyRunOfTimesHasTheHistogramsShares) {
  for (const double share : {1.0 / 600, 0.01, 0.25, 0.5, 0.93}) {
    for (const std::uint64_t length : {10U, 100U, 600U, 10000U}) {
      for (const std::uint64_t start : {0U, 1U, 77U, 12345U}) {
        std::uint64_t drawn = 0;
        for (std::uint64_t n = start + 1; n <= start + length; ++n)
          drawn += drawn_share(n, 3, 5) < share ? 1 : 0;
        const double wanted = share * static_cast<double>(length);
        EXPECT_LE(std::abs(static_cast<double>(drawn) - wanted), 3) << share << ' ' << length;
      }
    }
  }
}

TEST(Drawing, RanksAndHistogramsHaveTheirSlowPassesApart) {
  constexpr double kSlow = 1.0 / 600;
  int together = 0;
  for (std::uint64_t n = 1; n <= 600; ++n) {
    int slow = 0;
    for (std::uint64_t rank = 0; rank < 16; ++rank)
      slow += drawn_share(n, 1, rank) < kSlow || drawn_share(n, 2, rank) < kSlow ? 1 : 0;
    together += slow > 1 ? 1 : 0;
  }
  EXPECT_LE(together, 2); // of 600 passes, some 32 of which are slow on a rank
}

TEST(Drawing, TheTimesOfBinsMakeUpTheirSum) {
  trace::Durations durations;
  for (const std::uint64_t ns : {0U, 3U, 900U, 1000U, 1100U, 5'000'000U}) durations.add(ns);
  double sum = 0;
  std::uint64_t count = 0;
  for (const auto& [ns, times] : times_of_bins(durations)) {
    sum += ns * static_cast<double>(times);
    count += times;
  }
  EXPECT_NEAR(sum, static_cast<double>(durations.sum_ns), 1e-6);
  EXPECT_EQ(count, durations.count);
}

TEST(Drawing, IsForPassesThatDiffer) {
  EXPECT_FALSE(drawing_of(100, 5, 0).draws); // 5 % about the mean
  EXPECT_TRUE(drawing_of(100, 50, 0).draws);
  EXPECT_FALSE(drawing_of(100, 50, 0).by_rank);
  EXPECT_TRUE(drawing_of(100, 50, 400).draws); // ranks 20 % apart
  EXPECT_TRUE(drawing_of(100, 50, 400).by_rank);
  EXPECT_FALSE(drawing_of(100, 50, 50 * 50).draws); // nothing but ranks
  EXPECT_FALSE(drawing_of(0, 0, 0).draws);
}

} // namespace
} // namespace rondo::generate::internal
