// SPDX-License-Identifier: Apache-2.0
#include "logical/places/conditions.hpp"

#include "rondo/logical/logical_program.hpp"
#include "rondo/trace/program_text.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

// A grid of 3x3: 0 1 2 / 3 4 5 / 6 7 8.
const RankSet kAll = RankSet::of({0, 1, 2, 3, 4, 5, 6, 7, 8});
const std::vector<Presence> kGrid = {{"north", RankSet::of({3, 4, 5, 6, 7, 8})},
                                     {"west", RankSet::of({1, 2, 4, 5, 7, 8})},
                                     {"east", RankSet::of({0, 1, 3, 4, 6, 7})},
                                     {"south", RankSet::of({0, 1, 2, 3, 4, 5})}};

std::string condition(std::vector<std::int64_t> ranks) {
  return condition_of(RankSet::of(std::move(ranks)), kAll, kGrid, trace::guard_text);
}

TEST(LogicalGuards, AreConditionsOnDirectionsWherePossible) {
  EXPECT_EQ(condition({3, 4, 5, 6, 7, 8}), "north");
  EXPECT_EQ(condition({0, 1, 2}), "not north");
  EXPECT_EQ(condition({0}), "not north and not west");
  EXPECT_EQ(condition({3, 4, 5}), "north and south");
  EXPECT_EQ(condition({4}), "north and west and east and south");
  EXPECT_EQ(condition({1, 2, 3, 4, 5, 6, 7, 8}), "north or west");
  EXPECT_EQ(condition({0, 1, 2, 3, 5, 6, 7, 8}), "not north or not west or not east or not south");
}

TEST(LogicalGuards, NameRanksElse) {
  EXPECT_EQ(condition({0, 4}), "ranks 0,4");
  EXPECT_EQ(condition({0, 8}), "ranks 0,8");
  EXPECT_EQ(condition_of(RankSet::of({0}), kAll, {}, trace::guard_text), "rank 0");
}

TEST(LogicalGuards, ConditionsNeedToHoldOnlyAmongTheRanksAround) {
  EXPECT_EQ(condition_of(RankSet::of({0}), RankSet::of({0, 1, 2}), kGrid, trace::guard_text),
            "not west");
}

// Beside a chain, recursive doubling with a guest beyond the power of two, of fewer messages.
TEST(LogicalGuards, SayWhatMostMessagesFollowFirst) {
  const RankSet all = RankSet::of({0, 1, 2, 3, 4});
  std::vector<Presence> both = {{"west", RankSet::of({1, 2, 3, 4}), "", true, 0},
                                {"east", RankSet::of({0, 1, 2, 3}), "", true, 0},
                                {"guest", RankSet::of({0}), "", true, 1},
                                {"host", RankSet::of({4}), "", true, 1}};
  const auto of = [&](std::int64_t rank) {
    return condition_of(RankSet::of({rank}), all, both, trace::guard_text);
  };
  EXPECT_EQ(of(0), "not west");
  EXPECT_EQ(of(4), "not east");
  for (Presence& presence : both) presence.peer_topology = 0;
  EXPECT_EQ(of(0), "guest");
}

TEST(LogicalGuards, AreFoundOnceForTheSameRanks) {
  int asked = 0;
  KnownConditions known(kGrid, [&](const RankSet& ranks) {
    ++asked;
    return trace::guard_text(ranks);
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(known.of(RankSet::of({0, 3, 8}), kAll), "ranks 0,3,8");
    EXPECT_EQ(known.of(RankSet::of({0, 5, 8}), kAll), "ranks 0,5,8");
    EXPECT_EQ(known.of(RankSet::of({0}), kAll), "not north and not west");
    EXPECT_EQ(known.of(RankSet::of({0}), RankSet::of({0, 1, 2})), "not west");
  }
  EXPECT_EQ(asked, 2);
}

TEST(LogicalGuards, SayEvenAndOddWhereDirectionsDoNot) {
  std::vector<Presence> grid = kGrid;
  grid.push_back({"even", RankSet::of({0, 2, 4, 6, 8}), "", false});
  grid.push_back({"odd", RankSet::of({1, 3, 5, 7}), "", false});
  const auto said = [&](std::vector<std::int64_t> ranks) {
    return condition_of(RankSet::of(std::move(ranks)), kAll, grid, trace::guard_text);
  };
  EXPECT_EQ(said({0, 2, 4, 6, 8}), "even");
  EXPECT_EQ(said({1, 3, 5, 7}), "odd");
  EXPECT_EQ(said({3, 5, 7}), "north and odd");
  EXPECT_EQ(said({0, 1, 2}), "not north");
}

TEST(LogicalGuards, SayWhereOneIsRatherThanWhereOneIsNot) {
  std::vector<Presence> star = {{"centre", RankSet::of({1, 2, 3}), "at a leaf"},
                                {"leaf", RankSet::of({0}), "at the centre"},
                                {"even", RankSet::of({0, 2}), "", false},
                                {"odd", RankSet::of({1, 3}), "", false}};
  const auto said = [&](std::vector<std::int64_t> ranks) {
    return condition_of(RankSet::of(std::move(ranks)), RankSet::of({0, 1, 2, 3}), star,
                        trace::guard_text);
  };
  EXPECT_EQ(said({0, 1, 3}), "at the centre or odd");
  EXPECT_EQ(said({2}), "at a leaf and even");
}

// Chains of some ranks: as many copies as `copy_of` has, of ranks in their order.
LogicalProgram on_chains(std::vector<topology::Vertex> copy_of, topology::Vertex of_each = 3) {
  topology::Topology chain;
  chain.kind = topology::TopologyKind::kChain;
  chain.ranks = of_each;
  chain.dimensions = {{of_each, false}};
  LogicalProgram logical;
  const std::size_t ranks = copy_of.empty() ? static_cast<std::size_t>(of_each) : copy_of.size();
  std::vector<topology::Vertex> cells;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    cells.push_back(static_cast<topology::Vertex>(rank) % of_each);
    logical.cell_of_rank.push_back(static_cast<std::int64_t>(rank));
  }
  logical.peer_topologies.push_back(
      {"chains", chain, std::move(cells), std::move(copy_of), Directions(chain, {})});
  return logical;
}

std::map<std::string, std::string> ranks_by_direction(const LogicalProgram& logical) {
  std::map<std::string, std::string> result;
  for (const Presence& one : presence_of(logical, Names(logical)))
    result.emplace(one.direction, one.ranks.text());
  return result;
}

TEST(LogicalPresence, OfEvenAndOddCellsIsThereForTheOnlyCopyOfALattice) {
  const auto one = ranks_by_direction(on_chains({}));
  ASSERT_TRUE(one.contains("even") && one.contains("odd"));
  EXPECT_EQ(one.at("even"), RankSet::of({0, 2}).text());
  EXPECT_EQ(one.at("odd"), RankSet::of({1}).text());
}

// Which cells of several copies are even says nothing of ranks that have nothing to do with each
// other, and would stand where directions say it: "not west or not east".
TEST(LogicalPresence, OfSeveralCopiesIsThatOfDirectionsAlone) {
  const auto two = ranks_by_direction(on_chains({0, 0, 0, 1, 1, 1}));
  EXPECT_FALSE(two.contains("even"));
  EXPECT_FALSE(two.contains("odd"));
  EXPECT_EQ(two.at("west"), RankSet::of({1, 2, 4, 5}).text());
  EXPECT_EQ(two.at("east"), RankSet::of({0, 1, 3, 4}).text());
}

TEST(LogicalPresence, OfATopologyIsSaidWhereNotAllRanksAreOnIt) {
  LogicalProgram logical = on_chains({0, 0, 0, 1, 1, 1});
  EXPECT_FALSE(ranks_by_direction(logical).contains("on chains"));
  for (const std::size_t rank : {0, 1, 2}) {
    logical.peer_topologies[0].cells[rank] = -1;
    logical.peer_topologies[0].copy_of[rank] = -1;
  }
  const auto half = ranks_by_direction(logical);
  ASSERT_TRUE(half.contains("on chains"));
  EXPECT_EQ(half.at("on chains"), RankSet::of({3, 4, 5}).text());
  const std::vector<Presence> presence = presence_of(logical, Names(logical));
  const RankSet all = RankSet::of({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(condition_of(RankSet::of({3, 4, 5}), all, presence, trace::guard_text), "on chains");
  EXPECT_EQ(condition_of(RankSet::of({0, 1, 2}), all, presence, trace::guard_text),
            "not on chains");
}

TEST(LogicalPresence, OfTheFirstAndTheSecondIsThereInPairs) {
  const LogicalProgram logical = on_chains({0, 0, 1, 1}, 2);
  const std::vector<Presence> presence = presence_of(logical, Names(logical));
  const RankSet all = RankSet::of({0, 1, 2, 3});
  EXPECT_EQ(condition_of(RankSet::of({0, 2}), all, presence, trace::guard_text),
            "at the first of a pair");
  EXPECT_EQ(condition_of(RankSet::of({1, 3}), all, presence, trace::guard_text),
            "at the second of a pair");
}

TEST(LogicalPresence, SaysForWhomAStatementIs) {
  const LogicalProgram logical = on_chains({});
  const std::vector<Presence> presence = presence_of(logical, Names(logical));
  const RankSet all = RankSet::of({0, 1, 2});
  const auto send = [](std::string peer) {
    CallStatement call;
    call.name = "send";
    call.words = {{SaidWord::Kind::kPeer, "", std::move(peer), "to"},
                  {SaidWord::Kind::kNumber, "", "8", "count"}};
    return Statement{call};
  };
  CallStatement barrier;
  barrier.name = "barrier";
  EXPECT_EQ(ranks_of(send("east"), all, presence), RankSet::of({0, 1}));
  EXPECT_EQ(ranks_of({LoopStatement{"9", {send("west"), send("west")}}}, all, presence),
            RankSet::of({1, 2}));
  EXPECT_EQ(ranks_of({GuardStatement{"east", {{barrier}}}}, all, presence), RankSet::of({0, 1}));
  for (const Statement& of_all :
       {send("east|nobody"), Statement{LoopStatement{"9", {send("west"), {barrier}}}},
        Statement{GuardStatement{"not east", {{barrier}}}}})
    EXPECT_EQ(ranks_of(of_all, all, presence), all);
}

} // namespace
} // namespace rondo::logical::internal
