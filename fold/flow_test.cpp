// SPDX-License-Identifier: Apache-2.0
#include "fold/flow.hpp"

#include "fold/flow_order.hpp"
#include "rondo/fold/merge.hpp"
#include "rondo/fold/recast.hpp"
#include "tests/support/events.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/spmd.hpp"

#include <gmock/gmock.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>

namespace rondo::fold {
namespace {

using support::IsStream;
using support::RankRecorder;

// Each walk is a word, each place a letter; what is further down in the source is further on in
// the alphabet.
Flow flow_of(const std::vector<std::string>& walks) {
  Flow flow;
  flow.next.resize(26);
  for (std::uint64_t place = 0; place < 26; ++place) flow.in_source.push_back(place);
  for (const std::string& walk : walks) {
    for (std::size_t i = 0; i < walk.size(); ++i) {
      const auto place = static_cast<std::uint32_t>(walk[i] - 'a');
      if (i == 0) flow.first.insert(place);
      if (i > 0) flow.next[static_cast<std::size_t>(walk[i - 1] - 'a')].insert(place);
    }
  }
  return flow;
}

std::string text_of(const std::vector<FlowItem>& items, const std::string& among,
                    std::uint32_t loop = 0) {
  std::string text;
  for (const std::uint32_t item : items[loop].items) {
    if (items[item].place == FlowItem::kLoop) {
      text += "(" + text_of(items, among, item) + ")";
    } else if (const char name = static_cast<char>('a' + items[item].place);
               among.find(name) != std::string::npos) {
      text += name;
    }
  }
  return text;
}

std::string order_of(const std::vector<std::string>& walks) {
  std::string all;
  for (const std::string& walk : walks) all += walk;
  return text_of(order_of_flow(flow_of(walks)), all);
}

TEST(FlowOrder, HasTheLoopsOfTheSource) {
  EXPECT_EQ(order_of({"abc"}), "abc");
  EXPECT_EQ(order_of({"abbbc"}), "a(b)c");
  EXPECT_EQ(order_of({"abcbcd"}), "a(bc)d");
  EXPECT_EQ(order_of({"abccdbcd"}), "a(b(c)d)");
}

TEST(FlowOrder, PutsBranchesOfAllRanksInTheOrderOfTheSource) {
  EXPECT_EQ(order_of({"ace", "abde"}), "abcde");
  EXPECT_EQ(order_of({"abdbd", "acdcd"}), "a(bcd)");
  // a loop that ranks enter at different places begins with the first of these
  EXPECT_EQ(order_of({"acbcd", "abcbd"}), "a(bc)d");
}

TEST(FlowOrder, KeepsAnEvenLoopAtTheHeadOfALargerOneApart) {
  Flow flow = flow_of({"abbbcbbbc"});
  EXPECT_EQ(text_of(order_of_flow(flow), "abc"), "a(bc)");
  flow.repeated = {1};
  EXPECT_EQ(text_of(order_of_flow(flow), "abc"), "a((b)c)");
}

// A walk by chance through a program with branches and loops.
void walk(RankRecorder& rank, std::mt19937& random) {
  const auto chance = [&](unsigned of) { return random() % of; };
  rank.call("MPI_Barrier", {}, 1);
  for (unsigned round = chance(30); round > 0; --round) {
    rank.call("MPI_Barrier", {}, 2);
    for (unsigned i = chance(4); i > 0; --i)
      rank.call("MPI_Recv", {{"count", 100}, {"source", 0}, {"tag", chance(3)}}, 3);
    if (chance(2) == 0) {
      const std::int64_t peer = chance(4);
      rank.call("MPI_Send", {{"count", chance(9)}, {"dest", peer}}, 4);
      rank.call("MPI_Recv", {{"count", 9}, {"source", peer}}, 5);
    }
    if (rank.rank() == 1) rank.call("MPI_Barrier", {}, 6);
  }
  rank.call("MPI_Barrier", {}, 7);
}

constexpr std::int64_t kFlowRanks = 4;

trace::Trace by_flow(const std::vector<std::unique_ptr<RankRecorder>>& ranks) {
  std::vector<Part> parts;
  for (const auto& rank : ranks) parts.push_back(rank->part());
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Recasting recasting;
  recasting.by_flow = true;
  return recast(resolve(support::merged(std::move(parts), order)), recasting).trace;
}

std::vector<std::unique_ptr<RankRecorder>> walks(unsigned seed, int times) {
  std::mt19937 random(seed);
  std::vector<std::unique_ptr<RankRecorder>> ranks;
  for (std::int64_t rank = 0; rank < kFlowRanks; ++rank) {
    ranks.push_back(std::make_unique<RankRecorder>(rank, kFlowRanks));
    for (int i = 0; i < times; ++i) walk(*ranks.back(), random);
  }
  return ranks;
}

TEST(FlowFolding, KeepsEveryCallOfEveryRank) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto ranks = walks(seed, 1);
    const trace::Trace trace = by_flow(ranks);
    for (const auto& rank : ranks)
      ASSERT_THAT(support::events_of(trace, rank->rank()), IsStream(rank->events())) << seed;
  }
}

TEST(FlowFolding, HasEachCallOfTheSourceOnce) {
  const trace::Trace trace = by_flow(walks(7, 40));
  ASSERT_EQ(trace.programs.size(), 1U);
  EXPECT_EQ(trace.programs.front()->calls.size(), 7U);
  // one for the walks, one for the rounds, one for the receives, one for what is a choice
  EXPECT_EQ(trace.programs.front()->loops.size(), 4U);
}

} // namespace
} // namespace rondo::fold
