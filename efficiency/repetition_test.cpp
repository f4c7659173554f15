// SPDX-License-Identifier: Apache-2.0
// Passes of loops that are counted and those that are all played: the same answers.
#include "rondo/efficiency/wait_states.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <tuple>

namespace rondo::efficiency {
namespace {

using support::Caller;
using support::compute;
using support::kDouble;
using support::kWorld;
using support::recorded;

using Work = std::function<void(Caller&)>;

void exchange(Caller& s, std::int64_t to, std::int64_t from) {
  s.call("MPI_Sendrecv", {{"sendcount", 100},
                          {"sendtype", kDouble},
                          {"dest", to},
                          {"sendtag", 0},
                          {"recvcount", 100},
                          {"recvtype", kDouble},
                          {"source", from},
                          {"recvtag", 0},
                          {"comm", kWorld}});
}

void ring(Caller& s, int passes, int between) {
  for (int pass = 0; pass < passes; ++pass) {
    compute(s, 1000 + 137 * static_cast<std::uint64_t>(s.rank * s.rank % 5));
    exchange(s, (s.rank + 1) % s.ranks, (s.rank + s.ranks - 1) % s.ranks);
    if (pass % between == between - 1) support::block_of_all(s, "MPI_Allreduce");
  }
}

// Nobody sends anything back: ranks drift apart, but nobody waits who did not before.
void pipeline(Caller& s, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    if (s.rank > 0) support::receive(s, s.rank - 1, 100);
    compute(s, 1000 + 500 * static_cast<std::uint64_t>(s.rank % 3));
    if (s.rank + 1 < s.ranks) s.send(s.rank + 1, 100);
  }
}

// Pairs that have nothing to do with each other until the end.
void pairs(Caller& s, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    compute(s, 1000 + 77 * static_cast<std::uint64_t>(s.rank));
    exchange(s, s.rank ^ 1, s.rank ^ 1);
  }
  support::block_of_all(s, "MPI_Allreduce");
}

// Rank 1 is slower, but rank 0 begins late: it takes many passes until it has caught up.
void catching_up(Caller& s, int passes) {
  compute(s, s.rank == 1 ? 100'000 : 0);
  s.call("MPI_Barrier", {{"comm", support::kSelf}});
  for (int pass = 0; pass < passes; ++pass) {
    compute(s, s.rank == 0 ? 2000 : 1000);
    if (s.rank == 1) support::receive(s, 0, 1);
    if (s.rank == 0) s.send(1, 1);
  }
}

// Requests in every order, completed in the same pass.
void halo(Caller& s, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    compute(s, s.rank == 2 ? 5000 : 3000);
    for (const std::int64_t step : {std::int64_t{1}, s.ranks - 1}) {
      s.call("MPI_Irecv", {{"count", 10},
                           {"datatype", kDouble},
                           {"source", (s.rank + step) % s.ranks},
                           {"tag", 0},
                           {"comm", kWorld}});
      s.send((s.rank + s.ranks - step) % s.ranks, 10);
    }
    for (const std::uint64_t age : {std::uint64_t{0}, std::uint64_t{1}})
      s.call("MPI_Wait", {{"request", trace::request_by_age(age)}});
    if (pass % 3 == 0) support::block_of_all(s, "MPI_Allreduce");
  }
}

// Each rank is slow in other passes; of many passes the trace has some, which stand for others.
void slow_in_turns(Caller& s, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    const std::int64_t n = pass;
    compute(s, n * n % 11 == 3 * s.rank % 11 ? 23'000 : 3000);
    exchange(s, (s.rank + 1) % s.ranks, (s.rank + s.ranks - 1) % s.ranks);
    support::block_of_all(s, "MPI_Allreduce");
  }
}

// Loops in loops, and pieces that are not alike.
void mixed(Caller& s, std::uint32_t seed) {
  std::mt19937 random(seed); // the same on all ranks
  for (int piece = 0; piece < 6; ++piece) {
    const int passes = 20 + static_cast<int>(random() % 80);
    switch (random() % 4) {
    case 0:
      ring(s, passes, 1 + static_cast<int>(random() % 7));
      break;
    case 1:
      halo(s, passes);
      break;
    case 2:
      pipeline(s, passes);
      break;
    default:
      for (int i = 0; i < passes; ++i) pipeline(s, 1 + i % 2);
    }
  }
}

WaitStates found(const trace::Trace& trace, bool counts) {
  WaitOptions options;
  options.counts_repeats = counts;
  const auto waits = wait_states(trace, options);
  EXPECT_TRUE(waits.has_value()) << (waits ? "" : waits.error().text());
  return waits.value_or(WaitStates{});
}

void expect_close(double one, double other, double whole) { EXPECT_NEAR(one, other, 1e-7 * whole); }

void expect_same_waits(const trace::Trace& trace) {
  const WaitStates counted = found(trace, true);
  const WaitStates played = found(trace, false);
  const double whole = played.seconds + 1e-12;
  expect_close(counted.seconds, played.seconds, whole);
  expect_close(counted.run_s, played.run_s, played.run_s);
  for (std::size_t i = 0; i < kWaitKinds; ++i)
    expect_close(counted.by_kind[i], played.by_kind[i], whole);
  for (std::size_t i = 0; i < played.by_rank.size(); ++i)
    expect_close(counted.by_rank[i], played.by_rank[i], whole);
  std::map<std::tuple<Cause::What, CallPlace, std::int64_t>, std::array<double, 4>> causes;
  double sum = 0;
  for (const Cause& cause : counted.causes) {
    auto& both = causes[{cause.what, cause.place, cause.rank}];
    both[0] = cause.seconds;
    both[1] = cause.direct_s;
    sum += cause.seconds;
  }
  expect_close(sum, counted.seconds, whole);
  for (const Cause& cause : played.causes) {
    auto& both = causes[{cause.what, cause.place, cause.rank}];
    both[2] = cause.seconds;
    both[3] = cause.direct_s;
  }
  for (const auto& [key, both] : causes) {
    EXPECT_NEAR(both[0], both[2], 1e-4 * whole) << "rank " << std::get<2>(key);
    EXPECT_NEAR(both[1], both[3], 1e-4 * whole) << "rank " << std::get<2>(key);
  }
  ASSERT_EQ(counted.imbalances.size(), played.imbalances.size());
  for (std::size_t i = 0; i < played.imbalances.size(); ++i)
    expect_close(counted.imbalances[i].mean_s, played.imbalances[i].mean_s, played.run_s);
}

void expect_same_prediction(const trace::Trace& trace, const simulate::NetworkModel& network) {
  simulate::SimulateOptions all;
  all.counts_repeats = false;
  const auto counted = support::predicted(trace, network);
  const auto played = support::predicted(trace, network, all);
  expect_close(counted.seconds, played.seconds, played.seconds);
  EXPECT_EQ(counted.calls, played.calls);
  EXPECT_EQ(counted.messages, played.messages);
  EXPECT_EQ(counted.bytes, played.bytes);
  for (std::size_t i = 0; i < played.ranks.size(); ++i) {
    const auto& one = counted.ranks[i];
    const auto& other = played.ranks[i];
    EXPECT_EQ(one.calls, other.calls);
    expect_close(one.computing_s, other.computing_s, played.seconds);
    expect_close(one.waiting_s, other.waiting_s, played.seconds);
    expect_close(one.communicating_s, other.communicating_s, played.seconds);
    expect_close(one.end_s, other.end_s, played.seconds);
  }
}

void expect_same(std::int64_t ranks, const Work& work) {
  const trace::Trace trace = recorded(ranks, work);
  expect_same_waits(trace);
  for (const simulate::NetworkModel& network :
       {ideal_network(), support::linear(), support::linear(100), support::loggp()})
    expect_same_prediction(trace, network);
}

// How many calls are told.
class Told : public simulate::Observer {
public:
  void computed(std::int64_t, CallPlace, double, double) override {}
  void called(std::int64_t, CallPlace, double, double) override { ++calls; }
  void met(const simulate::Met&) override {}
  void received(const simulate::Received&) override {}
  void completed_send(std::int64_t, double, std::uint64_t) override {}
  bool can_count() const override { return true; }
  bool repeats_itself() override { return true; }
  void repeated(std::uint64_t, const std::vector<double>&) override { ++repeats; }
  std::uint64_t calls = 0;
  int repeats = 0;
};

Told told(std::int64_t ranks, const Work& work) {
  Told observer;
  simulate::SimulateOptions options;
  options.observer = &observer;
  support::predicted(recorded(ranks, work), ideal_network(), options);
  return observer;
}

TEST(Repetition, ARingIsCounted) {
  for (const std::int64_t ranks : {2, 3, 4, 7})
    expect_same(ranks, [](Caller& s) { ring(s, 400, 10); });
}

TEST(Repetition, RanksThatDriftApartAreCounted) {
  for (const std::int64_t ranks : {2, 3, 5, 8}) {
    expect_same(ranks, [](Caller& s) { pipeline(s, 300); });
    if (ranks % 2 == 0) expect_same(ranks, [](Caller& s) { pairs(s, 300); });
  }
}

TEST(Repetition, WhatIsCaughtUpWithIsSeen) {
  expect_same(2, [](Caller& s) { catching_up(s, 500); });
}

TEST(Repetition, WhatStandsForOtherPassesIsCounted) {
  for (const std::int64_t ranks : {1, 3}) {
    for (const int passes : {100, 1000, 6000})
      expect_same(ranks, [passes](Caller& s) { slow_in_turns(s, passes); });
  }
}

// Both ranks wait for whoever is slow: as long as all slow passes together, where means say that
// nobody waits.
TEST(Repetition, PassesThatAreSlowOnOneRankAreWaitedFor) {
  const WaitStates waits = found(recorded(2, [](Caller& s) { slow_in_turns(s, 1000); }), true);
  EXPECT_NEAR(waits.by_rank[0], 1000 * 2. / 11 * 20e-6, 0.1 * 1000 * 2. / 11 * 20e-6);
}

TEST(Repetition, RequestsOfOnePassAreCounted) {
  for (const std::int64_t ranks : {3, 4, 6}) expect_same(ranks, [](Caller& s) { halo(s, 300); });
}

TEST(Repetition, MixedProgramsGiveTheSame) {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(2 + seed % 5, [seed](Caller& s) { mixed(s, seed); });
  }
}

TEST(Repetition, FewPassesOfACourseArePlayed) {
  const Told observer = told(4, [](Caller& s) { slow_in_turns(s, 20000); });
  EXPECT_GT(observer.repeats, 1);
  EXPECT_LT(observer.calls, 5000U); // of 240,000: three times of each block at most
}

// Nobody looks on, and all leave each pass together.
TEST(Repetition, OneTimeOfABlockIsPlayed) {
  std::uint64_t computations = 0;
  simulate::SimulateOptions options;
  options.scale = [&](const auto&) {
    ++computations;
    return 1.0;
  };
  const trace::Trace trace = recorded(4, [](Caller& s) { slow_in_turns(s, 20000); });
  support::predicted(trace, ideal_network(), options);
  EXPECT_LT(computations, 3000U); // of 80,000
}

TEST(Repetition, FewPassesArePlayed) {
  for (const Work& work :
       {Work([](Caller& s) { ring(s, 10000, 100); }), Work([](Caller& s) { pipeline(s, 10000); }),
        Work([](Caller& s) { pairs(s, 10000); }), Work([](Caller& s) { halo(s, 9999); })}) {
    const Told observer = told(4, work);
    EXPECT_GT(observer.repeats, 0);
    EXPECT_LT(observer.calls, 10000u); // of 80,000 and more
  }
}

} // namespace
} // namespace rondo::efficiency
