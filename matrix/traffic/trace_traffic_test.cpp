// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/trace_traffic.hpp"

#include "rondo/matrix/call_bytes.hpp"
#include "rondo/matrix/layers.hpp"
#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace rondo::matrix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Trace;

using support::Caller;
using support::define_comm;
using support::kDouble;
using support::kInt;
using support::kSelf;
using support::kWorld;
using support::recorded;

std::vector<MatrixEntry> entries_of(const Trace& trace, const TrafficOptions& options = {}) {
  const auto made = matrix_of(trace, options);
  EXPECT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->loss, TrafficLoss{});
  return {made->matrix.entries().begin(), made->matrix.entries().end()};
}

TEST(TraceTraffic, CountsTheSendsOfARing) {
  const Trace trace = recorded(4, [](Caller& s) {
    for (int i = 0; i < 10; ++i) s.send((s.rank + 1) % 4, 5);
  });
  ASSERT_EQ(trace.classes.size(), 1u);
  EXPECT_THAT(entries_of(trace),
              ElementsAre(MatrixEntry{0, 1, 10, 400}, MatrixEntry{1, 2, 10, 400},
                          MatrixEntry{2, 3, 10, 400}, MatrixEntry{3, 0, 10, 400}));
}

TEST(TraceTraffic, ResolvesPeersByExclusiveOr) {
  const Trace trace = recorded(4, [](Caller& s) {
    for (std::int64_t bit = 1; bit < 4; bit *= 2) s.send(s.rank ^ bit, bit);
  });
  ASSERT_EQ(trace.classes.size(), 1u);
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 1, 1, 8}, MatrixEntry{0, 2, 1, 16},
                                             MatrixEntry{1, 0, 1, 8}, MatrixEntry{1, 3, 1, 16},
                                             MatrixEntry{2, 0, 1, 16}, MatrixEntry{2, 3, 1, 8},
                                             MatrixEntry{3, 1, 1, 16}, MatrixEntry{3, 2, 1, 8}));
}

TEST(TraceTraffic, ReadsVaryingPeersAndCountsInLockstep) {
  // Rank 0 of 8 sends i elements to a different rank each time.
  std::map<std::int64_t, MatrixEntry> want;
  const Trace trace = recorded(8, [&](Caller& s) {
    if (s.rank != 0) return;
    for (std::int64_t i = 0; i < 300; ++i) {
      const std::int64_t dest = 1 + i * i % 7;
      s.send(dest, i);
      want.try_emplace(dest, MatrixEntry{0, dest, 0, 0});
      ++want[dest].messages;
      want[dest].bytes += static_cast<std::uint64_t>(i) * 8;
    }
  });
  ASSERT_FALSE(trace.classes[0].program->columns.empty());
  const auto entries = entries_of(trace);
  ASSERT_EQ(entries.size(), want.size());
  for (const MatrixEntry& entry : entries) EXPECT_EQ(entry, want[entry.destination]);
}

TEST(TraceTraffic, SpecialPeersInColumnsStandForThemselves) {
  const Trace trace = recorded(2, [](Caller& s) {
    for (std::int64_t i = 0; i < 100; ++i) {
      s.send(s.rank == 0 && i % 3 == 0 ? trace::kProcNull : 1 - s.rank, i);
    }
  });
  const auto entries = entries_of(trace);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].messages, 66u);
  EXPECT_EQ(entries[1].messages, 100u);
}

TEST(TraceTraffic, TranslatesRanksOfSubcommunicators) {
  // 0 1 2     rows are communicator 0, columns communicator 1; everyone sends to the
  // 3 4 5     next in its row and to the first of its column
  Trace trace = recorded(6, [](Caller& s) {
    s.builder.set_position(0, s.rank % 3, 3);
    s.builder.set_position(1, s.rank / 3, 2);
    s.send((s.rank % 3 + 1) % 3, 1, kInt, 0);
    s.send(0, 10, kInt, 1);
  });
  define_comm(trace, 0, {0, 1, 2});
  define_comm(trace, 0, {3, 4, 5});
  for (const std::int64_t column : {0, 1, 2}) define_comm(trace, 1, {column, column + 3});
  EXPECT_THAT(entries_of(trace, {.comm = 0}),
              ElementsAre(MatrixEntry{0, 1, 1, 4}, MatrixEntry{1, 2, 1, 4}, MatrixEntry{2, 0, 1, 4},
                          MatrixEntry{3, 4, 1, 4}, MatrixEntry{4, 5, 1, 4},
                          MatrixEntry{5, 3, 1, 4}));
  EXPECT_THAT(entries_of(trace, {.comm = 1, .senders = trace::RankSet::of({1, 4})}),
              ElementsAre(MatrixEntry{1, 1, 1, 40}, MatrixEntry{4, 1, 1, 40}));
  EXPECT_EQ(entries_of(trace).size(), 12u);
}

TEST(TraceTraffic, PeersOnAnIntercommunicatorAreOfTheOtherGroup) {
  Trace trace = recorded(5, [](Caller& s) {
    if (s.rank >= 3) return;
    s.builder.set_position(0, s.rank, 2);
    s.send(1, 1, kInt, 0);
  });
  define_comm(trace, 0, {0, 1, 2}, {3, 4});
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 4, 1, 4}, MatrixEntry{1, 4, 1, 4},
                                             MatrixEntry{2, 4, 1, 4}));
}

TEST(TraceTraffic, MessagesOnCommSelfGoToTheSender) {
  const Trace trace = recorded(2, [](Caller& s) { s.send(0, 1, kInt, kSelf); });
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 0, 1, 4}, MatrixEntry{1, 1, 1, 4}));
}

TEST(TraceTraffic, ADerivedTypeMayDifferFromRankToRank) {
  Trace trace = recorded(2, [](Caller& s) { s.send(1 - s.rank, 3, 0); });
  trace.datatypes.push_back({0, "", 100, 128, trace::RankSet::of({0})});
  trace.datatypes.push_back({0, "", 7, 8, trace::RankSet::of({1})});
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 1, 1, 300}, MatrixEntry{1, 0, 1, 21}));
}

TEST(TraceTraffic, SendrecvCountsItsSendingSide) {
  const Trace trace = recorded(3, [](Caller& s) {
    if (s.rank != 0) return;
    s.call("MPI_Sendrecv", {{"sendcount", 2},
                            {"sendtype", kInt},
                            {"dest", 1},
                            {"recvcount", 50},
                            {"recvtype", kDouble},
                            {"source", 2},
                            {"comm", kWorld}});
    s.call("MPI_Sendrecv_replace",
           {{"count", 3}, {"datatype", kInt}, {"dest", 2}, {"source", 1}, {"comm", kWorld}});
  });
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 1, 1, 8}, MatrixEntry{0, 2, 1, 12}));
}

TEST(TraceTraffic, NobodyGetsMessagesToProcNullOrOfFailedCalls) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.send(trace::kProcNull, 5);
    s.call("MPI_Send", {{"count", 1}, {"datatype", kInt}, {"dest", 0}, {"comm", kWorld}}, 5);
    s.call("MPI_Recv", {{"count", 1}, {"datatype", kInt}, {"source", 0}, {"comm", kWorld}});
  });
  EXPECT_THAT(entries_of(trace), IsEmpty());
}

TEST(TraceTraffic, PersistentRequestsSendWhenTheyAreStarted) {
  const Trace trace = recorded(3, [](Caller& s) {
    if (s.rank != 0) return;
    s.send(1, 1, kInt, kWorld, "MPI_Send_init"); // slot 0
    s.call("MPI_Recv_init", {{"count", 9}, {"datatype", kInt}, {"source", 1}, {"comm", kWorld}});
    s.send(2, 10, kInt, kWorld, "MPI_Ssend_init"); // slot 2
    const std::int64_t all =
        s.array({trace::request_by_slot(0), trace::request_by_slot(1), trace::request_by_slot(2)});
    for (int i = 0; i < 5; ++i) s.call("MPI_Startall", {{"array_of_requests", all}});
    s.start(0);
    s.free(0);
    s.send(2, 100, kInt, kWorld, "MPI_Send_init"); // slot 0 again
    s.start(0);
    s.start(1);
  });
  EXPECT_THAT(entries_of(trace),
              ElementsAre(MatrixEntry{0, 1, 6, 24}, MatrixEntry{0, 2, 6, 5 * 40 + 400}));
  EXPECT_THAT(entries_of(trace, {.calls = {"MPI_Ssend_init"}}),
              ElementsAre(MatrixEntry{0, 2, 5, 200}));
}

TEST(TraceTraffic, PersistentRequestsThatVaryAreFollowed) {
  // Each round makes a request of another size and starts it `i % 4` times.
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  const Trace trace = recorded(2, [&](Caller& s) {
    if (s.rank != 0) return;
    for (std::int64_t i = 0; i < 200; ++i) {
      s.send(1, i, kInt, kWorld, "MPI_Send_init");
      for (std::int64_t j = 0; j < i % 4; ++j) s.start(0);
      s.free(0);
      messages += static_cast<std::uint64_t>(i % 4);
      bytes += static_cast<std::uint64_t>(i % 4 * i * 4);
    }
  });
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 1, messages, bytes}));
}

TEST(TraceTraffic, APartitionedSendIsOneMessage) {
  const Trace trace = recorded(2, [](Caller& s) {
    if (s.rank != 0) return;
    s.call("MPI_Psend_init",
           {{"partitions", 10}, {"count", 3}, {"datatype", kInt}, {"dest", 1}, {"comm", kWorld}});
    s.start(0);
    s.start(0);
  });
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 1, 2, 240}));
}

TEST(TraceTraffic, WhatCannotBeCountedIsSaid) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.send(1 - s.rank, 5, 77); // no such datatype
    s.send(0, 1, kInt, 9); // no such communicator
    s.send(7, 1, kInt); // no such rank
    s.start(3); // no such request
  });
  const auto made = matrix_of(trace);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->loss, (TrafficLoss{2, 4, 0, 0, 2, 0}));
  EXPECT_EQ(made->matrix.total_bytes(), 0u);
  EXPECT_EQ(made->matrix.total_messages(), 2u);
  EXPECT_THAT(made->loss.sentences(),
              ElementsAre(HasSubstr("2 messages with a datatype that the trace does not define"),
                          HasSubstr("4 messages to processes that were not recorded"),
                          HasSubstr("2 starts")));
}

TEST(TraceTraffic, ChosenCallsCommunicatorsAndSendersMustExist) {
  const Trace trace = recorded(2, [](Caller& s) { s.send(1 - s.rank, 1); });
  const auto message = [&](const TrafficOptions& options) {
    const auto made = matrix_of(trace, options);
    EXPECT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kUsage);
    return made.error().message;
  };
  EXPECT_EQ(message({.calls = {"MPI_Bcast"}}),
            "MPI_Bcast sends no messages that are counted here; this trace sends by MPI_Send");
  EXPECT_EQ(message({.calls = {"MPI_send"}}),
            "MPI_send is no MPI function that Rondo knows; this trace sends by MPI_Send");
  EXPECT_EQ(message({.comm = 0}), "no communicator 0 in this trace; it uses predefined ones only");
  EXPECT_EQ(message({.senders = trace::RankSet::of({2})}), "no rank 2; the trace has ranks 0 to 1");
  EXPECT_THAT(entries_of(trace, {.calls = {"MPI_Isend"}}), IsEmpty());
}

// The same by playing every call of every rank back, one by one.
CommunicationMatrix matrix_call_by_call(const Trace& trace) {
  std::vector<MatrixEntry> entries;
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) {
      trace::CallReader reader(trace, c, rank);
      while (const trace::CallInstance* call = reader.next()) {
        const auto word = [&](std::string_view name) {
          return call->words[static_cast<std::size_t>(call->function->word_of(name))];
        };
        if (word("dest") == trace::kProcNull) continue;
        const std::int64_t size = word("datatype") == kInt ? 4 : 8;
        entries.push_back(
            {rank, word("dest"), 1, static_cast<std::uint64_t>(word("count") * size)});
      }
    }
  }
  return CommunicationMatrix::from_entries(trace.run.ranks, std::move(entries));
}

TEST(TraceTraffic, AgreesWithPlayingRandomProgramsCallByCall) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Trace trace = recorded(1 + seed % 9, [&](Caller& s) {
      std::mt19937 random(seed); // the same on every rank, so that ranks can share a program
      const auto pick = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
      for (int block = 0; block < 6; ++block) {
        const std::int64_t trips = pick(60);
        const std::int64_t shift = pick(9);
        const std::int64_t kind = pick(4);
        const std::int64_t varies = pick(3);
        for (std::int64_t i = 0; i < trips; ++i) {
          std::int64_t dest = (s.rank + shift) % s.ranks;
          if (kind == 1) dest = s.rank + 1 < s.ranks ? s.rank + 1 : trace::kProcNull;
          if (kind == 2) dest = (s.rank ^ 1) < s.ranks ? s.rank ^ 1 : s.rank;
          if (kind == 3) dest = (s.rank + i * i) % s.ranks;
          for (std::int64_t j = 0; j <= varies * (i % 3); ++j) {
            s.send(dest, varies == 0 ? 5 : i * shift, i % 2 == 0 ? kInt : kDouble);
          }
        }
      }
    });
    EXPECT_EQ(matrix_of(trace)->matrix, matrix_call_by_call(trace)) << "seed " << seed;
  }
}

// Bytes that each rank gives to one call.
template <class Play>
std::vector<std::uint64_t> given(
    std::int64_t ranks, Play play, const std::function<void(Trace&)>& define = [](Trace&) {}) {
  Trace trace = recorded(ranks, play);
  define(trace);
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(ranks), 0);
  TrafficVisitor visitor;
  visitor.collectives = [&](const CollectiveCalls& c) {
    bytes[static_cast<std::size_t>(c.rank)] += c.calls * c.bytes_each;
  };
  EXPECT_EQ(visit_traffic(trace, {}, visitor), TrafficLoss{});
  return bytes;
}

TEST(CollectiveTraffic, TheRootGivesABroadcast) {
  EXPECT_THAT(
      given(
          3,
          [](Caller& s) {
            s.call("MPI_Bcast", {{"count", 5}, {"datatype", kInt}, {"root", 1}, {"comm", kWorld}});
          }),
      ElementsAre(0u, 20u, 0u));
}

TEST(CollectiveTraffic, EveryoneGivesABlockToGatherAlsoInPlace) {
  const auto gather = [](Caller& s) {
    if (s.rank == 0) {
      s.call("MPI_Gather", {{"sendbuf", trace::kInPlace},
                            {"recvbuf", 0},
                            {"recvcount", 5},
                            {"recvtype", kInt},
                            {"root", 0},
                            {"comm", kWorld}});
    } else {
      s.call(
          "MPI_Gather",
          {{"sendbuf", 0}, {"sendcount", 10}, {"sendtype", kInt}, {"root", 0}, {"comm", kWorld}});
    }
  };
  EXPECT_THAT(given(3, gather), ElementsAre(20u, 40u, 40u));
}

TEST(CollectiveTraffic, GathervInPlaceGivesTheRanksOwnBlock) {
  const auto gatherv = [](Caller& s) {
    const std::int64_t counts = s.array({1, 2, 3});
    s.call("MPI_Allgatherv", {{"sendbuf", trace::kInPlace},
                              {"recvbuf", 0},
                              {"recvcounts", counts},
                              {"recvtype", kInt},
                              {"comm", kWorld}});
  };
  EXPECT_THAT(given(3, gatherv), ElementsAre(4u, 8u, 12u));
}

TEST(CollectiveTraffic, TheRootGivesAllBlocksOfAScatter) {
  const auto scatter = [](Caller& s) {
    if (s.rank == 2) {
      const std::int64_t counts = s.array({1, 2, 3});
      s.call("MPI_Scatter", {{"sendcount", 5},
                             {"sendtype", kInt},
                             {"recvcount", 5},
                             {"recvtype", kInt},
                             {"root", 2},
                             {"comm", kWorld}});
      s.call("MPI_Iscatterv", {{"sendcounts", counts},
                               {"sendtype", kDouble},
                               {"recvcount", 3},
                               {"recvtype", kDouble},
                               {"root", 2},
                               {"comm", kWorld}});
    } else {
      s.call("MPI_Scatter", {{"recvcount", 5}, {"recvtype", kInt}, {"root", 2}, {"comm", kWorld}});
      s.call("MPI_Iscatterv",
             {{"recvcount", 1}, {"recvtype", kDouble}, {"root", 2}, {"comm", kWorld}});
    }
  };
  EXPECT_THAT(given(3, scatter), ElementsAre(0u, 0u, 60u + 48u));
}

TEST(CollectiveTraffic, AllToAllGivesABlockForEveryRank) {
  const auto exchange = [](Caller& s) {
    s.call("MPI_Alltoall", {{"sendbuf", 0},
                            {"sendcount", 1},
                            {"sendtype", kInt},
                            {"recvbuf", 0},
                            {"recvcount", 1},
                            {"recvtype", kInt},
                            {"comm", kWorld}}); // 12
    s.call("MPI_Ialltoall", {{"sendbuf", trace::kInPlace},
                             {"recvbuf", 0},
                             {"recvcount", 10},
                             {"recvtype", kInt},
                             {"comm", kWorld}}); // 120
    s.call("MPI_Alltoallv", {{"sendbuf", 0},
                             {"sendcounts", s.array({100, 0, 200})},
                             {"sendtype", kInt},
                             {"recvbuf", 0},
                             {"recvcounts", s.array({1, 1, 1})},
                             {"recvtype", kInt},
                             {"comm", kWorld}}); // 1200
    s.call("MPI_Alltoallw", {{"sendbuf", 0},
                             {"sendcounts", s.array({1000, 1000, 0})},
                             {"sendtypes", s.array({kInt, kDouble, kInt})},
                             {"recvbuf", 0},
                             {"comm", kWorld}}); // 12000
  };
  EXPECT_THAT(given(3, exchange), ElementsAre(13332u, 13332u, 13332u));
}

TEST(CollectiveTraffic, ReductionsGiveTheirOperand) {
  const auto reduce = [](Caller& s) {
    s.call("MPI_Reduce",
           {{"sendbuf", 0}, {"count", 1}, {"datatype", kInt}, {"root", 0}, {"comm", kWorld}}); // 4
    s.call(
        "MPI_Allreduce",
        {{"sendbuf", trace::kInPlace}, {"count", 10}, {"datatype", kInt}, {"comm", kWorld}}); // 40
    s.call("MPI_Exscan", {{"sendbuf", 0}, {"count", 100}, {"datatype", kInt}, {"comm", kWorld}});
    s.call("MPI_Reduce_scatter_block",
           {{"sendbuf", 0}, {"recvcount", 1000}, {"datatype", kInt}, {"comm", kWorld}}); // 8000
    s.call("MPI_Reduce_scatter", {{"sendbuf", 0},
                                  {"recvcounts", s.array({10000, 10000})},
                                  {"datatype", kInt},
                                  {"comm", kWorld}}); // 80000
    s.call("MPI_Barrier", {{"comm", kWorld}});
  };
  EXPECT_THAT(given(2, reduce), ElementsAre(88444u, 88444u));
}

TEST(CollectiveTraffic, OnAnIntercommunicatorTheRootsGroupGivesOnlyABroadcast) {
  const auto play = [](Caller& s) {
    if (s.rank < 2) { // the root's group: rank 0 is the root
      const std::int64_t root = s.rank == 0 ? trace::kRootHere : trace::kProcNull;
      s.builder.set_position(0, s.rank, 1);
      if (s.rank == 0) {
        s.call("MPI_Bcast", {{"count", 1}, {"datatype", kInt}, {"root", root}, {"comm", 0}});
        s.call("MPI_Reduce", {{"count", 10}, {"datatype", kInt}, {"root", root}, {"comm", 0}});
      } else {
        s.call("MPI_Bcast", {{"root", root}, {"comm", 0}});
        s.call("MPI_Reduce", {{"root", root}, {"comm", 0}});
      }
    } else {
      s.builder.set_position(0, 0, 2);
      s.call("MPI_Bcast", {{"count", 1}, {"datatype", kInt}, {"root", 0}, {"comm", 0}});
      s.call("MPI_Reduce", {{"count", 10}, {"datatype", kInt}, {"root", 0}, {"comm", 0}});
    }
  };
  const auto bytes = given(3, play, [](Trace& trace) {
    define_comm(trace, 0, {0, 1}, {2});
    define_comm(trace, 0, {2}, {0, 1});
  });
  EXPECT_THAT(bytes, ElementsAre(4u, 0u, 40u));
}

TEST(CollectiveTraffic, NeighborhoodsAreThoseOfTheCallThatMadeThem) {
  const auto play = [](Caller& s) {
    s.builder.set_position(0, s.rank, s.ranks);
    s.builder.set_position(1, s.rank, s.ranks);
    s.call("MPI_Cart_create", {{"comm_old", kWorld},
                               {"dims", s.array({2, 2})},
                               {"periods", s.array({0, 1})},
                               {"comm_cart", 0}});
    s.call("MPI_Dist_graph_create_adjacent", {{"comm_old", kWorld},
                                              {"sources", 0},
                                              {"destinations", s.array({0, 0, 0})},
                                              {"comm_dist_graph", 1}});
    for (const std::int64_t comm : {0, 1}) {
      s.call("MPI_Neighbor_alltoall",
             {{"sendbuf", 0}, {"sendcount", 1}, {"sendtype", kInt}, {"comm", comm}}); // 16 + 12
      s.call("MPI_Neighbor_allgather",
             {{"sendbuf", 0}, {"sendcount", 100}, {"sendtype", kInt}, {"comm", comm}}); // 2 * 400
    }
  };
  const auto bytes = given(2, play, [](Trace& trace) {
    define_comm(trace, 0, {0, 1});
    define_comm(trace, 1, {0, 1});
  });
  EXPECT_THAT(bytes, ElementsAre(828u, 828u));
}

// Communicators that stand in one slot, one after the other; rank 0 has one neighbour, then two.
TEST(CollectiveTraffic, NeighborsAreThoseOfTheCommunicatorThatStandsThereNow) {
  const auto exchange = [](Caller& s, const char* function) {
    s.call(function, {{"sendbuf", 0}, {"sendcount", 1}, {"sendtype", kInt}, {"comm", 0}});
  };
  const auto play = [&](Caller& s) {
    s.builder.set_position(0, s.rank, s.ranks);
    const auto make = [&](std::vector<std::int64_t> destinations) {
      s.call("MPI_Dist_graph_create_adjacent", {{"comm_old", kWorld},
                                                {"sources", 0},
                                                {"destinations", s.array(std::move(destinations))},
                                                {"comm_dist_graph", 0}});
    };
    for (int i = 0; i < 3; ++i) {
      make({1});
      exchange(s, "MPI_Neighbor_alltoall"); // 4 bytes
      make({1, 2});
      exchange(s, "MPI_Neighbor_alltoall"); // 8
    }
    make({1, 2, 1});
    exchange(s, "MPI_Neighbor_alltoall_init"); // its request keeps the three
    make({1});
    s.start(0); // 12
    s.call("MPI_Comm_dup", {{"comm", 0}, {"newcomm", 1}});
    s.call("MPI_Neighbor_alltoall",
           {{"sendbuf", 0}, {"sendcount", 1}, {"sendtype", kInt}, {"comm", 1}}); // 4
  };
  const auto define = [](Trace& trace) {
    define_comm(trace, 0, {0, 1, 2});
    define_comm(trace, 1, {0, 1, 2});
  };
  EXPECT_THAT(given(3, play, define), ElementsAre(52u, 52u, 52u));
}

// Of a grid of 2 x 3 the rows, the columns, and a duplicate of the columns.
TEST(CollectiveTraffic, PartsOfGridsInOneSlotHaveNeighborsOfTheirOwn) {
  const auto play = [](Caller& s) {
    for (const std::int64_t slot : {0, 1, 2}) s.builder.set_position(slot, s.rank, s.ranks);
    s.call("MPI_Cart_create", {{"comm_old", kWorld},
                               {"dims", s.array({2, 3})},
                               {"periods", s.array({1, 1})},
                               {"comm_cart", 0}});
    for (const std::int64_t rows : {0, 1}) {
      s.call("MPI_Cart_sub", {{"comm", 0}, {"remain_dims", s.array({rows, 1})}, {"newcomm", 1}});
      s.call("MPI_Comm_dup", {{"comm", 1}, {"newcomm", 2}});
      for (const std::int64_t comm : {1, 2})
        s.call("MPI_Neighbor_alltoall",
               {{"sendbuf", 0}, {"sendcount", 1}, {"sendtype", kInt}, {"comm", comm}});
    }
  };
  const auto bytes = given(6, play, [](Trace& trace) {
    for (const std::int64_t slot : {0, 1, 2}) define_comm(trace, slot, {0, 1, 2, 3, 4, 5});
  });
  EXPECT_THAT(bytes, testing::Each(2 * 4u * (2 + 4)));
}

TEST(CollectiveTraffic, PersistentCollectivesCountWhenTheyAreStarted) {
  const auto play = [](Caller& s) {
    s.call("MPI_Allreduce_init",
           {{"sendbuf", 0}, {"count", 1}, {"datatype", kInt}, {"comm", kWorld}});
    for (int i = 0; i < 3; ++i) s.start(0);
  };
  EXPECT_THAT(given(1, play), ElementsAre(12u));
}

TEST(CollectiveTraffic, EveryCollectiveHasARule) {
  // A new name in the table would silently count as nothing: each but the barriers gives something.
  const std::set<std::string_view> silent{"MPI_Barrier", "MPI_Ibarrier", "MPI_Barrier_init"};
  for (const trace::Function& function : trace::all_functions()) {
    const bool is_collective =
        function.role == trace::Role::kCollective || function.role == trace::Role::kNeighbor;
    if (!is_collective || silent.contains(function.name)) continue;
    const auto bytes = given(
        1,
        [&](Caller& s) {
          s.builder.set_position(0, 0, 1);
          s.call("MPI_Cart_create", {{"comm_old", kWorld},
                                     {"dims", s.array({1})},
                                     {"periods", s.array({1})},
                                     {"comm_cart", 0}});
          const trace::Function& f = function;
          std::vector<std::int64_t> event(fold::kEventHead + f.words(), trace::kNothing);
          event[0] = fold::header_word(f.id, 0);
          event[1] = 0;
          for (const trace::Field& field : f.fields) {
            std::int64_t value = 0; // root, buffers, communicator
            if (field.kind == trace::FieldKind::kDatatype) value = kInt;
            if (field.name.find("count") != std::string_view::npos) value = 1;
            if (field.is_array) value = s.array({value});
            event[fold::kEventHead + static_cast<std::size_t>(f.word_of(field.name))] = value;
          }
          s.builder.record(event.data(), event.size(), 0, 0);
          if (f.mode == trace::Mode::kPersistent) s.start(0);
        },
        [](Trace& trace) { define_comm(trace, 0, {0}); });
    EXPECT_GT(bytes[0], 0u) << function.name;
  }
}

TEST(TraceStatistics, KeepsTheSizesOfCollectivesApart) {
  const Trace trace = recorded(4, [](Caller& s) {
    for (int i = 0; i < 100; ++i) {
      s.call("MPI_Allreduce", {{"sendbuf", 0}, {"count", 1}, {"datatype", kInt}, {"comm", kWorld}});
    }
    s.call("MPI_Allreduce",
           {{"sendbuf", 0}, {"count", 1000}, {"datatype", kInt}, {"comm", kWorld}});
    s.send((s.rank + 1) % 4, 0);
  });
  const TraceStatistics found = statistics_of(trace);
  EXPECT_EQ(found.loss, TrafficLoss{});
  EXPECT_EQ(found.statistics.ranks, 4);
  EXPECT_EQ(found.statistics.zero_byte_messages, 4u);
  EXPECT_THAT(found.statistics.collectives,
              ElementsAre(CollectiveCount{"MPI_Allreduce", 404, 4 * (400 + 4000)}));
  EXPECT_EQ(found.statistics.sizes[bucket_of(4)].collective_calls, 400u);
  EXPECT_EQ(found.statistics.sizes[bucket_of(4000)].collective_calls, 4u);
}

TEST(TraceStatistics, TheLongestRankIsTheLengthOfTheRun) {
  Trace trace;
  EXPECT_EQ(seconds_of(trace), 0);
  trace.ranks.resize(3);
  trace.ranks[1].span_ns = 2'500'000'000;
  trace.ranks[2].span_ns = 1'000'000'000;
  EXPECT_DOUBLE_EQ(seconds_of(trace), 2.5);
}

// One-sided ---------------------------------------------------------------------------------------

// Every rank of 4 makes window 0 on MPI_COMM_WORLD and plays at its right neighbour.
Trace one_sided(std::string_view name, support::Arguments arguments, int times = 1) {
  return recorded(4, [&](Caller& s) {
    s.call("MPI_Win_create", {{"comm", kWorld}, {"win", 0}});
    for (int i = 0; i < times; ++i) {
      const trace::Function& f = *trace::find_function(name);
      std::vector<std::int64_t> event(fold::kEventHead + f.words(), trace::kNothing);
      event[0] = fold::header_word(f.id, 0);
      event[1] = 0;
      const auto set = [&](std::string_view field, std::int64_t value) {
        event[fold::kEventHead + static_cast<std::size_t>(f.word_of(field))] = value;
      };
      set("target_rank", (s.rank + 1) % 4);
      set("win", 0);
      for (const auto& [field, value] : arguments) set(field, value);
      s.builder.record(event.data(), event.size(), 0, 0);
    }
  });
}

TEST(OneSidedTraffic, PutsGoToTheTarget) {
  const Trace trace =
      one_sided("MPI_Put", {{"origin_count", 5}, {"origin_datatype", kDouble}}, 100);
  EXPECT_THAT(entries_of(trace),
              ElementsAre(MatrixEntry{0, 1, 100, 4000}, MatrixEntry{1, 2, 100, 4000},
                          MatrixEntry{2, 3, 100, 4000}, MatrixEntry{3, 0, 100, 4000}));
}

TEST(OneSidedTraffic, GetsComeFromTheTarget) {
  const Trace trace = one_sided("MPI_Rget", {{"origin_count", 5}, {"origin_datatype", kInt}}, 3);
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{0, 3, 3, 60}, MatrixEntry{1, 0, 3, 60},
                                             MatrixEntry{2, 1, 3, 60}, MatrixEntry{3, 2, 3, 60}));
  EXPECT_THAT(entries_of(trace, {.senders = trace::RankSet::of({3})}),
              ElementsAre(MatrixEntry{3, 2, 3, 60}));
  EXPECT_THAT(entries_of(trace, {.comm = 7 - 8}), testing::SizeIs(4)); // MPI_COMM_WORLD
  EXPECT_THAT(entries_of(trace, {.comm = kSelf}), IsEmpty());
}

TEST(OneSidedTraffic, FetchingCallsGoThereAndBack) {
  constexpr std::int64_t kSum = -3;
  constexpr std::int64_t kNoOp = -14;
  ASSERT_EQ(trace::predefined_objects(trace::FieldKind::kOp)[13], "MPI_NO_OP");
  const auto first_pair = [](const Trace& trace) {
    const auto entries = entries_of(trace);
    std::pair<std::uint64_t, std::uint64_t> bytes{0, 0}; // from 0 to 1, from 1 to 0
    for (const MatrixEntry& entry : entries) {
      if (entry.source == 0 && entry.destination == 1) bytes.first += entry.bytes;
      if (entry.source == 1 && entry.destination == 0) bytes.second += entry.bytes;
    }
    return bytes;
  };
  using Bytes = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(first_pair(one_sided("MPI_Fetch_and_op", {{"datatype", kDouble}, {"op", kSum}})),
            (Bytes{8, 8}));
  EXPECT_EQ(first_pair(one_sided("MPI_Fetch_and_op", {{"datatype", kDouble}, {"op", kNoOp}})),
            (Bytes{0, 8}));
  EXPECT_EQ(first_pair(one_sided("MPI_Compare_and_swap", {{"datatype", kInt}})), (Bytes{8, 4}));
  EXPECT_EQ(first_pair(one_sided("MPI_Accumulate",
                                 {{"origin_count", 2}, {"origin_datatype", kInt}, {"op", kSum}})),
            (Bytes{8, 0}));
  EXPECT_EQ(first_pair(one_sided("MPI_Get_accumulate", {{"origin_count", 2},
                                                        {"origin_datatype", kInt},
                                                        {"result_count", 1},
                                                        {"result_datatype", kDouble},
                                                        {"op", kSum}})),
            (Bytes{8, 8}));
}

TEST(OneSidedTraffic, TargetsAreRanksOfTheWindowsCommunicator) {
  Trace trace = recorded(4, [](Caller& s) {
    if (s.rank < 2) return;
    s.builder.set_position(0, s.rank - 2, 2);
    s.call("MPI_Win_allocate", {{"comm", 0}, {"win", 3}});
    if (s.rank == 2)
      s.call("MPI_Put",
             {{"origin_count", 1}, {"origin_datatype", kInt}, {"target_rank", 1}, {"win", 3}});
  });
  define_comm(trace, 0, {2, 3});
  EXPECT_THAT(entries_of(trace), ElementsAre(MatrixEntry{2, 3, 1, 4}));
  EXPECT_THAT(entries_of(trace, {.comm = 0}), ElementsAre(MatrixEntry{2, 3, 1, 4}));
}

TEST(OneSidedTraffic, TargetsOfWindowsThatWereNotRecordedAreLeftOut) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.call(
        "MPI_Put",
        {{"origin_count", 1}, {"origin_datatype", kInt}, {"target_rank", 1 - s.rank}, {"win", 0}});
  });
  const auto made = matrix_of(trace);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->matrix.entries().empty());
  EXPECT_EQ(made->loss.unknown_peers, 2u);
}

TEST(OneSidedTraffic, StandsBesidePointToPoint) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.call("MPI_Win_create", {{"comm", kWorld}, {"win", 0}});
    s.send(1 - s.rank, 1);
    s.call(
        "MPI_Put",
        {{"origin_count", 3}, {"origin_datatype", kInt}, {"target_rank", 1 - s.rank}, {"win", 0}});
  });
  const Statistics found = statistics_of(trace).statistics;
  EXPECT_EQ(found.point_to_point_messages, 2u);
  EXPECT_EQ(found.one_sided_messages, 2u);
  EXPECT_EQ(found.one_sided_bytes, 24u);
  EXPECT_EQ(found.bytes.total, 40u);
  EXPECT_THAT(entries_of(trace, {.one_sided = false}),
              ElementsAre(MatrixEntry{0, 1, 1, 8}, MatrixEntry{1, 0, 1, 8}));
  EXPECT_THAT(entries_of(trace, {.point_to_point = false}),
              ElementsAre(MatrixEntry{0, 1, 1, 12}, MatrixEntry{1, 0, 1, 12}));
}

TEST(OneSidedTraffic, LayersHaveEachPairOnce) {
  // Both ranks of a pair fetch and hand over in one call each.
  const Trace trace = one_sided("MPI_Fetch_and_op", {{"datatype", kInt}, {"op", -3}});
  const LayeredTraffic layered = layers_of(trace);
  ASSERT_EQ(layered.layers.size(), 1u);
  EXPECT_EQ(layered.layers[0].entries.size(), 8u);
  const Trace two = recorded(2, [](Caller& s) {
    s.call("MPI_Win_create", {{"comm", kWorld}, {"win", 0}});
    s.call("MPI_Fetch_and_op",
           {{"datatype", kInt}, {"target_rank", 1 - s.rank}, {"op", -3}, {"win", 0}});
  });
  const LayeredTraffic both = layers_of(two);
  ASSERT_EQ(both.layers.size(), 1u);
  EXPECT_THAT(both.layers[0].entries,
              ElementsAre(MatrixEntry{0, 1, 2, 8}, MatrixEntry{1, 0, 2, 8}));
}

TEST(TrafficLoss, AddsUpFieldByField) {
  TrafficLoss sum{1, 2, 3, 4, 5, 6};
  sum += {10, 20, 30, 40, 50, 60};
  EXPECT_EQ(sum, (TrafficLoss{11, 22, 33, 44, 55, 66}));
}

// Single calls ------------------------------------------------------------------------------------

TEST(CallBytes, AreThoseOfTheTotals) {
  const auto play = [](Caller& s) {
    s.send((s.rank + 1) % s.ranks, 3);
    s.call("MPI_Bcast", {{"count", 7}, {"datatype", kDouble}, {"root", 2}, {"comm", kWorld}});
    s.call("MPI_Alltoall", {{"sendbuf", 0},
                            {"sendcount", 5},
                            {"sendtype", kInt},
                            {"recvcount", 5},
                            {"recvtype", kInt},
                            {"comm", kWorld}});
    s.call("MPI_Alltoallv", {{"sendbuf", 0},
                             {"sendcounts", s.array({1, 2, 3, 4})},
                             {"sendtype", kInt},
                             {"comm", kWorld}});
    s.call("MPI_Allreduce", {{"sendbuf", 0}, {"count", 1}, {"datatype", kInt}, {"comm", kWorld}});
  };
  const Trace trace = recorded(4, play);
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) {
      const CallBytes bytes(trace, *c.program, rank);
      trace::CallReader reader(trace, c, rank);
      std::vector<std::uint64_t> found;
      while (const auto* call = reader.next())
        found.push_back(bytes.of(*call->function, call->words));
      EXPECT_THAT(found, ElementsAre(24u, rank == 2 ? 56u : 0u, 80u, 40u, 4u));
    }
  }
}

} // namespace
} // namespace rondo::matrix
