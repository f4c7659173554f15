// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/sharing.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rondo::trace {
namespace {

Affinity bound(std::vector<std::int64_t> ranks, std::vector<std::int64_t> processors,
               std::int64_t usable, bool cpu_time = false) {
  return {RankSet::of(std::move(processors)), usable, cpu_time, RankSet::of(std::move(ranks))};
}

Trace on_one_host(std::int64_t ranks, std::vector<Affinity> affinities) {
  Trace trace;
  trace.run.ranks = ranks;
  trace.ranks.resize(static_cast<std::size_t>(ranks));
  trace.hosts.push_back({"node", RankSet::from_range({0, 1, ranks})});
  trace.affinities = std::move(affinities);
  return trace;
}

TEST(Sharing, RanksOnProcessorsOfTheirOwnShareNone) {
  EXPECT_FALSE(sharing_of(on_one_host(4, {bound({0, 1, 2, 3}, {0, 1, 2, 3}, 4)})).is_shared());
  const Trace each = on_one_host(2, {bound({0}, {0}, 8), bound({1}, {4}, 8)});
  EXPECT_FALSE(sharing_of(each).is_shared());
  EXPECT_TRUE(sharing_text(sharing_of(each)).empty());
}

TEST(Sharing, UnknownProcessorsAreNotShared) {
  EXPECT_FALSE(sharing_of(on_one_host(64, {})).is_shared());
}

TEST(Sharing, MoreRanksThanProcessorsShareThem) {
  const auto sharing = sharing_of(on_one_host(5, {bound({0, 1, 2, 3, 4}, {0, 1}, 2, true)}));
  EXPECT_EQ(std::pair(sharing.ranks, sharing.processors), std::pair(5L, 2L));
  EXPECT_TRUE(sharing.computation_is_cpu_time);
  EXPECT_EQ(sharing_text(sharing).at(0), "5 ranks shared 2 processors of node");
}

TEST(Sharing, RanksThatAreBoundToOneProcessorShareIt) {
  const auto sharing =
      sharing_of(on_one_host(4, {bound({0, 1, 3}, {7}, 16), bound({2}, {1, 2}, 16)}));
  EXPECT_EQ(std::pair(sharing.ranks, sharing.processors), std::pair(3L, 1L));
  EXPECT_FALSE(sharing.computation_is_cpu_time);
}

TEST(Sharing, AQuotaCountsAsProcessors) {
  EXPECT_EQ(sharing_of(on_one_host(4, {bound({0, 1, 2, 3}, {0, 1, 2, 3}, 2)})).processors, 2);
}

TEST(Sharing, HostsAreToldApart) {
  Trace trace = on_one_host(4, {bound({0, 1, 2, 3}, {0, 1}, 2)});
  trace.hosts = {{"a", RankSet::of({0, 1})}, {"b", RankSet::of({2, 3})}};
  EXPECT_FALSE(sharing_of(trace).is_shared());
}

// Two of ten seconds are too much to believe the times; half a second is what any system takes.
TEST(Sharing, OthersOnTheProcessorsAreSeenByWhatRanksWaited) {
  Trace trace = on_one_host(2, {bound({0, 1}, {0, 1}, 2)});
  for (RankFacts& rank : trace.ranks) rank.span_ns = 5'000'000'000;
  trace.ranks[0].waited_ns = 500'000'000;
  EXPECT_FALSE(sharing_of(trace).is_crowded());
  trace.ranks[1].waited_ns = 1'500'000'000;
  const ProcessorSharing sharing = sharing_of(trace);
  EXPECT_FALSE(sharing.is_shared());
  EXPECT_TRUE(sharing.others_had_them());
  EXPECT_EQ(sharing_text(sharing).at(0),
            "ranks waited for a processor 2 s in all, 20 % of the run (sum over ranks): other "
            "programs had them, or further threads");
}

TEST(TimeShares, FurtherThreadsRunAsLongAsTheirRank) {
  Trace trace = on_one_host(2, {});
  for (RankFacts& rank : trace.ranks) rank.span_ns = 1000;
  RankClass further;
  further.program = std::make_shared<const Program>();
  further.thread = 1;
  further.ranks = RankSet::of({1});
  trace.classes.push_back(further);
  trace.ranks[1].inside_ns = 1500;
  EXPECT_EQ(time_shares(trace).run_ns, 3000U);
}

TEST(TimeShares, StartUpIsApartAndOpenCallsCount) {
  Trace trace;
  trace.ranks.resize(2);
  for (RankFacts& rank : trace.ranks) {
    rank.span_ns = 1000;
    rank.inside_ns = 300;
    rank.startup_ns = 200;
    rank.computation_ns = 100;
  }
  trace.ranks[1].ending = RankEnding{Ending::kUnknown, 0, find_function("MPI_Recv")->id, 0, 600};
  const TimeShares shares = time_shares(trace);
  EXPECT_EQ(shares.startup_ns, 400U);
  EXPECT_EQ(shares.inside_ns, 800U); // 100 + 100 + 600
  EXPECT_EQ(shares.behind_ns(), 1600U);
}

} // namespace
} // namespace rondo::trace
