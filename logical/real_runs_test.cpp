// SPDX-License-Identifier: Apache-2.0
// The NAS benchmarks' traces: every rank's calls come back, whatever the numbers of the ranks.
#include "rondo/convert/allprof.hpp"
#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/logical/procedures.hpp"
#include "tests/support/chosen_cases.hpp"
#include "tests/support/shuffled.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace rondo::logical {
namespace {

class RealRun : public testing::TestWithParam<const char*> {};

TEST_P(RealRun, ExpandsToEveryRanksCalls) {
  const char* folder = std::getenv("RONDO_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
  const bool is_long = std::string_view(GetParam()) == "lu.B.16"; // five times as long as lu.A.8
  if (is_long && !support::looks_at_all_cases()) GTEST_SKIP() << "RONDO_TEST_CASES is not all";
  const auto imported =
      convert::read_simgrid_ti(std::string(folder) + "/ti/" + GetParam() + ".tar.zst", {});
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(support::difference(imported->trace, logicalize(imported->trace)), "");
}

INSTANTIATE_TEST_SUITE_P(Nas, RealRun,
                         testing::Values("lu.A.8", "sp.A.9", "bt.A.16", "cg.B.16", "mg.B.16",
                                         "lu.B.16"),
                         [](const auto& run) {
                           std::string name = run.param;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

// A wavefront from each corner of 2x2 ranks, which could be a ring as well.
class RealSweep : public testing::Test {
protected:
  void SetUp() override {
    const char* const data = std::getenv("RONDO_TEST_DATA");
    if (data == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
    const std::string folder = std::string(data) + "/liballprof/sweep3d-2x2";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
    auto imported = convert::read_allprof(folder, {});
    ASSERT_TRUE(imported) << imported.error().text();
    trace_ = std::move(imported->trace);
  }

  trace::Trace trace_;
};

TEST_F(RealSweep, ASweepOverFourRanksIsOnAGrid) {
  const LogicalProgram program = logicalize(trace_);
  const std::string text = logical_text(text_of(program, nullptr), {.times = false});
  EXPECT_NE(text.find("on 2x2 grid: "), std::string::npos) << text;
  EXPECT_EQ(support::difference(trace_, program), "");
}

TEST_F(RealSweep, EachCornerIsOneSweepInTheOrderOfItsCalls) {
  for (const bool keeps_order : {false, true}) {
    const LogicalProgram program = logicalize_for_text(trace_, true, false, keeps_order);
    const LogicalText words = with_procedures(text_of(program, nullptr));
    const std::string text = logical_text(words, {.times = false});
    EXPECT_NE(text.find("on 2x2 grid: "), std::string::npos) << text;
    EXPECT_NE(text.find("recv $from 36000 byte  tag $tag\n      recv $from_2 36000 byte"),
              std::string::npos)
        << text;
    EXPECT_TRUE(words.beyond.sets.empty()) << text;
    EXPECT_LE(words.records(), 30U) << text;
  }
}

} // namespace
} // namespace rondo::logical
