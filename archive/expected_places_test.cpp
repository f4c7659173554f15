// SPDX-License-Identifier: Apache-2.0
#include "archive/expected_places.hpp"

#include "tests/support/events.hpp"
#include "tests/support/streams.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace rondo::archive {
namespace {

using trace::Column;
using trace::PlaceTimes;
using trace::Program;
using trace::Run;
using trace::Term;

using Counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

// The slow way: every call, one after the other.
Counts expanded(const Program& program) {
  Counts counts;
  std::uint32_t before = PlaceTimes::kStart;
  trace::NestReader reader(program.nest);
  while (const auto call = reader.next()) {
    ++counts[{*call, before}];
    before = *call;
  }
  return counts;
}

Counts counts_of(const ExpectedPlaces& expected) {
  Counts counts;
  for (const ExpectedPlace& place : expected.places) {
    EXPECT_TRUE(counts.empty() || counts.rbegin()->first < std::pair(place.call, place.before));
    counts[{place.call, place.before}] = place.count;
  }
  return counts;
}

bool leaves_loops_out(const trace::Nest& nest) {
  return std::any_of(nest.loops().begin(), nest.loops().end(), [](const trace::Loop& loop) {
    trace::ColumnReader trips(loop.trip_counts);
    while (const auto count = trips.next())
      if (*count <= 0) return true;
    return false;
  });
}

Program program_of(std::size_t calls, trace::Nest nest) {
  Program program;
  program.calls.resize(calls);
  program.nest = std::move(nest);
  return program;
}

Column times(std::int64_t trips, std::uint64_t entries) {
  return Column::from_runs({{trips, entries}});
}

TEST(ExpectedPlaces, AreThoseOfTheExpansion) {
  int compared = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    support::Random random(seed);
    support::ProgramOptions options;
    options.varying_trips = options.optional_calls = true;
    options.alphabet = seed % 2 == 0 ? 0 : 4;
    support::RankRecorder rank(0, 1);
    for (const std::uint32_t symbol : support::random_program(random, options))
      rank.call("MPI_Send", {{"count", symbol}, {"tag", symbol}}, symbol % 16);
    const trace::Trace trace = support::trace_of(rank);
    const Program& program = *trace.classes.front().program;
    if (leaves_loops_out(program.nest)) continue;
    ++compared;
    const ExpectedPlaces expected = expected_places(program, 1);
    EXPECT_EQ(counts_of(expected), expanded(program)) << "seed " << seed;
    EXPECT_EQ(expected.executions, program.nest.occurrences(program.calls.size()));
  }
  EXPECT_GT(compared, 30);
}

TEST(ExpectedPlaces, AreOfAllRanksOfTheClass) {
  // Three times: 0, five times 1.
  const Program program =
      program_of(2, trace::Nest({{{Term::symbol(1)}, times(5, 3)},
                                 {{Term::symbol(0), Term::loop(0)}, times(3, 1)}},
                                {Term::loop(1)}));
  EXPECT_EQ(counts_of(expected_places(program, 4)),
            (Counts{{{0, 1}, 8}, {{0, PlaceTimes::kStart}, 4}, {{1, 0}, 12}, {{1, 1}, 48}}));
}

// A loop that is left out at times has other calls behind each other then: it is expected to go on.
TEST(ExpectedPlaces, CountTheRoundsOfLoopsThatAreLeftOutAtTimes) {
  const Program program =
      program_of(2, trace::Nest({{{Term::symbol(1)}, Column::from_values({4, 0, 3})},
                                 {{Term::symbol(0), Term::loop(0)}, times(3, 1)}},
                                {Term::loop(1)}));
  EXPECT_EQ(counts_of(expected_places(program, 1)).at({1, 1}), 5U);
}

TEST(ExpectedPlaces, AreNotOfLoopsWithoutCalls) {
  const Program program = program_of(
      1, trace::Nest({{{}, times(2, 1)}}, {Term::loop(0), Term::symbol(0), Term::loop(0)}));
  EXPECT_TRUE(expected_places(program, 1).places.empty());
}

} // namespace
} // namespace rondo::archive
