// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/comm_makers.hpp"

#include "logical/joining/alike.hpp"
#include "rondo/trace/functions.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rondo::logical::internal {
namespace {

using Kind = SaidWord::Kind;
using Numbers = std::map<std::int64_t, std::int64_t>;
using trace::RankSet;

constexpr std::uint32_t kPlace = 3;

SaidWord number(const std::string& before, const std::string& text) {
  return {Kind::kNumber, before, text, "", false};
}

SaidWord maker(const std::string& made) {
  SaidWord word{Kind::kOther, "makes ", made, "new_comm", true};
  word.remark = SaidWord::Remark::kNewComm;
  return word;
}

// "comm_split color=0 key=1  makes split#1"
Statement split(const std::string& color, const std::string& key, const std::string& made,
                std::uint32_t place = kPlace) {
  CallStatement call;
  call.name = "comm_split";
  call.place = place;
  call.makes_comm = true;
  call.executions = 1;
  call.words = {number("color=", color), number("key=", key)};
  if (!made.empty()) call.words.push_back(maker(made));
  put_words_together(call);
  return {call};
}

Statement create(const std::string& made) {
  CallStatement call;
  call.name = "comm_create";
  call.place = kPlace;
  call.makes_comm = true;
  if (!made.empty()) call.words.push_back(maker(made));
  put_words_together(call);
  return {call};
}

// Formulas as lists, "0,0,-"; none if a number is above nine.
std::optional<std::string> listed(const Numbers& numbers) {
  std::string text;
  for (const auto& [rank, value] : numbers) {
    if (value > 9) return std::nullopt;
    text += (text.empty() ? "" : ",") +
            (value == trace::kUndefined ? std::string("-") : std::to_string(value));
  }
  return text;
}

std::string joined_text(std::vector<Guarded> items) {
  join_makers(items, RankSet::of({0, 1, 2, 3}), listed);
  std::string text;
  for (const Guarded& item : items) {
    text += item.is_free ? "" : item.ranks.text() + ": ";
    text += std::get<CallStatement>(item.body.front().is).text() + "\n";
  }
  return text;
}

TEST(CommMakers, OfMembersAndOthersAreOneCallThatSaysWhoseColorIsWhich) {
  EXPECT_EQ(joined_text({{RankSet::of({0, 1}), {split("0", "5", "split#1")}, false},
                         {RankSet::of({0, 1}), {split("1", "5", "split#2", kPlace + 1)}, false},
                         {RankSet::of({2, 3}), {split("undefined", "5", "")}, false}}),
            "comm_split color=0,0,-,- key=5  makes split#1\n"
            "0-1: comm_split color=1 key=5  makes split#2\n");
}

TEST(CommMakers, KeepWhatIsKnownOfEachRankForTheNextOne) {
  EXPECT_EQ(joined_text({{RankSet::of({0, 1}), {split("0", "5", "split#1")}, false},
                         {RankSet::of({3}), {split("undefined", "6", "")}, false},
                         {RankSet::of({2}), {split("1", "7", "split#1")}, false}}),
            "comm_split color=0,0,1,- key=5,5,7,6  makes split#1\n");
}

TEST(CommMakers, SayThatSomeGetNoneWhereNoColorDoes) {
  EXPECT_EQ(joined_text({{RankSet::of({0, 2}), {create("create#1")}, false},
                         {RankSet::of({1, 3}), {create("")}, false}}),
            "comm_create  makes create#1|none\n");
}

TEST(CommMakers, SayTheLeaderOfTheOtherGroupAsTheirOwnLeadersDo) {
  const auto bridge = [](const std::string& leader) {
    Statement result = split("0", "5", "intercomm#1");
    auto& call = std::get<CallStatement>(result.is);
    call.name = "intercomm_create";
    call.words[0] = number("local_leader=", "0");
    call.words[1] = number("remote_leader=", leader);
    if (leader.empty()) call.words.erase(call.words.begin() + 1);
    put_words_together(call);
    return result;
  };
  EXPECT_EQ(joined_text({{RankSet::of({0}), {bridge("2")}, false},
                         {RankSet::of({1, 3}), {bridge("")}, false},
                         {RankSet::of({2}), {bridge("0")}, false}}),
            "intercomm_create local_leader=0 remote_leader=2,0  makes intercomm#1\n");
}

TEST(CommMakers, StayWhereARankWouldTell) {
  const std::string apart = "0-1: comm_split color=0 key=5  makes split#1\n"
                            "2: comm_split color=1 key=5  makes split#2\n"
                            "2-3: comm_split color=undefined key=5\n";
  EXPECT_EQ(joined_text({{RankSet::of({0, 1}), {split("0", "5", "split#1")}, false},
                         {RankSet::of({2}), {split("1", "5", "split#2", kPlace + 1)}, false},
                         {RankSet::of({2, 3}), {split("undefined", "5", "")}, false}}),
            apart);
}

TEST(CommMakers, StayWithoutAFormulaOrAtOtherPlacesOrForOtherCommunicators) {
  for (const Statement& other :
       {split("17", "5", "split#1"), split("1", "5", "split#1", kPlace + 1),
        split("1", "5", "split#2")}) {
    std::vector<Guarded> items;
    items.push_back({RankSet::of({0, 1}), {split("0", "5", "split#1")}, false});
    items.push_back({RankSet::of({2, 3}), {other}, false});
    join_makers(items, RankSet::of({0, 1, 2, 3}), listed);
    EXPECT_EQ(items.size(), 2U);
  }
}

} // namespace
} // namespace rondo::logical::internal
