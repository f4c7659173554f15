// SPDX-License-Identifier: Apache-2.0
#include "logical/text/loop_calls.hpp"

#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rondo::logical::internal {
namespace {

using support::Caller;

TEST(LoopCalls, WhatComesAgainIsKeptOnce) {
  LoopCallsOfRank of{0, {0, 1, 0, 1}, {{5, 5}, {7, 7}}, {}};
  EXPECT_TRUE(keep_once(of, 2));
  EXPECT_EQ(of.order, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(of.turns, (std::vector<std::vector<std::int64_t>>{{5}, {7}}));
  LoopCallsOfRank other{0, {0, 0}, {{5, 6}}, {}};
  EXPECT_FALSE(keep_once(other, 2));
}

// Peers of both calls are the same column.
TEST(LoopCalls, EachCallHasItsOwnPlaceInAColumn) {
  const trace::Trace trace = support::recorded(8, [](Caller& s) {
    for (std::int64_t round = 1; round < s.ranks; ++round) {
      s.site = 1;
      s.send(s.rank ^ round, 8);
      s.site = 2;
      s.receive(s.rank ^ round, 8);
      s.site = 3;
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
    }
  });
  LogicalizeOptions options;
  options.for_text = true;
  options.by_flow.assign(trace.sites.size(), true); // a loop, however its calls vary
  const LogicalProgram logical = logicalize(trace, options);
  const trace::MergedProgram& program = *logical.cells.programs.at(0);
  ASSERT_EQ(program.loops.size(), 1U);
  const auto calls = calls_of_loop(program, trace::Term::loop(0));
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->calls.size(), 3U);
  EXPECT_EQ(calls->turns, 2U) << "a barrier has no peer";
  const auto table = std::make_shared<const trace::RankTable>(program.table);
  const auto own = trace::project(program, table, 3);
  const auto made = calls_of_rank(logical, own, 3, 0, 1, *calls);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->order.size(), 21U);
  EXPECT_EQ(made->turns[0].size(), 7U);
  EXPECT_EQ(made->turns[0], made->turns[1]);
}

} // namespace
} // namespace rondo::logical::internal
