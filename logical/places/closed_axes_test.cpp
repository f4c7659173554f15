// SPDX-License-Identifier: Apache-2.0
#include "logical/places/closed_axes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

using topology::Dimension;
using topology::TopologyKind;

topology::Topology mesh(std::vector<Dimension> dimensions) {
  topology::Topology result;
  result.kind = TopologyKind::kMesh;
  result.ranks = 1;
  for (const Dimension& d : dimensions) result.ranks *= d.size;
  result.dimensions = std::move(dimensions);
  return result;
}

// Ranks lie in the order of the cells.
topology::Recognition lying_in_order(topology::Topology topology) {
  topology::Recognition result;
  for (topology::Vertex cell = 0; cell < topology.ranks; ++cell) result.cells.push_back(cell);
  result.topology = std::move(topology);
  return result;
}

matrix::LayeredTraffic messages(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  matrix::LayeredTraffic result;
  matrix::Layer layer;
  for (const auto& [from, to] : pairs) {
    matrix::MatrixEntry entry;
    entry.source = from;
    entry.destination = to;
    entry.messages = 1;
    layer.entries.push_back(entry);
  }
  result.layers.push_back(layer);
  return result;
}

TEST(ClosedAxes, ARingClosesAChainAndATorusAGridInAnyOrderOfAxes) {
  topology::Topology chain;
  chain.kind = TopologyKind::kChain;
  topology::Topology ring;
  ring.kind = TopologyKind::kRing;
  EXPECT_TRUE(closes(ring, chain));
  EXPECT_FALSE(closes(chain, chain));
  EXPECT_TRUE(closes(mesh({{4, true}, {3, true}}), mesh({{3, false}, {4, false}})));
  EXPECT_FALSE(closes(mesh({{6, true}, {2, true}}), mesh({{3, false}, {4, false}})));
}

TEST(ClosedAxes, ATorusGetsTheOrderOfTheGridsAxes) {
  const auto open = lying_in_order(mesh({{3, false}, {4, false}}));
  const auto closed = lying_in_order(mesh({{4, true}, {3, true}}));
  // Around both axes, and one step along each.
  const auto all = messages({{0, 3}, {0, 8}, {0, 1}, {1, 5}, {2, 2}});
  const auto result = with_axes_of(open, closed, all, {0});
  EXPECT_EQ(result.topology.dimensions, (std::vector<Dimension>{{3, true}, {4, true}}));
  EXPECT_EQ(result.cells, open.cells);
}

TEST(ClosedAxes, AMessageThatIsNoStepOfTheGridLeavesTheTorusAsItWasRecognised) {
  const auto open = lying_in_order(mesh({{3, false}, {4, false}}));
  const auto closed = lying_in_order(mesh({{4, true}, {3, true}}));
  const auto diagonal = messages({{0, 3}, {0, 8}, {0, 5}});
  EXPECT_EQ(with_axes_of(open, closed, diagonal, {0}).topology.dimensions,
            closed.topology.dimensions);
  const auto one_axis = messages({{0, 3}}); // the other stays open: no torus of both
  EXPECT_EQ(with_axes_of(open, closed, one_axis, {0}).topology.dimensions,
            closed.topology.dimensions);
}

} // namespace
} // namespace rondo::logical::internal
