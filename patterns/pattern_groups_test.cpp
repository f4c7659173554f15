// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/pattern_groups.hpp"

#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::patterns {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;

constexpr std::int64_t kRanks = 5;

void send(Caller& s, std::int64_t to) {
  s.call("MPI_Send",
         {{"count", 1}, {"datatype", kInt}, {"dest", to}, {"tag", 0}, {"comm", kWorld}});
}

void receive_from(Caller& s, std::int64_t from) {
  s.call("MPI_Recv",
         {{"count", 1}, {"datatype", kInt}, {"source", from}, {"tag", 0}, {"comm", kWorld}});
}

std::vector<PatternGroup> groups_in(const ProcessPatterns& found) {
  return ranked(groups_of(found), RankBy::kTraffic);
}

// Rank 4's next one is rank 0, rank 1's last one too.
TEST(PatternGroups, OneRankForAllIsSetApartFromNeighbours) {
  const trace::Trace trace = recorded(kRanks, [](Caller& s) {
    for (int i = 0; i < 3; ++i) {
      s.call("MPI_Sendrecv", {{"sendcount", 1},
                              {"sendtype", kInt},
                              {"dest", (s.rank + 1) % kRanks},
                              {"sendtag", 0},
                              {"recvcount", 1},
                              {"recvtype", kInt},
                              {"source", (s.rank + kRanks - 1) % kRanks},
                              {"recvtag", 0},
                              {"comm", kWorld}});
      if (s.rank > 0) send(s, 0);
      for (std::int64_t r = 1; s.rank == 0 && r < kRanks; ++r) receive_from(s, r);
    }
  });
  const ProcessPatterns found = process_patterns(trace, {});
  const auto groups = groups_in(found);
  ASSERT_GT(groups.size(), 1u);
  EXPECT_EQ(groups[0].ranks, trace::RankSet::of({1, 2, 3, 4}));
  EXPECT_EQ(word_text(found, groups[0], 9), "sendrecv 2 from 0, send 0");
  for (std::size_t i = 1; i < groups.size(); ++i)
    EXPECT_EQ(groups[i].ranks, trace::RankSet::of({0}));
}

TEST(PatternGroups, StepsAreWrittenWhereAllRanksHaveThem) {
  const trace::Trace trace = recorded(kRanks, [](Caller& s) {
    for (int i = 0; i < 3 && s.rank > 0 && s.rank < kRanks - 1; ++i) {
      send(s, s.rank + 1);
      send(s, 0);
    }
  });
  const ProcessPatterns found = process_patterns(trace, {});
  const auto groups = groups_in(found);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(word_text(found, groups[0], 9), "send +1, send 0");
}

// To answer who asked is something else than to ask one and answer another.
TEST(PatternGroups, PeersThatAreTheSameStayTheSame) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (int i = 0; i < 3; ++i) {
      send(s, s.rank ^ 1);
      receive_from(s, s.rank < 2 ? s.rank ^ 1 : s.rank ^ 2);
    }
  });
  EXPECT_EQ(groups_in(process_patterns(trace, {})).size(), 2u);
}

} // namespace
} // namespace rondo::patterns
