// SPDX-License-Identifier: Apache-2.0
// From the logical program every rank's calls come back as they were recorded.
#include "tests/support/random_spmd.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/shuffled.hpp"

#include <numeric>

namespace rondo::logical {
namespace {

using support::Caller;
using support::define_comm;
using support::difference;
using support::kDouble;
using support::kWorld;
using support::recorded;

trace::Trace trace_of(support::Ranks ranks) {
  std::vector<fold::RecordingPart> parts;
  for (const auto& rank : ranks) parts.push_back(rank->part());
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return fold::resolve(support::merged(std::move(parts), order));
}

TEST(Expansion, IsExactForRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const auto& [rows, columns] : {std::pair{2, 2}, {3, 4}, {4, 4}, {1, 7}}) {
      const trace::Trace trace = trace_of(support::random_spmd(seed, rows, columns));
      EXPECT_EQ(difference(trace, logicalize(trace)), "") << seed << " " << rows << "x" << columns;
    }
  }
}

TEST(Expansion, IsExactForEveryPattern) {
  for (const support::Pattern pattern : support::kPatterns) {
    const trace::Trace trace = trace_of(support::run(pattern, 12));
    EXPECT_EQ(difference(trace, logicalize(trace)), "") << support::name_of(pattern);
  }
}

TEST(Expansion, IsExactOnSubAndInterCommunicators) {
  trace::Trace trace = recorded(8, [](Caller& s) {
    const std::int64_t half = s.rank / 4;
    for (int i = 0; i < 20; ++i) {
      s.send((s.rank % 4 + 1) % 4, 5, kDouble, half); // a ring in each half
      s.send(s.rank % 4, 1, kDouble, 2 + half); // the partner in the other half
      s.send((s.rank + 1) % 8, 3);
      s.send(0, 3, kDouble, support::kSelf);
      s.call("MPI_Bcast", {{"count", 1}, {"root", 2}, {"comm", half}});
      s.call("MPI_Bcast", {{"count", 1}, {"root", 3}, {"comm", kWorld}});
    }
  });
  const std::vector<std::int64_t> low = {3, 1, 2, 0}, high = {4, 6, 5, 7};
  define_comm(trace, 0, low);
  define_comm(trace, 1, high);
  define_comm(trace, 2, low, high);
  define_comm(trace, 3, high, low);
  EXPECT_EQ(difference(trace, logicalize(trace)), "");
}

TEST(Expansion, IsExactForPeersOfUnknownCommunicators) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (int i = 0; i < 9; ++i) {
      s.send((s.rank + 1) % 4, 5);
      s.send(1, 5, kDouble, 7);
    }
  });
  EXPECT_EQ(difference(trace, logicalize(trace)), "");
}

TEST(Expansion, IsExactForWildcardsProbesAndSendrecv) {
  const trace::Trace trace = recorded(6, [](Caller& s) {
    const std::int64_t next = (s.rank + 1) % 6, before = (s.rank + 5) % 6;
    for (int i = 0; i < 30; ++i) {
      s.call("MPI_Probe", {{"source", trace::kAnySource},
                           {"tag", trace::kAnyTag},
                           {"comm", kWorld},
                           {"status", i % 3 == 0 ? next : before}});
      s.call("MPI_Recv", {{"count", 5},
                          {"datatype", kDouble},
                          {"source", trace::kAnySource},
                          {"tag", 3},
                          {"comm", kWorld},
                          {"status", i % 3 == 0 ? next : before}});
      s.call("MPI_Sendrecv", {{"sendcount", 5},
                              {"sendtype", kDouble},
                              {"dest", s.rank == 5 ? trace::kProcNull : next},
                              {"sendtag", 0},
                              {"recvcount", 5},
                              {"recvtype", kDouble},
                              {"source", s.rank == 0 ? trace::kProcNull : before},
                              {"recvtag", 0},
                              {"comm", kWorld}});
    }
  });
  EXPECT_EQ(difference(trace, logicalize(trace)), "");
}

TEST(Expansion, IsExactForPersistentRequests) {
  const trace::Trace trace = recorded(9, [](Caller& s) {
    const std::int64_t east = s.rank / 3 * 3 + (s.rank + 1) % 3, south = (s.rank + 3) % 9;
    s.send(east, 4, kDouble, kWorld, "MPI_Send_init");
    s.send(south, 4, kDouble, kWorld, "MPI_Send_init");
    for (int i = 0; i < 10; ++i) {
      s.start(0);
      s.start(1);
    }
    s.free(0);
    s.free(1);
  });
  EXPECT_EQ(difference(trace, logicalize(trace)), "");
}

TEST(Expansion, IsExactForRanksAndStatusesInArrays) {
  const trace::Trace trace = recorded(8, [](Caller& s) {
    const auto apart = [&](std::int64_t by) { return (s.rank + by) % 8 - s.rank; };
    for (int i = 0; i < 12; ++i) {
      s.send((s.rank + 1) % 8, 4);
      s.call("MPI_Waitall",
             {{"array_of_requests", s.array({0, 2})},
              {"array_of_statuses", s.array({2, 0, apart(1), 3, 8, 1, trace::kProcNull, 3, 8})}});
      s.call("MPI_Dist_graph_create_adjacent", {{"comm_old", kWorld},
                                                {"sources", s.array({apart(7), apart(3)})},
                                                {"destinations", s.array({apart(1)})},
                                                {"sourceweights", trace::kUnweighted},
                                                {"destweights", trace::kUnweighted}});
    }
  });
  const LogicalProgram program = logicalize(trace);
  EXPECT_EQ(difference(trace, program), "");
  EXPECT_EQ(program.cells.programs.size(), 1U);
  EXPECT_EQ(program.cells.classes.size(), 1U) << "ranks in arrays became directions";
}

// Archives may hold any number.
TEST(PeerCodes, OfRanksThatNoCommunicatorHasStayWhatTheyAre) {
  for (const std::int64_t rank : {std::int64_t{-7}, std::int64_t{1} << 31, INT64_MIN, INT64_MAX}) {
    const Peer peer = peer_of(code_of({Peer::Form::kUnknown, 0, 0, rank}));
    EXPECT_EQ(peer.form, Peer::Form::kUnknown) << rank;
    EXPECT_TRUE(peer.distance == rank || std::abs(static_cast<double>(rank)) > 1e15) << rank;
  }
}

} // namespace
} // namespace rondo::logical
