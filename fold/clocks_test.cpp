// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/merge.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rondo::fold {
namespace {

constexpr std::int64_t kUnix_ns = 1'700'000'000'000'000'000;
constexpr std::int64_t kSecond_ns = 1'000'000'000;

trace::TimeStamps one_call(std::int64_t rank, std::int64_t origin_unix_ns, std::uint64_t start_ns) {
  trace::TimeStampWriter writer;
  writer.add({start_ns, 0, 1000});
  trace::TimeStamps stamps = writer.take();
  stamps.rank = rank;
  stamps.origin_unix_ns = origin_unix_ns;
  return stamps;
}

// A rank whose host's clock counts from `host_ns` when its stamps begin.
void add(RecordingPart& part, std::int64_t rank, trace::RankClock clock, std::uint64_t start_ns) {
  trace::RankFacts facts;
  facts.clock = clock;
  part.ranks.emplace_back(rank, facts);
  part.stamps.push_back(one_call(rank, clock.origin_unix_ns, start_ns));
}

std::int64_t start_of(const trace::Trace& trace, std::int64_t rank) {
  const trace::TimeStamps& stamps = *trace.stamps_of(rank);
  trace::TimeStampReader reader(stamps);
  return stamps.origin_unix_ns + static_cast<std::int64_t>(reader.next_on_common_clock()->start_ns);
}

// Calls at the same moment: on the first host 2 s after its stamps begin; the second host's
// calendar is 7 s behind, its clock counts from another time, and is 10 ppm slow.
TEST(Clocks, OfTwoHostsBecomeOne) {
  RecordingPart part;
  part.run.ranks = 3;
  trace::RankClock first{.host = 1, .origin_unix_ns = kUnix_ns, .origin_host_ns = 50};
  first.error_ns = 100;
  first.to_common_ns = kUnix_ns - 50;
  add(part, 0, first, 2 * kSecond_ns);
  trace::RankClock second{
      .host = 2, .origin_unix_ns = kUnix_ns - 7 * kSecond_ns, .origin_host_ns = 900 * kSecond_ns};
  second.error_ns = 3000;
  second.to_common_ns = kUnix_ns - 900 * kSecond_ns;
  second.to_common_gain_ppt = 10'000'000;
  add(part, 1, second, 2 * kSecond_ns - 20'000);
  // It began a second of its host's later, 10 us behind the common one, does not ask itself, and
  // counts 5 ppm faster than its host.
  trace::RankClock third{
      .host = 2, .origin_unix_ns = kUnix_ns - 6 * kSecond_ns, .origin_host_ns = 901 * kSecond_ns};
  third.gain_ppt = -5'000'000;
  add(part, 2, third, kSecond_ns - 15'000);
  const trace::Trace trace = resolve(std::move(part));
  const std::int64_t moment = kUnix_ns + 2 * kSecond_ns;
  EXPECT_EQ(start_of(trace, 0), moment);
  EXPECT_NEAR(static_cast<double>(start_of(trace, 1) - moment), 0, 10);
  EXPECT_NEAR(static_cast<double>(start_of(trace, 2) - moment), 0, 10);
  EXPECT_EQ(trace.ranks[1].clock->correction_ns, 7 * kSecond_ns);
  EXPECT_EQ(trace.ranks[2].clock->error_ns, 3000u);
  EXPECT_EQ(trace.ranks[2].clock->host, 0u);
}

TEST(Clocks, OfRanksOnOneHostNeedNoComparison) {
  RecordingPart part;
  part.run.ranks = 2;
  add(part, 0, {.host = 9, .origin_unix_ns = kUnix_ns, .origin_host_ns = 100}, 5000);
  // The calendar was read late: this rank was displaced meanwhile.
  add(part, 1, {.host = 9, .origin_unix_ns = kUnix_ns + 40'000, .origin_host_ns = 1100}, 4000);
  const trace::Trace trace = resolve(std::move(part));
  EXPECT_EQ(start_of(trace, 0), start_of(trace, 1));
  EXPECT_EQ(trace.ranks[1].clock->correction_ns, -39'000);
}

TEST(Clocks, AreNotKeptWhereNothingIsCompared) {
  RecordingPart part;
  part.run.ranks = 1;
  trace::RankFacts facts;
  facts.clock = trace::RankClock{.host = 9, .origin_unix_ns = kUnix_ns, .origin_host_ns = 100};
  part.ranks.emplace_back(0, facts);
  EXPECT_EQ(*resolve(std::move(part)).ranks[0].clock, trace::RankClock());
}

} // namespace
} // namespace rondo::fold
