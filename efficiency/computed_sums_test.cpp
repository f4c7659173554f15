// SPDX-License-Identifier: Apache-2.0
#include "efficiency/computed_sums.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace rondo::efficiency::internal {
namespace {

std::map<std::uint32_t, double> summed(ComputedSums& sums, std::uint32_t from, std::uint32_t to) {
  std::map<std::uint32_t, double> result;
  sums.each(0, {from, to, 0, 0}, [&](std::uint32_t spot, double seconds) {
    if (seconds != 0) result[spot] += seconds;
  });
  return result;
}

// Of a rank with three spots, which are executed as chance has it.
Timeline timeline_of(std::uint32_t computations, std::mt19937& random) {
  Timeline timeline(1);
  std::uniform_real_distribution<double> seconds(1e-6, 1e-2);
  for (std::uint32_t i = 0; i < computations; ++i)
    timeline.computed(0, static_cast<std::uint32_t>(random() % 3), i, seconds(random));
  return timeline;
}

TEST(ComputedSums, AreThoseOfTheComputationsOneByOne) {
  std::mt19937 random(7);
  constexpr std::uint32_t kComputations = 3000;
  const Timeline timeline = timeline_of(kComputations, random);
  ComputedSums sums(timeline);
  for (int i = 0; i < 200; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % kComputations);
    const auto to = from + static_cast<std::uint32_t>(random() % (kComputations - from + 1));
    std::map<std::uint32_t, double> expected;
    for (std::uint32_t c = from; c < to; ++c)
      expected[timeline.computation_of(0)[c].spot] += timeline.computation_of(0)[c].seconds;
    EXPECT_EQ(summed(sums, from, to), expected) << from << " to " << to;
  }
}

// More spots than a block of the usual size is long, and stretches up to the very end.
TEST(ComputedSums, AreRightForAnyNumberOfSpots) {
  for (const std::uint32_t spots : {1u, 16u, 17u, 100u}) {
    const std::uint32_t computations = 4096 + spots;
    Timeline timeline(1);
    for (std::uint32_t i = 0; i < computations; ++i)
      timeline.computed(0, i * 7 % spots, i, 1 + i % 5);
    ComputedSums sums(timeline);
    for (std::uint32_t from = 0; from < 40; ++from) {
      for (const std::uint32_t to : {computations, 4096u}) {
        std::map<std::uint32_t, double> expected;
        for (std::uint32_t c = from; c < to; ++c) expected[c * 7 % spots] += 1 + c % 5;
        EXPECT_EQ(summed(sums, from, to), expected) << spots << " spots, " << from;
      }
    }
  }
}

// A master that hands out a task to each of its workers in each round: between two messages of
// one worker it serves all of them.
TEST(ComputedSums, LookAtAMastersComputationsAFewTimesForEachWorker) {
  constexpr std::uint32_t kWorkers = 2000;
  constexpr std::uint32_t kRounds = 4;
  std::mt19937 random(7);
  const Timeline timeline = timeline_of(kRounds * kWorkers, random);
  ComputedSums sums(timeline);
  for (std::uint32_t to = kWorkers; to <= kRounds * kWorkers; ++to) summed(sums, to - kWorkers, to);
  EXPECT_LT(sums.looked_at(), 150 * kRounds * kWorkers);
}

} // namespace
} // namespace rondo::efficiency::internal
