// SPDX-License-Identifier: Apache-2.0
#include "fold/flow/flow.hpp"

#include "fold/flow/flow_order.hpp"
#include "fold/flow/flow_way.hpp"
#include "rondo/fold/merge.hpp"
#include "rondo/fold/recast.hpp"
#include "tests/support/events.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/spmd.hpp"

#include <algorithm>
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

// "ab" over neighbours, of which one rank has two and the other three, then "c".
TEST(FlowOrder, KeepsALoopOverNeighboursApartWhereRanksHaveUnequallyMany) {
  Flow flow = flow_of({"dababcababc", "dabababcabababc"});
  EXPECT_EQ(text_of(order_of_flow(flow), "abc"), "(abc)");
  flow.steps = {{{{3, 0}, 1}, {{0, 1}, 4}, {{1, 0}, 2}, {{1, 2}, 2}, {{2, 0}, 1}},
                {{{3, 0}, 1}, {{0, 1}, 6}, {{1, 0}, 4}, {{1, 2}, 2}, {{2, 0}, 1}}};
  EXPECT_EQ(text_of(order_of_flow(flow), "abc"), "((ab)c)");
  flow.steps.pop_back(); // no rank has others: "c" may as well be what comes in some rounds
  EXPECT_EQ(text_of(order_of_flow(flow), "abc"), "(abc)");
}

std::string counts_of(const Presence& presence) {
  std::string text;
  for (const trace::Run& run : presence.counts)
    text += std::string(run.count, static_cast<char>('0' + run.value));
  return text;
}

// The number of each item by its place's letter.
std::vector<std::uint32_t> items_by_place(const std::vector<FlowItem>& items) {
  std::vector<std::uint32_t> result(26);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].place != FlowItem::kLoop) result[items[i].place] = i;
  }
  return result;
}

TEST(Presence, KnowsEveryHowManyRoundsItComes) {
  const auto step_of = [](const std::string& rounds) {
    Presence presence;
    for (const char count : rounds) presence.add(count - '0', 1);
    return presence.step();
  };
  EXPECT_EQ(step_of("0010010"), 3U);
  EXPECT_EQ(step_of("1001001"), 3U);
  EXPECT_EQ(step_of("001001000"), 0U) << "not in the last";
  EXPECT_EQ(step_of("0000100100"), 0U) << "late";
  EXPECT_EQ(step_of("100101"), 0U);
  EXPECT_EQ(step_of("001"), 0U) << "once";
  EXPECT_EQ(step_of("111"), 0U);
}

// Four rounds of b: with c in the first and the last, and three times d in the second.
TEST(Way, KnowsInWhichRoundsEachItemCame) {
  const std::string walk = "abcbdddbbce";
  const std::vector<FlowItem> items = order_of_flow(flow_of({walk}));
  const std::vector<std::uint32_t> item = items_by_place(items);
  Way way(items);
  for (const char place : walk) ASSERT_TRUE(way.go_to(item[static_cast<std::size_t>(place - 'a')]));
  const std::vector<Presence> presence = way.end();
  EXPECT_EQ(counts_of(presence[item[1]]), "1111");
  EXPECT_EQ(counts_of(presence[item[2]]), "1001");
  EXPECT_EQ(counts_of(presence[items[item[3]].loop]), "0300");
  EXPECT_EQ(counts_of(presence[item[3]]), "111");
  EXPECT_TRUE(presence[item[2]].came && presence[item[2]].was_left_out);
  EXPECT_NE(presence[item[1]].hash, presence[item[2]].hash);
  EXPECT_EQ(counts_of(presence[item[5]]), "0"); // nobody was there
  EXPECT_FALSE(presence[item[5]].came);
}

TEST(Way, SaysWhatIsNotInTheOrderOfTheFlow) {
  const std::vector<FlowItem> items = order_of_flow(flow_of({"ab"}));
  const std::vector<std::uint32_t> item = items_by_place(items);
  Way way(items);
  EXPECT_TRUE(way.go_to(item[1]));
  EXPECT_FALSE(way.go_to(item[0]));
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
constexpr std::size_t kPlaces = 16; // in the source, at most
const std::vector<std::uint32_t> kOfWalk = {1, 2, 3, 4, 5, 6, 7};

// @param sites  that are by flow
trace::Trace by_flow(const std::vector<std::unique_ptr<RankRecorder>>& ranks,
                     const std::vector<std::uint32_t>& sites) {
  std::vector<RecordingPart> parts;
  for (const auto& rank : ranks) {
    std::vector<trace::CallSite>& known = parts.emplace_back(rank->part()).tables.sites;
    for (std::uint64_t site = known.size(); site <= sites.back(); ++site)
      known.push_back({"program", site * 16});
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Recasting recasting;
  recasting.by_flow.assign(std::max<std::size_t>(kPlaces, sites.back() + 1), false);
  for (const std::uint32_t site : sites) recasting.by_flow[site] = true;
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
    const trace::Trace trace = by_flow(ranks, kOfWalk);
    for (const auto& rank : ranks)
      ASSERT_THAT(support::events_of(trace, rank->rank()), IsStream(rank->events())) << seed;
  }
}

TEST(FlowFolding, HasEachCallOfTheSourceOnce) {
  const trace::Trace trace = by_flow(walks(7, 40), kOfWalk);
  ASSERT_EQ(trace.programs.size(), 1U);
  EXPECT_EQ(trace.programs.front()->calls.size(), 7U);
  // one for the walks, one for the rounds, one for the receives, one for what is a choice
  EXPECT_EQ(trace.programs.front()->loops.size(), 4U);
}

// As a program has them with its call stacks: each round leaves out others.
TEST(FlowFolding, HasRoomForThousandsOfPlaces) {
  std::vector<std::uint32_t> sites(2500);
  std::iota(sites.begin(), sites.end(), 1U);
  std::vector<std::unique_ptr<RankRecorder>> ranks;
  for (std::int64_t rank = 0; rank < kFlowRanks; ++rank) {
    ranks.push_back(std::make_unique<RankRecorder>(rank, kFlowRanks));
    for (unsigned round = 0; round < 3; ++round) {
      for (const std::uint32_t site : sites)
        if ((site + round) % 7 != 0) ranks.back()->call("MPI_Barrier", {}, site);
    }
  }
  const trace::Trace trace = by_flow(ranks, sites);
  EXPECT_LT(trace.programs.front()->terms(), 2 * sites.size()) << "each call once";
  EXPECT_THAT(support::events_of(trace, 0), IsStream(ranks.front()->events()));
}

// A loop by chance, then a regular one, with a barrier in each fifth round.
std::vector<std::unique_ptr<RankRecorder>> mixtures(unsigned seed) {
  auto ranks = walks(seed, 1);
  for (const auto& rank : ranks) {
    for (std::int64_t round = 1; round <= 20; ++round) {
      rank->call("MPI_Send", {{"count", 10}, {"dest", (rank->rank() + 1) % kFlowRanks}}, 8);
      rank->call("MPI_Recv", {{"count", 10}, {"source", (rank->rank() + 3) % kFlowRanks}}, 9);
      if (round % 5 == 0) rank->call("MPI_Barrier", {}, 10);
    }
  }
  return ranks;
}

TEST(FlowFolding, LeavesWhatRepeatsBehindItAsItIs) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto ranks = mixtures(seed);
    const trace::Trace trace = by_flow(ranks, {2, 3, 4, 5, 6});
    for (const auto& rank : ranks)
      ASSERT_THAT(support::events_of(trace, rank->rank()), IsStream(rank->events())) << seed;
    ASSERT_EQ(trace.programs.size(), 1U);
    const trace::MergedProgram& program = *trace.programs.front();
    const trace::Term last = program.top.back();
    ASSERT_TRUE(last.is_loop());
    const trace::MergedLoop& loop = program.loops[last.index()];
    EXPECT_EQ(loop.trip_count, (trace::Word{trace::Word::Form::kConstant, 4}));
    ASSERT_EQ(loop.body.size(), 2U); // a loop of five, and the barrier
    EXPECT_EQ(program.loops[loop.body.front().index()].trip_count,
              (trace::Word{trace::Word::Form::kConstant, 5}));
  }
}

TEST(FlowFolding, KnowsWhichLoopsStandBehindOneAnother) {
  std::vector<RecordingPart> parts;
  for (const auto& rank : mixtures(3)) parts.push_back(rank->part());
  const trace::Trace trace = resolve(support::merged(std::move(parts), {0, 1, 2, 3}));
  const auto stretches = stretches_of_flow(trace);
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_THAT(stretches[0].sites, testing::UnorderedElementsAre(2, 3, 4, 5, 6));
  EXPECT_THAT(stretches[1].sites, testing::UnorderedElementsAre(8, 9, 10));
  EXPECT_GE(stretches[0].loops, 1U);
  EXPECT_GE(stretches[1].loops, 1U);
}

// What each of two ranks calls, by site.
trace::Trace sites_called(const std::vector<std::uint32_t>& first,
                          const std::vector<std::uint32_t>& second) {
  std::vector<RecordingPart> parts;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    RankRecorder recorder(rank, 2);
    for (const std::uint32_t site : rank == 0 ? first : second)
      recorder.call("MPI_Barrier", {}, site);
    parts.push_back(recorder.part());
  }
  return resolve(support::merged(std::move(parts), {0, 1}));
}

std::vector<std::uint32_t> in_order(const trace::Trace& trace, std::vector<std::uint32_t> sites) {
  const std::vector<std::uint32_t> places = order_of_sites(trace);
  EXPECT_EQ(places.size(), trace.sites.size());
  std::sort(sites.begin(), sites.end(), [&](auto a, auto b) { return places[a] < places[b]; });
  return sites;
}

using testing::ElementsAre;

TEST(OrderOfSites, FollowsAllRanksThroughBranchesAndLoops) {
  EXPECT_THAT(in_order(sites_called({1, 2, 4, 2, 4, 5}, {1, 3, 4, 3, 4, 5}), {5, 4, 3, 2, 1}),
              ElementsAre(1, 2, 3, 4, 5));
}

TEST(OrderOfSites, IsTheWayOfTheCallsAndNotThatOfAddresses) {
  EXPECT_THAT(in_order(sites_called({5, 1, 6}, {5, 1, 6}), {1, 5, 6}), ElementsAre(5, 1, 6));
}

TEST(OrderOfSites, TakesTheSourceWhereNoRankHasAnOrder) {
  EXPECT_THAT(in_order(sites_called({1, 2, 4}, {1, 3, 4}), {3, 2, 1, 4}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(in_order(sites_called({1, 3, 4}, {1, 2, 4}), {3, 2, 1, 4}), ElementsAre(1, 2, 3, 4));
}

TEST(OrderOfSites, TakesLinesOfWhatBecamePartOfAnotherFunction) {
  trace::Trace trace = sites_called({1, 2, 4}, {1, 3, 4});
  trace.names.resize(trace.sites.size());
  const auto name = [&](std::uint32_t site, std::uint32_t line) {
    trace.names[site].function = "answer";
    trace.names[site].file = "x.c";
    trace.names[site].line = line;
    trace.names[site].inlined_in = "main";
  };
  name(2, 20);
  name(3, 10);
  EXPECT_THAT(in_order(trace, {1, 2, 3, 4}), ElementsAre(1, 3, 2, 4));
}

} // namespace
} // namespace rondo::fold
