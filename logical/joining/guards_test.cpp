// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/guards.hpp"

#include "logical/joining/parts_joining.hpp"
#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/program_text.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

Statement call(const std::string& name, std::uint32_t index, std::uint64_t executions,
               double before_ns) {
  return {CallStatement{name, "", {}, executions, 0, before_ns, {}, {{index, {executions, 8}, 0}}}};
}

Guarded guarded(std::vector<std::int64_t> ranks, const Statement& statement) {
  return {RankSet::of(std::move(ranks)), {statement}, false};
}

std::vector<Statement> joined(std::vector<Guarded> guarded) {
  return statements_under_guards(
      std::move(guarded), RankSet::of({0, 1, 2, 3}),
      [](const RankSet& set, const RankSet& = {}) { return trace::guard_text(set); });
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

// Rounds of a loop with a call of all ranks at their ends; in the last no rank makes both others.
TEST(LogicalGuards, StandAsInTheSourceInEachRound) {
  const Guarded wait = guarded({0, 1, 2, 3}, call_at("wait", 3));
  EXPECT_EQ(
      guards_and_calls(joined(
          {guarded({0, 1, 2}, call_at("recv", 1)), guarded({1, 2, 3}, call_at("send", 2)), wait,
           guarded({0, 1}, call_at("send", 2)), guarded({2, 3}, call_at("recv", 1)), wait})),
      "ranks 0-2: recv; ranks 1-3: send; ranks 0-3: wait; ranks 2-3: recv; ranks 0-1: send; "
      "ranks 0-3: wait; ");
}

// A message of the call at `site`, to one of the neighbours of some ranks.
Guarded of_site(std::vector<std::int64_t> ranks, const std::string& name, std::uint32_t site,
                const std::string& peer) {
  CallStatement message;
  message.name = name;
  message.what = peer;
  message.words = {{SaidWord::Kind::kPeer, "", peer, "to"}};
  message.sites = {site};
  return guarded(std::move(ranks), {std::move(message)});
}

// Guards say directions, not ranks.
std::string by_neighbours(std::vector<Guarded> items) {
  const auto condition = [](const RankSet& set, const RankSet& = {}) { return "if " + set.text(); };
  const auto counts = [](const std::map<std::int64_t, std::int64_t>& of_rank, auto) {
    std::string list;
    for (const auto& [rank, count] : of_rank) list += " " + std::to_string(count);
    return list;
  };
  std::string text;
  const auto write = [&](const std::vector<Statement>& statements, const auto& self) -> void {
    for (const Statement& statement : statements) {
      if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        text += guard->condition + ": ";
        self(guard->body, self);
      } else if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        text += "loop" + loop->count + ": ";
        self(loop->body, self);
      } else {
        text += std::get<CallStatement>(statement.is).text() + "; ";
      }
    }
  };
  write(statements_under_guards(std::move(items), RankSet::of({0, 1, 2, 3}), condition, counts),
        write);
  return text;
}

// Rank 0 sends to three neighbours, rank 3 hears of three.
TEST(LogicalGuards, OverOneCallOfTheSourceAreALoopOverNeighbours) {
  const Guarded receive = of_site({1, 2, 3}, "irecv", 1, "west|east");
  const Guarded send = of_site({0, 1, 2}, "isend", 2, "east|west");
  const auto items = [&](std::uint32_t site) {
    return std::vector{receive,
                       send,
                       of_site({0}, "isend", 2, "west"),
                       of_site({0}, "isend", 2, "rank+3"),
                       of_site({3}, "irecv", site, "rank-3"),
                       of_site({3}, "irecv", site, "east")};
  };
  EXPECT_EQ(by_neighbours(items(1)), "if 1-3: loop 1 1 3: irecv west|east|rank-3; "
                                     "if 0-2: loop 3 1 1: isend east|west|rank+3; ");
  // Of another call of the source some of it would be said of those who do not make it.
  EXPECT_EQ(by_neighbours(items(7)), "if 1-3: irecv west|east; "
                                     "if 0-2: loop 3 1 1: isend east|west|rank+3; "
                                     "if 3: irecv rank-3; irecv east; ");
}

// for (steps) { irecv; isend }: who comes to a call again after the other one.
TEST(LogicalGuards, OverOneCallOfARoundStayInTheirOrder) {
  EXPECT_EQ(by_neighbours(
                {of_site({0, 1}, "irecv", 1, "west|east"), of_site({0, 1}, "isend", 2, "west|east"),
                 of_site({1, 2}, "irecv", 1, "rank+1"), of_site({2, 3}, "isend", 2, "rank-1"),
                 of_site({1, 3}, "irecv", 1, "rank+2")}),
            "if 0-1: irecv west|east; isend west|east; if 1-2: irecv rank+1; "
            "if 2-3: isend rank-1; if 1,3: irecv rank+2; ");
}

// Rank 0 makes two calls more than ranks 1 and 2, each of ten times.
TEST(LogicalGuards, OverOneCallOfTheSourceSayWhatSomeDoMoreOften) {
  std::vector<Guarded> items = {of_site({0, 1, 2}, "isend", 2, "east|west"),
                                of_site({0}, "isend", 2, "west"),
                                of_site({0}, "isend", 2, "rank+3")};
  std::uint32_t index = 0;
  for (Guarded& item : items) {
    auto& message = std::get<CallStatement>(item.body[0].is);
    message.executions = 10 * static_cast<std::uint64_t>(item.ranks.size());
    message.shares = {{index++, {message.executions, 8}, 0}};
  }
  const auto counts = [](const auto&, auto) { return std::string("[3, 1, 1]"); };
  const auto condition = [](const RankSet& set, const RankSet& = {}) { return "if " + set.text(); };
  const std::vector<Statement> statements =
      statements_under_guards(std::move(items), RankSet::of({0, 1, 2, 3}), condition, counts);
  ASSERT_EQ(statements.size(), 1U);
  const auto& guard = std::get<GuardStatement>(statements[0].is);
  const auto& loop = std::get<LoopStatement>(guard.body.at(0).is);
  std::uint64_t surplus = 0;
  for (const CallShare& share : std::get<CallStatement>(loop.body.at(0).is).shares)
    surplus += share.surplus;
  EXPECT_EQ(surplus, 20U);
}

// for (neighbours) { irecv; isend; }: one has two neighbours, or three.
TEST(LogicalGuards, OverRoundsOfSeveralCallsAreALoopOverNeighbours) {
  const auto round = [](const std::vector<std::int64_t>& ranks, const std::string& peer) {
    return std::vector{of_site(ranks, "irecv", 1, peer), of_site(ranks, "isend", 2, peer)};
  };
  const auto rounds = [&](std::vector<std::vector<Guarded>> all) {
    std::vector<Guarded> items;
    for (auto& one : all) std::move(one.begin(), one.end(), std::back_inserter(items));
    return items;
  };
  EXPECT_EQ(by_neighbours(rounds({round({0, 2}, "-x|+x"), round({0, 1, 2, 3}, "+x|across y"),
                                  round({1, 3}, "-x|across y")})),
            "loop2: irecv -x|+x|across y; isend -x|+x|across y; ");
  const std::vector<Guarded> of_three =
      rounds({round({0, 2}, "-x|+x"), round({0, 1, 2, 3}, "+x"), round({1, 3}, "-x|across y"),
              round({1}, "across y")});
  EXPECT_EQ(by_neighbours(of_three), "loop 2 3 2 2: irecv -x|+x|across y; isend -x|+x|across y; ");
  // Who has only a half of a round is not in the loop with it.
  std::vector<Guarded> broken = of_three;
  broken.erase(broken.begin() + 3); // isend of all
  EXPECT_EQ(by_neighbours(broken), "if 0,2: irecv -x|+x; isend -x|+x; if 0-3: irecv +x; "
                                   "if 1,3: loop 2 1: irecv -x|across y; isend -x|across y; ");
  // What others do in between stands behind, what one of them does ends the rounds.
  std::vector<Guarded> others = of_three;
  others.insert(others.begin() + 4, of_site({2}, "probe", 3, "west"));
  EXPECT_EQ(by_neighbours(others),
            "loop 2 3 2 2: irecv -x|+x|across y; isend -x|+x|across y; if 2: probe west; ");
  others.insert(others.begin() + 4, of_site({1, 3}, "probe", 3, "west"));
  EXPECT_EQ(by_neighbours(others), "loop 2 1 2 1: irecv -x|+x; isend -x|+x; if 1-3: probe west; "
                                   "if 1,3: loop 2 1: irecv -x|across y; isend -x|across y; ");
}

// send, receive, receive, send: no round of a loop has one of its calls twice.
TEST(LogicalGuards, OverCallsThatComeTwiceInARoundStay) {
  std::vector<Guarded> items;
  for (const std::string peer : {"west|east", "north|south"}) {
    items.push_back(of_site({0, 1}, "send", 1, peer));
    items.push_back(of_site({0, 1}, "recv", 2, peer));
    items.push_back(of_site({0, 1}, "recv", 2, peer));
  }
  items.push_back(of_site({2, 3}, "send", 1, "east"));
  EXPECT_EQ(by_neighbours(items).find("if 0-1: loop"), std::string::npos);
}

// A gather on a tree, whose root receives more often, and a scatter: in the order of the source.
TEST(LogicalGuards, OverCallsBetweenOthersThatAreAlikeStandBehindThem) {
  const auto gather = [](std::uint32_t next) {
    return std::vector{of_site({0, 2}, "recv", 1, "child 0"),
                       of_site({1, 2, 3}, "send", 2, "parent"),
                       of_site({1, 2, 3}, "recv", next, "parent"),
                       of_site({0}, "recv", 1, "child 1"), of_site({0}, "recv", 1, "child 2")};
  };
  EXPECT_EQ(by_neighbours(gather(3)), "if 0,2: recv child 0; if 0: recv child 1; recv child 2; "
                                      "if 1-3: send parent; recv parent; ");
  // What comes again behind them is of the next round.
  std::vector<Guarded> rounds = gather(3);
  rounds.push_back(of_site({0}, "send", 2, "west"));
  EXPECT_TRUE(by_neighbours(rounds).starts_with("if 0,2: recv child 0; if 1-3: send parent; "));
}

// Where each round has one direction, these say more than a loop.
TEST(LogicalGuards, OverRoundsInOneDirectionEachStay) {
  std::vector<Guarded> items;
  for (const std::string peer : {"west", "east", "north", "south"}) {
    const std::vector<std::int64_t> ranks = {peer == "west" || peer == "north" ? 0 : 1, 2};
    items.push_back(of_site(ranks, "irecv", 1, peer));
    items.push_back(of_site(ranks, "isend", 2, peer));
  }
  EXPECT_EQ(by_neighbours(items).find("loop"), std::string::npos);
}

// Each in a line of its own, directions say more than a loop.
TEST(LogicalGuards, OverOneDirectionEachStay) {
  EXPECT_EQ(by_neighbours({of_site({0, 1}, "isend", 1, "west"), of_site({0, 3}, "isend", 1, "east"),
                           of_site({2, 3}, "isend", 1, "north")}),
            "if 0-1: isend west; if 0,3: isend east; if 2-3: isend north; ");
}

// Inner ranks start twice, those at the ends make a request in between.
TEST(LogicalGuards, WhatAllRanksDoTwiceStandsTwice) {
  const Statement start = call("start", 0, 4, 0);
  const Statement make = call("make", 1, 2, 0);
  EXPECT_EQ(guards_and_calls(joined({guarded({1, 2}, start), guarded({0, 1, 2, 3}, start),
                                     guarded({0, 3}, make), guarded({0, 3}, start)})),
            "ranks 0-3: start; ranks 0,3: make; ranks 0-3: start; ");
  EXPECT_EQ(guards_and_calls(joined({guarded({0, 3}, start), guarded({0, 3}, make),
                                     guarded({0, 1, 2, 3}, start), guarded({1, 2}, start)})),
            "ranks 0-3: start; ranks 0,3: make; ranks 0-3: start; ");
  // Inner ranks do something in between, too: which of the two comes first is not known.
  EXPECT_EQ(guards_and_calls(
                joined({guarded({1, 2}, start), guarded({1, 2}, make), guarded({0, 1, 2, 3}, start),
                        guarded({0, 3}, make), guarded({0, 3}, start)})),
            "ranks 1-2: start; make; ranks 0-3: start; ranks 0,3: make; start; ");
}

TEST(LogicalGuards, KeepTheOrderOfARankWhateverTheSourceSays) {
  EXPECT_EQ(guards_and_calls(
                joined({guarded({0, 1}, call_at("recv", 5)), guarded({1, 2}, call_at("send", 4)),
                        guarded({3}, call_at("wait", 0))})),
            "rank 3: wait; ranks 0-1: recv; ranks 1-2: send; ");
}

// Only one of the even ranks has a west, which the call says already.
TEST(LogicalGuards, ThatReadTheSameAreOne) {
  const auto among = [](const RankSet& set, const RankSet&) -> std::string {
    return set.size() == 1 ? "west and even" : "even";
  };
  Statement send = call("send", 1, 1, 0);
  std::get<CallStatement>(send.is).what = "west 8 byte";
  const std::vector<Statement> statements =
      statements_under_guards({guarded({0, 2}, call("recv", 0, 2, 0)), guarded({2}, send),
                               guarded({1}, call("wait", 2, 1, 0))},
                              RankSet::of({0, 1, 2, 3}), among);
  EXPECT_EQ(guards_and_calls(statements), "even: recv; send; west and even: wait; ");
}

TEST(LogicalGuards, OfSeveralRoundsOfALoopStayInTheirOrder) {
  EXPECT_EQ(guards_and_calls(
                joined({guarded({0}, call_at("send", 2)), guarded({1}, call_at("recv", 1)),
                        guarded({2}, call_at("isend", 2)), guarded({3}, call_at("irecv", 1))})),
            "rank 0: send; rank 1: recv; rank 2: isend; rank 3: irecv; ");
}

TEST(LogicalGuards, GoOnInTheRoundsThatTheyBeganWith) {
  const auto items = [](std::vector<std::int64_t> of_fourth) {
    return std::vector{guarded({0, 1, 2}, call_at("send 1", 1)),
                       guarded({1, 2, 3}, call_at("recv 1", 2)),
                       guarded({0, 1}, call_at("send 2", 1)),
                       guarded(std::move(of_fourth), call_at("send 3", 1)),
                       guarded({2, 3}, call_at("recv 2", 2)),
                       guarded({3}, call_at("recv 3", 2))};
  };
  EXPECT_EQ(guards_and_calls(joined(items({0}))),
            "ranks 0-2: send 1; ranks 1-3: recv 1; ranks 0-1: send 2; ranks 2-3: recv 2; "
            "rank 0: send 3; rank 3: recv 3; ");
  EXPECT_EQ(guards_and_calls(joined(items({0, 2}))), // who would tell
            "ranks 0-2: send 1; ranks 1-3: recv 1; ranks 0-1: send 2; ranks 0,2: send 3; "
            "ranks 2-3: recv 2; rank 3: recv 3; ");
}

// The ranks that receive in the last round send nothing in it.
TEST(LogicalGuards, AreInTheOrderOfTheRoundBeforeWhereNoRankCanTell) {
  const auto rounds = [](std::vector<std::int64_t> of_last) {
    return std::vector{guarded({0, 1, 2}, call_at("isend 1", 1)),
                       guarded({1, 2, 3}, call_at("recv 1", 2)),
                       guarded({0, 1, 2}, call_at("wait 1", 3)),
                       guarded({0, 1}, call_at("isend 2", 1)),
                       guarded({0, 1}, call_at("wait 2", 3)),
                       guarded(std::move(of_last), call_at("recv 2", 2))};
  };
  EXPECT_EQ(guards_and_calls(joined(rounds({2, 3}))),
            "ranks 0-2: isend 1; ranks 1-3: recv 1; ranks 0-2: wait 1; ranks 0-1: isend 2; "
            "ranks 2-3: recv 2; ranks 0-1: wait 2; ");
  EXPECT_EQ(guards_and_calls(joined(rounds({1, 2}))), // rank 1 can
            "ranks 0-2: isend 1; ranks 1-3: recv 1; ranks 0-2: wait 1; ranks 0-1: isend 2; wait 2; "
            "ranks 1-2: recv 2; ");
}

TEST(LogicalGuards, OfRoundsOfSeveralCallsGoOnToo) {
  std::vector<Guarded> items;
  const auto add = [&](const std::string& name, std::int64_t rank) {
    for (const char* part : {" size", " data"}) {
      Statement one = call(name, 0, 1, 0);
      std::get<CallStatement>(one.is).what = part + std::to_string(items.size());
      items.push_back(guarded({rank, rank + 1}, one));
    }
  };
  add("recv", 0); // who receives in a round sends in none of those behind it
  add("send", 2);
  add("recv", 0);
  add("recv", 0);
  add("send", 2);
  add("send", 2);
  std::string order;
  for (const Statement& statement : joined(std::move(items)))
    order += guards_and_calls({statement});
  EXPECT_EQ(order, "ranks 0-1: recv; recv; ranks 2-3: send; send; ranks 0-1: recv; recv; "
                   "ranks 2-3: send; send; ranks 0-1: recv; recv; ranks 2-3: send; send; ");
}

// A call in one direction, which ranks 0, 1 and 2 have to the east, and 1, 2 and 3 to the west.
Statement towards(const std::string& direction, const std::string& name = "recv") {
  CallStatement one;
  one.name = name;
  one.words = {{SaidWord::Kind::kPeer, "", direction, "from"}};
  one.what = direction;
  return {one};
}

// "odd and west" of ranks 1 and 3 among all.
std::string on_a_chain(const RankSet& ranks, const RankSet& around) {
  const std::map<std::string, std::vector<std::int64_t>> names = {
      {"even", {0, 2}}, {"odd", {1, 3}}, {"east", {0, 1, 2}}, {"west", {1, 2, 3}}};
  const auto among = [&](const std::vector<std::int64_t>& all) {
    std::vector<std::int64_t> both;
    for (const std::int64_t rank : all) {
      if (around.contains(rank)) both.push_back(rank);
    }
    return RankSet::of(std::move(both));
  };
  for (const auto& [name, all] : names) {
    if (among(all) == ranks) return name;
  }
  if (ranks == RankSet::of({1})) return "odd and east";
  if (ranks == RankSet::of({2})) return "even and west";
  return trace::guard_text(ranks);
}

std::string on_a_chain(std::vector<Guarded> items) {
  return guards_and_calls(statements_under_guards(
      std::move(items), RankSet::of({0, 1, 2, 3}),
      [](const RankSet& ranks, const RankSet& around) { return on_a_chain(ranks, around); }));
}

TEST(LogicalGuards, AreOneOverDirectionsThatNotAllOfTheRanksHave) {
  EXPECT_EQ(on_a_chain({guarded({1, 3}, towards("west", "a")), guarded({1}, towards("east", "b"))}),
            "odd: a; b; ");
  EXPECT_EQ(on_a_chain({guarded({2}, towards("west", "a")), guarded({0, 2}, towards("east", "b")),
                        guarded({1, 3}, call("c", 0, 1, 0))}),
            "even: a; b; odd: c; ");
}

TEST(LogicalGuards, DoNotSayWhatADirectionSays) {
  EXPECT_EQ(on_a_chain({guarded({1}, towards("east", "a"))}), "odd: a; ");
  EXPECT_EQ(on_a_chain({guarded({1}, towards("west", "a"))}), "odd and east: a; ");
  EXPECT_EQ(on_a_chain({guarded({1, 2, 3}, towards("west", "a"))}), "a; ");
}

TEST(LogicalGuards, JoinACallOfTheSourceWithOneThatHasMorePeers) {
  const auto at = [](std::vector<std::int64_t> ranks, const std::string& peer,
                     std::uint32_t place) {
    Statement one = towards(peer);
    std::get<CallStatement>(one.is).place = place;
    return guarded(std::move(ranks), one);
  };
  EXPECT_EQ(joined({at({0}, "partner", 1), at({1, 2, 3}, "partner|itself", 1)}).size(), 1U);
  EXPECT_EQ(joined({at({0}, "partner", 1), at({1, 2, 3}, "partner|itself", 2)}).size(), 2U);
  EXPECT_EQ(joined({at({0}, "west", 1), at({1, 2, 3}, "east", 1)}).size(), 2U);
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

TEST(LogicalGuards, StandWithinOneAnotherWhereThatSavesOne) {
  const auto at = [](std::vector<std::int64_t> ranks, const std::string& name) {
    return guarded(std::move(ranks), call(name, 0, 1, 0));
  };
  EXPECT_EQ(names(joined({at({0, 2}, "a"), at({0}, "b"), at({0, 2}, "c")})),
            "ranks 0,2(a rank 0(b ) c ) ");
  EXPECT_EQ(names(joined({at({0, 2}, "a"), at({1}, "b"), at({3}, "c")})),
            "ranks 0,2(a ) rank 1(b ) rank 3(c ) ");
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

TEST(LogicalParts, SayForWhomAStatementIsWhereThatHasAName) {
  const Statement init = call("init", 0, 1, 0);
  const Statement finalize = call("finalize", 1, 1, 0);
  const Statement send = call("send", 2, 10, 0);
  const Statement receive = call("recv", 3, 20, 0);
  const auto parts = parts_joined(
      {{RankSet::of({0, 2, 3}), {init, {GuardStatement{"sending", {send}}}, finalize}},
       {RankSet::of({1}), {init, receive, finalize}}},
      [](const RankSet& ranks, const RankSet&) {
        return ranks == RankSet::of({0}) ? "sending" : trace::guard_text(ranks);
      },
      {},
      [](const Statement& statement, const RankSet& ranks) {
        return std::holds_alternative<GuardStatement>(statement.is) ? RankSet::of({0}) : ranks;
      });
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(guards_and_calls(parts[0].statements), "init; sending: send; rank 1: recv; finalize; ");
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
                        RankSet::of({0, 1, 2}),
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
  const auto part = loops({init, send, receive}, {init}, "10"); // saves a line, and no order
  ASSERT_TRUE(part);
  EXPECT_EQ(guards_and_calls(std::get<LoopStatement>(part->is).body), "init; rank 0: send; recv; ");
  const auto either = loops({towards("west", "isend"), init}, {towards("west", "irecv"), reduce},
                            "10"); // messages of the one are those of the other
  ASSERT_TRUE(either);
  EXPECT_EQ(guards_and_calls(std::get<LoopStatement>(either->is).body),
            "rank 0: isend; init; ranks 1-2: irecv; reduce; ");
}

} // namespace
} // namespace rondo::logical::internal
