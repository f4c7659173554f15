// SPDX-License-Identifier: Apache-2.0
// Collective operations against closed formulas, to 1e-9 of the value.
//
// m(s) is the time of one message of s bytes, from the call that sends it to the end of the one
// that receives it: L + s/B in the linear model, 2 o + L + (s - 1) G in LogGP. A round in which
// each rank sends and receives one message takes m(s) in both, as g + (s - 1) G, after which a port
// is free again, is less than m(s) here. So doubling takes log2(n) of them, rings and pairwise
// exchange n - 1 [thakur2005, sec. 3 and 4]. In trees a rank sends or receives several messages: at
// once in the linear model, g + (s - 1) G after each other in LogGP.
#include "tests/support/predicted.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>

namespace rondo::simulate {
namespace {

using support::block_of_all;
using support::Caller;
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
using support::recorded;
using support::rooted;
using trace::Trace;

using Play = std::function<void(Caller&)>;

double seconds_of(std::int64_t ranks, const NetworkModel& model, const Play& play) {
  return predicted(recorded(ranks, play), model).seconds;
}

std::uint64_t rounds_up(std::int64_t ranks) {
  return std::bit_width(static_cast<std::uint64_t>(ranks) - 1);
}
std::uint64_t rounds_down(std::int64_t ranks) {
  return std::bit_width(static_cast<std::uint64_t>(ranks)) - 1;
}

// Steps to the rank that is farthest from the root of a binomial tree: the most ones that a number
// below n has in binary.
std::uint64_t depth(std::int64_t ranks) {
  int most = 0;
  for (std::uint64_t rank = 0; rank < static_cast<std::uint64_t>(ranks); ++rank)
    most = std::max(most, std::popcount(rank));
  return static_cast<std::uint64_t>(most);
}

// Of rank `own` of the tree whose root is 0, the nearest one first: own + 1, own + 2, own + 4, ...
// as far as the lowest one in own's binary number.
std::vector<std::int64_t> children(std::int64_t own, std::int64_t ranks) {
  std::vector<std::int64_t> result;
  for (std::int64_t distance = 1; own + distance < ranks && (own & distance) == 0; distance *= 2)
    result.push_back(own + distance);
  return result;
}

// When the last rank below has the message that `own` sends on, the farthest child first.
double broadcast_down(const NetworkModel& model, std::int64_t own, std::int64_t ranks) {
  const double bytes = static_cast<double>(kBytes - 1) * model.byte_s;
  const double turn = model.kind == NetworkModel::Kind::kLogGP ? model.gap_s + bytes : 0;
  double last = 0;
  double start = 0;
  const auto all = children(own, ranks);
  for (auto child = all.rbegin(); child != all.rend(); ++child, start += turn)
    last = std::max(last, start + message(model, kBytes) + broadcast_down(model, *child, ranks));
  return last;
}

// When `own` has what all below it send: in LogGP messages come in through one port.
double reduction_up(const NetworkModel& model, std::int64_t own, std::int64_t ranks) {
  const bool is_loggp = model.kind == NetworkModel::Kind::kLogGP;
  const double bytes = static_cast<double>(is_loggp ? kBytes - 1 : kBytes) * model.byte_s;
  double now = 0;
  double port_is_free = 0;
  for (const std::int64_t child : children(own, ranks)) {
    const double comes = reduction_up(model, child, ranks) + model.overhead_s + model.latency_s;
    const double is_in = (is_loggp ? std::max(comes, port_is_free) : comes) + bytes;
    port_is_free = is_in + model.gap_s;
    now = std::max(now, is_in) + model.overhead_s;
  }
  return now;
}

// In the linear model, in messages: of the ranks beyond a power of two each lends its data to a
// neighbour, who therefore begins one message late and hands the result back.
double lending_allreduce(std::int64_t ranks) {
  const auto power = std::int64_t{1} << rounds_down(ranks);
  std::vector<int> ready(static_cast<std::size_t>(power), 0);
  for (std::int64_t own = 0; own < ranks - power; ++own) ready[static_cast<std::size_t>(own)] = 1;
  for (std::size_t mask = 1; mask < ready.size(); mask *= 2) {
    const std::vector<int> before = ready;
    for (std::size_t own = 0; own < ready.size(); ++own)
      ready[own] = std::max(before[own], before[own ^ mask] + 1);
  }
  for (std::int64_t own = 0; own < ranks - power; ++own) ++ready[static_cast<std::size_t>(own)];
  return *std::max_element(ready.begin(), ready.end()) * message(linear(), kBytes);
}

class CollectiveTimes : public testing::TestWithParam<std::tuple<bool, std::int64_t>> {
protected:
  NetworkModel model() const { return std::get<0>(GetParam()) ? loggp() : linear(); }
  std::int64_t ranks() const { return std::get<1>(GetParam()); }
  double m(std::uint64_t bytes) const { return message(model(), bytes); }
  double times(std::uint64_t count, std::uint64_t bytes) const {
    return static_cast<double>(count) * m(bytes);
  }
  void expect_time(const Play& play, double wanted) const {
    expect_seconds(seconds_of(ranks(), model(), play), wanted);
  }
};

TEST_P(CollectiveTimes, ABarrierDisseminatesInRoundsUp) {
  expect_time(
      [](Caller& s) {
        s.call("MPI_Barrier", {{"comm", kWorld}});
      },
      times(rounds_up(ranks()), 0));
}

TEST_P(CollectiveTimes, ABroadcastIsAsLongAsItsTreeIsDeep) {
  const std::int64_t root = ranks() - 1;
  expect_time(
      [&](Caller& s) {
        s.call("MPI_Bcast",
               {{"count", kCount}, {"datatype", kDouble}, {"root", root}, {"comm", kWorld}});
      },
      broadcast_down(model(), 0, ranks()));
}

TEST_P(CollectiveTimes, AReductionIsABroadcastBackwards) {
  expect_time(
      [](Caller& s) {
        s.call("MPI_Reduce", {{"sendbuf", 0},
                              {"count", kCount},
                              {"datatype", kDouble},
                              {"root", 1},
                              {"comm", kWorld}});
      },
      reduction_up(model(), 0, ranks()));
}

TEST_P(CollectiveTimes, AnAllreduceDoublesAndLendsWhatIsTooMany) {
  const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(ranks()));
  const bool is_loggp = model().kind == NetworkModel::Kind::kLogGP;
  if (is_loggp && !is_power) GTEST_SKIP() << "by hand below";
  expect_time([](Caller& s) { block_of_all(s, "MPI_Allreduce"); },
              is_power ? times(rounds_down(ranks()), kBytes) : lending_allreduce(ranks()));
}

TEST_P(CollectiveTimes, ScansTakeRoundsUp) {
  for (const std::string_view name : {"MPI_Scan", "MPI_Exscan"})
    expect_time([&](Caller& s) { block_of_all(s, name); }, times(rounds_up(ranks()), kBytes));
}

TEST_P(CollectiveTimes, AShortAllgatherTakesRoundsUpAndEveryOthersBlock) {
  const std::uint64_t block = 80; // by Bruck's algorithm: 1, 2, 4, ... blocks, then what is left
  double wanted = 0;
  for (std::int64_t distance = 1; distance < ranks(); distance *= 2)
    wanted += m(block * static_cast<std::uint64_t>(std::min(distance, ranks() - distance)));
  expect_time([](Caller& s) { gather_all(s, "MPI_Allgather", 10); }, wanted);
}

TEST_P(CollectiveTimes, ALongAllgatherGoesRoundTheRing) {
  expect_time([](Caller& s) { gather_all(s, "MPI_Allgather", 100'000); },
              times(static_cast<std::uint64_t>(ranks() - 1), 800'000));
}

TEST_P(CollectiveTimes, OneLongBlockOfAnAllgathervIsPassedOnByAll) {
  expect_time(
      [&](Caller& s) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks()), 1);
        counts[1] = kCount;
        s.call("MPI_Allgatherv", {{"sendbuf", 0},
                                  {"sendcount", s.rank == 1 ? kCount : 1},
                                  {"sendtype", kDouble},
                                  {"recvcounts", s.array(counts)},
                                  {"recvtype", kDouble},
                                  {"comm", kWorld}});
      },
      times(static_cast<std::uint64_t>(ranks() - 1), kBytes));
}

TEST_P(CollectiveTimes, ALongAlltoallIsPairwise) {
  expect_time([](Caller& s) { gather_all(s, "MPI_Alltoall", kCount); },
              times(static_cast<std::uint64_t>(ranks() - 1), kBytes));
}

TEST_P(CollectiveTimes, AShortAlltoallOfManyTakesRoundsUp) {
  const std::uint64_t block = 80; // each bit of the way is one round with the blocks that have it
  double wanted = ranks() < 8 ? times(static_cast<std::uint64_t>(ranks() - 1), block) : 0;
  for (std::int64_t bit = 1; ranks() >= 8 && bit < ranks(); bit *= 2) {
    std::uint64_t moved = 0;
    for (std::int64_t way = 0; way < ranks(); ++way) moved += (way & bit) != 0 ? 1 : 0;
    wanted += m(block * moved);
  }
  expect_time([](Caller& s) { gather_all(s, "MPI_Alltoall", 10); }, wanted);
}

TEST_P(CollectiveTimes, AnAlltoallvWithEqualBlocksIsPairwise) {
  expect_time(
      [&](Caller& s) {
        const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks()), kCount);
        s.call("MPI_Alltoallv", {{"sendbuf", 0},
                                 {"sendcounts", s.array(counts)},
                                 {"sendtype", kDouble},
                                 {"recvcounts", s.array(counts)},
                                 {"recvtype", kDouble},
                                 {"comm", kWorld}});
      },
      times(static_cast<std::uint64_t>(ranks() - 1), kBytes));
}

TEST_P(CollectiveTimes, AReduceScatterIsPairwise) {
  expect_time(
      [](Caller& s) {
        s.call("MPI_Reduce_scatter_block",
               {{"sendbuf", 0}, {"recvcount", kCount}, {"datatype", kDouble}, {"comm", kWorld}});
      },
      times(static_cast<std::uint64_t>(ranks() - 1), kBytes));
}

TEST_P(CollectiveTimes, NeighborsOnAClosedLineSpeakAtOnce) {
  if (ranks() < 3) GTEST_SKIP() << "both neighbours would be one rank";
  Trace trace = recorded(ranks(), [](Caller& s) {
    s.builder.set_position(0, s.rank, s.ranks);
    s.call("MPI_Cart_create", {{"comm_old", kWorld},
                               {"dims", s.array({s.ranks})},
                               {"periods", s.array({1})},
                               {"comm_cart", 0}});
    s.call("MPI_Neighbor_alltoall",
           {{"sendbuf", 0}, {"sendcount", kCount}, {"sendtype", kDouble}, {"comm", 0}});
  });
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  support::define_comm(trace, 0, all);
  // After the barrier that makes the grid. LogGP sends the second block g and its bytes later.
  const NetworkModel network = model();
  const bool is_loggp = network.kind == NetworkModel::Kind::kLogGP;
  const double second = is_loggp ? network.gap_s + (kBytes - 1) * network.byte_s : 0;
  expect_seconds(predicted(trace, network).seconds,
                 times(rounds_up(ranks()), 0) + m(kBytes) + second);
}

TEST(CollectiveTimesByHand, ADuplicateHasTheNeighborsOfItsGrid) {
  const auto seconds_on = [](std::int64_t comm) {
    Trace trace = recorded(4, [&](Caller& s) {
      for (const std::int64_t slot : {0, 1}) s.builder.set_position(slot, s.rank, s.ranks);
      s.call("MPI_Cart_create", {{"comm_old", kWorld},
                                 {"dims", s.array({4})},
                                 {"periods", s.array({1})},
                                 {"comm_cart", 0}});
      s.call("MPI_Comm_dup", {{"comm", 0}, {"newcomm", 1}});
      if (comm >= 0)
        s.call("MPI_Neighbor_alltoall",
               {{"sendbuf", 0}, {"sendcount", kCount}, {"sendtype", kDouble}, {"comm", comm}});
    });
    for (const std::int64_t slot : {0, 1}) support::define_comm(trace, slot, {0, 1, 2, 3});
    return predicted(trace, linear()).seconds;
  };
  EXPECT_GT(seconds_on(0), seconds_on(-1));
  expect_seconds(seconds_on(1), seconds_on(0));
}

TEST(CollectiveTimesByHand, TreesInTheLinearModelTakeTheirDepth) {
  for (const std::int64_t ranks : {2, 3, 5, 7, 8, 13, 16, 17}) {
    const double wanted = static_cast<double>(depth(ranks)) * message(linear(), kBytes);
    expect_seconds(broadcast_down(linear(), 0, ranks), wanted);
    expect_seconds(reduction_up(linear(), 0, ranks), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CollectiveTimes,
                         testing::Combine(testing::Bool(),
                                          testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 13, 16)),
                         [](const auto& param) {
                           return (std::get<0>(param.param) ? std::string("LogGP") : "Linear") +
                                  std::to_string(std::get<1>(param.param));
                         });

// Messages on the longest way down a binomial tree and the blocks in them, by hand: of 13 ranks 8
// stands for 5 (itself and what is above), 10 of those for 2, and 11 for 1.
struct TreeCase {
  std::int64_t ranks;
  std::uint64_t steps;
  std::uint64_t blocks;
};
constexpr TreeCase kTrees[] = {{2, 1, 1}, {3, 1, 1}, {4, 2, 3},  {5, 2, 3},  {6, 2, 3},
                               {7, 2, 4}, {8, 3, 7}, {13, 3, 8}, {16, 4, 15}};

TEST(CollectiveTimesByHand, AnAllreduceOfThreeInLogGPFindsThePortBusy) {
  // 0 lends to 1, while 2 has sent to 1 as well: the second comes in g and its bytes later. Then 1
  // tells 0 the result.
  const NetworkModel model = loggp();
  const double behind = model.gap_s + (kBytes - 1) * model.byte_s;
  expect_seconds(seconds_of(3, model, [](Caller& s) { block_of_all(s, "MPI_Allreduce"); }),
                 message(model, kBytes) + behind + message(model, kBytes));
}

TEST(CollectiveTimesByHand, ScatterAndGatherHalveTheirBlocksDownATree) {
  for (const TreeCase& tree : kTrees) {
    const double wanted = static_cast<double>(tree.steps) * kLatency +
                          static_cast<double>(tree.blocks * kBytes) / support::kBandwidth;
    for (const std::string_view name : {"MPI_Scatter", "MPI_Gather"}) {
      SCOPED_TRACE(std::string(name) + " of " + std::to_string(tree.ranks));
      expect_seconds(
          seconds_of(tree.ranks, linear(), [&](Caller& s) { rooted(s, name, 1 % tree.ranks); }),
          wanted);
    }
  }
}

TEST(CollectiveTimesByHand, GathervWaitsForTheLongestInTheLinearModel) {
  const Play play = [](Caller& s) {
    s.call("MPI_Gatherv", {{"sendbuf", 0},
                           {"sendcount", 100 * s.rank},
                           {"sendtype", kDouble},
                           {"recvcounts", s.array({0, 100, 200, 300})},
                           {"recvtype", kDouble},
                           {"root", 0},
                           {"comm", kWorld}});
  };
  expect_seconds(seconds_of(4, linear(), play), message(linear(), 2400));
}

TEST(CollectiveTimesByHand, ScattervOfLogGPLeavesThroughOnePort) {
  const Play play = [](Caller& s) {
    s.call("MPI_Scatterv", {{"sendcounts", s.array({1, 1, 1, 1, 1})},
                            {"sendtype", kDouble},
                            {"recvcount", 1},
                            {"recvtype", kDouble},
                            {"root", 0},
                            {"comm", kWorld}});
  };
  const double bytes = 7e-9; // all but the first
  expect_seconds(seconds_of(5, loggp(), play), 3 * (3e-6 + bytes) + message(loggp(), 8));
}

// On a network that takes no time: all wait for the last one, and it takes each rank log2(n) steps
// to find that out, not the n - 1 of rings and pairs.
TEST(CollectiveTimesByHand, OfAllWithAllAreRoundsUpWhereNothingTakesTime) {
  const NetworkModel no_time;
  SimulateOptions options;
  options.collectives_are_eager = true;
  for (const std::int64_t ranks : {3, 8, 61}) {
    for (const char* const name : {"MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter_block"}) {
      const Trace trace = recorded(ranks, [&](Caller& s) {
        support::compute(s, s.rank == 2 ? 30 * support::kMsInNs : support::kMsInNs);
        if (std::string_view(name) == "MPI_Reduce_scatter_block")
          s.call(name, {{"recvcount", kCount}, {"datatype", kDouble}, {"comm", kWorld}});
        else
          gather_all(s, name, 100 * kCount);
      });
      const Prediction waited = predicted(trace, no_time, options);
      EXPECT_EQ(waited.messages, static_cast<std::uint64_t>(ranks) * rounds_up(ranks)) << name;
      for (const RankPrediction& rank : waited.ranks) expect_seconds(rank.end_s, waited.seconds);
      EXPECT_EQ(predicted(trace, no_time).seconds, waited.seconds) << name;
    }
  }
}

TEST(CollectiveTimesByHand, OfAnIntercommunicatorEachTalksWithEach) {
  Trace trace = recorded(5, [](Caller& s) { // 0 and 1 face 2, 3 and 4
    const bool is_left = s.rank < 2;
    s.builder.set_position(0, is_left ? s.rank : s.rank - 2, is_left ? 3 : 2);
    s.call("MPI_Allreduce",
           {{"sendbuf", 0}, {"count", kCount}, {"datatype", kDouble}, {"comm", 0}});
    s.call("MPI_Bcast",
           {{"count", kCount},
            {"datatype", kDouble},
            {"root", is_left ? (s.rank == 0 ? trace::kRootHere : trace::kProcNull) : 0},
            {"comm", 0}});
  });
  support::define_comm(trace, 0, {0, 1}, {2, 3, 4});
  support::define_comm(trace, 0, {2, 3, 4}, {0, 1});
  expect_seconds(predicted(trace, linear()).seconds, 2 * message(linear(), kBytes));
  EXPECT_EQ(predicted(trace, linear()).messages, 2 * 2 * 3 + 3u);
}

} // namespace
} // namespace rondo::simulate
