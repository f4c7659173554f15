// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/times.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace rondo::trace {
namespace {

TEST(Bins, HoldWhatStartsInThem) {
  for (int bin = 0; bin < kBins; ++bin) {
    EXPECT_EQ(bin_of(bin_start(bin)), bin);
    EXPECT_TRUE(bin == 0 || bin_of(bin_start(bin) - 1) == bin - 1) << bin;
  }
}

TEST(Bins, RiseWithoutAGap) {
  int last = -1;
  for (std::uint64_t ns = 0; ns < 100'000; ++ns) {
    const int bin = bin_of(ns);
    ASSERT_TRUE(bin == last || bin == last + 1) << ns;
    last = bin;
  }
}

TEST(Bins, AreAtMostAQuarterWide) {
  for (int bin = 8; bin + 1 < kBins; ++bin) {
    const auto start = static_cast<double>(bin_start(bin));
    EXPECT_LE(static_cast<double>(bin_start(bin + 1)) - start, 0.25 * start) << bin;
  }
}

TEST(Bins, HoldEveryDuration) { EXPECT_EQ(bin_of(~std::uint64_t{0}), kBins - 1); }

TEST(Bins, AreFoundTheShortWay) {
  for (std::uint64_t ns = 0; ns < 5000; ++ns)
    ASSERT_EQ(bin_or_beyond(ns), static_cast<std::size_t>(bin_of(ns)));
  EXPECT_EQ(bin_or_beyond(bin_start(kBins - 1)), std::size_t{kBins - 1});
  EXPECT_GE(bin_or_beyond(2 * bin_start(kBins - 1)), std::size_t{kBins});
  EXPECT_GE(bin_or_beyond(~std::uint64_t{0}), std::size_t{kBins});
}

TEST(BinCounts, HaveThoseThatWereAddedTo) {
  BinCounts counts;
  EXPECT_FALSE(counts.has(20));
  counts.add(20);
  EXPECT_TRUE(counts.has(20));
  EXPECT_FALSE(counts.has(19));
  EXPECT_FALSE(counts.has(21));
  EXPECT_FALSE(counts.add_if_known(21));
  EXPECT_TRUE(counts.add_if_known(20));
  counts.add(22);
  EXPECT_TRUE(counts.add_if_known(22));
  EXPECT_EQ(counts[20], 2U);
  EXPECT_EQ(counts[22], 2U);
  counts.add(kBins - 1);
  EXPECT_FALSE(counts.has(bin_or_beyond(~std::uint64_t{0})));
}

TEST(Durations, AddUpToTheSameInAnyOrder) {
  std::mt19937_64 random(1);
  Durations all;
  Durations parts[3];
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t ns = random() >> (random() % 50 + 12);
    all.add(ns);
    parts[i % 3].add(ns);
  }
  Durations sum = parts[2];
  sum.add(parts[0]);
  sum.add(parts[1]);
  EXPECT_EQ(sum.count, all.count);
  EXPECT_EQ(sum.sum_ns, all.sum_ns);
  EXPECT_EQ(sum.min_ns, all.min_ns);
  EXPECT_EQ(sum.max_ns, all.max_ns);
  EXPECT_EQ(sum.bins, all.bins);
  EXPECT_NEAR(sum.sum_of_squares / all.sum_of_squares, 1, 1e-12);
  EXPECT_EQ(all.bins.sum(), all.count);
}

TEST(Durations, KnowMeanAndDeviation) {
  Durations times;
  for (const std::uint64_t ns : {2U, 4U, 4U, 4U, 5U, 5U, 7U, 9U}) times.add(ns);
  EXPECT_DOUBLE_EQ(times.mean_ns(), 5);
  EXPECT_DOUBLE_EQ(times.deviation_ns(), 2);
  EXPECT_DOUBLE_EQ(Durations{}.mean_ns(), 0);
  EXPECT_DOUBLE_EQ(Durations{}.deviation_ns(), 0);
}

TEST(Durations, HaveTheCodeOfTheNearestMean) {
  for (std::uint64_t ns = 0; ns < std::uint64_t{1} << 40; ns += 1 + ns / 500) {
    Durations times;
    times.add(ns);
    const double steps = 16 * std::log2(1 + static_cast<double>(ns)); // of a sixteenth of an octave
    ASSERT_EQ(mean_code(times), 1 + std::lround(steps)) << ns;
  }
}

TEST(Durations, HaveBinsForMoreThanFourBillion) {
  Durations times;
  times.add(100);
  for (int i = 0; i < 40; ++i) times.add(Durations(times));
  EXPECT_EQ(times.count, std::uint64_t{1} << 40);
  EXPECT_EQ(times.bins[static_cast<std::size_t>(bin_of(100))], times.count);
}

// Programs whose calls never come again have a place for each of them.
TEST(Durations, TakeMemoryForTheBinsInUseOnly) {
  Durations times;
  EXPECT_EQ(times.bins.memory(), 0U);
  for (int i = 0; i < 3; ++i) times.add(100);
  EXPECT_EQ(times.bins.memory(), 0U);
  EXPECT_LE(sizeof(PlaceTimes), 200U);
  times.add(130);
  EXPECT_LE(times.bins.memory(), 128U);
  times.add(1'000'000);
  EXPECT_LE(times.bins.memory(), 64 * sizeof(std::uint64_t));
  EXPECT_EQ(times.bins.sum(), 5U);
}

TEST(BinCounts, AreThoseOfATableHoweverTheyGrew) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    std::uint64_t table[kBins] = {};
    BinCounts counts;
    for (std::uint64_t n = random() % 12; n > 0; --n) {
      const std::size_t bin = random() % kBins;
      counts.add(bin, n);
      table[bin] += n;
    }
    const BinCounts copy = counts;
    BinCounts other;
    for (std::size_t bin = BinCounts::size(); bin-- > 0;) {
      EXPECT_EQ(counts[bin], table[bin]);
      if (table[bin] != 0) other.add(bin, table[bin]);
    }
    EXPECT_EQ(counts, other);
    BinCounts moved = std::move(counts);
    EXPECT_EQ(moved, copy);
    EXPECT_EQ(counts, BinCounts()); // NOLINT(bugprone-use-after-move): it is empty then
    other.add(random() % kBins);
    EXPECT_FALSE(moved == other);
  }
}

} // namespace
} // namespace rondo::trace
