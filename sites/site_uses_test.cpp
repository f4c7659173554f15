// SPDX-License-Identifier: Apache-2.0
#include "rondo/sites/site_uses.hpp"

#include "rondo/fold/merge.hpp"
#include "tests/support/events.hpp"

#include <gtest/gtest.h>

namespace rondo::sites {
namespace {

// Two ranks; the second one calls twice as often from site 5.
trace::Trace two_ranks() {
  fold::RecordingPart parts[2];
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    support::RankRecorder recorder(rank, 2);
    recorder.call("MPI_Init", {}, 1);
    for (int i = 0; i < 10 * (rank + 1); ++i) recorder.call("MPI_Barrier", {}, 5);
    recorder.call("MPI_Bcast", {}, 5);
    recorder.call("MPI_Barrier", {}, 6);
    parts[rank] = recorder.part();
  }
  fold::merge(parts[0], std::move(parts[1]));
  return fold::resolve(std::move(parts[0]));
}

TEST(SiteUses, AddUpOverRanksAndAreToldApartByFunction) {
  const auto uses = site_uses(two_ranks());
  ASSERT_EQ(uses.size(), 4U);
  const auto calls = [&](std::string_view name, std::uint32_t site) {
    for (const SiteUse& use : uses) {
      if (use.function->name == name && use.site == site) return use.calls;
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(calls("MPI_Init", 1), 2U);
  EXPECT_EQ(calls("MPI_Barrier", 5), 30U);
  EXPECT_EQ(calls("MPI_Bcast", 5), 2U);
  EXPECT_EQ(calls("MPI_Barrier", 6), 2U);
}

TEST(SiteUses, ComeInTheOrderOfTimeAndHoldAllOfIt) {
  trace::Trace trace = two_ranks();
  std::uint64_t all = 0;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::PlaceTimes& place : c.program->times) all += place.inside.sum_ns;
  }
  ASSERT_GT(all, 0U);
  std::uint64_t before = all;
  std::uint64_t sum = 0;
  for (const SiteUse& use : site_uses(trace)) {
    if (!use.is_frame()) {
      EXPECT_LE(use.inside_ns, before);
      before = use.inside_ns;
    }
    sum += use.inside_ns;
  }
  EXPECT_EQ(sum, all);
  EXPECT_TRUE(site_uses(trace).back().is_frame());
}

TEST(SiteUses, ComeInTheOrderOfCallsWithoutTimes) {
  trace::Trace trace = two_ranks();
  for (trace::RankClass& c : trace.classes) {
    auto program = std::make_shared<trace::Program>(*c.program);
    program->times.clear();
    c.program = std::move(program);
  }
  const auto uses = site_uses(trace);
  EXPECT_EQ(uses.front().function->name, "MPI_Barrier");
  EXPECT_EQ(uses.front().site, 5U);
  EXPECT_EQ(uses.front().inside_ns, 0U);
}

} // namespace
} // namespace rondo::sites
