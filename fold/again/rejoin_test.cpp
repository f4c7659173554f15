// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/rejoin.hpp"

#include "tests/support/nest_text.hpp"
#include "tests/support/spmd.hpp"

#include <gtest/gtest.h>
#include <random>

namespace rondo::fold {
namespace {

using support::Event;
using support::events_of;
using support::IsStream;
using support::Pattern;
using support::RankRecorder;

constexpr std::int64_t kRejoinedRanks = 8;

// The events again, recorded in chunks that end where `ends` says.
std::vector<RecordingPart> chunks_of(const RankRecorder& whole,
                                     const std::vector<std::size_t>& ends) {
  std::vector<RecordingPart> chunks;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    RankRecorder chunk(whole.rank(), kRejoinedRanks);
    for (; at < end; ++at) chunk.record(whole.events()[at]);
    chunks.push_back(chunk.part());
  }
  return chunks;
}

std::uint64_t calls_timed(const trace::Trace& trace) {
  std::uint64_t calls = 0;
  for (const trace::PlaceTimes& place : trace.classes.front().program->times)
    calls += place.inside.count;
  return calls;
}

// Chunks as a recorder seals them: time stamps go on from one to the next.
std::vector<RecordingPart> chunks_with_stamps(const RankRecorder& whole,
                                              const std::vector<std::size_t>& ends) {
  std::vector<RecordingPart> chunks = chunks_of(whole, ends);
  trace::TimeStampWriter writer;
  std::size_t at = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (; at < ends[i]; ++at) writer.add(whole.times()[at]);
    chunks[i].stamps.push_back(writer.take());
    chunks[i].stamps.back().rank = whole.rank();
  }
  return chunks;
}

std::vector<trace::CallTime> times_of(const trace::TimeStamps& stamps) {
  std::vector<trace::CallTime> times;
  trace::TimeStampReader reader(stamps);
  while (const auto time = reader.next()) times.push_back(*time);
  return times;
}

class Rejoin : public testing::TestWithParam<Pattern> {};

TEST_P(Rejoin, GivesTheCallsAndTimesOfTheWhole) {
  std::mt19937 random(7);
  for (const auto& rank : support::run(GetParam(), kRejoinedRanks, 50)) {
    const std::size_t size = rank->events().size();
    std::vector<std::size_t> ends = {random() % size, random() % size, random() % size, size};
    std::sort(ends.begin(), ends.end());
    auto joined = rejoin(chunks_of(*rank, ends));
    ASSERT_TRUE(joined) << joined.error().text();
    const trace::Trace trace = resolve(std::move(*joined));
    EXPECT_THAT(events_of(trace, rank->rank()), IsStream(rank->events()));
    EXPECT_EQ(calls_timed(trace), size);
  }
}

// Where the program is a loop, the cuts must not show.
TEST_P(Rejoin, FoldsAcrossTheBorders) {
  for (const auto& rank : support::run(GetParam(), kRejoinedRanks, 50)) {
    const std::size_t size = rank->events().size();
    auto joined = rejoin(chunks_of(*rank, {size / 3, size / 2, size}));
    ASSERT_TRUE(joined) << joined.error().text();
    const trace::MergedProgram& program = joined->classes.front().program;
    const fold::RecordingPart whole = rank->part();
    EXPECT_EQ(program.top, whole.classes.front().program.top);
    EXPECT_EQ(program.loops, whole.classes.front().program.loops);
  }
}

TEST_P(Rejoin, KeepsTheTimesOfEveryCall) {
  for (const auto& rank : support::run(GetParam(), kRejoinedRanks, 50)) {
    const std::size_t size = rank->events().size();
    auto joined = rejoin(chunks_with_stamps(*rank, {size / 3, size / 2, size}));
    ASSERT_TRUE(joined) << joined.error().text();
    const trace::Trace trace = resolve(std::move(*joined));
    const trace::TimeStamps* stamps = trace.stamps_of(rank->rank());
    ASSERT_NE(stamps, nullptr);
    EXPECT_EQ(stamps->calls, size);
    EXPECT_EQ(times_of(*stamps), rank->times());
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, Rejoin, testing::ValuesIn(support::kPatterns),
                         [](const auto& param) { return support::name_of(param.param); });

TEST(RejoinErrors, ChunksOfTwoRanksAreRefused) {
  const support::Ranks ranks = support::run(Pattern::kRing, kRejoinedRanks, 2);
  std::vector<RecordingPart> chunks;
  chunks.push_back(ranks[0]->part());
  chunks.push_back(ranks[1]->part());
  const auto joined = rejoin(std::move(chunks));
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kDamaged);
}

// What a recorder writes now and then while the program runs.
TEST(Snapshot, ACopyEndsWithTheCallsSoFarAndTheBuilderGoesOn) {
  const support::Ranks ranks = support::run(Pattern::kUneven, kRejoinedRanks, 200);
  const std::vector<Event>& events = ranks[3]->events();
  RankRecorder recorder(3, kRejoinedRanks);
  for (std::size_t i = 0; i < events.size(); ++i) {
    recorder.record(events[i]);
    if (i % 97 != 0) continue;
    RankRecorder copy = recorder;
    const trace::Trace trace = support::trace_of(copy);
    EXPECT_THAT(events_of(trace, 3),
                IsStream(std::vector<Event>(events.begin(),
                                            events.begin() + static_cast<std::ptrdiff_t>(i) + 1)));
  }
  EXPECT_THAT(events_of(support::trace_of(recorder), 3), IsStream(events));
}

} // namespace
} // namespace rondo::fold
