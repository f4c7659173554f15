// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/guards.hpp"

#include "logical/folding/parts_joining.hpp"
#include "logical/places/names.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/trace/communicator_names.hpp"
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

// Chains of three ranks: as many copies as `copy_of` has, of ranks in their order.
LogicalProgram on_chains(std::vector<topology::Vertex> copy_of) {
  topology::Topology chain;
  chain.kind = topology::Kind::kChain;
  chain.ranks = 3;
  chain.dimensions = {{3, false}};
  LogicalProgram logical;
  const std::size_t ranks = copy_of.empty() ? 3 : copy_of.size();
  std::vector<topology::Vertex> cells;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    cells.push_back(static_cast<topology::Vertex>(rank % 3));
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

Statement call(const std::string& name, std::uint32_t index, std::uint64_t executions,
               double before_ns) {
  return {CallStatement{name, "", {}, executions, 0, before_ns, {}, {{index, {executions, 8}, 0}}}};
}

Guarded guarded(std::vector<std::int64_t> ranks, const Statement& statement) {
  return {RankSet::of(std::move(ranks)), {statement}, false};
}

std::vector<Statement> joined(std::vector<Guarded> guarded) {
  return statements_under_guards(std::move(guarded), RankSet::of({0, 1, 2, 3}),
                                 [](const RankSet& set) { return trace::guard_text(set); });
}

Statement call_at(const std::string& name, std::uint32_t place) {
  Statement result = call(name, place, 1, 0);
  std::get<CallStatement>(result.is).place = place;
  return result;
}

std::string guards_and_calls(const std::vector<Statement>& statements) {
  std::string text;
  for (const Statement& statement : statements) {
    const auto* guard = std::get_if<GuardStatement>(&statement.is);
    if (guard != nullptr) text += guard->condition + ": " + guards_and_calls(guard->body);
    if (const auto* one = std::get_if<CallStatement>(&statement.is)) text += one->name + "; ";
  }
  return text;
}

TEST(LogicalGuards, StandAsInTheSourceWhereNoRankHasAnOrder) {
  EXPECT_EQ(guards_and_calls(joined(
                {guarded({0, 2}, call_at("send", 0)), guarded({0, 2}, call_at("wait", 3)),
                 guarded({1, 3}, call_at("recv", 1)), guarded({1, 3}, call_at("ssend", 2))})),
            "ranks 0,2: send; ranks 1,3: recv; ssend; ranks 0,2: wait; ");
}

TEST(LogicalGuards, KeepTheOrderOfARankWhateverTheSourceSays) {
  EXPECT_EQ(guards_and_calls(
                joined({guarded({0, 1}, call_at("recv", 5)), guarded({1, 2}, call_at("send", 4)),
                        guarded({3}, call_at("wait", 0))})),
            "rank 3: wait; ranks 0-1: recv; ranks 1-2: send; ");
}

TEST(LogicalGuards, OfSeveralRoundsOfALoopStayInTheirOrder) {
  EXPECT_EQ(guards_and_calls(
                joined({guarded({0}, call_at("send", 2)), guarded({1}, call_at("recv", 1)),
                        guarded({2}, call_at("isend", 2)), guarded({3}, call_at("irecv", 1))})),
            "rank 0: send; rank 1: recv; rank 2: isend; rank 3: irecv; ");
}

TEST(LogicalGuards, JoinNeighboursThatSayTheSame) {
  const auto all =
      joined({guarded({0, 1}, call("wait", 0, 2, 10)), guarded({3}, call("wait", 1, 1, 40)),
              guarded({2}, call("wait", 2, 1, 60))});
  ASSERT_EQ(all.size(), 1U); // by all ranks, so without a guard
  const auto& wait = std::get<CallStatement>(all[0].is);
  EXPECT_EQ(wait.executions, 4U);
  EXPECT_DOUBLE_EQ(wait.before_ns, 30);
  EXPECT_EQ(wait.shares.size(), 3U);
  const auto some =
      joined({guarded({0}, call("wait", 0, 1, 0)), guarded({3}, call("wait", 1, 1, 0))});
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(std::get<GuardStatement>(some[0].is).condition, "ranks 0,3");
}

std::string names(const std::vector<Statement>& statements) {
  std::string text;
  for (const Statement& statement : statements) {
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      text += guard->condition + "(" + names(guard->body) + ") ";
    } else {
      text += std::get<CallStatement>(statement.is).name + " ";
    }
  }
  return text;
}

TEST(LogicalGuards, ChangePlacesWhereEveryRankKeepsItsOrder) {
  const auto at = [](std::vector<std::int64_t> ranks, const std::string& name) {
    return guarded(std::move(ranks), call(name, 0, 1, 0));
  };
  // Ranks 1 to 3 send, then reduce; rank 0 reduces.
  EXPECT_EQ(names(joined({at({0}, "reduce"), at({1, 2, 3}, "send"), at({1, 2, 3}, "reduce")})),
            "ranks 1-3(send ) reduce ");
  // What has to stand in front of the later one stands behind the earlier one for rank 0.
  EXPECT_EQ(names(joined({at({0}, "reduce"), at({0, 1}, "send"), at({1, 2, 3}, "reduce")})),
            "rank 0(reduce ) ranks 0-1(send ) ranks 1-3(reduce ) ");
  // So does what has to stand in front of that.
  EXPECT_EQ(
      names(joined({at({0}, "reduce"), at({0, 2}, "recv"), at({2, 3}, "send"), at({3}, "reduce")})),
      "rank 0(reduce ) ranks 0,2(recv ) ranks 2-3(send ) rank 3(reduce ) ");
  // What stands between them for neither stays behind.
  EXPECT_EQ(names(joined({at({0}, "reduce"), at({2}, "recv"), at({3}, "reduce")})),
            "ranks 0,3(reduce ) rank 2(recv ) ");
}

TEST(LogicalGuards, KeepWhatDiffersApart) {
  EXPECT_EQ(
      joined({guarded({0}, call("wait", 0, 1, 0)), guarded({3}, call("test", 1, 1, 0))}).size(),
      2U);
  const auto twice =
      joined({guarded({0, 1}, call("wait", 0, 1, 0)), guarded({1, 2}, call("wait", 1, 1, 0))});
  EXPECT_EQ(twice.size(), 2U); // rank 1 does both
  const auto row =
      joined({guarded({0}, call("wait", 0, 1, 0)), guarded({0}, call("test", 1, 1, 0))});
  ASSERT_EQ(row.size(), 1U);
  EXPECT_EQ(std::get<GuardStatement>(row[0].is).body.size(), 2U);
}

TEST(LogicalGuards, JoinLoopsOfEqualText) {
  const Statement loop{LoopStatement{"3", {call("wait", 0, 3, 0)}}};
  const Statement other{LoopStatement{"4", {call("wait", 1, 4, 0)}}};
  EXPECT_EQ(joined({guarded({0, 1}, loop), guarded({2, 3}, loop)}).size(), 1U);
  EXPECT_EQ(joined({guarded({0, 1}, loop), guarded({2, 3}, other)}).size(), 2U);
}

Statement loop_of(std::vector<Statement> body, const char* count = "10") {
  return {LoopStatement{count, std::move(body)}};
}

std::vector<PartOfRanks> as_one(std::vector<Statement> master, std::vector<Statement> workers) {
  return parts_joined(
      {{RankSet::of({0}), std::move(master)}, {RankSet::of({1, 2}), std::move(workers)}},
      [](const RankSet& ranks, const RankSet&) { return trace::guard_text(ranks); });
}

TEST(LogicalParts, WhatTheyHaveInCommonIsWrittenOnce) {
  const Statement init = call("init", 0, 1, 0);
  const Statement finalize = call("finalize", 1, 1, 0);
  const Statement send = call("send", 2, 10, 0);
  const Statement receive = call("recv", 3, 20, 0);
  const auto parts = as_one({init, loop_of({send, finalize}), finalize},
                            {init, loop_of({receive, finalize}), finalize});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].ranks, RankSet::of({0, 1, 2}));
  ASSERT_EQ(parts[0].statements.size(), 3U);
  EXPECT_EQ(std::get<CallStatement>(parts[0].statements[0].is).executions, 2U);
  const auto& body = std::get<LoopStatement>(parts[0].statements[1].is).body;
  ASSERT_EQ(body.size(), 3U);
  EXPECT_EQ(std::get<GuardStatement>(body[0].is).condition, "rank 0");
  EXPECT_EQ(std::get<GuardStatement>(body[1].is).condition, "ranks 1-2");
  EXPECT_EQ(std::get<CallStatement>(body[2].is).name, "finalize");
}

TEST(LogicalParts, WithLittleInCommonStayApart) {
  const Statement init = call("init", 0, 1, 0);
  const auto parts = as_one({init, call("send", 1, 1, 0), call("wait", 2, 1, 0)},
                            {call("recv", 3, 1, 0), call("test", 4, 1, 0), call("free", 5, 1, 0)});
  EXPECT_EQ(parts.size(), 2U);
  EXPECT_EQ(as_one({init, loop_of({init}, "3")}, {call("a", 1, 1, 0), loop_of({init}, "4")}).size(),
            2U);
}

TEST(LogicalParts, LoopsOfOppositeRanksAreOneWhereThatIsFarShorter) {
  const Statement init = call("init", 0, 1, 0);
  const Statement reduce = call("reduce", 1, 1, 0);
  const Statement finalize = call("finalize", 2, 1, 0);
  const auto loops = [&](std::vector<Statement> first, std::vector<Statement> second,
                         const char* count) {
    return loops_joined({RankSet::of({0}), {loop_of(std::move(first))}},
                        {RankSet::of({1, 2}), {loop_of(std::move(second), count)}},
                        [](const RankSet& set, const RankSet&) { return trace::guard_text(set); });
  };
  const Statement send = call("send", 3, 10, 0);
  const Statement receive = call("recv", 4, 20, 0);
  const auto one = loops({init, send, reduce, finalize}, {init, receive, reduce, finalize}, "10");
  ASSERT_TRUE(one);
  const auto& body = std::get<LoopStatement>(one->is).body;
  ASSERT_EQ(body.size(), 5U);
  EXPECT_EQ(std::get<CallStatement>(body[0].is).executions, 2U);
  EXPECT_EQ(std::get<GuardStatement>(body[1].is).condition, "rank 0");
  EXPECT_EQ(std::get<GuardStatement>(body[2].is).condition, "ranks 1-2");
  EXPECT_FALSE(loops({init, send, reduce, finalize}, {init, receive, reduce, finalize}, "11"));
  EXPECT_FALSE(loops({send, reduce}, {reduce, receive}, "10")); // no easier to read
}

} // namespace
} // namespace rondo::logical::internal
