// SPDX-License-Identifier: Apache-2.0
// Of few ranks the numbers and the ways of messages decide among names.
#include "rondo/topology/parts.hpp"
#include "rondo/topology/recognize.hpp"
#include "tests/topology/graphs.hpp"
#include "topology/names/few_ranks.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace rondo::topology {
namespace {

using matrix::CommunicationMatrix;
using matrix::LayeredTraffic;
using matrix::MatrixEntry;

Recognition named_one_way(Vertex ranks, const std::vector<Edge>& ways) {
  std::vector<MatrixEntry> entries;
  for (const auto& [from, to] : ways) entries.push_back({from, to, 5, 20});
  return recognize(CommunicationMatrix::from_entries(ranks, std::move(entries)), {});
}

Recognition named(Vertex ranks, const std::vector<Edge>& edges) {
  return recognize(testing::matrix_of(Adjacency::from_edges(ranks, edges)), {});
}

void add_layer(LayeredTraffic& traffic, std::uint32_t site, const std::vector<Edge>& edges) {
  matrix::Layer layer;
  layer.site = site;
  for (const auto& [a, b] : edges) {
    layer.entries.push_back({a, b, 5, 20});
    layer.entries.push_back({b, a, 5, 20});
  }
  traffic.layers.push_back(std::move(layer));
}

// Halves of five ranks are sent down from rank 0: its binary tree has its root at rank 3.
TEST(FewRanks, ATreeHasItsRootWhereMessagesComeFrom) {
  const std::vector<Edge> down = {{0, 3}, {0, 2}, {0, 1}, {3, 4}};
  const Recognition found = named_one_way(5, down);
  EXPECT_EQ(title(found), "binomial tree of 5 ranks");
  EXPECT_EQ(found.cells[0], 0);
  std::vector<Edge> up;
  for (const auto& [from, to] : down) up.emplace_back(to, from);
  EXPECT_EQ(title(named_one_way(5, up)), "binomial tree of 5 ranks");
  EXPECT_EQ(title(named_one_way(5, {{3, 0}, {3, 4}, {0, 1}, {0, 2}})), "binary tree of 5 ranks");
}

TEST(FewRanks, ATreeOfNoFamilyWithItsRootIsAnyTree) {
  // a binary tree of 6 ranks, from one of its leaves
  const Recognition found = named_one_way(6, {{5, 2}, {2, 0}, {0, 1}, {1, 3}, {1, 4}});
  EXPECT_EQ(title(found), "tree of 6 ranks");
  EXPECT_TRUE(found.cells.empty());
}

// Simulation on ranks 0-4, two ranks that look at what it does.
TEST(FewRanks, BitsInAnOddOrderAreChance) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 5},
                                   {2, 5}, {4, 5}, {1, 6}, {3, 6}};
  EXPECT_EQ(title(named(7, edges)), "irregular graph");
  EXPECT_EQ(
      title(named(7, {{0, 1}, {2, 3}, {4, 5}, {0, 2}, {1, 3}, {4, 6}, {0, 4}, {1, 5}, {2, 6}})),
      "incomplete hypercube of 7 ranks");
}

TEST(FewRanks, RecursiveDoublingIsByNumbersOfRanks) {
  const std::vector<Edge> last = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 4}};
  const std::vector<Edge> first = {{0, 1}, {1, 2}, {3, 4}, {1, 3}, {2, 4}};
  EXPECT_EQ(title(named(5, last)), "recursive doubling of 5 ranks");
  EXPECT_EQ(title(named(5, first)), "recursive doubling of 5 ranks");
  EXPECT_TRUE(internal::is_doubling_of_ranks(Adjacency::from_edges(5, last)));
  EXPECT_TRUE(internal::is_doubling_of_ranks(Adjacency::from_edges(5, first)));
  // a ring of four and a pair
  EXPECT_FALSE(internal::is_doubling_of_ranks(
      Adjacency::from_edges(5, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}})));
}

TEST(FewRanks, RecursiveDoublingIsNotCutIntoARingAndAPair) {
  LayeredTraffic traffic;
  traffic.place_of_site = {0, 1, 2};
  add_layer(traffic, 1, {{0, 4}});
  add_layer(traffic, 2, {{0, 1}, {2, 3}, {0, 2}, {1, 3}});
  const auto parts = parts_of(traffic, 5, {});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(title(parts[0].found), "recursive doubling of 5 ranks");
}

} // namespace
} // namespace rondo::topology
