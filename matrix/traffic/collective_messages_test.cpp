// SPDX-License-Identifier: Apache-2.0
// Collective operations counted as messages: to the root and back, straight, and by algorithm.
#include "rondo/matrix/layers.hpp"
#include "rondo/matrix/trace_traffic.hpp"

#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace rondo::matrix {
namespace {

using support::Caller;
using support::define_comm;
using support::kDouble;
using support::kInt;
using support::kWorld;
using support::recorded;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using trace::Trace;

constexpr auto kPaper = CollectiveCounting::kThroughRoot;
constexpr auto kPairs = CollectiveCounting::kPairs;
constexpr auto kAlgorithm = CollectiveCounting::kAlgorithm;

using Define = std::function<void(Trace&)>;

template <class Play>
std::vector<MatrixEntry> counted(
    std::int64_t ranks, CollectiveCounting counting, Play play,
    const Define& define = [](Trace&) {}) {
  Trace trace = recorded(ranks, play);
  define(trace);
  TrafficOptions options;
  options.collectives = counting;
  const auto made = matrix_of(trace, options);
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  EXPECT_EQ(made->loss, TrafficLoss{});
  return {made->matrix.entries().begin(), made->matrix.entries().end()};
}

// The way up to rank 0 and the way down, of three ranks.
std::vector<MatrixEntry> star(std::uint64_t up_1, std::uint64_t up_2, std::uint64_t down_1,
                              std::uint64_t down_2) {
  return {{0, 1, 1, down_1}, {0, 2, 1, down_2}, {1, 0, 1, up_1}, {2, 0, 1, up_2}};
}

void call_with_block(Caller& s, std::string_view name) {
  s.call(name, {{"sendbuf", 0}, {"count", 10}, {"datatype", kInt}, {"comm", kWorld}});
}

TEST(CollectiveMessages, AreNotCountedUnlessAskedFor) {
  const auto barrier = [](Caller& s) { s.call("MPI_Barrier", {{"comm", kWorld}}); };
  EXPECT_THAT(counted(3, CollectiveCounting::kNone, barrier), IsEmpty());
}

TEST(CollectiveMessages, OfThePapersCgGoToRankZeroAndBack) {
  // CG's one reduce and one barrier: "node 0 sends one message each to nodes 2 and 3" [riesen2006].
  const auto entries = counted(4, kPaper, [](Caller& s) {
    s.call("MPI_Barrier", {{"comm", kWorld}});
    s.call("MPI_Reduce",
           {{"sendbuf", 0}, {"count", 1}, {"datatype", kDouble}, {"root", 0}, {"comm", kWorld}});
  });
  EXPECT_THAT(entries, ElementsAre(MatrixEntry{0, 1, 1, 0}, MatrixEntry{0, 2, 1, 0},
                                   MatrixEntry{0, 3, 1, 0}, MatrixEntry{1, 0, 2, 8},
                                   MatrixEntry{2, 0, 2, 8}, MatrixEntry{3, 0, 2, 8}));
}

TEST(CollectiveMessages, ABroadcastGoesFromItsRootToAll) {
  const auto bcast = [](Caller& s) {
    for (int i = 0; i < 7; ++i)
      s.call("MPI_Bcast", {{"count", 5}, {"datatype", kInt}, {"root", 1}, {"comm", kWorld}});
  };
  EXPECT_THAT(counted(3, kPaper, bcast),
              ElementsAre(MatrixEntry{1, 0, 7, 140}, MatrixEntry{1, 2, 7, 140}));
}

TEST(CollectiveMessages, ReductionsOfAllAndScansGoBothWays) {
  for (const std::string_view name :
       {"MPI_Allreduce", "MPI_Scan", "MPI_Exscan", "MPI_Iallreduce"}) {
    const auto entries = counted(3, kPaper, [&](Caller& s) { call_with_block(s, name); });
    EXPECT_EQ(entries, star(40, 40, 40, 40)) << name;
  }
}

TEST(CollectiveMessages, OfPersistentCollectivesAreThoseOfEachStart) {
  const auto entries = counted(2, kPaper, [](Caller& s) {
    call_with_block(s, "MPI_Allreduce_init");
    for (int i = 0; i < 5; ++i) s.start(0);
  });
  EXPECT_THAT(entries, ElementsAre(MatrixEntry{0, 1, 5, 200}, MatrixEntry{1, 0, 5, 200}));
}

TEST(CollectiveMessages, GathersAndScattersCarryEachRanksBlock) {
  const auto gatherv = [](Caller& s) { // rank r has r + 1 numbers
    s.call("MPI_Gatherv", {{"sendbuf", s.rank == 0 ? trace::kInPlace : 0},
                           {"sendcount", s.rank + 1},
                           {"sendtype", kInt},
                           {"recvcounts", s.rank == 0 ? s.array({1, 2, 3}) : trace::kNothing},
                           {"recvtype", s.rank == 0 ? kInt : trace::kNothing},
                           {"root", 0},
                           {"comm", kWorld}});
  };
  EXPECT_THAT(counted(3, kPaper, gatherv),
              ElementsAre(MatrixEntry{1, 0, 1, 8}, MatrixEntry{2, 0, 1, 12}));
  const auto scatterv = [](Caller& s) {
    s.call("MPI_Scatterv", {{"sendcounts", s.rank == 0 ? s.array({1, 2, 3}) : trace::kNothing},
                            {"sendtype", s.rank == 0 ? kInt : trace::kNothing},
                            {"recvcount", s.rank + 1},
                            {"recvtype", kInt},
                            {"root", 0},
                            {"comm", kWorld}});
  };
  EXPECT_THAT(counted(3, kPaper, scatterv),
              ElementsAre(MatrixEntry{0, 1, 1, 8}, MatrixEntry{0, 2, 1, 12}));
}

TEST(CollectiveMessages, AnAllgatherGivesTheWholeBack) {
  const auto allgather = [](Caller& s) {
    s.call("MPI_Allgather", {{"sendbuf", 0},
                             {"sendcount", 2},
                             {"sendtype", kInt},
                             {"recvcount", 2},
                             {"recvtype", kInt},
                             {"comm", kWorld}});
  };
  EXPECT_EQ(counted(3, kPaper, allgather), star(8, 8, 24, 24));
  const auto allgatherv = [](Caller& s) {
    s.call("MPI_Allgatherv", {{"sendbuf", 0},
                              {"sendcount", s.rank + 1},
                              {"sendtype", kInt},
                              {"recvcounts", s.array({1, 2, 3})},
                              {"recvtype", kInt},
                              {"comm", kWorld}});
  };
  EXPECT_EQ(counted(3, kPaper, allgatherv), star(8, 12, 24, 24));
}

TEST(CollectiveMessages, AReduceScatterTakesAllUpAndABlockDown) {
  const auto block = [](Caller& s) {
    s.call("MPI_Reduce_scatter_block",
           {{"sendbuf", 0}, {"recvcount", 5}, {"datatype", kInt}, {"comm", kWorld}});
  };
  EXPECT_EQ(counted(3, kPaper, block), star(60, 60, 20, 20));
  const auto blocks = [](Caller& s) {
    s.call(
        "MPI_Reduce_scatter",
        {{"sendbuf", 0}, {"recvcounts", s.array({1, 2, 3})}, {"datatype", kInt}, {"comm", kWorld}});
  };
  EXPECT_EQ(counted(3, kPaper, blocks), star(24, 24, 8, 12));
}

void alltoall(Caller& s) {
  s.call("MPI_Alltoall", {{"sendbuf", 0},
                          {"sendcount", 10},
                          {"sendtype", kInt},
                          {"recvcount", 10},
                          {"recvtype", kInt},
                          {"comm", kWorld}});
}

// Rank r sends 10 r + d numbers to rank d.
void alltoallv(Caller& s) {
  s.call("MPI_Alltoallv", {{"sendbuf", 0},
                           {"sendcounts", s.array({10 * s.rank, 10 * s.rank + 1, 10 * s.rank + 2})},
                           {"sendtype", kInt},
                           {"recvcounts", s.array({s.rank, 10 + s.rank, 20 + s.rank})},
                           {"recvtype", kInt},
                           {"comm", kWorld}});
}

TEST(CollectiveMessages, OfAlltoallGoThroughTheRootOrStraight) {
  EXPECT_EQ(counted(3, kPaper, alltoall), star(80, 80, 80, 80)); // not what is a rank's own
  EXPECT_EQ(counted(3, kPaper, alltoallv),
            star(4 * (10 + 12), 4 * (20 + 21), 4 * (1 + 21), 4 * (2 + 12)));
  std::vector<MatrixEntry> pairs;
  std::vector<MatrixEntry> different;
  for (std::int64_t from = 0; from < 3; ++from) {
    for (std::int64_t to = 0; to < 3; ++to) {
      if (from == to) continue;
      pairs.push_back({from, to, 1, 40});
      different.push_back({from, to, 1, static_cast<std::uint64_t>(4 * (10 * from + to))});
    }
  }
  EXPECT_EQ(counted(3, kPairs, alltoall), pairs);
  EXPECT_EQ(counted(3, kPairs, alltoallv), different);
}

TEST(CollectiveMessages, ByAlgorithmAreThoseOfTheTree) {
  const auto bcast = [](Caller& s) {
    s.call("MPI_Bcast", {{"count", 5}, {"datatype", kInt}, {"root", 1}, {"comm", kWorld}});
  };
  // From rank 1: 1 -> 3 -> 4 (two and three above it) and 1 -> 2; of five ranks 1 + 4 is rank 0.
  EXPECT_THAT(counted(5, kAlgorithm, bcast),
              UnorderedElementsAre(MatrixEntry{1, 0, 1, 20}, MatrixEntry{1, 2, 1, 20},
                                   MatrixEntry{1, 3, 1, 20}, MatrixEntry{3, 4, 1, 20}));
  const auto allreduce = [](Caller& s) { call_with_block(s, "MPI_Allreduce"); };
  for (const MatrixEntry& entry : counted(8, kAlgorithm, allreduce)) {
    const auto distance = static_cast<std::uint64_t>(entry.source ^ entry.destination);
    EXPECT_EQ(distance & (distance - 1), 0u);
    EXPECT_EQ(entry.bytes, 40u);
  }
  EXPECT_EQ(counted(8, kAlgorithm, allreduce).size(), 24u);
}

TEST(CollectiveMessages, AreOnTheRanksOfTheirCommunicator) {
  const auto entries = counted(
      4, kPaper,
      [](Caller& s) { // the odd ranks, of which 3 is the first
        if (s.rank % 2 == 0) return;
        s.builder.set_position(0, s.rank == 3 ? 0 : 1, 2);
        s.call("MPI_Barrier", {{"comm", 0}});
      },
      [](Trace& trace) {
        define_comm(trace, 0, {3, 1});
      });
  EXPECT_THAT(entries, ElementsAre(MatrixEntry{1, 3, 1, 0}, MatrixEntry{3, 1, 1, 0}));
}

TEST(CollectiveMessages, OnCommunicatorsThatAreNotDefinedAreMissedAloud) {
  const Trace trace = recorded(3, [](Caller& s) { s.call("MPI_Barrier", {{"comm", 7}}); });
  TrafficOptions options;
  options.collectives = kPaper;
  const auto made = matrix_of(trace, options);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->matrix.entries(), IsEmpty());
  EXPECT_EQ(made->loss.unknown_peers, 3u);
}

TEST(CollectiveMessages, OnIntercommunicatorsGoToTheOtherGroup) {
  const auto play = [](Caller& s) { // 0 and 1 face 2; 2 broadcasts, then all reduce
    const bool is_left = s.rank < 2;
    s.builder.set_position(0, is_left ? s.rank : 0, is_left ? 1 : 2);
    s.call(
        "MPI_Bcast",
        {{"count", 5}, {"datatype", kInt}, {"root", is_left ? 0 : trace::kRootHere}, {"comm", 0}});
    s.call("MPI_Allreduce", {{"sendbuf", 0}, {"count", 1}, {"datatype", kInt}, {"comm", 0}});
  };
  const Define define = [](Trace& trace) {
    define_comm(trace, 0, {0, 1}, {2});
    define_comm(trace, 0, {2}, {0, 1});
  };
  for (const auto counting : {kPaper, kPairs, kAlgorithm}) {
    EXPECT_THAT(counted(3, counting, play, define),
                ElementsAre(MatrixEntry{0, 2, 1, 4}, MatrixEntry{1, 2, 1, 4},
                            MatrixEntry{2, 0, 2, 24}, MatrixEntry{2, 1, 2, 24}));
  }
}

void exchange_on_graph(Caller& s) {
  s.call("MPI_Neighbor_alltoall",
         {{"sendbuf", 0}, {"sendcount", 3}, {"sendtype", kInt}, {"comm", 0}});
}

void exchange_in_a_line(Caller& s) { // of three
  s.builder.set_position(0, s.rank, s.ranks);
  s.call(
      "MPI_Cart_create",
      {{"comm_old", kWorld}, {"dims", s.array({3})}, {"periods", s.array({0})}, {"comm_cart", 0}});
  exchange_on_graph(s);
}

TEST(CollectiveMessages, OfNeighborsGoToThem) {
  const Define define = [](Trace& trace) { define_comm(trace, 0, {0, 1, 2}); };
  for (const auto counting : {kPaper, CollectiveCounting::kNeighbors}) {
    EXPECT_THAT(counted(3, counting, exchange_in_a_line, define),
                ElementsAre(MatrixEntry{0, 1, 1, 12}, MatrixEntry{1, 0, 1, 12},
                            MatrixEntry{1, 2, 1, 12}, MatrixEntry{2, 1, 1, 12}));
  }
  const auto barrier = [](Caller& s) { s.call("MPI_Barrier", {{"comm", kWorld}}); };
  EXPECT_TRUE(counted(3, CollectiveCounting::kNeighbors, barrier).empty());
}

TEST(CollectiveMessages, OfNeighborsAreLayersIfAskedFor) {
  Trace trace = recorded(3, exchange_in_a_line);
  define_comm(trace, 0, {0, 1, 2});
  EXPECT_TRUE(layers_of(trace).layers.empty());
  const LayeredTraffic layered = layers_of(trace, {}, CollectiveCounting::kNeighbors);
  ASSERT_EQ(layered.layers.size(), 1u);
  EXPECT_EQ(layered.layers[0].entries.size(), 4u);
  EXPECT_TRUE(layered.collectives.empty());
}

TEST(CollectiveMessages, OfACutGridStayInItsRows) {
  const auto rows = [](Caller& s) {
    s.builder.set_position(0, s.rank, 6);
    s.builder.set_position(1, s.rank % 3, 3);
    s.call("MPI_Cart_create", {{"comm_old", kWorld},
                               {"dims", s.array({2, 3})},
                               {"periods", s.array({1, 0})},
                               {"comm_cart", 0}});
    s.call("MPI_Cart_sub", {{"comm", 0}, {"remain_dims", s.array({0, 1})}, {"newcomm", 1}});
    s.call("MPI_Neighbor_alltoall",
           {{"sendbuf", 0}, {"sendcount", 1}, {"sendtype", kInt}, {"comm", 1}});
  };
  const auto entries = counted(6, kPaper, rows, [](Trace& trace) {
    define_comm(trace, 0, {0, 1, 2, 3, 4, 5});
    define_comm(trace, 1, {0, 1, 2});
    define_comm(trace, 1, {3, 4, 5});
  });
  EXPECT_EQ(entries.size(), 8u);
  for (const MatrixEntry& entry : entries) {
    EXPECT_EQ(std::abs(entry.source - entry.destination), 1);
    EXPECT_EQ(entry.source / 3, entry.destination / 3);
  }
}

// Rank 0 says all edges of a graph: 0 -> 1, 0 -> 2 and 2 -> 1; the others say none.
void make_dist_graph(Caller& s, std::int64_t comm, std::vector<std::int64_t> destinations) {
  const bool speaks = s.rank == 0;
  for (std::int64_t& rank : destinations) rank -= s.rank;
  s.call("MPI_Dist_graph_create", {{"comm_old", kWorld},
                                   {"sources", speaks ? s.array({0, 2}) : s.array({})},
                                   {"degrees", speaks ? s.array({2, 1}) : s.array({})},
                                   {"destinations", speaks ? s.array(destinations) : s.array({})},
                                   {"comm_dist_graph", comm}});
}

TEST(CollectiveMessages, OfADistributedGraphAreWhatAllRanksSayOfIt) {
  const Define define = [](Trace& trace) { define_comm(trace, 0, {0, 1, 2}); };
  const auto graph = [](Caller& s) {
    s.builder.set_position(0, s.rank, s.ranks);
    make_dist_graph(s, 0, {1, 2, 1});
    exchange_on_graph(s);
  };
  EXPECT_THAT(
      counted(3, kPaper, graph, define),
      ElementsAre(MatrixEntry{0, 1, 1, 12}, MatrixEntry{0, 2, 1, 12}, MatrixEntry{2, 1, 1, 12}));
}

TEST(CollectiveMessages, OfAGraphThatIsNotClearAreMissedAloud) {
  const auto play = [](Caller& s) { // two graphs in one slot, one after the other
    s.builder.set_position(0, s.rank, s.ranks);
    make_dist_graph(s, 0, {1, 2, 1});
    make_dist_graph(s, 0, {2, 1, 0});
    exchange_on_graph(s);
  };
  Trace trace = recorded(3, play);
  define_comm(trace, 0, {0, 1, 2});
  const TraceStatistics found = statistics_of(trace, kPaper);
  EXPECT_EQ(found.loss.unknown_neighbors, 3u);
  EXPECT_EQ(found.statistics.messages.total, 0u);
  EXPECT_EQ(found.statistics.collective_calls, 3u);
}

TEST(CollectiveMessages, ChosenSendersAreThoseWhoSend) {
  const Trace trace = recorded(3, [](Caller& s) {
    s.call("MPI_Bcast", {{"count", 5}, {"datatype", kInt}, {"root", 1}, {"comm", kWorld}});
    s.send(0, 1);
  });
  TrafficOptions options;
  options.collectives = kPaper;
  options.senders = trace::RankSet::of({1});
  const auto made = matrix_of(trace, options);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->matrix.entries(),
              ElementsAre(MatrixEntry{1, 0, 2, 28}, MatrixEntry{1, 2, 1, 20}));
  options.calls = {"MPI_Bcast"};
  EXPECT_THAT(matrix_of(trace, options)->matrix.entries(),
              ElementsAre(MatrixEntry{1, 0, 1, 20}, MatrixEntry{1, 2, 1, 20}));
  options.collectives = CollectiveCounting::kNone;
  EXPECT_FALSE(matrix_of(trace, options));
}

TEST(CollectiveMessages, AreInDensitiesAndSizesButNotInTheRatio) {
  const Trace trace = recorded(3, [](Caller& s) {
    s.send((s.rank + 1) % 3, 100);
    call_with_block(s, "MPI_Allreduce");
  });
  const Statistics s = statistics_of(trace, kPaper).statistics;
  EXPECT_EQ(s.collectives_as, "paper");
  EXPECT_EQ(s.messages.total, 7u);
  EXPECT_EQ(s.bytes.total, 3 * 800u + 4 * 40u);
  EXPECT_EQ(s.point_to_point_messages, 3u);
  EXPECT_DOUBLE_EQ(s.point_to_point_per_rank(), 1);
  EXPECT_DOUBLE_EQ(s.collective_share_of_calls(), 0.5);
  EXPECT_EQ(s.sizes[1].collective_messages, 4u); // 40 B
  EXPECT_EQ(s.sizes[1].collective_message_bytes, 160u);
  EXPECT_EQ(s.sizes[1].collective_calls, 3u);
}

TEST(CollectiveMessages, WaysToCountHaveNames) {
  for (const std::string_view name : {"none", "paper", "pairs", "algorithm"})
    EXPECT_EQ(name_of(*parse_collective_counting(name)), name);
  EXPECT_EQ(parse_collective_counting("tree").error().code, ErrorCode::kUsage);
}

} // namespace
} // namespace rondo::matrix
