// SPDX-License-Identifier: Apache-2.0
// Ranks that differ in words, trip counts, columns and terms, merged to few programs.
#include "rondo/fold/merge.hpp"
#include "rondo/trace/call_text.hpp"

#include "tests/support/chosen_cases.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/random_spmd.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace rondo::fold {
namespace {

using support::events_of;
using support::IsStream;
using support::RankRecorder;
using support::Ranks;
using trace::Trace;

Trace merged_in(const Ranks& ranks, const std::vector<std::size_t>& order) {
  std::vector<RecordingPart> parts;
  for (const auto& rank : ranks) parts.push_back(rank->part());
  return resolve(support::merged(std::move(parts), order));
}

std::vector<std::size_t> ascending(std::size_t size) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Arrays have other numbers in the merged program, so calls are compared by what they say.
std::vector<std::string> lines_of(const Trace& trace, std::int64_t rank) {
  std::vector<std::string> lines;
  trace::CallReader reader(trace, *trace.class_of(rank), rank);
  trace::CallLineWriter writer(trace, reader);
  while (const trace::CallInstance* call = reader.next())
    lines.push_back(std::to_string(call->site) + " " + writer.line(*call));
  return lines;
}

// The same program recorded again, rank by rank and not merged.
void expect_lines_kept(const Trace& trace, const Ranks& again) {
  for (const auto& rank : again) {
    const std::size_t calls = rank->events().size();
    const std::vector<std::string> alone = lines_of(support::trace_of(*rank), rank->rank());
    ASSERT_EQ(alone.size(), calls);
    ASSERT_EQ(lines_of(trace, rank->rank()), alone) << "rank " << rank->rank();
  }
}

void expect_events_kept(const Trace& trace, const Ranks& ranks) {
  for (const auto& rank : ranks) {
    ASSERT_THAT(events_of(trace, rank->rank()), IsStream(rank->events()))
        << "rank " << rank->rank();
  }
}

// What is known of times: sums are exact, places have as many times as calls, each rank that comes
// to a place has a mean there.
void expect_times_kept(const Trace& trace, const Ranks& ranks) {
  std::uint64_t computation = 0;
  std::uint64_t inside = 0;
  for (const trace::RankClass& c : trace.classes) {
    const trace::Program& program = *c.program;
    std::vector<std::uint64_t> timed(program.calls.size(), 0);
    for (const trace::PlaceTimes& place : program.times) {
      computation += place.computation.sum_ns;
      inside += place.inside.sum_ns;
      timed[place.call] += place.inside.count;
      ASSERT_EQ(place.means.size(), static_cast<std::size_t>(c.ranks.size()));
      const bool has_mean =
          std::any_of(place.means.begin(), place.means.end(),
                      [](const trace::RankMeans& means) { return means.inside != 0; });
      EXPECT_TRUE(has_mean);
    }
    const auto executed = program.nest.occurrences(program.calls.size());
    std::uint64_t all_timed = 0;
    std::uint64_t all_executed = 0;
    for (std::size_t i = 0; i < timed.size(); ++i) {
      all_timed += timed[i];
      all_executed += executed[i] * static_cast<std::uint64_t>(c.ranks.size());
    }
    EXPECT_EQ(all_timed, all_executed);
  }
  for (const auto& rank : ranks) {
    computation -= rank->computation_ns();
    inside -= rank->inside_ns();
  }
  EXPECT_EQ(computation, 0U);
  EXPECT_EQ(inside, 0U);
}

TEST(RandomPrograms, ExpandToEachRanksOwnCalls) {
  for (std::uint64_t seed = 0; seed < support::number_of_seeds(130, 400); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Ranks ranks = support::random_spmd(seed, 3, 4);
    const Trace trace = merged_in(ranks, ascending(ranks.size()));
    ASSERT_NO_FATAL_FAILURE(expect_lines_kept(trace, support::random_spmd(seed, 3, 4)));
    ASSERT_NO_FATAL_FAILURE(expect_times_kept(trace, ranks));
  }
}

TEST(RandomPrograms, ExpandTheSameInWhateverOrderTheyAreMerged) {
  std::mt19937 random(1);
  for (std::uint64_t seed = 400; seed < 400 + support::number_of_seeds(40, 100); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Ranks ranks = support::random_spmd(seed, 4, 4);
    std::vector<std::size_t> order = ascending(ranks.size());
    std::shuffle(order.begin(), order.end(), random);
    const Trace trace = merged_in(ranks, order);
    ASSERT_NO_FATAL_FAILURE(expect_lines_kept(trace, support::random_spmd(seed, 4, 4)));
    ASSERT_NO_FATAL_FAILURE(expect_times_kept(trace, ranks));
  }
}

TEST(RandomPrograms, AreTheSameForEachRankAloneAsInTheMergedOne) {
  for (std::uint64_t seed = 500; seed < 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Trace trace = merged_in(support::random_spmd(seed, 3, 3), ascending(9));
    for (const trace::RankClass& c : trace.classes) {
      const trace::MergedProgram& merged = *trace.programs[c.merged];
      for (const std::int64_t rank : c.ranks.ranks()) {
        const auto alone = project(merged, c.program->by_rank, rank);
        EXPECT_EQ(alone.program.nest, c.program->nest);
        EXPECT_EQ(alone.program.calls, c.program->calls);
        EXPECT_EQ(alone.calls, c.calls);
      }
    }
  }
}

// Guards ------------------------------------------------------------------------------------------

std::vector<std::string> guards_of(const trace::MergedProgram& program) {
  std::vector<std::string> guards;
  for (const trace::MergedCall& call : program.calls)
    guards.push_back(program.table.sets[call.set].text());
  return guards;
}

// A chain whose ends have one neighbour only: terms that they lack get guards.
TEST(Guards, NameTheRanksThatExecuteATerm) {
  constexpr std::int64_t kRanks = 64;
  Ranks ranks;
  for (std::int64_t rank = 0; rank < kRanks; ++rank) {
    RankRecorder& me = *ranks.emplace_back(std::make_unique<RankRecorder>(rank, kRanks));
    for (int i = 0; i < 10; ++i) {
      if (rank > 0) me.call("MPI_Recv", {{"source", rank - 1}}, 1);
      if (rank + 1 < kRanks) me.call("MPI_Send", {{"dest", rank + 1}}, 2);
      me.call("MPI_Barrier", {}, 3);
    }
  }
  const Trace trace = merged_in(ranks, ascending(kRanks));
  ASSERT_NO_FATAL_FAILURE(expect_events_kept(trace, ranks));
  ASSERT_EQ(trace.programs.size(), 1U);
  EXPECT_EQ(trace.classes.size(), 3U);
  EXPECT_EQ(trace.programs.front()->terms(), 4U);
  EXPECT_THAT(guards_of(*trace.programs.front()),
              testing::UnorderedElementsAre("1-63", "0-62", "0-63"));
}

// Ranks that have nothing in common stay programs of their own.
TEST(Guards, DoNotForceTogetherWhatIsDifferent) {
  Ranks ranks;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    RankRecorder& me = *ranks.emplace_back(std::make_unique<RankRecorder>(rank, 2));
    for (int i = 0; i < 20; ++i)
      me.call(rank == 0 ? "MPI_Send" : "MPI_Recv", {{"tag", i % 3}},
              static_cast<std::uint32_t>(rank));
  }
  const Trace trace = merged_in(ranks, ascending(2));
  ASSERT_NO_FATAL_FAILURE(expect_events_kept(trace, ranks));
  EXPECT_EQ(trace.programs.size(), 2U);
}

// The most elements that ascend.
std::size_t longest_ascending(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint32_t> ends; // the least of each length
  for (const std::uint32_t number : numbers) {
    const auto at = std::lower_bound(ends.begin(), ends.end(), number);
    if (at == ends.end()) {
      ends.push_back(number);
    } else {
      *at = number;
    }
  }
  return ends.size();
}

// Two ranks make the same calls, each once, the second in disorder: most of them are shared, in an
// order that both have. In bodies too long to compare all pairs those are shared that are near.
TEST(CommonOrder, IsTheLongestThereIs) {
  for (const std::uint32_t calls : {3U, 40U, 300U, 2200U}) {
    std::mt19937 random(calls);
    std::vector<std::uint32_t> order(calls);
    std::iota(order.begin(), order.end(), 1U);
    for (auto at = order.begin(); order.end() - at >= 12; at += 10)
      std::shuffle(at, at + 6, random);
    Ranks ranks;
    for (std::int64_t rank = 0; rank < 2; ++rank)
      ranks.emplace_back(std::make_unique<RankRecorder>(rank, 2));
    for (std::uint32_t i = 0; i < calls; ++i) {
      ranks[0]->call("MPI_Barrier", {}, i + 1);
      ranks[1]->call("MPI_Barrier", {}, order[i]);
    }
    std::vector<RecordingPart> parts;
    for (const auto& rank : ranks) {
      trace::CallSite site{"a"};
      std::vector<trace::CallSite>& sites = parts.emplace_back(rank->part()).tables.sites;
      for (sites.clear(); site.offset <= calls; ++site.offset) sites.push_back(site);
    }
    const Trace trace = resolve(support::merged(std::move(parts), ascending(2)));
    ASSERT_EQ(trace.programs.size(), 1U) << calls;
    EXPECT_EQ(trace.programs.front()->top.size(), 2 * calls - longest_ascending(order)) << calls;
  }
}

// Rounds that depend on the rank are a function of the rank in one loop.
TEST(TripCounts, MayDependOnTheRank) {
  Ranks ranks;
  for (std::int64_t rank = 0; rank < 12; ++rank) {
    RankRecorder& me = *ranks.emplace_back(std::make_unique<RankRecorder>(rank, 12));
    for (int i = 0; i < 10 + rank / 4; ++i) me.call("MPI_Barrier", {}, 1);
    me.call("MPI_Finalize");
  }
  const Trace trace = merged_in(ranks, ascending(12));
  ASSERT_NO_FATAL_FAILURE(expect_events_kept(trace, ranks));
  ASSERT_EQ(trace.programs.size(), 1U);
  EXPECT_EQ(trace.programs.front()->terms(), 3U);
  EXPECT_EQ(trace.classes.size(), 3U);
}

// Neighbours on a torus one after the other at one call: each rank's column is its own, but a
// column of functions is one for all.
TEST(Columns, OfTheSameRhythmBecomeOneOfFunctions) {
  constexpr std::int64_t kSide = 4;
  Ranks ranks;
  for (std::int64_t rank = 0; rank < kSide * kSide; ++rank) {
    RankRecorder& me = *ranks.emplace_back(
        std::make_unique<RankRecorder>(rank, kSide * kSide, ProgramOptions{.soften_after = 1}));
    const std::int64_t row = rank / kSide;
    const std::int64_t column = rank % kSide;
    for (int i = 0; i < 50; ++i) {
      me.call("MPI_Send", {{"dest", row * kSide + (column + 1) % kSide}}, 1);
      me.call("MPI_Send", {{"dest", (row + 1) % kSide * kSide + column}}, 1);
      me.call("MPI_Send", {{"dest", row * kSide + (column + 3) % kSide}}, 1);
    }
  }
  const Trace trace = merged_in(ranks, ascending(ranks.size()));
  ASSERT_NO_FATAL_FAILURE(expect_events_kept(trace, ranks));
  ASSERT_EQ(trace.programs.size(), 1U);
  EXPECT_EQ(trace.classes.size(), 1U);
  EXPECT_EQ(trace.programs.front()->columns.size(), 1U);
}

} // namespace
} // namespace rondo::fold
