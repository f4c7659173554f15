// SPDX-License-Identifier: Apache-2.0
#include "present/program/printed_program.hpp"

#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::present {
namespace {

using support::Caller;

// Five messages and a sum with this tag, made at these sites.
void exchange(Caller& s, std::int64_t tag, std::uint32_t first_site) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    s.site = first_site + i;
    s.call("MPI_Send", {{"count", 10 * i + 1},
                        {"datatype", support::kDouble},
                        {"dest", (s.rank + 1) % s.ranks},
                        {"tag", tag},
                        {"comm", support::kWorld}});
  }
  s.site = first_site + 5;
  s.call("MPI_Allreduce",
         {{"count", 1}, {"datatype", support::kDouble}, {"op", -3}, {"comm", support::kWorld}});
}

void barrier(Caller& s) { s.call("MPI_Barrier", {{"comm", support::kWorld}}); }

std::string printed(const trace::Trace& trace, bool is_inline, bool has_sites = false) {
  trace::ProgramTextOptions lines{.times = false};
  lines.site = [&](const trace::Call& call) {
    return has_sites ? "x.c:" + std::to_string(call.site) : std::string();
  };
  std::vector<PrintedPart> parts;
  parts.push_back({"all:", trace::lines_of_merged(trace, 0, lines)});
  return printed_text("program x", std::move(parts), {.is_inline = is_inline});
}

TEST(PrintedProgram, WhatComesAgainWithAnotherTagIsAProcedure) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    exchange(s, 5, 1);
    barrier(s);
    exchange(s, 7, 1);
    barrier(s);
    barrier(s);
    exchange(s, 5, 1);
  });
  const std::string text = printed(trace, false);
  EXPECT_NE(text.find("procedure part_1(tag):\n  MPI_Send("), std::string::npos) << text;
  EXPECT_NE(text.find("tag=$tag, comm=MPI_COMM_WORLD)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("all:\n  call part_1(tag=5)\n  MPI_Barrier("), std::string::npos) << text;
  EXPECT_NE(text.find("  call part_1(tag=7)\n"), std::string::npos) << text;
  const std::string whole = printed(trace, true);
  EXPECT_EQ(whole.find("procedure"), std::string::npos);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 2 + 3 * 6 + 3) << whole;
}

TEST(PrintedProgram, CallsAtOtherSitesAreOthersWhereSitesAreSaid) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    exchange(s, 5, 0);
    barrier(s);
    exchange(s, 5, 5);
    barrier(s);
    barrier(s);
    exchange(s, 5, 10);
  });
  EXPECT_NE(printed(trace, false).find("call part_1"), std::string::npos) << printed(trace, false);
  EXPECT_EQ(printed(trace, false, true).find("call"), std::string::npos);
}

} // namespace
} // namespace rondo::present
