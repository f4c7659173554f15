// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/pattern_functions.hpp"

#include <gtest/gtest.h>

namespace rondo::present {
namespace {

// A program whose calls stand in functions, each site with its caller before it.
struct Program {
  std::uint32_t site(const std::string& function, std::uint32_t caller = 0) {
    trace.sites.push_back({"/opt/app", 16 * trace.sites.size(), caller});
    trace.names.push_back({function, "", "app.c", 10 + trace.names.size(), 0});
    return static_cast<std::uint32_t>(trace.sites.size() - 1);
  }
  std::string text(const std::map<std::uint32_t, std::uint64_t>& calls) {
    sites::Resolver resolver(trace, sites::Modules::kNone);
    return functions_text(resolver, calls);
  }
  trace::Trace trace;
};

TEST(PatternFunctions, OneFunctionIsNamed) {
  Program program;
  const auto send = program.site("exchange");
  const auto receive = program.site("exchange");
  EXPECT_EQ(program.text({{send, 3}, {receive, 3}}), " in exchange");
}

TEST(PatternFunctions, TheInnermostThatAllCallsHaveOnTheirStackIsNamed) {
  Program program;
  const auto begin = program.site("main");
  const auto cycle = program.site("cycle", begin + 1);
  const auto exchange = program.site("exchange", cycle + 1);
  const auto restriction = program.site("restrict", cycle + 1);
  EXPECT_EQ(program.text({{exchange, 4}, {restriction, 1}}), " in cycle");
  EXPECT_EQ(program.text({{exchange, 4}, {cycle, 1}}), " in cycle");
}

// That all is called by main is no news.
TEST(PatternFunctions, WhatHasOnlyItsBeginInCommonIsNamedByMostCalls) {
  Program program;
  const auto begin = program.site("main");
  const auto pack = program.site("pack", begin + 1);
  const auto unpack = program.site("unpack", begin + 1);
  const auto check = program.site("check", begin + 1);
  EXPECT_EQ(program.text({{pack, 2}, {unpack, 5}}), " in unpack and pack");
  EXPECT_EQ(program.text({{pack, 2}, {unpack, 5}, {check, 1}}),
            " in unpack, pack and 1 more function");
  EXPECT_EQ(program.text({{begin, 1}}), " in main");
}

TEST(PatternFunctions, OfStrippedProgramsTheFileIsNamed) {
  Program program;
  const auto call = program.site("");
  program.trace.names.clear();
  EXPECT_EQ(program.text({{call, 1}}), " in app");
  EXPECT_EQ(program.text({}), "");
}

} // namespace
} // namespace rondo::present
