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

// Of a rank with a communicator for itself the root is itself.
TEST(PatternGroups, RootsOfRanksThatAreAloneAreTheSame) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (int i = 0; i < 3; ++i) {
      s.call("MPI_Bcast",
             {{"count", 1}, {"datatype", kInt}, {"root", 0}, {"comm", trace::kSelfSlot}});
      s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
  EXPECT_EQ(groups_in(process_patterns(trace, {})).size(), 1u);
}

// One rank of four items, executed once each time: what stands where.
class StandingsOfGroups : public testing::Test {
protected:
  StandingsOfGroups() {
    found_.streams.emplace_back();
    for (const std::uint64_t executions : {10, 10, 2, 2, 2, 2, 2, 2})
      found_.streams[0].items.push_back({.bytes = 8 * executions, .executions = executions});
  }

  void add(std::size_t first, std::size_t length, bool is_tandem) {
    ProcessPattern pattern;
    pattern.word.resize(length);
    pattern.places.push_back({.item = first});
    PatternGroup group;
    group.length = length;
    group.is_tandem = is_tandem;
    group.members.push_back({0, found_.streams[0].patterns.size()});
    found_.streams[0].patterns.push_back(std::move(pattern));
    groups_.push_back(std::move(group));
  }

  std::vector<Standing::Kind> kinds() const {
    std::vector<Standing::Kind> result;
    for (const Standing& standing : standings(found_, groups_)) result.push_back(standing.kind);
    return result;
  }

  ProcessPatterns found_{EventTable(Envelope()), {}};
  std::vector<PatternGroup> groups_;
};

TEST_F(StandingsOfGroups, LoopsWithinAndWindowsAreNotOwn) {
  using enum Standing::Kind;
  add(0, 6, false);
  add(0, 2, true); // the loop within
  add(1, 5, false); // the same, cut elsewhere
  add(1, 3, true); // likewise, and mostly what the loop within does
  add(3, 4, false); // one call of four is another one
  add(7, 1, false);
  EXPECT_EQ(kinds(), (std::vector{kOwn, kInner, kOverlaps, kOverlaps, kOwn, kOwn}));
}

TEST_F(StandingsOfGroups, WhatIsLongerIsNotWithin) {
  using enum Standing::Kind;
  add(0, 2, true);
  add(0, 3, true);
  EXPECT_EQ(kinds(), (std::vector{kOwn, kOverlaps}));
}

} // namespace
} // namespace rondo::patterns
