// SPDX-License-Identifier: Apache-2.0
#include "archive/modelled_times.hpp"

#include "archive/adaptive_coder.hpp"
#include "tests/support/chosen_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace rondo::archive {
namespace {

using trace::Durations;
using trace::PlaceTimes;

using Classes = std::vector<trace::RankClass>;

void set_times(trace::RankClass& c, std::vector<PlaceTimes> times) {
  auto program = std::make_shared<trace::Program>(*c.program);
  program->times = std::move(times);
  c.program = std::move(program);
}

// A class that calls each of its calls once, in the order of a merged program that has them all.
trace::RankClass class_of(std::int64_t ranks, std::vector<std::uint32_t> calls,
                          std::vector<PlaceTimes> times) {
  auto program = std::make_shared<trace::Program>();
  program->calls.resize(calls.size());
  std::vector<trace::Term> top;
  for (std::uint32_t call = 0; call < calls.size(); ++call)
    top.push_back(trace::Term::symbol(call));
  program->nest = trace::Nest({}, std::move(top));
  std::vector<std::int64_t> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  trace::RankClass c{trace::RankSet::of(std::move(members)), 0, std::move(program), 0,
                     std::move(calls)};
  set_times(c, std::move(times));
  return c;
}

std::vector<std::uint32_t> some_of(std::uint32_t calls, std::uint32_t but) {
  std::vector<std::uint32_t> some;
  for (std::uint32_t call = 0; call < calls; ++call)
    if (call % but != 5) some.push_back(call);
  return some;
}

void add_durations(Durations& times, std::uint64_t count, std::mt19937_64& random) {
  const std::uint64_t scale = random() % 20;
  for (std::uint64_t i = 0; i < count; ++i) times.add((random() % 1000) << scale >> random() % 3);
}

// Two classes with nearly the same places, one without any, and one of three ranks. Calls that are
// reached once, as the programs say, and others a few times or often, from calls that no program
// has before them, or from any; some calls are never reached.
Classes many_places() {
  std::mt19937_64 random(7);
  Classes classes;
  for (const std::int64_t ranks : {1, 1, 0, 3}) {
    std::vector<PlaceTimes> times;
    const std::vector<std::uint32_t> calls = some_of(300, classes.size() == 1 ? 37 : 999);
    for (std::uint32_t call = 0; ranks > 0 && call < calls.size(); ++call) {
      for (std::uint32_t way = 0; way < 1 + call % 3; ++way) {
        PlaceTimes place;
        place.call = call;
        place.before = call == 0  ? PlaceTimes::kStart - way
                       : way == 0 ? call - 1
                       : way == 1 ? call + 3
                                  : PlaceTimes::kOther;
        const std::uint64_t count = call % 11 == 3 ? call : call % 5;
        if (count == 0 && call % 2 == 0) continue;
        add_durations(place.computation, count * static_cast<std::uint64_t>(ranks), random);
        add_durations(place.inside, count * static_cast<std::uint64_t>(ranks), random);
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          place.means.push_back({static_cast<std::uint16_t>(random() % 400),
                                 static_cast<std::uint16_t>(random() % 400)});
        }
        times.push_back(std::move(place));
      }
    }
    std::ranges::sort(times, {}, [](const PlaceTimes& p) { return std::pair(p.call, p.before); });
    classes.push_back(class_of(ranks, calls, std::move(times)));
  }
  return classes;
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

TEST(ForetoldTimes, KeepCountsAndBinsAndRoundDurations) {
  const Classes classes = many_places();
  const auto read = unpack_foretold_times(pack_foretold_times(classes), classes, nullptr);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::vector<PlaceTimes>& times = classes[c].program->times;
    ASSERT_EQ((*read)[c].size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const PlaceTimes& was = times[i];
      const PlaceTimes& is = (*read)[c][i];
      EXPECT_EQ(is.call, was.call);
      EXPECT_EQ(is.before, was.before);
      EXPECT_EQ(is.means, was.means);
      expect_close(was.computation, is.computation);
      expect_close(was.inside, is.inside);
    }
  }
}

TEST(ForetoldTimes, AreWrittenAsTheyWereRead) {
  Classes classes = many_places();
  const std::string bytes = pack_foretold_times(classes);
  auto read = unpack_foretold_times(bytes, classes, nullptr);
  ASSERT_TRUE(read);
  for (std::size_t c = 0; c < classes.size(); ++c) set_times(classes[c], std::move((*read)[c]));
  EXPECT_EQ(pack_foretold_times(classes), bytes);
}

// Each call once, in their order: 200 places as the program says.
trace::RankClass calls_in_a_row() {
  std::vector<PlaceTimes> times;
  for (std::uint32_t call = 0; call < 200; ++call) {
    PlaceTimes& place = times.emplace_back();
    place.call = call;
    place.before = call == 0 ? PlaceTimes::kStart : call - 1;
    place.inside.add(3); // a bin of its own: no bits below it
    place.computation.add(3);
    place.means.push_back({trace::mean_code(place.computation), trace::mean_code(place.inside)});
  }
  return class_of(1, some_of(200, 999), std::move(times));
}

TEST(ForetoldTimes, TakeNextToNothingForPlacesOfTheProgram) {
  EXPECT_LT(pack_foretold_times({calls_in_a_row()}).size(), 100U);
}

// Times of several places that were one sum, dealt out: extremes are those of all of them.
TEST(ForetoldTimes, KeepTheMeansOfSumsThatWereDealtOut) {
  Classes classes = {calls_in_a_row()};
  std::vector<PlaceTimes> times = classes.front().program->times;
  for (PlaceTimes& place : times) {
    place.computation = {};
    place.computation.add(100'000 + 500 * place.call);
    place.computation.min_ns = 20;
    place.computation.max_ns = 40'000'000;
    place.computation.sum_of_squares *= 1.5;
  }
  set_times(classes.front(), times);
  const auto read = unpack_foretold_times(pack_foretold_times(classes), classes, nullptr);
  ASSERT_TRUE(read);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double was = times[i].computation.mean_ns();
    EXPECT_NEAR((*read)[0][i].computation.mean_ns(), was, 0.008 * was);
  }
}

TEST(ForetoldTimes, AreRefusedOrReadWithinTheirBudgetIfBytesAreLost) {
  const Classes classes = many_places();
  const std::string bytes = pack_foretold_times(classes);
  const Budget small(std::uint64_t{1} << 24, std::uint64_t{1} << 22);
  for (std::size_t size = 0; size < bytes.size() - 8;
       size += support::looks_at_all_cases() ? 97 : 389) {
    Budget budget = small;
    EXPECT_FALSE(unpack_foretold_times(bytes.substr(0, size), classes, &budget)) << size;
  }
  std::mt19937_64 random(3);
  for (std::uint64_t i = 0; i < support::number_of_seeds(100, 300); ++i) {
    std::string damaged = bytes;
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    Budget budget = small;
    const auto read = unpack_foretold_times(damaged, classes, &budget);
    if (!read) continue;
    for (const std::vector<PlaceTimes>& places : *read) {
      for (const PlaceTimes& place : places) EXPECT_EQ(place.inside.bins.sum(), place.inside.count);
    }
  }
}

TEST(ForetoldTimes, AreRefusedForFewerClasses) {
  Classes classes = many_places();
  const std::string bytes = pack_foretold_times(classes);
  classes.pop_back();
  EXPECT_FALSE(unpack_foretold_times(bytes, classes, nullptr));
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
