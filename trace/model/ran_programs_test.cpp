// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/ran_programs.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rondo::trace {
namespace {

Trace run_of(const std::vector<std::pair<std::vector<std::int64_t>, std::string>>& modules) {
  Trace trace;
  trace.run.command = "/opt/ocean/model.x -n 5";
  for (const auto& [ranks, module] : modules) {
    auto program = std::make_shared<Program>();
    program->calls.emplace_back().site = static_cast<std::uint32_t>(trace.sites.size());
    trace.sites.push_back({module, 16, 0});
    trace.classes.push_back({RankSet::of(ranks), 0, program});
  }
  return trace;
}

TEST(RanPrograms, SeveralAreSaidWithTheirRanks) {
  const Trace trace =
      run_of({{{0, 1}, "/opt/model.x"}, {{2, 4}, "/opt/air.x"}, {{3}, "/opt/model.x"}});
  const auto programs = ran_programs(trace);
  EXPECT_EQ(ran_programs_text(programs), "ranks 0-1,3 run model.x, ranks 2,4 run air.x");
  EXPECT_EQ(program_name(trace), "model.x, air.x");
}

TEST(RanPrograms, OneProgramIsThatOfTheCommand) {
  const Trace trace = run_of({{{0, 1}, "/opt/model.x"}, {{2}, "/opt/model.x"}});
  EXPECT_TRUE(ran_programs(trace).empty());
  EXPECT_EQ(program_name(trace), "model.x");
}

TEST(RanPrograms, PathsMayHaveBlanks) {
  EXPECT_EQ(program_name("'/opt/my models/air 2' -n 5"), "air 2");
  EXPECT_EQ(program_name(""), "");
}

TEST(RanPrograms, CallsInLibrariesDoNotTell) {
  EXPECT_TRUE(
      ran_programs(run_of({{{0}, "/opt/model.x"}, {{1}, "/usr/lib/libpetsc.so.3"}})).empty());
}

TEST(RanPrograms, CallersTellWhereCallsStandInLibraries) {
  Trace trace = run_of({{{0}, "/opt/model.x"}, {{1}, "/usr/lib/libpetsc.so.3"}});
  trace.sites.push_back({"/usr/lib/libpetsc.so.3", 32, 0});
  trace.sites[1].module = "/opt/air.x"; // which calls what is called now
  trace.sites[2].caller = 2;
  auto program = std::make_shared<Program>();
  program->calls.emplace_back().site = 2;
  trace.classes[1].program = program;
  EXPECT_EQ(ran_programs_text(ran_programs(trace)), "rank 0 runs model.x, rank 1 runs air.x");
}

} // namespace
} // namespace rondo::trace
