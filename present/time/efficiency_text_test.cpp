// SPDX-License-Identifier: Apache-2.0
#include "present/time/efficiency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::present {
namespace {

using efficiency::Balanced;
using ::testing::HasSubstr;
using ::testing::Not;

// A run of four ranks and 10 s on two nodes, of which 8 would be left.
class WhatToDoFirst : public ::testing::Test {
protected:
  WhatToDoFirst() {
    trace_.run.ranks = 4;
    trace_.ranks.resize(4);
    trace_.hosts = {{"node1", trace::RankSet::of({0, 1})}, {"node2", trace::RankSet::of({2, 3})}};
    factors_.ranks = 4;
    factors_.runtime_s = 10;
    factors_.ideal_runtime_s = 10;
    factors_.useful_sum_s = 30;
    factors_.by_rank.resize(4);
    waits_.by_rank.resize(4);
  }
  static Balanced at_send(std::vector<double> by_rank_s) {
    Balanced balanced;
    balanced.imbalance.place.function = trace::find_function("MPI_Send")->id;
    for (std::size_t rank = 0; rank < by_rank_s.size(); ++rank) {
      balanced.imbalance.mean_s += by_rank_s[rank] / static_cast<double>(by_rank_s.size());
      if (by_rank_s[rank] <= balanced.imbalance.most_s) continue;
      balanced.imbalance.most_s = by_rank_s[rank];
      balanced.imbalance.most_rank = static_cast<std::int64_t>(rank);
    }
    balanced.imbalance.by_actor = std::move(by_rank_s);
    balanced.runtime_s = 8;
    balanced.instead_of_s = 10;
    return balanced;
  }
  EfficiencyShown shown() { return {"run", trace_, resolver_, factors_, &waits_}; }

  trace::Trace trace_;
  sites::Resolver resolver_{trace_};
  efficiency::Factors factors_;
  efficiency::WaitStates waits_;
};

TEST_F(WhatToDoFirst, NamesTheOneThatComputesMost) {
  EfficiencyShown one = shown();
  one.balanced = {at_send({1, 1, 1, 5})};
  EXPECT_THAT(efficiency_text(one), HasSubstr("MPI_Send; rank 3 has 5 s\n"));
}

TEST_F(WhatToDoFirst, NamesAllThatComputeAboutAsMuchAndTheirNode) {
  EfficiencyShown several = shown();
  several.balanced = {at_send({1, 1.2, 2.9, 3})};
  EXPECT_THAT(efficiency_text(several),
              HasSubstr("MPI_Send; ranks 2-3 have up to 3 s, all those on node2\n"));
  several.balanced = {at_send({1, 3, 2.9, 1.2})};
  EXPECT_THAT(efficiency_text(several), HasSubstr("MPI_Send; ranks 1-2 have up to 3 s\n"));
}

TEST_F(WhatToDoFirst, SaysWhereRanksComputeOneAfterTheOther) {
  EfficiencyShown once = shown();
  once.at_once = at_send({2, 2, 2, 2});
  const std::string text = efficiency_text(once);
  EXPECT_THAT(text, HasSubstr("8.000 s instead of 10.00 s (20.0 % less), if ranks computed at once "
                              "before MPI_Send"));
  EXPECT_THAT(text, Not(HasSubstr("no uneven computation")));
  EXPECT_EQ(efficiency_json(once)["if_at_once"]["runtime_seconds"], 8.0);
}

TEST_F(WhatToDoFirst, SaysWhatWinsMoreIfItIsWaitedForLater) {
  EfficiencyShown late = shown();
  late.at_once = at_send({2, 2, 2, 2});
  late.later = efficiency::WaitedLater{{trace::find_function("MPI_Waitall")->id, 0}, 7, 10};
  const std::string text = efficiency_text(late);
  const std::size_t later = text.find("7.000 s instead of 10.00 s (30.0 % less), if MPI_Waitall");
  ASSERT_NE(later, std::string::npos);
  EXPECT_LT(later, text.find("8.000 s instead of"));
  EXPECT_EQ(efficiency_json(late)["if_waited_later"]["function"], "MPI_Waitall");
}

} // namespace
} // namespace rondo::present
