// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/factors.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

namespace rondo::efficiency {
namespace {

using support::Caller;
using support::compute;
using support::recorded;

// Two ranks that compute for 60 and 100 ms in a run of 125 ms.
trace::Trace uneven() {
  trace::Trace trace = recorded(2, [](Caller& s) {
    compute(s, s.rank == 0 ? 60'000'000 : 100'000'000);
    s.call("MPI_Barrier", {{"comm", support::kWorld}});
  });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    trace::RankFacts& facts = trace.ranks[rank];
    facts.computation_ns = rank == 0 ? 60'000'000 : 100'000'000;
    facts.span_ns = 137'000'000;
    facts.startup_ns = 10'000'000;
    facts.recorder_ns = 2'000'000;
    facts.inside_ns = facts.span_ns - facts.computation_ns - facts.recorder_ns;
  }
  return trace;
}

TEST(Factors, MultiplyUp) {
  const trace::Trace trace = uneven();
  Factors factors = factors_of(trace);
  EXPECT_DOUBLE_EQ(factors.runtime_s, 0.125);
  EXPECT_DOUBLE_EQ(factors.load_balance, 0.8);
  EXPECT_DOUBLE_EQ(factors.communication, 0.8);
  EXPECT_DOUBLE_EQ(factors.parallel, 0.64);
  EXPECT_EQ(factors.slowest_rank, 1);
  add_ideal(factors, play_ideal(trace));
  ASSERT_TRUE(factors.ideal_runtime_s.has_value()) << factors.why_not;
  EXPECT_NEAR(*factors.ideal_runtime_s, 0.1, 0.001); // ranks' means are kept to 2 %
  EXPECT_NEAR(factors.serialisation, 1, 1e-9);
  EXPECT_NEAR(factors.transfer, 0.8, 1e-9);
}

TEST(Factors, ARunIsNotShorterThanItsComputation) {
  trace::Trace trace = uneven();
  for (trace::RankFacts& facts : trace.ranks) facts.recorder_ns = 100'000'000; // estimated too high
  const Factors factors = factors_of(trace);
  EXPECT_DOUBLE_EQ(factors.runtime_s, 0.125);
  EXPECT_DOUBLE_EQ(factors.communication, 0.8);
}

TEST(Factors, SerialisationIsWhatDependencesCost) {
  const trace::Trace trace = recorded(2, [](Caller& s) { // one after the other
    if (s.rank == 1) support::receive(s, 0, 1);
    compute(s, 50'000'000);
    if (s.rank == 0) s.send(1, 1);
  });
  Factors factors = factors_of(trace);
  add_ideal(factors, play_ideal(trace));
  ASSERT_TRUE(factors.ideal_runtime_s.has_value()) << factors.why_not;
  EXPECT_NEAR(factors.serialisation, 0.5, 1e-9);
}

// As of a schedule that was converted: how long ranks compute is all that is known, so that no run
// is shorter than the same one on the ideal network.
TEST(Factors, WithoutTimesInsideMpiTheRunIsAsItIsPlayed) {
  trace::Trace trace = recorded(2, [](Caller& s) { // one after the other
    if (s.rank == 1) support::receive(s, 0, 1);
    compute(s, 50'000'000);
    if (s.rank == 0) s.send(1, 1);
  });
  for (trace::RankFacts& facts : trace.ranks) {
    facts.computation_ns = facts.span_ns = 50'000'000;
    facts.inside_ns = facts.startup_ns = 0;
  }
  Factors factors = factors_of(trace);
  add_ideal(factors, play_ideal(trace));
  EXPECT_TRUE(factors.has_no_inside);
  EXPECT_DOUBLE_EQ(factors.runtime_s, 0.1);
  EXPECT_DOUBLE_EQ(factors.parallel, 0.5);
  EXPECT_DOUBLE_EQ(factors.communication, factors.serialisation);
  EXPECT_DOUBLE_EQ(factors.transfer, 1);
}

// As of a trace that has states of tasks, and no events.
TEST(Factors, WithoutCallsTheRunIsAsLongAsItIsSaid) {
  trace::Trace trace = recorded(2, [](Caller&) {});
  for (std::size_t rank = 0; rank < 2; ++rank) {
    trace.ranks[rank].computation_ns = rank == 0 ? 60'000'000 : 100'000'000;
    trace.ranks[rank].span_ns = 125'000'000;
  }
  Factors factors = factors_of(trace);
  add_ideal(factors, play_ideal(trace));
  EXPECT_FALSE(factors.has_no_inside);
  EXPECT_DOUBLE_EQ(factors.runtime_s, 0.125);
  EXPECT_DOUBLE_EQ(factors.load_balance, 0.8);
  EXPECT_FALSE(factors.ideal_runtime_s.has_value());
  EXPECT_NE(factors.why_not.find("no calls of MPI"), std::string::npos);
}

TEST(Factors, ScaleAgainstAReference) {
  Factors one, four;
  one.ranks = 1;
  one.useful_sum_s = one.useful_mean_s = one.runtime_s = 10;
  four.ranks = 4;
  four.useful_sum_s = 12.5;
  four.useful_mean_s = 12.5 / 4;
  four.runtime_s = 4;
  four.parallel = 12.5 / 16;
  const Scaling strong = scaling_of(four, one, ScalingKind::kStrong);
  EXPECT_DOUBLE_EQ(strong.computation.value(), 0.8);
  EXPECT_DOUBLE_EQ(strong.global.value(), 0.8 * 12.5 / 16);
  EXPECT_DOUBLE_EQ(strong.speedup, 2.5);
  const Scaling weak = scaling_of(four, one, ScalingKind::kWeak);
  EXPECT_DOUBLE_EQ(weak.computation.value(), 3.2);
  EXPECT_DOUBLE_EQ(weak.speedup, 10);
}

// By the clock, two of the ten seconds may be waiting: that is no measure for another run.
TEST(Factors, DoNotScaleWhereComputationMayBeWaiting) {
  trace::Trace trace;
  trace.run.ranks = 2;
  trace.ranks.resize(2);
  for (trace::RankFacts& rank : trace.ranks) {
    rank.computation_ns = 5'000'000'000;
    rank.span_ns = 10'000'000'000;
    rank.waited_ns = 1'000'000'000;
  }
  trace.affinities.push_back({trace::RankSet::of({0, 1}), 2, false, trace::RankSet::of({0, 1, 9})});
  const Factors by_clock = factors_of(trace);
  EXPECT_DOUBLE_EQ(by_clock.doubtful_s, 2);
  trace.affinities[0].computation_is_cpu_time = true;
  const Factors by_cpu_time = factors_of(trace);
  EXPECT_DOUBLE_EQ(by_cpu_time.doubtful_s, 0);
  for (const auto& [run, reference] :
       {std::pair(&by_clock, &by_cpu_time), {&by_cpu_time, &by_clock}}) {
    const Scaling scaling = scaling_of(*run, *reference, ScalingKind::kStrong);
    EXPECT_FALSE(scaling.computation.has_value());
    EXPECT_FALSE(scaling.global.has_value());
    EXPECT_DOUBLE_EQ(scaling.speedup, 1);
  }
  EXPECT_DOUBLE_EQ(scaling_of(by_clock, by_clock, ScalingKind::kStrong).computation.value(), 1);
}

} // namespace
} // namespace rondo::efficiency
