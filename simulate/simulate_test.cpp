// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/simulate.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace rondo::simulate {
namespace {

using support::Caller;
using support::compute;
using support::expect_seconds;
using support::kBandwidth;
using support::kDouble;
using support::kLatency;
using support::kWorld;
using support::linear;
using support::loggp;
using support::predicted;
using support::receive;
using support::recorded;
using trace::Trace;

double message(std::uint64_t bytes) { return kLatency + static_cast<double>(bytes) / kBandwidth; }

TEST(Simulation, PingPongTakesTwoMessagesARound) {
  const Trace trace = recorded(2, [](Caller& s) {
    for (int i = 0; i < 100; ++i) {
      if (s.rank == 0) s.send(1, 1000);
      receive(s, 1 - s.rank, 1000);
      if (s.rank == 1) s.send(0, 1000);
    }
  });
  const Prediction found = predicted(trace, linear());
  expect_seconds(found.seconds, 200 * message(8000));
  EXPECT_EQ(found.messages, 200u);
  EXPECT_EQ(found.bytes, 1'600'000u);
}

TEST(Simulation, RingTakesAMessageForEachRank) {
  constexpr std::int64_t kRanks = 7;
  const Trace trace = recorded(kRanks, [](Caller& s) {
    if (s.rank == 0) s.send(1, 10);
    receive(s, (s.rank + kRanks - 1) % kRanks, 10);
    if (s.rank != 0) s.send((s.rank + 1) % kRanks, 10);
  });
  expect_seconds(predicted(trace, linear()).seconds, kRanks * message(80));
}

TEST(Simulation, PipelineOverlapsItsStages) {
  constexpr std::int64_t kRanks = 5;
  constexpr int kBlocks = 20;
  const Trace trace = recorded(kRanks, [](Caller& s) {
    for (int i = 0; i < kBlocks; ++i) {
      if (s.rank > 0) receive(s, s.rank - 1, 100);
      compute(s, 50'000);
      if (s.rank + 1 < kRanks) s.send(s.rank + 1, 100);
    }
  });
  const Prediction found = predicted(trace, linear());
  expect_seconds(found.seconds, (kRanks - 1 + kBlocks) * 50e-6 + (kRanks - 1) * message(800));
  expect_seconds(found.ranks[0].computing_s, kBlocks * 50e-6);
}

TEST(Simulation, BroadcastIsABinomialTree) {
  for (const std::int64_t ranks : {2, 5, 8, 16}) {
    const Trace trace = recorded(ranks, [](Caller& s) {
      s.call("MPI_Bcast", {{"count", 1000}, {"datatype", kDouble}, {"root", 1}, {"comm", kWorld}});
    });
    const double rounds = std::ceil(std::log2(static_cast<double>(ranks)));
    // Of 5 ranks none is more than two steps from the root: 1, 2, 4 and 3 = 2 + 1 above it.
    const double steps = ranks == 5 ? 2 : rounds;
    expect_seconds(predicted(trace, linear()).seconds, steps * message(8000));
  }
}

TEST(Simulation, FanInWaitsForTheLastAndPaysEachOverhead) {
  constexpr std::int64_t kRanks = 9;
  const Trace trace = recorded(kRanks, [](Caller& s) {
    if (s.rank > 0) s.send(0, 10);
    for (std::int64_t source = 1; s.rank == 0 && source < kRanks; ++source) receive(s, source, 10);
  });
  NetworkModel model = linear();
  model.overhead_s = 1e-6;
  expect_seconds(predicted(trace, model).seconds, 1e-6 + message(80) + (kRanks - 1) * 1e-6);
}

TEST(Simulation, FanInOfLogGPComesThroughOnePort) {
  constexpr std::int64_t kRanks = 9;
  const Trace trace = recorded(kRanks, [](Caller& s) {
    if (s.rank > 0) s.send(0, 1);
    for (std::int64_t source = 1; s.rank == 0 && source < kRanks; ++source) receive(s, source, 1);
  });
  const double bytes = 7e-9; // all but the first
  expect_seconds(predicted(trace, loggp()).seconds,
                 1e-6 + 5e-6 + (kRanks - 2) * (3e-6 + bytes) + bytes + 1e-6);
}

TEST(Simulation, LogGPSendsKeepTheirGap) {
  constexpr int kMessages = 10;
  const Trace trace = recorded(2, [](Caller& s) {
    for (int i = 0; i < kMessages; ++i) {
      if (s.rank == 0) s.send(1, 125);
      if (s.rank == 1) receive(s, 0, 125);
    }
  });
  const double bytes = 999e-9;
  expect_seconds(predicted(trace, loggp()).seconds,
                 (kMessages - 1) * (3e-6 + bytes) + 1e-6 + 5e-6 + bytes + 1e-6);
}

TEST(Simulation, RendezvousWaitsForALateReceiver) {
  const auto run = [](std::uint64_t late_ns) {
    return recorded(2, [=](Caller& s) {
      if (s.rank == 1) compute(s, late_ns);
      if (s.rank == 0) s.send(1, 1000);
      if (s.rank == 1) receive(s, 0, 1000);
    });
  };
  const Prediction late = predicted(run(1'000'000), linear(100));
  expect_seconds(late.ranks[1].end_s, 1e-3 + kLatency + message(8000));
  expect_seconds(late.ranks[0].end_s, 1e-3 + kLatency + 8e-6); // the buffer is free
  expect_seconds(late.ranks[0].waiting_s, 1e-3);
  ASSERT_EQ(late.waits.size(), 1u);
  EXPECT_EQ(late.waits[0].rank, 0);
  EXPECT_EQ(late.waits[0].waits_for, 1);
  const Prediction in_time = predicted(run(0), linear(100));
  expect_seconds(in_time.seconds, 2 * kLatency + message(8000));
}

TEST(Simulation, EagerSendsDoNotWait) {
  const Trace trace = recorded(2, [](Caller& s) {
    if (s.rank == 1) compute(s, 1'000'000);
    if (s.rank == 0) s.send(1, 1000);
    if (s.rank == 1) receive(s, 0, 1000);
  });
  const Prediction found = predicted(trace, linear());
  EXPECT_EQ(found.ranks[0].end_s, 0);
  expect_seconds(found.seconds, 1e-3);
}

TEST(Simulation, FormulaSaysWhatCollectivesCost) {
  const Trace trace = recorded(8, [](Caller& s) {
    compute(s, static_cast<std::uint64_t>(s.rank) * 1000);
    s.call("MPI_Allreduce", {{"count", 100}, {"datatype", kDouble}, {"comm", kWorld}});
  });
  SimulateOptions options;
  options.collectives = *Formula::parse("2*latency*log2(ranks) + bytes/bandwidth");
  const Prediction found = predicted(trace, linear(), options);
  expect_seconds(found.seconds, found.ranks[7].computing_s + 6 * kLatency + 800 / kBandwidth);
  for (const RankPrediction& rank : found.ranks) expect_seconds(rank.end_s, found.seconds);
}

TEST(Simulation, FormulaThatGivesNoCostIsAnErrorThatNamesTheCall) {
  const Trace trace = recorded(4, [](Caller& s) {
    s.call("MPI_Allreduce", {{"count", 100}, {"datatype", kDouble}, {"comm", kWorld}});
  });
  SimulateOptions options;
  for (const char* text : {"latency-1", "bytes/(ranks-4)", "log2(ranks-4)", "sqrt(-latency)"}) {
    options.collectives = *Formula::parse(text);
    const auto refused = simulate(trace, linear(), options);
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_NE(refused.error().message.find("MPI_Allreduce"), std::string::npos);
    EXPECT_NE(refused.error().message.find(text), std::string::npos) << refused.error().message;
  }
}

TEST(Simulation, DeadlockIsAnErrorThatNamesTheCalls) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.send(1 - s.rank, 1000);
    receive(s, 1 - s.rank, 1000);
  });
  EXPECT_TRUE(simulate(trace, linear()).has_value());
  const auto stuck = simulate(trace, linear(100));
  ASSERT_FALSE(stuck.has_value());
  EXPECT_EQ(stuck.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(stuck.error().message.find("rank 1, call 1: MPI_Send("), std::string::npos)
      << stuck.error().message;
}

TEST(Simulation, CallsThatNoModelHasAreListed) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.call("MPI_Comm_connect", {{"comm", kWorld}});
  });
  const auto refused = simulate(trace, linear());
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("MPI_Comm_connect"), std::string::npos);
  EXPECT_NE(refused.error().message.find("2 times"), std::string::npos);
}

TEST(Simulation, CriticalPathAddsUpToTheWholeTime) {
  const Trace trace = recorded(6, [](Caller& s) {
    for (int i = 0; i < 30; ++i) {
      compute(s, static_cast<std::uint64_t>(1000 * ((s.rank * 7 + i * 5) % 11)));
      s.send((s.rank + 1) % s.ranks, 10 * (i + 1));
      receive(s, (s.rank + s.ranks - 1) % s.ranks, 1000);
      if (i % 10 == 0) s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
  SimulateOptions options;
  options.wants_critical_path = true;
  const Prediction found = predicted(trace, linear(), options);
  ASSERT_TRUE(found.path.has_value());
  EXPECT_GT(found.path->hops, 0u);
  EXPECT_GT(found.path->computing_s, 0);
  expect_seconds(found.path->computing_s + found.path->communicating_s, found.seconds);
}

// Rank 0's second thread computes 7 before it sends to rank 1's, which computes 3 behind that; the
// first threads compute 1.
TEST(Simulation, CriticalPathGoesThroughThreads) {
  constexpr std::uint64_t kUnit_ns = 1'000'000;
  const Trace trace = support::recorded_threads(2, 2, [](Caller& s, std::uint32_t thread) {
    if (thread == 0) {
      compute(s, kUnit_ns);
    } else if (s.rank == 0) {
      compute(s, 7 * kUnit_ns);
      s.send(1, 1000);
    } else {
      receive(s, 0, 1000);
      compute(s, 3 * kUnit_ns);
    }
  });
  SimulateOptions options;
  options.wants_critical_path = true;
  const Prediction found = predicted(trace, linear(), options);
  ASSERT_TRUE(found.path.has_value());
  EXPECT_EQ(found.path->last_rank, 1);
  EXPECT_EQ(found.path->hops, 1u);
  expect_seconds(found.seconds, 10e-3 + message(8000));
  expect_seconds(found.path->computing_s, 10e-3);
  expect_seconds(found.path->communicating_s, message(8000));
}

// Random rounds in which ranks compute and then exchange by a shift, reduce, or broadcast. What
// each rank would end with on a network for free is kept by rules that are easy to see.
struct RandomRounds {
  std::vector<std::vector<std::uint64_t>> computation; // by round and rank
  std::vector<std::pair<int, std::int64_t>> kinds; // by round: what, and the shift or root
};

constexpr std::int64_t kRandomRanks = 6;

RandomRounds random_rounds(unsigned seed) {
  std::mt19937 random(seed);
  RandomRounds rounds;
  for (int i = 0; i < 40; ++i) {
    rounds.computation.emplace_back();
    for (std::int64_t rank = 0; rank < kRandomRanks; ++rank)
      rounds.computation.back().push_back(random() % 100'000);
    rounds.kinds.emplace_back(static_cast<int>(random() % 4),
                              static_cast<std::int64_t>(random() % kRandomRanks));
  }
  return rounds;
}

Trace trace_of(const RandomRounds& rounds) {
  Trace trace = recorded(kRandomRanks, [&](Caller& s) {
    for (std::size_t i = 0; i < rounds.kinds.size(); ++i) {
      const auto [kind, shift] = rounds.kinds[i];
      const std::int64_t to = (s.rank + shift) % kRandomRanks;
      const std::int64_t from = (s.rank + kRandomRanks - shift) % kRandomRanks;
      compute(s, rounds.computation[i][static_cast<std::size_t>(s.rank)]);
      if (kind == 0) {
        s.call("MPI_Irecv", {{"count", 100},
                             {"datatype", kDouble},
                             {"source", from},
                             {"tag", 0},
                             {"comm", kWorld}});
        s.send(to, 100);
        s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
      } else if (kind == 1) {
        s.call("MPI_Sendrecv", {{"sendcount", 9},
                                {"sendtype", kDouble},
                                {"dest", to},
                                {"sendtag", 1},
                                {"source", from},
                                {"recvtag", 1},
                                {"comm", kWorld}});
      } else if (kind == 2) {
        s.call("MPI_Allreduce", {{"count", 5}, {"datatype", kDouble}, {"comm", kWorld}});
      } else {
        s.call("MPI_Bcast",
               {{"count", 5}, {"datatype", kDouble}, {"root", shift}, {"comm", kWorld}});
      }
    }
  });
  for (std::int64_t rank = 0; rank < kRandomRanks; ++rank) { // exact times, not means
    trace::TimeStampWriter writer;
    std::uint64_t now = 0;
    for (std::size_t i = 0; i < rounds.kinds.size(); ++i) {
      const std::uint64_t ns = rounds.computation[i][static_cast<std::size_t>(rank)];
      now += ns;
      const int calls = rounds.kinds[i].first == 0 ? 4 : 2;
      for (int call = 0; call < calls; ++call) writer.add({now, call == 0 ? ns : 0, 0});
    }
    trace::TimeStamps stamps = writer.snapshot();
    stamps.rank = rank;
    trace.stamps.push_back(std::move(stamps));
  }
  return trace;
}

std::vector<double> free_network_ends(const RandomRounds& rounds) {
  std::vector<std::uint64_t> now(kRandomRanks, 0);
  for (std::size_t i = 0; i < rounds.kinds.size(); ++i) {
    const auto [kind, shift] = rounds.kinds[i];
    for (std::size_t rank = 0; rank < now.size(); ++rank) now[rank] += rounds.computation[i][rank];
    const std::vector<std::uint64_t> before = now;
    for (std::size_t rank = 0; rank < now.size(); ++rank) {
      const auto from = (rank + now.size() - static_cast<std::size_t>(shift)) % now.size();
      if (kind <= 1) now[rank] = std::max(before[rank], before[from]);
      if (kind == 2) now[rank] = *std::max_element(before.begin(), before.end());
      if (kind == 3) now[rank] = std::max(before[rank], before[static_cast<std::size_t>(shift)]);
    }
    if (kind != 3) continue;
    // An inner rank of the tree passes on what it has when it comes itself.
    for (std::size_t relative = 1; relative < now.size(); ++relative) {
      const std::size_t parent = relative & (relative - 1);
      const auto at = [&now, shift = shift](std::size_t r) {
        return (r + static_cast<std::size_t>(shift)) % now.size();
      };
      now[at(relative)] = std::max(before[at(relative)], now[at(parent)]);
    }
  }
  std::vector<double> ends;
  for (const std::uint64_t ns : now) ends.push_back(static_cast<double>(ns) * 1e-9);
  return ends;
}

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, TakeTheLongestComputationOnANetworkForFree) {
  const RandomRounds rounds = random_rounds(GetParam());
  const Prediction found = predicted(trace_of(rounds), NetworkModel{});
  const std::vector<double> ends = free_network_ends(rounds);
  for (std::size_t rank = 0; rank < ends.size(); ++rank)
    expect_seconds(found.ranks[rank].end_s, ends[rank]);
}

TEST_P(RandomPrograms, AreNotQuickerOnASlowerNetwork) {
  const Trace trace = trace_of(random_rounds(GetParam()));
  NetworkModel slow = linear(50);
  slow.latency_s *= 2;
  const Prediction free = predicted(trace, NetworkModel{});
  const Prediction quick = predicted(trace, linear(50));
  EXPECT_LE(free.seconds, quick.seconds);
  EXPECT_LE(quick.seconds, predicted(trace, slow).seconds);
  for (const RankPrediction& rank : quick.ranks) {
    EXPECT_GE(rank.waiting_s, 0);
    EXPECT_GE(rank.communicating_s, 0);
    EXPECT_GT(rank.computing_s, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0u, 40u));

} // namespace
} // namespace rondo::simulate
