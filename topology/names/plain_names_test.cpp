// SPDX-License-Identifier: Apache-2.0
// Names are those that a person would give.
#include "rondo/topology/near.hpp"
#include "rondo/topology/recognize.hpp"
#include "tests/topology/graphs.hpp"

#include <bit>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace rondo::topology {
namespace {

using matrix::CommunicationMatrix;
using matrix::MatrixEntry;
using ::testing::ElementsAre;

// Each edge of `graph` carries `messages` of `bytes` in all, both ways.
void add(std::vector<MatrixEntry>& entries, const Adjacency& graph, std::uint64_t messages,
         std::uint64_t bytes) {
  for (const auto& [a, b] : testing::edges_of(graph)) {
    entries.push_back({a, b, messages, bytes});
    entries.push_back({b, a, messages, bytes});
  }
}

Recognition named(Vertex ranks, std::vector<MatrixEntry> entries) {
  return recognize(CommunicationMatrix::from_entries(ranks, std::move(entries)), {});
}

Recognition plainly(const Adjacency& graph) { return recognize(testing::matrix_of(graph), {}); }

TEST(PlainNames, TwoPartnersAreNoTree) {
  const Recognition found = named(7, {{1, 0, 5, 20}, {3, 0, 5, 20}});
  EXPECT_EQ(found.topology.kind, TopologyKind::kStar);
  EXPECT_TRUE(found.aliases.empty());
}

TEST(PlainNames, TwoRanksAreAPair) {
  EXPECT_EQ(title(named(2, {{0, 1, 5, 20}, {1, 0, 5, 20}})), "pair of ranks");
}

TEST(PlainNames, ThreeRanksAreAChainIfTheMiddleOneIsBetweenTheOthers) {
  const Recognition chain = named(3, {{0, 1, 5, 20}, {1, 2, 5, 20}});
  EXPECT_EQ(title(chain), "chain of 3 ranks");
  EXPECT_TRUE(chain.aliases.empty());
  for (const Vertex centre : {0, 2}) {
    const Vertex other = 2 - centre;
    const Recognition star = named(3, {{centre, other, 5, 20}, {1, centre, 5, 20}});
    EXPECT_EQ(title(star), "star of 3 ranks");
    EXPECT_TRUE(star.aliases.empty());
    EXPECT_EQ(star.cells[static_cast<std::size_t>(centre)], 0); // maps onto the reference
  }
}

// Both messages of a round go to the one partner of a pair, and to one each in a ring of three.
TEST(PlainNames, NoCutSilencesRanksWhereAllPartsHaveNames) {
  const Recognition found =
      named(7, {{0, 3, 8, 80}, {3, 6, 8, 80}, {6, 0, 8, 80}, {1, 4, 16, 160}, {2, 5, 16, 160}});
  EXPECT_EQ(title(found), "ring of 3 ranks and 2 pairs");
  EXPECT_EQ(found.silent_ranks, 0);
}

TEST(PlainNames, AFewLightPairsDoNotNameTheProgram) {
  const Adjacency grid = reference_graph(testing::mesh({4, 2}));
  const Adjacency all = reference_graph({.kind = TopologyKind::kComplete, .ranks = 8});
  std::vector<MatrixEntry> entries;
  add(entries, grid, 800, 60'000);
  add(entries, all, 60, 1300);
  const Recognition found = named(8, std::move(entries));
  EXPECT_EQ(title(found), "4x2 grid");
  EXPECT_EQ(found.filtered.edges, 28 - 10);
  EXPECT_EQ(found.filtered.with, "all-to-all of 8 ranks");
}

// The corners of a stencil are as many messages as its faces, only smaller.
TEST(PlainNames, SmallMessagesThatAreAsManyAreNotLight) {
  std::vector<MatrixEntry> entries;
  add(entries, reference_graph(testing::mesh({4, 4})), 100, 400'000);
  add(entries, reference_graph(testing::moore({4, 4})), 100, 800);
  const auto merged = CommunicationMatrix::from_entries(16, entries);
  std::vector<MatrixEntry> apart(merged.entries().begin(), merged.entries().end());
  for (MatrixEntry& e : apart) e.messages = 100;
  EXPECT_EQ(title(named(16, apart)), "4x4 8-point stencil");
  for (MatrixEntry& e : apart) e.messages = e.bytes > 1000 ? 125 : 100; // faces once more
  EXPECT_EQ(title(named(16, std::move(apart))), "4x4 8-point stencil");
}

// A rank's other neighbours may be rare, but without them it would be several rings.
TEST(PlainNames, APlainerNameIsNotGivenUpForCopies) {
  std::vector<MatrixEntry> entries;
  for (Vertex rank = 0; rank < 16; ++rank) {
    entries.push_back({rank, rank / 4 * 4 + (rank + 1) % 4, 1000, 1'000'000});
    entries.push_back({rank, (rank + 4) % 16, 10, 100});
  }
  EXPECT_EQ(title(named(16, std::move(entries))), "4x4 torus");
}

TEST(PlainNames, NobodySaysCompleteSevenPartite) {
  for (const std::vector<Vertex>& parts :
       {std::vector<Vertex>{1, 1, 2}, {1, 1, 1, 1, 1, 2, 2}, {2, 2, 2}, {2, 2, 3}}) {
    Topology t{.kind = TopologyKind::kMultipartite, .parts = parts};
    for (const Vertex size : parts) t.ranks += size;
    const Recognition found = plainly(reference_graph(t));
    EXPECT_EQ(title(found).find("partite"), std::string::npos) << title(found);
    for (const Topology& alias : found.aliases) EXPECT_NE(alias.kind, TopologyKind::kMultipartite);
  }
  const Topology three{.kind = TopologyKind::kMultipartite, .ranks = 12, .parts = {4, 4, 4}};
  EXPECT_EQ(title(plainly(reference_graph(three))), "complete 3-partite 4+4+4");
}

TEST(PlainNames, OtherNamesAreThoseThatSomebodyUses) {
  const auto names = [](const Topology& t) {
    return testing::all_names(plainly(reference_graph(t)));
  };
  EXPECT_THAT(names({.kind = TopologyKind::kComplete, .ranks = 16}),
              ElementsAre("all-to-all of 16 ranks"));
  EXPECT_THAT(names({.kind = TopologyKind::kStar, .ranks = 9}), ElementsAre("star of 9 ranks"));
  EXPECT_THAT(names(testing::mesh({3, 2, 2})), ElementsAre("3x2x2 grid"));
  EXPECT_THAT(names(testing::mesh({2, 2})), ElementsAre("2x2 grid", "ring of 4 ranks"));
}

TEST(PlainNames, AChainIsNotTakenApart) {
  for (const Vertex ranks : {5, 7, 9, 12}) {
    const Recognition found = plainly(reference_graph(testing::mesh({ranks})));
    EXPECT_EQ(found.topology.kind, TopologyKind::kChain);
    EXPECT_TRUE(found.aliases.empty()) << ranks;
  }
}

TEST(PlainNames, TreesAreNamedAsTheyAreNumbered) {
  const Recognition binomial = named(4, {{1, 0, 1, 8}, {2, 0, 1, 8}, {3, 2, 1, 8}});
  EXPECT_EQ(title(binomial), "binomial tree of 4 ranks");
  EXPECT_TRUE(binomial.aliases.empty()); // a chain and a binary tree are numbered otherwise
  EXPECT_EQ(title(named(4, {{1, 0, 1, 8}, {2, 0, 1, 8}, {3, 1, 1, 8}})), "binary tree of 4 ranks");
  EXPECT_EQ(title(named(4, {{1, 0, 1, 8}, {2, 1, 1, 8}, {3, 2, 1, 8}})), "chain of 4 ranks");
  for (const Vertex ranks : {5, 7, 11, 12, 25}) { // rank r hears from r without its highest bit
    std::vector<MatrixEntry> entries;
    for (Vertex rank = 1; rank < ranks; ++rank)
      entries.push_back(
          {rank - static_cast<Vertex>(std::bit_floor(static_cast<unsigned>(rank))), rank, 1, 8});
    const Recognition found = named(ranks, entries);
    EXPECT_EQ(title(found), "binomial tree of " + std::to_string(ranks) + " ranks");
    EXPECT_EQ(found.cells[0], 0) << "the root is the tree's";
  }
}

TEST(PlainNames, DisseminationIsToldByItsDirections) {
  for (const Vertex ranks : {4, 5, 7, 9, 12}) {
    std::vector<MatrixEntry> entries;
    for (Vertex rank = 0; rank < ranks; ++rank) {
      for (Vertex far = 1; far < ranks; far *= 2)
        entries.push_back({rank, (rank + far) % ranks, 1, 0});
    }
    EXPECT_EQ(title(named(ranks, std::move(entries))),
              "dissemination of " + std::to_string(ranks) + " ranks");
  }
}

// if ((rank ^ bit) < size), for each bit
TEST(PlainNames, PartnersThatDifferInABitAreNamedForAnyNumberOfRanks) {
  const std::map<Vertex, std::string> names = {
      {5, "recursive doubling of 5 ranks"},     {6, "incomplete hypercube of 6 ranks"},
      {7, "incomplete hypercube of 7 ranks"},   {8, "hypercube of 3 dimensions"},
      {11, "incomplete hypercube of 11 ranks"}, {12, "incomplete hypercube of 12 ranks"},
      {25, "incomplete hypercube of 25 ranks"}};
  for (const auto& [ranks, name] : names) {
    std::vector<MatrixEntry> entries;
    for (Vertex rank = 0; rank < ranks; ++rank) {
      for (Vertex bit = 1; bit < ranks; bit *= 2)
        if ((rank ^ bit) < ranks) entries.push_back({rank, rank ^ bit, 1, 8});
    }
    const Recognition found = named(ranks, entries);
    EXPECT_EQ(title(found), name);
  }
}

// Of 6, 12 and 24 ranks such a graph is also a grid, whose rows no program would number so.
TEST(PlainNames, PartnersThatDifferInABitAreNoGridInAnOddOrder) {
  for (const Vertex ranks : {6, 12, 24}) {
    const Recognition found =
        plainly(reference_graph({.kind = TopologyKind::kIncompleteHypercube, .ranks = ranks}));
    EXPECT_EQ(title(found), "incomplete hypercube of " + std::to_string(ranks) + " ranks");
    ASSERT_FALSE(found.aliases.empty());
    EXPECT_EQ(found.aliases.front().kind, TopologyKind::kMesh);
  }
}

TEST(PlainNames, AHypercubeIsOneBesideSilentRanks) {
  std::vector<MatrixEntry> entries;
  add(entries, reference_graph(testing::mesh({2, 2, 2})), 3, 60);
  const Recognition found = named(12, std::move(entries));
  EXPECT_EQ(title(found), "hypercube of 3 dimensions");
  EXPECT_EQ(found.silent_ranks, 4);
  EXPECT_EQ(found.cells[7], 7);
  EXPECT_EQ(found.cells[8], -1);
}

TEST(PlainNames, LevelsOfFiveRanksAreNoStencilInAnOddOrder) {
  EXPECT_EQ(title(named(5, {{0, 1, 1, 1},
                            {1, 2, 1, 1},
                            {2, 3, 1, 1},
                            {3, 4, 1, 1},
                            {0, 2, 1, 1},
                            {2, 4, 1, 1},
                            {0, 4, 1, 1}})),
            "3 multigrid levels on a chain of 5 ranks");
  EXPECT_EQ(title(plainly(reference_graph({.kind = TopologyKind::kStarStencil,
                                           .ranks = 5,
                                           .dimensions = {{5, false}},
                                           .radius = 2}))),
            "radius-2 chain of 5 ranks");
}

// A halo around a ring, seldom with a gather at rank 0: the pairs of three levels, in an odd order.
TEST(PlainNames, ARingWithAStarIsNoMultigrid) {
  const auto both = [](Vertex a, Vertex b, std::uint64_t messages) {
    return std::vector<MatrixEntry>{{a, b, messages, messages}, {b, a, messages, messages}};
  };
  std::vector<MatrixEntry> entries;
  const auto add_all = [&](const std::vector<MatrixEntry>& more) {
    entries.insert(entries.end(), more.begin(), more.end());
  };
  for (Vertex v = 0; v < 5; ++v) add_all(both(v, (v + 1) % 5, 400));
  add_all(both(2, 0, 20));
  add_all(both(3, 0, 20));
  EXPECT_EQ(title(named(5, entries)), "ring of 5 ranks");
}

TEST(PlainNames, LevelsOfWhichSomePairsTalkOneWayAreNone) {
  EXPECT_EQ(named(5, {{0, 1, 1, 1},
                      {1, 0, 1, 1},
                      {1, 2, 1, 1},
                      {2, 3, 1, 1},
                      {3, 4, 1, 1},
                      {0, 2, 1, 1},
                      {2, 4, 1, 1}})
                .topology.kind,
            TopologyKind::kIrregular);
}

TEST(PlainNames, GroupsOfTwoWithLeadersAreNeighbours) {
  const std::vector<MatrixEntry> ring = {{0, 2, 1, 1}, {2, 4, 1, 1}, {4, 0, 1, 1}};
  const auto with = [&](const MatrixEntry& a, const MatrixEntry& b) {
    std::vector<MatrixEntry> entries = ring;
    entries.insert(entries.end(), {a, b});
    return named(5, std::move(entries)).topology.kind;
  };
  EXPECT_EQ(with({0, 1, 1, 1}, {2, 3, 1, 1}), TopologyKind::kHierarchy);
  EXPECT_EQ(with({0, 3, 1, 1}, {4, 1, 1, 1}), TopologyKind::kIrregular);
}

TEST(PlainNames, APrefixScanIsToldByItsDirections) {
  for (const Vertex ranks : {4, 5, 7, 8, 12, 25}) {
    std::vector<MatrixEntry> entries;
    for (Vertex rank = 0; rank < ranks; ++rank) {
      for (Vertex far = 1; rank + far < ranks; far *= 2)
        entries.push_back({rank, rank + far, 1, 80});
    }
    EXPECT_EQ(title(named(ranks, std::move(entries))),
              "prefix scan of " + std::to_string(ranks) + " ranks");
  }
}

TEST(PlainNames, ExchangesOfMostPairsOfAFewRanksAreNoScan) {
  for (const Vertex ranks : {5, 6, 7}) {
    std::vector<MatrixEntry>
        entries; // pairs at 1, 2 and 4 as a scan's, but both ways; others light
    for (Vertex a = 0; a < ranks; ++a) {
      for (Vertex b = 0; b < ranks; ++b) {
        const auto far = static_cast<std::uint32_t>(std::abs(a - b));
        if (a != b) entries.push_back({a, b, 1, std::has_single_bit(far) ? 5000U : 100U});
      }
    }
    const std::string name = title(named(ranks, std::move(entries)));
    EXPECT_EQ(name.find("scan"), std::string::npos) << name;
  }
}

TEST(PlainNames, ADamagedAllToAllIsNearOne) {
  std::vector<MatrixEntry> entries;
  for (Vertex a = 0; a < 16; ++a) {
    for (Vertex b = 0; b < 16; ++b) {
      const bool is_missing = (a * 16 + b) % 23 == 5; // in both directions for none
      if (a != b && !is_missing) entries.push_back({a, b, 1, 100});
    }
  }
  const auto matrix = CommunicationMatrix::from_entries(16, std::move(entries));
  const Graph graph = Graph::from_matrix(matrix);
  const Recognition found = recognize(graph, {});
  EXPECT_EQ(title(found), "irregular graph");
  const auto near = nearest(graph, {});
  ASSERT_TRUE(near);
  EXPECT_EQ(title(*near), "all-to-all of 16 ranks");
  EXPECT_GT(near->one_way.size(), 0U);
  EXPECT_LT(near->recall(), 1);
}

// All four ranks of a 2x2 grid are neighbours, which says nothing of a message that is missing.
TEST(PlainNames, ADamagedAllToAllOfFourIsNoStencil) {
  std::vector<MatrixEntry> entries;
  for (Vertex a = 0; a < 4; ++a) {
    for (Vertex b = 0; b < 4; ++b) {
      if (a != b && !(a == 0 && b == 3)) entries.push_back({a, b, 1, 100});
    }
  }
  const Graph graph = Graph::from_matrix(CommunicationMatrix::from_entries(4, std::move(entries)));
  const auto near = nearest(graph, {});
  ASSERT_TRUE(near);
  EXPECT_EQ(title(*near), "all-to-all of 4 ranks");
  EXPECT_EQ(near->one_way.size(), 1U);
}

} // namespace
} // namespace rondo::topology
