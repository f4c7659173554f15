// SPDX-License-Identifier: Apache-2.0
// Graphs that ranks make together, what goes on behind computation, and sums over ranks and paths.
#include "tests/support/predicted.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace rondo::simulate {
namespace {

using support::block_of_all;
using support::Caller;
using support::compute;
using support::expect_seconds;
using support::gather_all;
using support::kBytes;
using support::kCount;
using support::kDouble;
using support::kLatency;
using support::kWorld;
using support::linear;
using support::loggp;
using support::message;
using support::predicted;
using support::receive;
using support::recorded;
using support::rooted;
using trace::Trace;

using Play = std::function<void(Caller&)>;

// Process topologies ------------------------------------------------------------------------------

// Rank 0 alone says the edges 0 -> 1 -> 2 -> 3, or those backwards.
void make_chain(Caller& s, bool is_forward) {
  std::vector<std::int64_t> from = {0, 1, 2};
  std::vector<std::int64_t> to = {1, 2, 3};
  if (!is_forward) std::swap(from, to);
  const bool speaks = s.rank == 0;
  s.call("MPI_Dist_graph_create", {{"comm_old", kWorld},
                                   {"sources", speaks ? s.array(from) : s.array({})},
                                   {"degrees", speaks ? s.array({1, 1, 1}) : s.array({})},
                                   {"destinations", speaks ? s.array(to) : s.array({})},
                                   {"comm_dist_graph", 0}});
}

Trace chain(const Play& play) {
  Trace trace = recorded(4, [&](Caller& s) {
    s.builder.set_position(0, s.rank, s.ranks);
    play(s);
  });
  support::define_comm(trace, 0, {0, 1, 2, 3});
  return trace;
}

void talk_along_chain(Caller& s) {
  s.call("MPI_Neighbor_allgather",
         {{"sendbuf", 0}, {"sendcount", kCount}, {"sendtype", kDouble}, {"comm", 0}});
}

TEST(DistributedGraphs, AreWhatAllRanksSayTogether) {
  const Trace trace = chain([](Caller& s) {
    make_chain(s, true);
    compute(s, static_cast<std::uint64_t>(100'000 * s.rank));
    talk_along_chain(s);
  });
  const Prediction found = predicted(trace, linear());
  const double barrier = 2 * kLatency;
  EXPECT_EQ(found.messages, 4u * 2 + 3);
  expect_seconds(found.ranks[0].end_s, barrier); // it only sends
  for (const std::size_t rank : {1u, 2u, 3u}) // what the one before sent came long ago
    expect_seconds(found.ranks[rank].end_s, barrier + found.ranks[rank].computing_s);
}

TEST(DistributedGraphs, ThatAreMadeAgainAreTheNewOnes) {
  const Trace trace = chain([](Caller& s) {
    make_chain(s, true);
    talk_along_chain(s);
    make_chain(s, false);
    compute(s, s.rank == 3 ? 1'000'000 : 0);
    talk_along_chain(s); // 3 speaks to 2, and nobody else waits
  });
  const Prediction found = predicted(trace, linear());
  // The first barrier is over at 2 L, the messages at 2 L + m. In the second one 3 hears from 2,
  // which comes then, and from 1, which has what 0 sent long ago; 1 hears from 3 in the second
  // round.
  const double talked = 2 * kLatency + message(linear(), kBytes);
  const double late = found.ranks[3].computing_s;
  EXPECT_NEAR(late, 1e-3, 2e-5);
  expect_seconds(found.ranks[2].end_s, talked + kLatency + late + message(linear(), kBytes));
  // What 2 has to say to 1 goes when 2 is out of the barrier, as late as 1 itself.
  expect_seconds(found.ranks[1].end_s, talked + 2 * kLatency + message(linear(), kBytes));
}

// Overlap, and sums over ranks and paths ----------------------------------------------------------

void irecv(Caller& s, std::int64_t source) {
  s.call(
      "MPI_Irecv",
      {{"count", kCount}, {"datatype", kDouble}, {"source", source}, {"tag", 0}, {"comm", kWorld}});
}

void wait_all(Caller& s, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    s.call("MPI_Wait",
           {{"request", trace::request_by_age(static_cast<std::uint64_t>(count - 1 - i))}});
}

TEST(Overlap, HidesAMessageBehindComputationOrTheOtherWayRound) {
  for (const std::uint64_t ns : {1'000u, 1'000'000u}) {
    const Trace trace = recorded(2, [&](Caller& s) {
      irecv(s, 1 - s.rank);
      s.send(1 - s.rank, kCount, kDouble, kWorld, "MPI_Isend");
      compute(s, ns);
      wait_all(s, 2);
    });
    const double computing = static_cast<double>(ns) * 1e-9;
    for (const std::uint64_t eager : {NetworkModel::kNever, std::uint64_t{100}}) {
      // By rendezvous a handshake goes there and back first; the network needs no processor.
      const double asking = eager == 100 ? 2 * kLatency : 0;
      expect_seconds(predicted(trace, linear(eager)).seconds,
                     std::max(computing, asking + message(linear(), kBytes)));
    }
  }
}

// Whichever call says that partitions are there: the message goes with the last of them.
TEST(Overlap, HidesPartitionsBehindComputation) {
  constexpr std::int64_t kPartitions = 4;
  for (const bool is_list : {false, true}) {
    const Trace trace = recorded(2, [&](Caller& s) {
      const bool sends = s.rank == 0;
      s.call(sends ? "MPI_Psend_init" : "MPI_Precv_init", {{"partitions", kPartitions},
                                                           {"count", kCount / kPartitions},
                                                           {"datatype", kDouble},
                                                           {sends ? "dest" : "source", 1 - s.rank},
                                                           {"tag", 0},
                                                           {"comm", kWorld}});
      s.start(0);
      if (sends && is_list) {
        s.call("MPI_Pready_list", {{"array_of_partitions", s.array({3, 1, 0, 2})},
                                   {"request", trace::request_by_slot(0)}});
      } else if (sends) {
        s.call("MPI_Pready_range", {{"partition_low", 0},
                                    {"partition_high", kPartitions - 1},
                                    {"request", trace::request_by_slot(0)}});
      }
      compute(s, 1'000'000);
      s.call("MPI_Wait", {{"request", trace::request_by_slot(0)}});
    });
    expect_seconds(predicted(trace, linear()).seconds, std::max(1e-3, message(linear(), kBytes)));
  }
}

TEST(Overlap, HidesACollectiveBehindComputation) {
  for (const std::uint64_t ns : {1'000u, 1'000'000u}) {
    const double found = predicted(recorded(8,
                                            [&](Caller& s) {
                                              block_of_all(s, "MPI_Iallreduce");
                                              compute(s, ns);
                                              wait_all(s, 1);
                                            }),
                                   linear())
                             .seconds;
    expect_seconds(found, std::max(static_cast<double>(ns) * 1e-9, 3 * message(linear(), kBytes)));
  }
}

TEST(Sums, OfPairsThatWaitAreWhatEachRankWaits) {
  const Trace trace = recorded(6, [](Caller& s) {
    for (int i = 0; i < 20; ++i) {
      compute(s, static_cast<std::uint64_t>(1000 * ((s.rank * 5 + i * 3) % 13)));
      irecv(s, (s.rank + 5) % 6);
      s.send((s.rank + 1) % 6, kCount);
      wait_all(s, 1);
      if (i % 4 == 0) block_of_all(s, "MPI_Allreduce");
    }
  });
  for (const NetworkModel& model : {linear(), linear(100), loggp()}) {
    const Prediction found = predicted(trace, model);
    std::vector<double> waited(6, 0);
    for (const WaitPair& pair : found.waits) {
      EXPECT_NE(pair.rank, pair.waits_for);
      waited[static_cast<std::size_t>(pair.rank)] += pair.seconds;
    }
    for (std::size_t rank = 0; rank < waited.size(); ++rank) {
      const RankPrediction& mine = found.ranks[rank];
      EXPECT_GT(mine.waiting_s, 0);
      expect_seconds(waited[rank], mine.waiting_s);
      expect_seconds(mine.computing_s + mine.communicating_s + mine.waiting_s, mine.end_s);
    }
  }
}

// Who waits for many others, in turns and not, is told apart by them.
TEST(Sums, OfAMasterAreOfEachWorker) {
  constexpr std::int64_t kWorkers = 50;
  constexpr std::int64_t kRounds = 3;
  constexpr std::uint64_t kWork_ns = 1'000'000;
  const Trace trace = recorded(kWorkers + 1, [&](Caller& s) {
    for (std::int64_t round = 0; round < kRounds; ++round) {
      for (std::int64_t i = 0; i < kWorkers; ++i) {
        const std::int64_t worker = 1 + (round == 1 ? kWorkers - 1 - i : i); // backwards for once
        if (s.rank == worker) { // it works when the master asks for it
          receive(s, 0, kCount);
          compute(s, kWork_ns);
          s.send(0, kCount);
        } else if (s.rank == 0) {
          s.send(worker, kCount);
          receive(s, worker, kCount);
        }
      }
    }
  });
  const Prediction found = predicted(trace, linear());
  std::vector<double> waited(kWorkers + 1, 0);
  for (const WaitPair& pair : found.waits) {
    if (pair.rank != 0) continue;
    EXPECT_EQ(waited[static_cast<std::size_t>(pair.waits_for)], 0);
    waited[static_cast<std::size_t>(pair.waits_for)] = pair.seconds;
  }
  const double way_s = message(linear(), kBytes);
  for (std::int64_t worker = 1; worker <= kWorkers; ++worker)
    expect_seconds(waited[static_cast<std::size_t>(worker)],
                   kRounds * (static_cast<double>(kWork_ns) * 1e-9 + way_s));
}

TEST(Sums, OfTheCriticalPathAreTheWholeTimeInEveryModel) {
  const Trace trace = recorded(6, [](Caller& s) {
    for (int i = 0; i < 12; ++i) {
      compute(s, static_cast<std::uint64_t>(1000 * ((s.rank * 7 + i * 5) % 11)));
      irecv(s, (s.rank + 5) % 6);
      s.send((s.rank + 1) % 6, kCount, kDouble, kWorld, "MPI_Isend");
      compute(s, 2000);
      wait_all(s, 2);
      gather_all(s, "MPI_Alltoall", 10);
      rooted(s, "MPI_Scatter", i % 6);
      block_of_all(s, "MPI_Iallreduce");
      wait_all(s, 1);
    }
  });
  SimulateOptions options;
  options.wants_critical_path = true;
  for (const NetworkModel& model : {linear(), linear(100), loggp()}) {
    const Prediction found = predicted(trace, model, options);
    ASSERT_TRUE(found.path.has_value());
    expect_seconds(found.path->computing_s + found.path->communicating_s, found.seconds);
    double shares = 0;
    for (const PathShare& share : found.path->shares)
      shares += share.computing_s + share.communicating_s;
    expect_seconds(shares, found.seconds);
  }
}

TEST(Sums, OfTheCriticalPathOfAChainAreItsComputationAndItsMessages) {
  const Trace trace = recorded(5, [](Caller& s) {
    if (s.rank > 0) receive(s, s.rank - 1, kCount);
    compute(s, static_cast<std::uint64_t>(10'000 * (s.rank + 1)));
    if (s.rank < 4) s.send(s.rank + 1, kCount);
  });
  SimulateOptions options;
  options.wants_critical_path = true;
  const Prediction found = predicted(trace, linear(), options);
  EXPECT_EQ(found.path->last_rank, 4);
  EXPECT_EQ(found.path->hops, 4u);
  double computing = 0;
  for (const RankPrediction& rank : found.ranks) computing += rank.computing_s;
  expect_seconds(found.path->computing_s, computing);
  expect_seconds(found.path->communicating_s, 4 * message(linear(), kBytes));
}

} // namespace
} // namespace rondo::simulate
