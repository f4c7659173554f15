// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/program_builder.hpp"

#include "tests/support/chosen_cases.hpp"
#include "tests/support/events.hpp"
#include "tests/support/streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::fold {
namespace {

using support::Event;
using support::event_of;
using support::events_of;
using support::IsStream;
using support::pick;
using support::Random;
using support::RankRecorder;
using trace::PlaceTimes;
using trace::Trace;
using trace::Word;

// What was recorded comes back call by call, and no time is lost.
void expect_kept(RankRecorder& rank) {
  const std::uint64_t computation_ns = rank.computation_ns();
  const std::uint64_t inside_ns = rank.inside_ns();
  const Trace trace = support::trace_of(rank);
  ASSERT_THAT(events_of(trace, rank.rank()), IsStream(rank.events()));
  std::uint64_t computation = 0;
  std::uint64_t inside = 0;
  std::uint64_t calls = 0;
  for (const PlaceTimes& place : trace.classes.front().program->times) {
    computation += place.computation.sum_ns;
    inside += place.inside.sum_ns;
    calls += place.inside.count;
    EXPECT_EQ(place.computation.count, place.inside.count);
    EXPECT_EQ(place.inside.bins.sum(), place.inside.count);
  }
  EXPECT_EQ(computation, computation_ns);
  EXPECT_EQ(inside, inside_ns);
  EXPECT_EQ(calls, rank.events().size());
}

std::size_t soft_calls(const Trace& trace) {
  std::size_t soft = 0;
  for (const trace::Call& call : trace.classes.front().program->calls) {
    soft += static_cast<std::size_t>(
        std::any_of(call.words.begin(), call.words.end(), [](const Word& word) {
          return word.form == Word::Form::kColumn || word.form == Word::Form::kRelativeColumn;
        }));
  }
  return soft;
}

TEST(ProgramBuilder, KeepsAnEmptyStream) {
  RankRecorder rank(0, 1);
  ASSERT_NO_FATAL_FAILURE(expect_kept(rank));
}

TEST(ProgramBuilder, KeepsExactCalls) {
  RankRecorder rank(3, 8);
  rank.call("MPI_Init");
  for (int i = 0; i < 500; ++i) {
    rank.call("MPI_Send", {{"count", 5}, {"dest", 4}, {"tag", 7}}, 1);
    rank.call("MPI_Recv", {{"count", 5}, {"source", 2}, {"tag", 7}}, 2);
    if (i % 10 == 0) rank.call("MPI_Barrier", {}, 3);
  }
  rank.call("MPI_Finalize");
  ASSERT_NO_FATAL_FAILURE(expect_kept(rank));
}

TEST(ProgramBuilder, FoldsCallsThatDifferOnlyByAColumn) {
  RankRecorder rank(0, 4);
  for (int i = 0; i < 1000; ++i) {
    rank.call("MPI_Send", {{"count", 5}, {"dest", 1}, {"tag", i % 100}}, 1);
    rank.call("MPI_Recv", {{"count", 5}, {"source", 1}, {"tag", i % 100}}, 2);
  }
  const Trace trace = support::trace_of(rank);
  EXPECT_THAT(events_of(trace, 0), IsStream(rank.events()));
  EXPECT_EQ(soft_calls(trace), 2U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(a b)*1000"));
}

TEST(ProgramBuilder, KeepsFewDifferentCallsApart) {
  RankRecorder rank(0, 4);
  for (int i = 0; i < 1000; ++i)
    rank.call("MPI_Send", {{"count", 5}, {"dest", 1}, {"tag", i % 3}}, 1);
  const Trace trace = support::trace_of(rank);
  EXPECT_EQ(soft_calls(trace), 0U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(a b c)*333 a"));
}

TEST(ProgramBuilder, KeepsRandomSizesTagsAndPeers) {
  for (std::uint64_t seed = 0; seed < support::number_of_seeds(20, 60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ProgramOptions options;
    options.soften_after = 1 + pick(random, 20);
    RankRecorder rank(static_cast<std::int64_t>(pick(random, 16)), 16, options);
    const std::int64_t counts = 1 + static_cast<std::int64_t>(pick(random, 200));
    const std::int64_t tags = 1 + static_cast<std::int64_t>(pick(random, 100));
    for (int i = 0; i < 2000; ++i) {
      const auto random_below = [&](std::int64_t limit) {
        return static_cast<std::int64_t>(pick(random, static_cast<std::uint64_t>(limit)));
      };
      const bool to_none = random_below(9) == 0;
      rank.call("MPI_Send",
                {{"count", random_below(counts)},
                 {"dest", to_none ? trace::kProcNull : random_below(16)},
                 {"tag", random_below(tags)}},
                static_cast<std::uint32_t>(random_below(2)));
      if (i % 3 == 0) rank.call("MPI_Recv", {{"source", trace::kAnySource}, {"tag", i % 50}}, 2);
      if (i % 100 == 0) rank.call("MPI_Allreduce", {{"count", random_below(3)}}, 3);
    }
    ASSERT_NO_FATAL_FAILURE(expect_kept(rank));
  }
}

// Few different calls, but in no order that folds.
TEST(ProgramBuilder, FoldsAMasterThatServesWhoeverAsks) {
  Random random(9);
  RankRecorder rank(0, 8);
  for (int i = 0; i < 3000; ++i) {
    const auto worker = static_cast<std::int64_t>(1 + pick(random, 7));
    rank.call("MPI_Recv", {{"count", 1}, {"source", worker}, {"tag", 7}}, 1);
    rank.call("MPI_Send", {{"count", 9}, {"dest", worker}, {"tag", 7}}, 2);
  }
  const Trace trace = support::trace_of(rank);
  EXPECT_EQ(soft_calls(trace), 2U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(a b)*3000"));
}

// Who comes when differs from one time to the next.
TEST(ProgramBuilder, FoldsReceivesFromAnybodyWhoeverCame) {
  RankRecorder rank(0, 5);
  const std::int64_t came[3][4] = {{2, 3, 4, 1}, {2, 3, 4, 1}, {1, 2, 3, 4}};
  for (const auto& order : came) {
    rank.call("MPI_Barrier", {}, 1);
    for (const std::int64_t source : order)
      rank.call("MPI_Recv", {{"count", 1}, {"source", trace::kAnySource}, {"status", source}}, 2);
  }
  const Trace trace = support::trace_of(rank);
  ASSERT_THAT(events_of(trace, rank.rank()), IsStream(rank.events()));
  EXPECT_EQ(soft_calls(trace), 1U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(a (b)*4)*3"));
}

// What is asked for behind a probe is what the probe found.
TEST(ProgramBuilder, FoldsWhatWasProbedForWhoeverSentIt) {
  RankRecorder rank(0, 5);
  const std::int64_t came[3][4] = {{2, 3, 4, 1}, {2, 3, 4, 1}, {1, 2, 3, 4}};
  for (const auto& order : came) {
    rank.call("MPI_Barrier", {}, 1);
    for (const std::int64_t source : order) {
      rank.call("MPI_Probe", {{"source", trace::kAnySource}, {"tag", 3}, {"status", source}}, 2);
      rank.call("MPI_Recv", {{"count", 10 * source}, {"source", source}, {"tag", 3}}, 3);
      rank.call("MPI_Send", {{"count", 1}, {"dest", source}, {"tag", 4}}, 4);
    }
  }
  const Trace trace = support::trace_of(rank);
  ASSERT_THAT(events_of(trace, rank.rank()), IsStream(rank.events()));
  EXPECT_EQ(soft_calls(trace), 3U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(a (b c d)*4)*3"));
}

TEST(ProgramBuilder, FoldsWaitsForPersistentReceivesFromAnybody) {
  RankRecorder rank(0, 5);
  for (int i = 0; i < 2; ++i)
    rank.call("MPI_Recv_init", {{"count", 1}, {"source", trace::kAnySource}}, 1);
  const std::int64_t came[4][2] = {{2, 3}, {2, 3}, {3, 2}, {4, 1}};
  for (const auto& order : came) {
    rank.call("MPI_Barrier", {}, 2);
    for (int i = 0; i < 2; ++i) rank.call("MPI_Wait", {{"request", i}, {"status", order[i]}}, 3);
  }
  const Trace trace = support::trace_of(rank);
  ASSERT_THAT(events_of(trace, rank.rank()), IsStream(rank.events()));
  EXPECT_EQ(soft_calls(trace), 1U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(a)*2 (b c c)*4"));
}

// Which of several requests is done first is chance as well, and who is answered then.
TEST(ProgramBuilder, FoldsAMasterThatWaitsForAny) {
  RankRecorder rank(0, 4);
  for (const std::int64_t index : {0, 1, 2, 1, 0, 0, 2, 1, 2}) {
    rank.call("MPI_Waitany", {{"index", index}}, 1);
    rank.call("MPI_Send", {{"count", 1}, {"dest", index + 1}, {"tag", 7}}, 2);
  }
  const Trace trace = support::trace_of(rank);
  ASSERT_THAT(events_of(trace, rank.rank()), IsStream(rank.events()));
  EXPECT_EQ(soft_calls(trace), 2U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(a b)*9"));
}

// A send that is not always an answer stays as it is.
TEST(ProgramBuilder, KeepsWhatComesElsewhereToo) {
  RankRecorder rank(0, 4);
  for (const std::int64_t source : {1, 2, 3, 2, 1, 3}) {
    rank.call("MPI_Recv", {{"count", 1}, {"source", trace::kAnySource}, {"status", source}}, 1);
    rank.call("MPI_Send", {{"count", 1}, {"dest", 1}, {"tag", 7}}, 2);
    rank.call("MPI_Send", {{"count", 1}, {"dest", 2}, {"tag", 7}}, 2);
  }
  const Trace trace = support::trace_of(rank);
  ASSERT_THAT(events_of(trace, rank.rank()), IsStream(rank.events()));
  EXPECT_EQ(soft_calls(trace), 1U);
  EXPECT_THAT(trace.classes.front().program->nest, support::IsNest("(c a b)*6"));
}

// First the tag varies and becomes a column; then the count, which takes a second column.
TEST(ProgramBuilder, SoftensAShapeTwice) {
  RankRecorder rank(1, 4);
  for (int i = 0; i < 300; ++i) rank.call("MPI_Send", {{"count", 5}, {"dest", 2}, {"tag", i}}, 1);
  for (int i = 0; i < 300; ++i) rank.call("MPI_Send", {{"count", i}, {"dest", 2}, {"tag", i}}, 1);
  for (int i = 0; i < 300; ++i)
    rank.call("MPI_Send", {{"count", i}, {"dest", i % 4}, {"tag", 3}}, 1);
  ASSERT_NO_FATAL_FAILURE(expect_kept(rank));
}

TEST(ProgramBuilder, FoldsAnewWhenItSoftens) {
  // Eight rounds are recorded before the shape has too many calls; they take part in the loop all
  // the same.
  RankRecorder rank(0, 2);
  for (int i = 0; i < 400; ++i) {
    rank.call("MPI_Barrier", {}, 2);
    rank.call("MPI_Send", {{"count", 1000 + i * i}, {"dest", 1}}, 1);
    rank.call("MPI_Send", {{"count", 7}, {"dest", 1}}, 3);
  }
  const Trace trace = support::trace_of(rank);
  EXPECT_THAT(events_of(trace, 0), IsStream(rank.events()));
  EXPECT_THAT(trace.classes.front().program->nest, support::HasTermsAtMost(4));
}

TEST(ProgramBuilder, SoftensALongStreamWithoutFoldingItAnew) {
  RankRecorder rank(0, 2);
  for (int i = 0; i < 210'000; ++i) rank.call("MPI_Barrier", {}, 1);
  for (int i = 0; i < 600; ++i)
    rank.call("MPI_Send", {{"count", i}, {"dest", 1}, {"tag", i % 7}}, 2);
  for (int i = 0; i < 600; ++i)
    rank.call("MPI_Send", {{"count", i}, {"dest", i % 2}, {"tag", 5}}, 2);
  ASSERT_NO_FATAL_FAILURE(expect_kept(rank));
}

TEST(ProgramBuilder, GivesEqualArraysAndTextsOneWord) {
  ProgramBuilder builder;
  const std::int64_t values[] = {1, 2, 3};
  EXPECT_EQ(builder.array(values, 0), 0);
  EXPECT_EQ(builder.array(values, 3), 1);
  EXPECT_EQ(builder.array(values, 2), 2);
  EXPECT_EQ(builder.array(values, 3), 1);
  EXPECT_EQ(builder.text(""), 0);
  EXPECT_EQ(builder.text("halo"), 1);
  EXPECT_EQ(builder.text("halo"), 1);
  const trace::Program program = builder.finish().program;
  EXPECT_EQ(program.arrays, (std::vector<std::vector<std::int64_t>>{{}, {1, 2, 3}, {1, 2}}));
  EXPECT_EQ(program.texts, (std::vector<std::string>{"", "halo"}));
}

// Where it is looked for first changes nothing.
TEST(ProgramBuilder, KnowsAnArrayWhereverItIsExpected) {
  ProgramBuilder builder;
  Event waits = event_of("MPI_Waitall", {});
  const std::vector<std::int64_t> values = {4, 2, 7};
  for (std::size_t i = 0; i < 20; ++i) {
    const std::vector<std::int64_t> now(values.begin(), values.end() - (i % 5 == 4 ? 1 : 0));
    waits[kEventHead] = builder.array(now.data(), now.size(), kEventHead);
    EXPECT_EQ(waits[kEventHead], builder.array(now.data(), now.size()));
    EXPECT_EQ(waits[kEventHead], now.size() == 3 ? 1 : 2);
    EXPECT_EQ(builder.array_of(waits[kEventHead]), now);
    builder.record(waits.data(), waits.size(), 1, 1);
  }
}

// The expected call at a known place is recorded another way than the first ones.
TEST(ProgramBuilder, SumsTimesAsDurationsDo) {
  ProgramBuilder builder;
  const Event events[] = {event_of("MPI_Barrier", {}, 0), event_of("MPI_Barrier", {}, 1)};
  trace::Durations computation[2];
  trace::Durations inside[2];
  Random random(7);
  std::size_t last = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t which = i % 20 == 19 ? last : static_cast<std::size_t>(i % 2);
    const auto spent = pick(random, i < 2000 ? 90 : 1'000'000);
    const std::uint64_t waited = i % 1000 == 999 ? ~std::uint64_t{0} >> 12 : spent / 3;
    builder.record(events[which].data(), events[which].size(), spent, waited);
    computation[which].add(spent);
    inside[which].add(waited);
    last = which;
  }
  const trace::Program program = builder.finish().program;
  for (std::size_t call = 0; call < 2; ++call) {
    trace::Durations all_computation;
    trace::Durations all_inside;
    for (const PlaceTimes& place : program.times) {
      if (place.call != call) continue;
      all_computation.add(place.computation);
      all_inside.add(place.inside);
    }
    const std::pair<trace::Durations&, trace::Durations&> pairs[] = {
        {all_computation, computation[call]}, {all_inside, inside[call]}};
    for (const auto& [sum, expected] : pairs) {
      EXPECT_NEAR(sum.sum_of_squares / expected.sum_of_squares, 1, 1e-9);
      sum.sum_of_squares = expected.sum_of_squares;
      EXPECT_EQ(sum, expected);
    }
  }
}

TEST(ProgramBuilder, TellsTheFirstRoundFromTheSteadyOnes) {
  ProgramBuilder builder;
  builder.set_position(-1, 0, 2);
  const Event send = event_of("MPI_Send", {{"dest", 1}}, 1);
  const Event receive = event_of("MPI_Recv", {{"source", 1}}, 2);
  for (int i = 0; i < 100; ++i) {
    builder.record(send.data(), send.size(), i == 0 ? 9000 : 10, 1);
    builder.record(receive.data(), receive.size(), 20, 2);
  }
  const trace::Program program = builder.finish().program;
  ASSERT_EQ(program.times.size(), 3U);
  const auto& steady =
      program.times[0]; // sorted by call, then by the call before; kStart is the last
  const auto& first = program.times[1];
  EXPECT_EQ(first.before, PlaceTimes::kStart);
  EXPECT_EQ(first.computation.max_ns, 9000U);
  EXPECT_EQ(steady.computation.count, 99U);
  EXPECT_EQ(steady.computation.max_ns, 10U);
}

TEST(ProgramBuilder, KeepsTheTimesOfMoreCallsThanThereArePlaces) {
  Random random(5);
  RankRecorder rank(0, 2);
  for (int i = 0; i < 30'000; ++i) {
    rank.call("MPI_Send", {{"count", 1}, {"dest", 1}},
              16 + static_cast<std::uint32_t>(pick(random, 300)));
  }
  EXPECT_LT(rank.builder().memory(), std::size_t{64} << 20);
  ASSERT_NO_FATAL_FAILURE(expect_kept(rank));
}

TEST(ProgramBuilder, KeepsNoTimesIfTheyAreOff) {
  ProgramOptions options;
  options.times = false;
  RankRecorder rank(0, 2, options);
  for (int i = 0; i < 10; ++i) rank.call("MPI_Barrier", {}, 1);
  const Trace trace = support::trace_of(rank);
  EXPECT_TRUE(trace.classes.front().program->times.empty());
  EXPECT_THAT(events_of(trace, 0), IsStream(rank.events()));
}

TEST(ProgramBuilder, CountsTheMemoryOfColumns) {
  Random random(6);
  RankRecorder rank(0, 2);
  for (int i = 0; i < 50'000; ++i) {
    rank.call("MPI_Send",
              {{"count", static_cast<std::int64_t>(pick(random, 1u << 30))}, {"dest", 1}}, 1);
  }
  EXPECT_GT(rank.builder().memory(), 50'000 * sizeof(std::int64_t));
}

} // namespace
} // namespace rondo::fold
