// SPDX-License-Identifier: Apache-2.0
#include "logical/text/rounds_text.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

trace::Column column_of(const std::vector<std::int64_t>& values) {
  std::vector<trace::Run> runs;
  for (const std::int64_t value : values) runs.push_back({value, 1});
  return trace::Column::from_runs(runs);
}

TEST(RoundsText, SaysWhatOnlySomeRoundsHaveAsACondition) {
  const std::pair<const char*, const char*> kHeads[] = {
      {"249", "loop 249"},
      {"1..20 (mean 10)", "loop 1..20 (mean 10)"},
      {"[1 x3, 0]", "loop [1 x3, 0]"},
      {"$times", "loop $times"},
      {"0..1 (mean 0.3)", "in some rounds (mean 0.3)"},
      {"1 x52, 0 x8", "in rounds 1-52 of 60"},
      {"0 x4, 1", "in round 5 of 5"},
      {"1, 0, 1 x2", "in rounds 1, 3-4 of 4"},
      {"0..1 (all but the last)", "in all but the last round"},
      {"0..1 (the first)", "in the first round"},
      {"0..1 (every 2nd)", "in every 2nd round"},
      {"0..1 (every 13th from 2)", "in every 13th round from 2"},
      {"0..1 (every 10th from 11)", "in every 10th round from 11"},
      {"0..1 (every 5th and the first)", "in every 5th round and the first"}};
  for (const auto& [count, head] : kHeads) {
    EXPECT_EQ(loop_head(count), head);
    EXPECT_EQ(count_of_head(head), count);
    EXPECT_EQ(is_condition(count), !std::string_view(head).starts_with("loop"));
  }
}

TEST(RoundsText, RefusesWhatIsNoSuchLine) {
  for (const char* head :
       {"loop ", "in some rounds (mean 0.3", "in rounds 1-52 of", "in rounds 5-4 of 9",
        "in rounds 3, 3 of 9", "in rounds 1-3 of 3", "in round 4 of 3", "in every 2th round",
        "in every 1st round", "in every 3rd round from 3", "in every round", "if west",
        "in every 3rd round from 2 and the first", "in all but the second round"})
    EXPECT_FALSE(count_of_head(head)) << head;
}

TEST(RoundsText, FindsWhatComesInEveryKthRound) {
  EXPECT_EQ(every_kth(column_of({0, 0, 1, 0, 0, 1})), "0..1 (every 3rd)");
  EXPECT_EQ(every_kth(column_of({1, 0, 1, 0, 1})), "0..1 (every 2nd from 1)");
  EXPECT_EQ(every_kth(column_of({0, 1, 0, 0, 1, 0})), "0..1 (every 3rd from 2)");
  EXPECT_EQ(every_kth(column_of({0, 0, 0, 1, 0, 0, 1, 0})), "0..1 (every 3rd from 4)");
  EXPECT_EQ(every_kth(column_of({1, 0, 1, 0, 0, 1, 0})), "0..1 (every 3rd and the first)");
  EXPECT_FALSE(every_kth(column_of({1, 0, 0, 1, 0, 1, 0}))) << "no multiples";
  EXPECT_FALSE(every_kth(column_of({0, 0, 0, 0, 1, 0, 0, 1}))) << "late";
  EXPECT_FALSE(every_kth(column_of({0, 0, 1}))) << "once";
  EXPECT_FALSE(every_kth(column_of({1, 0, 0, 1, 0, 0, 0, 0, 1}))) << "unevenly";
  EXPECT_FALSE(every_kth(column_of({0, 1, 0, 1, 0, 0}))) << "one is missing";
  EXPECT_FALSE(every_kth(column_of({0, 2, 0, 2}))) << "twice a round";
  EXPECT_FALSE(every_kth(column_of({1, 1, 1})));
}

TEST(RoundsText, FindsWhatComesAtTheEndsOfLoopsOfAnyLength) {
  const auto count_of = [](const std::vector<std::vector<bool>>& times) {
    RoundsAtEnds ends;
    for (const std::vector<bool>& rounds : times) {
      for (std::size_t i = 0; i < rounds.size(); ++i) ends.add(i, rounds.size(), rounds[i]);
    }
    return ends.count().value_or("");
  };
  EXPECT_EQ(count_of({{true, true, false}, {false}, {true, false}}), "0..1 (all but the last)");
  EXPECT_EQ(count_of({{false, true, true}, {false, true}}), "0..1 (all but the first)");
  EXPECT_EQ(count_of({{true}, {true, false, false, false}}), "0..1 (the first)");
  EXPECT_EQ(count_of({{false, false, true}, {false, true}}), "0..1 (the last)");
  EXPECT_EQ(count_of({{true, true, false}, {true, true}}), "") << "once in the last, too";
  EXPECT_EQ(count_of({{true, false}, {true, false}}), "") << "of two rounds there is no rest";
}

} // namespace
} // namespace rondo::logical::internal
