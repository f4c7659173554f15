// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/computation.hpp"

#include "rondo/trace/functions.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string_view>

namespace rondo::generate::internal {
namespace {

constexpr std::uint32_t kBarrier = 0;
constexpr std::uint32_t kSend = 1;
constexpr std::uint32_t kRecv = 2;

trace::PlaceTimes place(std::uint32_t call, std::uint32_t before, int passes, std::uint64_t ns) {
  trace::PlaceTimes result;
  result.call = call;
  result.before = before;
  for (int pass = 0; pass < passes; ++pass) result.computation.add(ns);
  return result;
}

// Two ranks; behind MPI_Send each computes for 1 ms before a barrier, behind other calls for 7 ms.
trace::Trace trace_of(std::uint32_t other) {
  trace::Program program;
  for (const std::string_view name : {"MPI_Barrier", "MPI_Send", "MPI_Recv"})
    program.calls.push_back({.function = trace::find_function(name)->id, .words = {}});
  program.times = {place(kBarrier, kSend, 20, 1'000'000), place(kBarrier, other, 10, 7'000'000)};
  trace::Trace trace;
  trace.run.ranks = 2;
  trace.classes.push_back({.ranks = trace::RankSet::of({0, 1}),
                           .program = std::make_shared<const trace::Program>(program)});
  return trace;
}

struct Written {
  double seconds; // before the barrier
  double in_all;
};

Written before_barrier(const trace::Trace& trace, const std::vector<LoopAround>& around,
                       const std::set<std::uint32_t>& outside) {
  Benchmark benchmark;
  ValueForms forms(benchmark);
  Computation computation(trace, 0, {.times = Times::kMean}, benchmark, forms);
  const Domain everyone{.world = {0, 1}, .own = {0, 1}, .size = 2};
  computation.before(kBarrier, everyone, around, outside);
  const auto time = computation.before(kBarrier, everyone, around, outside);
  return {time ? time->seconds : 0, benchmark.computed_seconds};
}

TEST(Computation, IsTheMeanOfAllPassesWhereNoLoopBegins) {
  for (const std::uint32_t other : {kRecv, trace::PlaceTimes::kOther})
    EXPECT_NEAR(before_barrier(trace_of(other), {}, {}).seconds, 3e-3, 1e-6) << other;
}

// What was recorded behind calls that are not told apart is that of places behind such.
TEST(Computation, InOneOfSeveralPlacesIsThatBehindTheCallsBeforeIt) {
  constexpr std::uint32_t kOther = trace::PlaceTimes::kOther;
  EXPECT_NEAR(before_barrier(trace_of(kRecv), {}, {kSend}).seconds, 1e-3, 1e-6);
  EXPECT_NEAR(before_barrier(trace_of(kOther), {}, {kSend}).seconds, 1e-3, 1e-6);
  EXPECT_NEAR(before_barrier(trace_of(kOther), {}, {kRecv}).seconds, 7e-3, 1e-6);
}

TEST(Computation, KnowsWhetherOtherCallsWereBeforeIt) {
  Benchmark benchmark;
  ValueForms forms(benchmark);
  const trace::Trace trace = trace_of(kRecv);
  const Computation computation(trace, 0, {.times = Times::kMean}, benchmark, forms);
  EXPECT_FALSE(computation.is_behind_one_of(kBarrier, {kSend}));
  EXPECT_TRUE(computation.is_behind_one_of(kBarrier, {kSend, kRecv}));
}

TEST(Computation, CountsEachCallOnceInItsSum) {
  EXPECT_NEAR(before_barrier(trace_of(kRecv), {}, {}).in_all, 90e-3, 1e-6);
}

// A call that is made takes as long itself; one that is left out does not.
TEST(Computation, IsKeptBeforeCallsThatAreLeftOutHoweverShortItIs) {
  for (const std::string_view name : {"MPI_Barrier", "MPI_Type_get_contents"}) {
    trace::Program program;
    program.calls = {{.function = trace::find_function(name)->id, .words = {}}};
    program.times = {place(0, 0, 1000, 60)};
    trace::Trace trace;
    trace.run.ranks = 1;
    trace.classes.push_back({.ranks = trace::RankSet::of({0}),
                             .program = std::make_shared<const trace::Program>(program)});
    Benchmark benchmark;
    ValueForms forms(benchmark);
    const Computation computation(trace, 0, {.times = Times::kMean}, benchmark, forms);
    EXPECT_EQ(computation.is_worth_a_line(0), name == "MPI_Type_get_contents");
  }
}

TEST(Computation, IsKeptWhereFewPassesHaveItAll) {
  for (const std::uint64_t ns : {20'000, 0}) {
    trace::Program program;
    program.calls = {{.function = trace::find_function("MPI_Testany")->id, .words = {}}};
    program.times = {place(0, 0, 1000, ns == 0 ? 40 : 0)};
    for (int pass = 0; pass < 2; ++pass) program.times[0].computation.add(ns);
    trace::Trace trace;
    trace.run.ranks = 1;
    trace.classes.push_back({.ranks = trace::RankSet::of({0}),
                             .program = std::make_shared<const trace::Program>(program)});
    Benchmark benchmark;
    ValueForms forms(benchmark);
    const Computation computation(trace, 0, {.times = Times::kMean}, benchmark, forms);
    EXPECT_EQ(computation.is_worth_a_line(0), ns > 0); // 40 ns on the average, either way
  }
}

TEST(Computation, TellsTheFirstPassOfALoopFromTheOthers) {
  Benchmark benchmark;
  ValueForms forms(benchmark);
  const trace::Trace trace = trace_of(kRecv);
  Computation computation(trace, 0, {.times = Times::kMean}, benchmark, forms);
  const Domain everyone{.world = {0, 1}, .own = {0, 1}, .size = 2};
  const std::set<std::uint32_t> last{kSend};
  const auto time = computation.before(kBarrier, everyone, {{"i", &last}}, {kRecv});
  ASSERT_TRUE(time.has_value());
  ASSERT_EQ(time->kind, Expression::Kind::kIf); // i == 0 ? 7 ms : 1 ms
  EXPECT_NEAR(time->of[1].seconds, 7e-3, 1e-6);
  EXPECT_NEAR(time->of[2].seconds, 1e-3, 1e-6);
}

} // namespace
} // namespace rondo::generate::internal
