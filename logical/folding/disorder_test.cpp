// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/disorder.hpp"

#include "logical/joining/alike.hpp"
#include "rondo/trace/program_text.hpp"

#include <gtest/gtest.h>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

// "send east 8  on rows"
Statement call(const std::string& name, const std::string& peer, std::int64_t count,
               const std::string& comm = "rows") {
  using Kind = SaidWord::Kind;
  CallStatement call;
  call.name = name;
  call.most_here = 2;
  if (!peer.empty()) call.words.push_back({Kind::kPeer, "", peer, "to"});
  call.words.push_back({Kind::kNumber, "", std::to_string(count), "count", false, count, count});
  call.words.push_back({Kind::kOther, "on ", comm, "comm", true});
  call.words.back().remark = SaidWord::Remark::kComm;
  put_words_together(call);
  return {call};
}

// Row i is sent by the rank that has it, and two sets of ranks hear of that: no two of four rows
// have the same ones.
std::vector<Guarded> rows(std::int64_t number) {
  std::vector<Guarded> items;
  for (std::int64_t i = 0; i < number; ++i) {
    const std::int64_t owner = i % 4;
    items.push_back({RankSet::of({owner}), {call("send", i % 2 == 0 ? "east" : "west", i + 1)}});
    items.push_back({RankSet::of({(owner + 1) % 4, (owner + 2) % 4}), {call("recv", "west", i)}});
    items.push_back({RankSet::of({owner, (owner + i) % 4}), {call("bcast", "", 8, "columns")}});
  }
  return items;
}

std::string text_of_items(std::vector<Guarded> items, std::uint64_t entries = 1) {
  const auto condition = [](const RankSet& set, const RankSet& = {}) {
    return trace::guard_text(set);
  };
  const auto statements = statements_under_guards(std::move(items), RankSet::of({0, 1, 2, 3}),
                                                  condition, {}, {}, entries);
  std::string text;
  for (const Statement& statement : statements) {
    const auto* guard = std::get_if<GuardStatement>(&statement.is);
    if (guard == nullptr) {
      text += std::get<CallStatement>(statement.is).text() + "\n";
      continue;
    }
    text += guard->condition + ":\n";
    for (const Statement& inner : guard->body)
      text += "  " + std::get<CallStatement>(inner.is).text() + "\n";
  }
  return text;
}

TEST(Disorder, IsAListOfTheCallsInIt) {
  EXPECT_EQ(text_of_items(rows(12)), "ranks 0-3, in no common order:\n"
                                     "  bcast 8  on columns  times 18\n"
                                     "  recv west 0..11  on rows  times 12\n"
                                     "  send east|west 1..12  on rows  times 6\n");
  EXPECT_NE(text_of_items(rows(12), 10).find("  on columns  times 2\n"), std::string::npos)
      << "of 18 executions of rank 2 in a loop of 10 each iteration has 2 at most";
}

TEST(Disorder, IsToldApartByWhatAllRanksDo) {
  std::vector<Guarded> items = rows(12);
  for (int i = 0; i < 8; ++i)
    items.push_back({RankSet::of({0, 1, 2, 3}), {call("reduce" + std::to_string(i), "", 1)}, true});
  for (Guarded& item : rows(8)) items.push_back(std::move(item));
  const std::string text = text_of_items(std::move(items));
  const std::size_t first = text.find("in no common order");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find("in no common order", first + 1), std::string::npos) << text;
  EXPECT_NE(text.find("\nreduce0 1  on rows\nreduce1 "), std::string::npos) << text;
}

// Where the ranks agree for a moment in what they do in no order before and after.
TEST(Disorder, GoesOnOverTheSameCallsOfAllRanks) {
  const auto send = [](std::int64_t i) {
    return Guarded{RankSet::of({0, 1, 2, 3}), {call("send", "east", 20 + i)}, true};
  };
  std::vector<Guarded> items = {send(0)};
  for (Guarded& item : rows(12)) items.push_back(std::move(item));
  for (int i = 1; i < 7; ++i) items.push_back(send(i));
  for (Guarded& item : rows(12)) items.push_back(std::move(item));
  const std::string text = text_of_items(std::move(items));
  EXPECT_EQ(text, "ranks 0-3, in no common order:\n"
                  "  bcast 8  on columns  times 36\n"
                  "  recv west 0..11  on rows  times 24\n"
                  "  send east|west 1..26  on rows  times 26\n");
}

TEST(Disorder, IsNotWhatAFewSetsOfRanksDo) {
  std::vector<Guarded> items;
  for (std::int64_t i = 0; i < 40; ++i) {
    items.push_back({RankSet::of({i % 2, 2 + i % 2}), {call("send", "east", i)}});
    items.push_back({RankSet::of({1 - i % 2, 3 - i % 2}), {call("recv", "west", i)}});
  }
  EXPECT_EQ(text_of_items(items).find("in no common order"), std::string::npos);
}

TEST(Disorder, StaysWhereAListIsNotMuchShorter) {
  std::vector<Guarded> items = rows(12);
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i].body = {call("send" + std::to_string(i), "east", 1)};
  EXPECT_EQ(text_of_items(std::move(items)).find("in no common order"), std::string::npos);
}

} // namespace
} // namespace rondo::logical::internal
