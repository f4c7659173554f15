// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/directions.hpp"

#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using topology::Topology;
using topology::TopologyKind;

Topology in_a_row(TopologyKind kind, topology::Vertex ranks) {
  return {.kind = kind, .ranks = ranks, .dimensions = {{ranks, kind == TopologyKind::kRing}}};
}

TEST(LogicalDirections, OfRingsOfSeveralSizesAreOneWhereTheyHaveOneName) {
  const Directions rings({in_a_row(TopologyKind::kRing, 6), in_a_row(TopologyKind::kRing, 5)}, {});
  ASSERT_EQ(rings.size(), 2U);
  const auto east = rings.between(0, 1);
  ASSERT_TRUE(east.has_value());
  EXPECT_EQ(rings.name(*east), "east");
  EXPECT_EQ(rings.between(5, 0), east);
  EXPECT_EQ(rings.between(6, 7), east); // the first two of the ring of five
  EXPECT_EQ(rings.target(10, *east), 6);
  EXPECT_EQ(rings.between(5, 6), std::nullopt); // not from one ring into another
}

TEST(LogicalDirections, OfAPairBesideAChainAreThoseOfAChain) {
  DirectionOptions options;
  options.across_twos = false;
  const Directions chains({in_a_row(TopologyKind::kChain, 3), in_a_row(TopologyKind::kChain, 2)},
                          options);
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(chains.between(0, 1), chains.between(3, 4));
  EXPECT_EQ(chains.between(1, 0), chains.between(4, 3));
  EXPECT_EQ(chains.from(4).size(), 1U);
}

TEST(LogicalDirections, OfABitAreTwoWhereTheLowerOfTwoRanksDoesOtherwise) {
  const Topology cube{.kind = TopologyKind::kIncompleteHypercube, .ranks = 6};
  const Directions swaps(cube, {});
  EXPECT_EQ(swaps.between(1, 3), swaps.between(3, 1));
  DirectionOptions options;
  options.across_twos = false;
  const Directions borders(cube, options);
  EXPECT_EQ(borders.name(*borders.between(1, 3)), "+2");
  EXPECT_EQ(borders.name(*borders.between(3, 1)), "-2");
  EXPECT_EQ(borders.between(0, 2), borders.between(1, 3));
  EXPECT_EQ(borders.between(3, 7), std::nullopt);
}

Topology graph_of(topology::Vertex ranks, const std::vector<topology::Edge>& edges) {
  Topology graph{.kind = TopologyKind::kUser, .ranks = ranks};
  graph.user = topology::Shared<topology::UserTopology>(
      {"a graph", topology::Adjacency::from_edges(ranks, edges)});
  return graph;
}

TEST(LogicalDirections, OfABandAreItsSteps) {
  std::vector<topology::Edge> edges;
  for (topology::Vertex cell = 0; cell + 1 < 7; ++cell) edges.push_back({cell, cell + 1});
  for (topology::Vertex cell = 0; cell + 3 < 7; ++cell) edges.push_back({cell, cell + 3});
  const Directions band(graph_of(7, edges), {});
  ASSERT_EQ(band.size(), 4U);
  EXPECT_EQ(band.name(*band.between(2, 5)), "+3");
  EXPECT_EQ(band.name(*band.between(5, 4)), "-1");
  EXPECT_EQ(band.target(6, *band.between(1, 4)), std::nullopt);
  edges.pop_back(); // one that a band would have
  const Directions other(graph_of(7, edges), {});
  EXPECT_EQ(other.name(*other.between(0, 1)), "neighbour 0");
}

TEST(LogicalDirections, OfAGraphThatClosesAreStepsRoundTheEnd) {
  std::vector<topology::Edge> edges;
  for (const topology::Vertex step : {2, 5}) {
    for (topology::Vertex cell = 0; cell < 13; ++cell) edges.push_back({cell, (cell + step) % 13});
  }
  const Directions round(graph_of(13, edges), {});
  ASSERT_EQ(round.size(), 4U);
  EXPECT_TRUE(round.are_round_steps());
  EXPECT_EQ(round.name(*round.between(10, 2)), "+5");
  EXPECT_EQ(round.name(*round.between(1, 12)), "-2");
  EXPECT_EQ(round.between(0, 3), std::nullopt);
  edges.pop_back();
  EXPECT_FALSE(Directions(graph_of(13, edges), {}).are_round_steps());
  edges.clear(); // all to all
  for (topology::Vertex a = 0; a < 5; ++a)
    for (topology::Vertex b = 0; b < a; ++b) edges.push_back({a, b});
  EXPECT_FALSE(Directions(graph_of(5, edges), {}).are_round_steps());
}

TEST(LogicalDirections, LeadToAPartnerInAPair) {
  const Directions pair(in_a_row(TopologyKind::kChain, 2), {});
  ASSERT_EQ(pair.size(), 1U);
  EXPECT_EQ(pair.name(0), "partner");
  EXPECT_EQ(pair.target(1, 0), 0);
}

} // namespace
} // namespace rondo::logical
