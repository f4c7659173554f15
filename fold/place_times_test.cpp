// SPDX-License-Identifier: Apache-2.0
#include "fold/place_times.hpp"

#include "rondo/fold/merge.hpp"
#include "rondo/fold/refold.hpp"
#include "tests/support/spmd.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace rondo::fold {
namespace {

using support::RankRecorder;
using support::Ranks;
using trace::PlaceTimes;
using trace::Trace;

PlaceTimes times_of(std::initializer_list<std::uint64_t> durations) {
  PlaceTimes times;
  for (const std::uint64_t ns : durations) {
    times.computation.add(ns);
    times.inside.add(2 * ns);
  }
  return times;
}

TEST(DealtTimes, AddUpToWhatThereWas) {
  const PlaceTimes all = times_of({1, 7, 7, 900, 900, 901, 50'000, 50'000, 3, 0, 12});
  const std::vector<PlaceTimes> shares = dealt(all, {3, 7, 1});
  std::uint64_t sum = 0;
  trace::BinCounts bins;
  for (const PlaceTimes& share : shares) {
    EXPECT_EQ(share.computation.count, share.inside.count);
    EXPECT_NEAR(share.inside.mean_ns(), all.inside.mean_ns(), 1);
    sum += share.inside.sum_ns;
    for (std::size_t i = 0; i < bins.size(); ++i) bins.add(i, share.inside.bins[i]);
  }
  EXPECT_EQ(shares[0].inside.count, 3U);
  EXPECT_EQ(shares[1].inside.count, 7U);
  EXPECT_EQ(shares[2].inside.count, 1U);
  EXPECT_EQ(sum, all.inside.sum_ns);
  EXPECT_EQ(bins, all.inside.bins);
}

TEST(DealtTimes, OneShareOfAllIsNotShared) {
  const std::vector<PlaceTimes> shares = dealt(times_of({5, 6}), {0, 1});
  EXPECT_EQ(shares[0].inside.count, 0U);
  EXPECT_EQ(shares[1].inside.count, 2U);
  EXPECT_EQ(shares[1].shared, 0U);
}

// Calls that are one place of a rank stand at several once the ranks are merged, as in a sort whose
// counts differ.
Ranks ranks_that_differ() {
  Ranks ranks;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    auto& me = *ranks.emplace_back(std::make_unique<RankRecorder>(rank, 2));
    for (int round = 0; round < 6; ++round) {
      me.call("MPI_Allreduce", {{"count", 4}}, 1);
      me.call("MPI_Barrier", {}, 2);
      // Equal counts fold into loops, at other places of each rank.
      me.call("MPI_Bcast", {{"count", rank == 0 ? round / 2 : round / 3}, {"root", 0}}, 3);
    }
  }
  return ranks;
}

std::vector<RecordingPart> parts_in_order(const Ranks& ranks) {
  std::vector<RecordingPart> parts;
  for (const auto& rank : ranks) parts.push_back(rank->part());
  return parts;
}

void expect_every_call_timed(const Trace& trace, const char* what) {
  for (const trace::RankClass& c : trace.classes) {
    const auto occurrences = c.program->nest.occurrences(c.program->calls.size());
    std::vector<std::uint64_t> timed(occurrences.size(), 0);
    for (const PlaceTimes& place : c.program->times) timed[place.call] += place.inside.count;
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      EXPECT_EQ(timed[i], occurrences[i] * static_cast<std::uint64_t>(c.ranks.size()))
          << what << ", ranks " << c.ranks.text() << ", call " << i;
    }
  }
}

TEST(DealtTimes, EveryPlaceOfMergedRanksHasThoseOfItsCalls) {
  const Ranks ranks = ranks_that_differ();
  const Trace merged = resolve(support::merged(parts_in_order(ranks), {0, 1}));
  ASSERT_EQ(merged.programs.size(), 1U);
  expect_every_call_timed(merged, "merged");
  bool is_shared = false;
  for (const trace::RankClass& c : merged.classes) {
    for (const PlaceTimes& place : c.program->times) is_shared = is_shared || place.shared != 0;
  }
  EXPECT_TRUE(is_shared);
}

TEST(DealtTimes, EveryPlaceOfARefoldedTraceHasThoseOfItsCalls) {
  const Trace merged = resolve(support::merged(parts_in_order(ranks_that_differ()), {0, 1}));
  expect_every_call_timed(refold(merged, Folding::kFull, {}).trace, "refolded");
}

} // namespace
} // namespace rondo::fold
