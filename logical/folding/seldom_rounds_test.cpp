// SPDX-License-Identifier: Apache-2.0
// What comes in some rounds of a loop, where it would be a loop in a loop else.
#include "rondo/logical/logical_text.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace rondo::logical {
namespace {

using support::Caller;

std::string seldom_text(const trace::Trace& trace) {
  return logical_text(text_of(logicalize_for_text(trace), nullptr), {.times = false});
}

void to_the_east(Caller& s, std::uint32_t site, std::int64_t tag) {
  s.site = site;
  s.call("MPI_Send", {{"count", 8},
                      {"datatype", support::kDouble},
                      {"dest", (s.rank + 1) % s.ranks},
                      {"tag", tag},
                      {"comm", support::kWorld}});
  s.site = site + 1;
  s.receive((s.rank + s.ranks - 1) % s.ranks, 8);
}

void reduce(Caller& s, std::uint32_t site) {
  s.site = site;
  s.call("MPI_Allreduce", {{"count", 1}, {"comm", support::kWorld}});
}

// As many lines as "loop 3: loop 1, 3 x2: exchange; allreduce", which says less.
TEST(SeldomRounds, AListOfCountsIsWorthAnIf) {
  const std::string text = seldom_text(support::recorded(5, [](Caller& s) {
    for (int step = 0; step < 7; ++step) {
      to_the_east(s, 1, 0);
      if (step % 3 == 0) reduce(s, 3);
    }
  }));
  EXPECT_NE(text.find("  loop 7:\n"
                      "    send east 8 double  tag 0\n"
                      "    recv west 8 double  tag 0\n"
                      "    in every 3rd round from 1:\n"
                      "      allreduce 1\n"),
            std::string::npos)
      << text;
}

// A tag for each dimension is no choice that the flow of control leaves open.
TEST(SeldomRounds, IntervalsCrossAroundALoopOverTags) {
  trace::Trace trace = support::recorded(5, [](Caller& s) {
    for (int step = 0; step < 90; ++step) {
      s.site = 2;
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
      for (int tag = 0; tag < 3; ++tag) to_the_east(s, 3, tag);
      if (step % 15 == 0) reduce(s, 5);
      s.site = 6;
      if (step % 40 == 39) s.call("MPI_Alltoall", {{"sendcount", 8}, {"comm", support::kWorld}});
    }
  });
  trace.run.command = "program"; // whose sites these are, and no library's
  const std::string text = seldom_text(trace);
  EXPECT_NE(text.find("  loop 90:\n"
                      "    barrier\n"
                      "    loop 3:\n"
                      "      send east 8 double  tag 0,1,2\n"
                      "      recv west 8 double  tag 0\n"
                      "    in every 15th round from 1:\n"
                      "      allreduce 1\n"
                      "    in every 40th round:\n"),
            std::string::npos)
      << text;
}

// `if (step == 0)`, or the last one, in the middle of a round.
TEST(SeldomRounds, WhatOneEndHasMoreIsInTheLoop) {
  for (const int with : {0, 8}) {
    const std::string text = seldom_text(support::recorded(5, [with](Caller& s) {
      for (int step = 0; step < 9; ++step) {
        to_the_east(s, 1, 0);
        if (step == with) {
          s.site = 3;
          s.call("MPI_Barrier", {{"comm", support::kWorld}});
        }
        reduce(s, 4);
      }
    }));
    EXPECT_NE(text.find("  loop 9:\n    send east 8 double  tag 0\n"), std::string::npos) << text;
    const std::string head = with == 0 ? "in the first round:" : "in the last round:";
    EXPECT_NE(text.find("    " + head + "\n      barrier\n    allreduce"), std::string::npos)
        << text;
  }
}

} // namespace
} // namespace rondo::logical
