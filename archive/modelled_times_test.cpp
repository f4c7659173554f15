// SPDX-License-Identifier: Apache-2.0
#include "archive/modelled_times.hpp"

#include "archive/adaptive_coder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rondo::archive {
namespace {

using trace::Durations;
using trace::PlaceTimes;

using Times = std::vector<std::vector<PlaceTimes>>;

std::vector<const std::vector<PlaceTimes>*> views_of_times(const Times& times) {
  std::vector<const std::vector<PlaceTimes>*> views;
  for (const auto& places : times) views.push_back(&places);
  return views;
}

void add_durations(Durations& times, std::uint64_t count, std::mt19937_64& random) {
  const std::uint64_t scale = random() % 20;
  for (std::uint64_t i = 0; i < count; ++i) times.add((random() % 1000) << scale >> random() % 3);
}

// Two classes with nearly the same places, one without any, and one of three ranks; calls that are
// reached once, a few times and often, from several others.
Times many_places() {
  std::mt19937_64 random(7);
  Times times(4);
  for (const std::size_t c : {0, 1, 3}) {
    for (std::uint32_t call = 0; call < 300; ++call) {
      if (c == 1 && call % 37 == 5) continue;
      for (std::uint32_t way = 0; way < 1 + call % 3; ++way) {
        PlaceTimes& place = times[c].emplace_back();
        place.call = call;
        place.before = call == 0  ? PlaceTimes::kStart
                       : way == 0 ? call - 1
                       : way == 1 ? call + 3
                                  : PlaceTimes::kOther;
        const std::uint64_t count = call % 5 < 4 ? call % 5 : call;
        add_durations(place.computation, count, random);
        add_durations(place.inside, count, random);
        const std::size_t ranks = c == 3 ? 3 : 1;
        for (std::size_t r = 0; r < ranks; ++r) {
          place.means.push_back({static_cast<std::uint16_t>(random() % 400),
                                 static_cast<std::uint16_t>(random() % 400)});
        }
      }
    }
  }
  return times;
}

void expect_close(const Durations& was, const Durations& is) {
  EXPECT_EQ(is.count, was.count);
  EXPECT_EQ(is.bins, was.bins);
  if (was.count == 0) return;
  EXPECT_NEAR(is.mean_ns(), was.mean_ns(), 0.008 * was.mean_ns() + 0.5);
  EXPECT_NEAR(static_cast<double>(is.min_ns), static_cast<double>(was.min_ns),
              0.032 * static_cast<double>(was.min_ns));
  EXPECT_NEAR(static_cast<double>(is.max_ns), static_cast<double>(was.max_ns),
              0.032 * static_cast<double>(was.max_ns));
}

TEST(ModelledTimes, KeepCountsAndBinsAndRoundDurations) {
  const Times times = many_places();
  const std::string bytes = pack_modelled_times(views_of_times(times));
  const auto read = unpack_modelled_times(bytes, nullptr);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), times.size());
  for (std::size_t c = 0; c < times.size(); ++c) {
    ASSERT_EQ((*read)[c].size(), times[c].size());
    for (std::size_t i = 0; i < times[c].size(); ++i) {
      const PlaceTimes& was = times[c][i];
      const PlaceTimes& is = (*read)[c][i];
      EXPECT_EQ(is.call, was.call);
      EXPECT_EQ(is.before, was.before);
      EXPECT_EQ(is.means, was.means);
      expect_close(was.computation, is.computation);
      expect_close(was.inside, is.inside);
    }
  }
}

TEST(ModelledTimes, AreWrittenAsTheyWereRead) {
  const std::string bytes = pack_modelled_times(views_of_times(many_places()));
  const auto read = unpack_modelled_times(bytes, nullptr);
  ASSERT_TRUE(read);
  EXPECT_EQ(pack_modelled_times(views_of_times(*read)), bytes);
}

// Times of several places that were one sum, dealt out: extremes are those of all of them.
TEST(ModelledTimes, KeepTheMeansOfSumsThatWereDealtOut) {
  Times times(1);
  for (std::uint32_t call = 0; call < 200; ++call) {
    PlaceTimes& place = times.front().emplace_back();
    place.call = call;
    place.inside.add(1000);
    place.computation.add(100'000 + 500 * call);
    place.computation.min_ns = 20;
    place.computation.max_ns = 40'000'000;
    place.computation.sum_of_squares *= 1.5;
  }
  const auto read = unpack_modelled_times(pack_modelled_times(views_of_times(times)), nullptr);
  ASSERT_TRUE(read);
  for (std::size_t i = 0; i < times.front().size(); ++i) {
    const double was = times.front()[i].computation.mean_ns();
    EXPECT_NEAR((*read)[0][i].computation.mean_ns(), was, 0.008 * was);
  }
}

TEST(ModelledTimes, AreRefusedOrReadWithinTheirBudgetIfBytesAreLost) {
  const std::string bytes = pack_modelled_times(views_of_times(many_places()));
  const Budget small(std::uint64_t{1} << 24, std::uint64_t{1} << 22);
  for (std::size_t size = 0; size < bytes.size() - 8; size += 97) {
    Budget budget = small;
    EXPECT_FALSE(unpack_modelled_times(bytes.substr(0, size), &budget)) << size;
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    Budget budget = small;
    const auto read = unpack_modelled_times(damaged, &budget);
    if (!read) continue;
    for (const std::vector<PlaceTimes>& places : *read) {
      for (const PlaceTimes& place : places) EXPECT_EQ(place.inside.bins.sum(), place.inside.count);
    }
  }
}

TEST(AdaptiveCoder, GivesBackNumbersOfAnySize) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> numbers = {0, 1, 2, 3, ~std::uint64_t{0}, std::uint64_t{1} << 63};
  for (int i = 0; i < 2000; ++i) numbers.push_back(random() >> random() % 64);
  AdaptiveWriter writer;
  for (const std::uint64_t number : numbers) code_number(writer, {1, number % 3}, number);
  for (const std::uint64_t number : numbers) writer.noise(17, number & 0x1ffff);
  const std::string bytes = std::move(writer).bytes();
  AdaptiveReader reader(bytes);
  for (const std::uint64_t number : numbers)
    EXPECT_EQ(code_number(reader, {1, number % 3}), number);
  for (const std::uint64_t number : numbers) EXPECT_EQ(reader.noise(17), number & 0x1ffff);
  EXPECT_TRUE(reader.at_end());
}

TEST(AdaptiveCoder, TakesNextToNothingForWhatIsSure) {
  AdaptiveWriter writer;
  for (int i = 0; i < 10'000; ++i) writer.bit({4}, 0, true);
  EXPECT_LT(std::move(writer).bytes().size(), 40U);
}

} // namespace
} // namespace rondo::archive
