// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/guarded_loops.hpp"

#include "rondo/trace/program_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

Statement call(const std::string& name) {
  CallStatement call;
  call.name = name;
  return {call};
}

Statement guarded_loop_of(const std::string& condition, const std::string& count,
                          std::vector<Statement> body) {
  return {GuardStatement{condition, {{LoopStatement{count, std::move(body)}}}}};
}

void write(const std::vector<Statement>& statements, int depth, std::string& text) {
  for (const Statement& statement : statements) {
    text += std::string(static_cast<std::size_t>(2 * depth), ' ');
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      text += "loop " + loop->count + ":\n";
      write(loop->body, depth + 1, text);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      text += "if " + guard->condition + ":\n";
      write(guard->body, depth + 1, text);
    } else {
      text += std::get<CallStatement>(statement.is).text() + "\n";
    }
  }
}

// Of ranks 0 to 4, of whom 0 and 1 are a pair; rank 0 has somebody to the east.
std::string joined(std::vector<Statement> statements) {
  const std::vector<Presence> directions{{"partner", RankSet::of({0, 1}), "on pair"},
                                         {"east", RankSet::of({0})}};
  const RankSet all = RankSet::of({0, 1, 2, 3, 4});
  const ConditionAmong among = [&](const RankSet& ranks, const RankSet& around) {
    return condition_of(ranks, around, directions,
                        [](const RankSet& set) { return trace::guard_text(set); });
  };
  std::string text;
  write(guarded_loops_joined(std::move(statements), all, among, directions), 0, text);
  return text;
}

// for (...) { MPI_Barrier(); if (rank < 2) exchange(); }
TEST(GuardedLoops, AreOneWhereOneDoesAPartOfTheOther) {
  EXPECT_EQ(joined({guarded_loop_of("on pair", "7", {call("barrier"), call("exchange")}),
                    guarded_loop_of("not on pair", "7", {call("barrier")})}),
            "loop 7:\n  barrier\n  if on pair:\n    exchange\n");
}

TEST(GuardedLoops, StayWhereRoundsDifferOrNobodySaysForCertainWhomAGuardIsFor) {
  const auto stays = [](const std::string& first, const std::string& rounds) {
    std::vector<Statement> statements{
        guarded_loop_of(first, "7", {call("barrier"), call("exchange")}),
        guarded_loop_of("not on pair", rounds, {call("barrier")})};
    std::string before;
    write(statements, 0, before);
    return joined(std::move(statements)) == before;
  };
  EXPECT_FALSE(stays("on pair", "7"));
  EXPECT_TRUE(stays("on pair", "8"));
  EXPECT_TRUE(stays("ranks 0-1", "7")) << "of the numbers of ranks, which cells need not have";
  EXPECT_TRUE(stays("on ring", "7")) << "nobody is";
  EXPECT_TRUE(stays("not on pair", "7")) << "the same ranks, twice";
}

// Sizes and repetitions of a ping-pong, in one loop of each rank.
TEST(GuardedLoops, StayWhereEachRoundIsNoMoreThanAnAmount) {
  const auto amounts = [](const std::string& name) {
    CallStatement call;
    call.name = name;
    call.words.push_back({SaidWord::Kind::kNumber, "", "1..64", "count", false, 1, 64});
    return std::vector<Statement>{{call}};
  };
  std::vector<Statement> statements{guarded_loop_of("on pair", "80", amounts("send")),
                                    guarded_loop_of("not on pair", "80", amounts("recv"))};
  EXPECT_FALSE(has_guarded_loops(statements));
}

TEST(GuardedLoops, AreFoundBelowLoops) {
  const std::vector<Statement> inner{
      guarded_loop_of("on pair", "7", {call("barrier"), call("exchange")}),
      guarded_loop_of("not on pair", "7", {call("barrier")})};
  const std::vector<Statement> outer{{LoopStatement{"3", inner}}};
  EXPECT_TRUE(has_guarded_loops(outer));
  EXPECT_EQ(joined(outer), "loop 3:\n  loop 7:\n    barrier\n    if on pair:\n      exchange\n");
}

} // namespace
} // namespace rondo::logical::internal
