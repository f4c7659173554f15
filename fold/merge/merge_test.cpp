// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/merge.hpp"

#include "tests/support/nest_text.hpp"
#include "tests/support/spmd.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace rondo::fold {
namespace {

using support::events_of;
using support::IsStream;
using support::Pattern;
using support::Ranks;
using trace::Trace;
using trace::Word;

std::vector<RecordingPart> parts_of(const Ranks& ranks) {
  std::vector<RecordingPart> parts;
  for (const auto& rank : ranks) parts.push_back(rank->part());
  return parts;
}

std::vector<std::size_t> in_order(std::size_t size) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

Trace trace_of(const Ranks& ranks) {
  return resolve(support::merged(parts_of(ranks), in_order(ranks.size())));
}

void expect_every_rank_kept(const Trace& trace, const Ranks& ranks) {
  ASSERT_EQ(trace.ranks.size(), ranks.size());
  for (const auto& rank : ranks) {
    ASSERT_THAT(events_of(trace, rank->rank()), IsStream(rank->events()))
        << "rank " << rank->rank();
    EXPECT_EQ(trace.ranks[static_cast<std::size_t>(rank->rank())].calls, rank->events().size());
  }
}

std::uint64_t inside_ns(const Trace& trace) {
  std::uint64_t sum = 0;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::PlaceTimes& place : c.program->times) sum += place.inside.sum_ns;
  }
  return sum;
}

class EveryPattern : public testing::TestWithParam<Pattern> {};

TEST_P(EveryPattern, ExpandsToEachRanksOwnCalls) {
  for (const std::int64_t size : {1, 2, 3, 4, 6, 7, 8, 9, 16, 25, 32, 64}) {
    if (GetParam() == Pattern::kMaster && size == 1) continue;
    SCOPED_TRACE(std::to_string(size) + " ranks");
    const Ranks ranks = support::run(GetParam(), size);
    const Trace trace = trace_of(ranks);
    ASSERT_NO_FATAL_FAILURE(expect_every_rank_kept(trace, ranks));
    std::uint64_t recorded = 0;
    for (const auto& rank : ranks) recorded += rank->inside_ns();
    EXPECT_EQ(inside_ns(trace), recorded);
  }
}

TEST_P(EveryPattern, ExpandsTheSameInWhateverOrderItIsMerged) {
  std::mt19937 random(1);
  for (int round = 0; round < 6; ++round) {
    const Ranks ranks = support::run(GetParam(), 16, 8);
    std::vector<std::size_t> order = in_order(16);
    std::shuffle(order.begin(), order.end(), random);
    const Trace trace = resolve(support::merged(parts_of(ranks), order));
    ASSERT_NO_FATAL_FAILURE(expect_every_rank_kept(trace, ranks));
  }
}

TEST_P(EveryPattern, ExpandsTheSameMergedOverATree) {
  const Ranks ranks = support::run(GetParam(), 13, 8);
  std::vector<RecordingPart> parts = parts_of(ranks);
  for (std::size_t step = 1; step < parts.size(); step *= 2) {
    for (std::size_t i = 0; i + step < parts.size(); i += 2 * step)
      merge(parts[i], std::move(parts[i + step]));
  }
  ASSERT_NO_FATAL_FAILURE(expect_every_rank_kept(resolve(std::move(parts.front())), ranks));
}

INSTANTIATE_TEST_SUITE_P(Merge, EveryPattern, testing::ValuesIn(support::kPatterns),
                         [](const auto& test) { return support::name_of(test.param); });

// How many programs the ranks need
// ----------------------------------------------------------------------

TEST(Merge, NeedsOneProgramForARing) {
  EXPECT_EQ(trace_of(support::run(Pattern::kRing, 64)).classes.size(), 1U);
}

TEST(Merge, NeedsThreeProgramsForAnOpenChain) {
  EXPECT_EQ(trace_of(support::run(Pattern::kOpenChain, 64)).classes.size(), 3U);
}

TEST(Merge, NeedsOneProgramForAHaloWithBorders) {
  EXPECT_EQ(trace_of(support::run(Pattern::kHalo, 64)).classes.size(), 1U);
}

TEST(Merge, NeedsOneProgramForAButterfly) {
  EXPECT_EQ(trace_of(support::run(Pattern::kButterfly, 64)).classes.size(), 1U);
}

TEST(Merge, NeedsTwoProgramsForMasterAndWorkers) {
  EXPECT_EQ(trace_of(support::run(Pattern::kMaster, 64)).classes.size(), 2U);
}

// Rank 0 hands two tasks to ranks 1 and 2, and sends 3 to 5 home.
TEST(Merge, CountsIdleWorkersAsWorkers) {
  Ranks all;
  for (std::int64_t rank = 0; rank < 6; ++rank) {
    auto& me = *all.emplace_back(std::make_unique<support::RankRecorder>(rank, 6));
    me.call("MPI_Init", {});
    for (std::int64_t worker = 1; rank == 0 && worker < 6; ++worker)
      me.call("MPI_Send", {{"dest", worker}, {"count", worker < 3}});
    for (std::int64_t worker = 1; rank == 0 && worker < 3; ++worker) {
      me.call("MPI_Irecv", {{"source", worker}});
      me.call("MPI_Send", {{"dest", worker}});
    }
    if (rank == 1 || rank == 2) {
      me.call("MPI_Recv", {{"source", 0}});
      me.call("MPI_Ssend", {{"dest", 0}});
    }
    if (rank > 0) me.call("MPI_Recv", {{"source", 0}});
    me.call("MPI_Finalize", {});
  }
  const Trace trace = trace_of(all);
  expect_every_rank_kept(trace, all);
  ASSERT_EQ(trace.programs.size(), 2U);
  EXPECT_EQ(trace.programs[0]->ranks().text(), "0");
  EXPECT_EQ(trace.programs[1]->ranks().text(), "1-5");
}

// What peers mean
// -----------------------------------------------------------------------------------------

Word::Form form_of(const Trace& trace, std::size_t call, const char* field) {
  const trace::Call& c = trace.classes.front().program->calls[call];
  return c.words[static_cast<std::size_t>(trace::find_function(c.function)->word_of(field))].form;
}

// One send of every rank, to the rank that `to` says.
template <class To> Trace sends(std::int64_t ranks, To to) {
  Ranks all;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    auto& me = *all.emplace_back(std::make_unique<support::RankRecorder>(rank, ranks));
    me.call("MPI_Send", {{"dest", to(rank)}});
  }
  Trace trace = trace_of(all);
  expect_every_rank_kept(trace, all);
  return trace;
}

TEST(Merge, WritesAPeerRelativeToTheRank) {
  const Trace trace =
      sends(3, [](std::int64_t rank) { return rank + 1; }); // one of them leaves the world
  ASSERT_EQ(trace.classes.size(), 1U);
  EXPECT_EQ(form_of(trace, 0, "dest"), Word::Form::kRelative);
}

TEST(Merge, WritesAPeerModuloTheSize) {
  const Trace trace = sends(5, [](std::int64_t rank) { return (rank + 2) % 5; });
  ASSERT_EQ(trace.classes.size(), 1U);
  EXPECT_EQ(form_of(trace, 0, "dest"), Word::Form::kRelativeModulo);
}

TEST(Merge, WritesAPeerAsExclusiveOr) {
  const Trace trace = sends(8, [](std::int64_t rank) { return rank ^ 5; });
  ASSERT_EQ(trace.classes.size(), 1U);
  EXPECT_EQ(form_of(trace, 0, "dest"), Word::Form::kXor);
}

TEST(Merge, WritesAPeerAsAConstant) {
  const Trace trace = sends(8, [](std::int64_t) { return 3; });
  ASSERT_EQ(trace.classes.size(), 1U);
  EXPECT_EQ(form_of(trace, 0, "dest"), Word::Form::kConstant);
}

TEST(Merge, WritesAPeerWithoutARuleByRank) {
  const Trace trace = sends(8, [](std::int64_t rank) { return rank * rank % 7; });
  ASSERT_EQ(trace.classes.size(), 1U);
  EXPECT_EQ(form_of(trace, 0, "dest"), Word::Form::kByRank);
}

TEST(Merge, SharesSitesAndTables) {
  const Ranks ranks = support::run(Pattern::kRing, 4, 3);
  std::vector<RecordingPart> parts = parts_of(ranks);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::reverse(parts[i].tables.sites.begin(), parts[i].tables.sites.end());
    for (auto& call : parts[i].classes.front().program.calls) call.call.site = 15 - call.call.site;
    parts[i].tables.hosts.push_back(
        {i < 2 ? "north" : "south", trace::RankSet::of({static_cast<std::int64_t>(i)})});
    if (i > 0) std::swap(parts[i].tables.sites.front(), parts[i].tables.sites.back());
    if (i > 0) {
      for (auto& [call, set] : parts[i].classes.front().program.calls) {
        if (call.site == 0 || call.site == 15) call.site = 15 - call.site;
      }
    }
  }
  const Trace trace = resolve(support::merged(std::move(parts), in_order(4)));
  EXPECT_EQ(trace.sites.size(), 16U);
  EXPECT_EQ(trace.classes.size(), 1U);
  ASSERT_EQ(trace.hosts.size(), 2U);
  EXPECT_EQ(trace.hosts[0].ranks.text(), "0-1");
  EXPECT_EQ(trace.hosts[1].ranks.text(), "2-3");
}

// Rank 0 came to its call by b < a, rank 1 by b < a too, but knew another site before.
TEST(Merge, KnowsEqualCallStacksByTheirSitesNotTheirNumbers) {
  const Ranks ranks = support::run(Pattern::kRing, 2, 3);
  std::vector<RecordingPart> parts = parts_of(ranks);
  parts[0].tables.sites = {{"a", 1}, {"b", 2, 1}};
  parts[1].tables.sites = {{"c", 3}, {"a", 1}, {"b", 2, 2}};
  for (auto& call : parts[0].classes.front().program.calls) call.call.site = 1;
  for (auto& call : parts[1].classes.front().program.calls) call.call.site = 2;
  const Trace trace = resolve(support::merged(std::move(parts), in_order(2)));
  const std::vector<trace::CallSite> expected = {{"a", 1}, {"b", 2, 1}, {"c", 3}};
  EXPECT_EQ(trace.sites, expected);
  EXPECT_EQ(trace.classes.size(), 1U);
}

} // namespace
} // namespace rondo::fold
