// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/turned_ranks.hpp"

#include "rondo/logical/comparison.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/trace_size.hpp"
#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using internal::with_turned_ranks;
using support::Caller;
using ::testing::HasSubstr;

void barrier(Caller& c) { c.call("MPI_Barrier", {{"comm", support::kWorld}}); }

void send(Caller& c, std::int64_t to) {
  c.site = 2;
  c.send(to, 8);
}

void receive(Caller& c, std::int64_t from) {
  c.site = 1;
  c.receive(from, 8);
}

// Row k by its owner to all others, one by one.
trace::Trace rows_by_hand(std::int64_t ranks, bool turns = true) {
  return support::recorded(ranks, [&](Caller& c) {
    for (std::int64_t k = 0; k < 4 * c.ranks; ++k) {
      const std::int64_t owner = turns ? k % c.ranks : 0;
      if (c.rank != owner) receive(c, owner);
      for (std::int64_t to = 0; c.rank == owner && to < c.ranks; ++to)
        if (to != owner) send(c, to);
    }
    barrier(c);
  });
}

// Row k from its owner round a ring.
trace::Trace rows_passed_on(std::int64_t ranks) {
  return support::recorded(ranks, [](Caller& c) {
    for (std::int64_t k = 0; k < 4 * c.ranks; ++k) {
      const std::int64_t owner = k / 4;
      const std::int64_t next = (c.rank + 1) % c.ranks;
      if (c.rank != owner) receive(c, (c.rank + c.ranks - 1) % c.ranks);
      if (next != owner) send(c, next);
    }
  });
}

std::string checked_text(const trace::Trace& trace) {
  const LogicalProgram logical = logicalize_for_text(trace);
  const std::string text = logical_text(text_of(logical, nullptr), {.times = false});
  const auto again = parse_logical_text(text, "text");
  EXPECT_TRUE(again && logical_text(*again, {.times = false}) == text) << text;
  for (const SiteAccuracy& site : off_topology(trace, logical).sites)
    EXPECT_EQ(site.outside.calls, 0U) << text;
  return text;
}

TEST(TurnedRanks, WhoSendsRowsInTurnIsTheCentreOfAStar) {
  for (const std::int64_t ranks : {6, 9}) {
    const trace::Trace trace = rows_by_hand(ranks);
    const std::string n = std::to_string(ranks);
    EXPECT_THAT(
        checked_text(trace),
        HasSubstr("  on star of " + n + " ranks: centre, leaf 0.." + std::to_string(ranks - 2) +
                  "\n  led in turn by all ranks\n"
                  "  if at the centre:\n    loop " +
                  std::to_string(4 * ranks * (ranks - 1)) +
                  ":\n      send leaf 8 double  tag 0\n"
                  "  if at a leaf:\n    loop " +
                  std::to_string(4 * ranks) + ":\n      recv centre 8 double  tag 0\n  barrier\n"));
    EXPECT_EQ(trace::calls_in(with_turned_ranks(trace)->trace), trace::calls_in(trace));
  }
}

TEST(TurnedRanks, WhatGoesRoundARingFromItsOwnerIsAChain) {
  EXPECT_THAT(checked_text(rows_passed_on(7)),
              HasSubstr("  on chain of 7 ranks: west, east\n  led in turn by all ranks\n"
                        "  loop 28:\n    recv west 8 double  tag 0\n"
                        "    send east 8 double  tag 0\n"));
}

TEST(TurnedRanks, OneLeaderIsAStarAsItIs) {
  EXPECT_FALSE(with_turned_ranks(rows_by_hand(6, false)));
}

// Its laps are no rounds of one message less, each of which another rank begins.
TEST(TurnedRanks, ATokenIsPassedOnByNobodyInTurn) {
  EXPECT_FALSE(with_turned_ranks(support::recorded(5, [](Caller& c) {
    for (int lap = 0; lap < 12; ++lap) {
      if (c.rank > 0) receive(c, c.rank - 1);
      send(c, (c.rank + 1) % c.ranks);
      if (c.rank == 0) receive(c, c.ranks - 1);
    }
  })));
}

TEST(TurnedRanks, RequestsThatStayOpenBelongToNoRound) {
  EXPECT_FALSE(with_turned_ranks(support::recorded(5, [](Caller& c) {
    for (std::int64_t k = 0; k < 4 * c.ranks; ++k) {
      const std::int64_t owner = k % c.ranks;
      if (c.rank != owner) receive(c, owner);
      for (std::int64_t to = 0; c.rank == owner && to < c.ranks; ++to)
        if (to != owner) c.send(to, 8, support::kDouble, support::kWorld, "MPI_Isend");
    }
  })));
}

TEST(TurnedRanks, AreAnotherProgramThanRanksThatStayWhereTheyAre) {
  const auto text_of_run = [](const trace::Trace& trace) {
    return text_of(logicalize_for_text(trace), nullptr);
  };
  const LogicalText six = text_of_run(rows_by_hand(6));
  EXPECT_FALSE(compare(six, text_of_run(rows_by_hand(9))).difference);
  EXPECT_TRUE(compare(six, text_of_run(rows_by_hand(6, false))).difference);
}

} // namespace
} // namespace rondo::logical
