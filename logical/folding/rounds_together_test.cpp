// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/rounds_together.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rondo::logical::internal {
namespace {

Statement a_call(const std::string& name) {
  CallStatement statement;
  statement.name = name;
  return {std::move(statement)};
}

Statement rounds_of_loop(const std::string& count, std::vector<Statement> body) {
  return {LoopStatement{count, std::move(body)}};
}

Statement west_only(std::vector<Statement> body) {
  return {GuardStatement{"west", std::move(body)}};
}

// Names of calls, "4th{ }" around what comes in some rounds, "if{ }" below a guard.
std::string outline(const std::vector<Statement>& statements) {
  std::string text;
  for (const Statement& statement : statements) {
    text += text.empty() ? "" : " ";
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      text += loop->count + "{ " + outline(loop->body) + " }";
    } else if (const auto* inner = std::get_if<GuardStatement>(&statement.is)) {
      text += "if{ " + outline(inner->body) + " }";
    } else {
      text += std::get<CallStatement>(statement.is).name;
    }
  }
  return text;
}

const std::string kFourth = "0..1 (every 4th)";

TEST(RoundsTogether, WhatSomeRanksDoInTheSameRoundsStandsBelowTheirIf) {
  EXPECT_EQ(
      outline(with_rounds_together({a_call("send"), rounds_of_loop(kFourth, {a_call("gather")}),
                                    west_only({rounds_of_loop(kFourth, {a_call("recv")})}),
                                    rounds_of_loop(kFourth, {a_call("bcast")})})),
      "send 0..1 (every 4th){ gather if{ recv } bcast }");
}

TEST(RoundsTogether, GuardsBesideOneAnotherKeepTheirRanks) {
  EXPECT_EQ(outline(with_rounds_together({west_only({rounds_of_loop(kFourth, {a_call("recv")})}),
                                          rounds_of_loop(kFourth, {a_call("bcast")})})),
            "0..1 (every 4th){ if{ recv } bcast }");
}

TEST(RoundsTogether, OthersStayApart) {
  const std::string others[] = {"0..1 (every 5th)", "0..1 (every 4th from 1)", "3"};
  for (const std::string& other : others)
    EXPECT_EQ(outline(with_rounds_together({rounds_of_loop(kFourth, {a_call("gather")}),
                                            rounds_of_loop(other, {a_call("bcast")})})),
              kFourth + "{ gather } " + other + "{ bcast }");
  // Which rounds these are is not said, and a guard with more than the rounds stays as it is.
  for (const std::string count : {"0..1 (mean 0.25)", "3"})
    EXPECT_EQ(outline(with_rounds_together({rounds_of_loop(count, {a_call("gather")}),
                                            rounds_of_loop(count, {a_call("bcast")})})),
              count + "{ gather } " + count + "{ bcast }");
  EXPECT_EQ(outline(with_rounds_together(
                {rounds_of_loop(kFourth, {a_call("gather")}),
                 west_only({rounds_of_loop(kFourth, {a_call("recv")}), a_call("send")})})),
            kFourth + "{ gather } if{ " + kFourth + "{ recv } send }");
}

} // namespace
} // namespace rondo::logical::internal
