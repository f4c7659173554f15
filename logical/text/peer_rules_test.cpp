// SPDX-License-Identifier: Apache-2.0
#include "logical/text/peer_rules.hpp"

#include "logical/places/peer_words.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace rondo::logical::internal {
namespace {

using support::Caller;
using Steps = RoundSteps;

// Ranks without a topology of their own.
class PeerRules {
public:
  explicit PeerRules(std::int64_t ranks)
      : logical_(
            logicalize(support::recorded(ranks, [](Caller& s) { s.call("MPI_Init", {}); }), {})),
        rank_of_cell_(static_cast<std::size_t>(ranks)), where_(logical_, rank_of_cell_) {
    for (std::size_t rank = 0; rank < rank_of_cell_.size(); ++rank)
      rank_of_cell_[static_cast<std::size_t>(logical_.cell_of_rank[rank])] = rank;
  }

  // -1: nobody.
  std::int64_t peer(const PeerRule& rule, std::int64_t rank, std::int64_t round) const {
    const std::int64_t cell = logical_.cell_of_rank[static_cast<std::size_t>(rank)];
    for (std::int64_t to = 0; to < where_.ranks(); ++to) {
      const std::int64_t other = logical_.cell_of_rank[static_cast<std::size_t>(to)];
      const std::int64_t code = code_of({Peer::Form::kOutside, 0, 0, other - cell});
      if (to != rank && rule.is(where_, cell, round, code)) return to;
    }
    EXPECT_TRUE(rule.is(where_, cell, round, trace::kProcNull));
    EXPECT_FALSE(rule.is_there(where_, cell, round));
    return -1;
  }

private:
  LogicalProgram logical_;
  std::vector<std::size_t> rank_of_cell_;
  Whereabouts where_;
};

TEST(PeerRules, InARoundRobinEachPairMeetsOnce) {
  for (const std::int64_t ranks : {4, 6, 12}) {
    const PeerRules of(ranks);
    for (const Steps& steps :
         {Steps{Steps::Kind::kLinear, 2, 0}, Steps{Steps::Kind::kLinear, 1, 3}}) {
      const PeerRule rule{PeerRule::Kind::kRoundRobin, steps};
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        std::set<std::int64_t> met;
        for (std::int64_t round = 0; round + 1 < ranks; ++round) {
          const std::int64_t peer = of.peer(rule, rank, round);
          ASSERT_GE(peer, 0);
          EXPECT_EQ(of.peer(rule, peer, round), rank);
          met.insert(peer);
        }
        EXPECT_EQ(met.size(), static_cast<std::size_t>(ranks - 1)) << "of rank " << rank;
      }
    }
  }
}

TEST(PeerRules, WhoWouldBeBeyondTheLastRankIsNobody) {
  const PeerRules of(6);
  const PeerRule up{PeerRule::Kind::kUpToEnd, {Steps::Kind::kDoubling}};
  EXPECT_EQ(of.peer(up, 1, 2), 5);
  EXPECT_EQ(of.peer(up, 2, 2), -1);
  const PeerRule round{PeerRule::Kind::kDown, {Steps::Kind::kHalving, 4}};
  EXPECT_EQ(of.peer(round, 1, 0), 3);
  EXPECT_EQ(of.peer(round, 1, 2), 0);
  EXPECT_EQ(of.peer(round, 1, 3), -1) << "itself";
}

TEST(PeerRules, StepsAreFormulas) {
  EXPECT_EQ((Steps{Steps::Kind::kLinear, 2, 1}).text(), "2 * round + 1");
  EXPECT_EQ((Steps{Steps::Kind::kDoubling}).text(), "(1 << round)");
  EXPECT_EQ((Steps{Steps::Kind::kHalving, 8}).text(), "(8 >> round)");
}

} // namespace
} // namespace rondo::logical::internal
