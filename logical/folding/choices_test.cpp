// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/choices.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace rondo::logical::internal {
namespace {

std::size_t choices_in(const std::vector<std::string>& peers) {
  CallStatement call;
  call.name = "sendrecv";
  for (const std::string& peer : peers)
    call.words.push_back({SaidWord::Kind::kPeer, "", peer, "with"});
  return choices_of({{LoopStatement{"3", {{std::move(call)}}}}});
}

TEST(Choices, AreDirectionsBeyondTheFirst) {
  EXPECT_EQ(choices_in({"west"}), 0U);
  EXPECT_EQ(choices_in({"west|nobody"}), 0U);
  EXPECT_EQ(choices_in({"west|east"}), 1U);
  EXPECT_EQ(choices_in({"north|west|east|nobody"}), 2U);
}

TEST(Choices, OfDirectionsThatCountOnAreOne) {
  EXPECT_EQ(choices_in({"bit 0|bit 1|bit 2|bit 3"}), 1U);
  EXPECT_EQ(choices_in({"bit 0|bit 1|guest|host"}), 3U);
  EXPECT_EQ(choices_in({"+1|+2|-2|-1"}), 3U);
}

TEST(Choices, OfOneWayOnSeveralCommunicatorsAreOne) {
  EXPECT_EQ(choices_in({"east|east of ring of 6 ranks|east of ring of 3 ranks"}), 1U);
  EXPECT_EQ(choices_in({"east|west of ring of 6 ranks"}), 1U);
  EXPECT_EQ(choices_in({"east|west|west of ring of 6 ranks"}), 2U);
}

TEST(Choices, ToAndFromTheSameDirectionsAreThoseOfOne) {
  EXPECT_EQ(choices_in({"west|east", "west|east"}), 1U);
  EXPECT_EQ(choices_in({"west|east", "east|west"}), 2U);
}

TEST(Choices, OfCallsByTheFlowThatSayTheSameAreThoseOfOne) {
  CallStatement call;
  call.name = "get";
  call.words.push_back({SaidWord::Kind::kPeer, "", "west|east|north", "with"});
  EXPECT_EQ(choices_of({{call}, {call}}), 4U);
  EXPECT_EQ(choices_of({{call}, {call}}, true), 2U);
  EXPECT_EQ(choices_of({{call}, {LoopStatement{"3", {{call}}}}}, true), 4U);
}

TEST(Choices, RoundsThatNoLoopsInLoopsCouldSayAreNotLost) {
  const auto lost_with = [](const std::string& rounds) {
    CallStatement call;
    call.name = "gather";
    const Statement often{LoopStatement{"0..1 (every 10th from 1)", {{call}}}};
    const Statement seldom{LoopStatement{rounds, {{call}}}};
    return lost_by_flow({{LoopStatement{"100", {{call}, often, seldom}}}});
  };
  EXPECT_EQ(lost_with("0..1 (every 25th from 1)"), 0U);
  EXPECT_GT(lost_with("0..1 (every 20th from 1)"), 0U);
  EXPECT_GT(lost_with("0..1 (mean 0.04)"), 0U);
}

// for (i) { exchange; if (i % 20 == 0) gather; reduce; }
TEST(Choices, WhatAloneComesInEveryKthRoundIsAnIf) {
  CallStatement call;
  call.name = "gather";
  const auto seldom = [&](const char* rounds) {
    return Statement{LoopStatement{rounds, {{call}}}};
  };
  const auto loop = [&](const Statement& inner) {
    return std::vector<Statement>{{LoopStatement{"200", {{call}, inner, {call}}}}};
  };
  EXPECT_EQ(lost_by_flow(loop(seldom("0..1 (every 20th and the first)"))), 0U);
  EXPECT_EQ(known_ifs_in(loop(seldom("0..1 (every 20th and the first)"))), 1U);
  EXPECT_GT(lost_by_flow(loop(seldom("0..1 (mean 0.05)"))), 0U);
  EXPECT_EQ(known_ifs_in(loop(seldom("0..1 (mean 0.05)"))), 0U);
  const std::vector<Statement> alone = {{LoopStatement{"200", {seldom("0..1 (every 20th)")}}}};
  EXPECT_GT(lost_by_flow(alone), 0U) << "nothing comes in each round";
}

TEST(Choices, ALoopOfAllRanksInEveryKthRoundStandsBesideTheOther) {
  CallStatement call;
  call.name = "sendrecv";
  const Statement loop{LoopStatement{"8", {{call}}}};
  const auto lost_with = [&](const Statement& inner) {
    const Statement seldom{LoopStatement{"0..1 (every 8th)", {inner}}};
    return lost_by_flow({{LoopStatement{"96", {{call}, seldom}}}});
  };
  EXPECT_GT(lost_with(loop), 0U);
  EXPECT_EQ(lost_with({GuardStatement{"at the centre", {loop}}}), 0U);
}

// while (!stop) { for (i = 1; rank == 0 && i < ranks; i++) receive; bcast; }
TEST(Choices, SomeRoundsOfALoopThatRanksGoThroughUnequallyOftenAreLost) {
  CallStatement call;
  call.name = "bcast";
  const Statement some{LoopStatement{"0..1 (mean 0.2)", {{call}}}};
  const auto lost_with = [&](bool is_by_rank) {
    return lost_by_flow({{LoopStatement{"rank != 0 ? 18 : 198", {{call}, some}, is_by_rank}}});
  };
  EXPECT_GT(lost_with(true), 0U);
  EXPECT_EQ(lost_with(false), 0U);
}

TEST(Choices, SomeRoundsUnderGuardsAreLostThereToo) {
  CallStatement call;
  call.name = "send";
  const Statement some{LoopStatement{"0..1 (mean 0.8)", {{call}}}};
  const Statement east{GuardStatement{"east", {some}}};
  const auto lost_in = [&](const Statement& a, const Statement& b) {
    return lost_by_flow({{LoopStatement{"rank % 2 == 0 ? 8 : 12", {{call}, a, b}, true}}});
  };
  EXPECT_EQ(lost_in(east, {GuardStatement{"west", {some}}}), lost_in(some, some));
}

// Four statements of the source, of which a rank whose first two are as the last two has a loop
// more.
TEST(Choices, OfCallsThatARankMakesOnceMoreAreMore) {
  const auto choices_with = [](const char* count, bool is_by_rank, const char* peer) {
    CallStatement call;
    call.name = "sendrecv_replace";
    call.words.push_back({SaidWord::Kind::kPeer, "", peer, "with"});
    return choices_of({{LoopStatement{count, {{call}}, is_by_rank}}});
  };
  EXPECT_EQ(choices_with("2", false, "west|east"), 1U);
  EXPECT_EQ(choices_with("rank / 3 + 2", true, "west|east"), 2U);
  EXPECT_EQ(choices_with("rank / 3 + 2", true, "west"), 0U) << "whom it is with is known";
  EXPECT_EQ(choices_with("1..3 (mean 2)", true, "west|east"), 1U);
}

TEST(Choices, ATagByAConditionIsOne) {
  const auto choices_with = [](const char* tag) {
    CallStatement call;
    call.name = "recv";
    SaidWord word{SaidWord::Kind::kNumber, "tag ", tag, "tag", true};
    word.remark = SaidWord::Remark::kTag;
    call.words = {{SaidWord::Kind::kPeer, "", "partner", "with"}, word};
    return choices_of({{call}});
  };
  EXPECT_EQ(choices_with("rank == 4 ? 1 : 2"), 1U);
  EXPECT_EQ(choices_with("rank"), 0U);
  EXPECT_EQ(choices_with("7"), 0U);
}

TEST(Choices, OfManyTripCountsAreOne) {
  CallStatement call;
  call.name = "barrier";
  EXPECT_EQ(choices_of({{LoopStatement{"15, 15, 9, 15", {{call}}}}}), 1U);
  EXPECT_EQ(choices_of({{LoopStatement{"19, 20 x9, 3", {{call}}}}}), 0U);
  EXPECT_EQ(choices_of({{LoopStatement{"0, 1 x3, 0, 1", {{call}}}}}), 0U) << "an `if`";
}

TEST(Choices, InAListAreFew) {
  EXPECT_EQ(choices_in({"west, east, north, south"}), 0U);
  EXPECT_EQ(choices_in({"-2, -1, +1, +2, +3"}), 1U);
}

} // namespace
} // namespace rondo::logical::internal
