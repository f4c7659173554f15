// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/process_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using List = std::vector<std::int64_t>;

TEST(ProcessTopology, AGridHasOneBelowAndOneAboveInEachDimension) {
  //  0 1 2     dimension 0 is closed, dimension 1 is not
  //  3 4 5
  const List dims = {2, 3};
  const List periods = {1, 0};
  EXPECT_THAT(grid_neighbors(4, dims, periods).destinations, ElementsAre(1, 1, 3, 5));
  EXPECT_THAT(grid_neighbors(3, dims, periods).sources, ElementsAre(0, 0, -1, 4));
  EXPECT_THAT(grid_neighbors(0, List{1}, List{1}).sources, ElementsAre(0, 0)); // itself
  EXPECT_THAT(grid_neighbors(0, List{0}, List{1}).sources, IsEmpty());
}

TEST(ProcessTopology, AGraphListsTheEdgesOfOneRankAfterTheOther) {
  const List index = {2, 3, 3}; // the standard's own form: 0 has two, 1 has one, 2 has none
  const List edges = {1, 2, 0};
  EXPECT_THAT(graph_neighbors(0, index, edges).destinations, ElementsAre(1, 2));
  EXPECT_THAT(graph_neighbors(1, index, edges).sources, ElementsAre(0));
  EXPECT_THAT(graph_neighbors(2, index, edges).destinations, IsEmpty());
  EXPECT_THAT(graph_neighbors(3, index, edges).destinations, IsEmpty());
  EXPECT_THAT(graph_neighbors(1, index, List{1}).destinations, IsEmpty()); // cut short
}

TEST(ProcessTopology, ADistributedGraphIsWhatAllSayTogether) {
  DistGraph graph;
  graph.add(List{0, 3}, List{2, 1}, List{1, 3, 0}); // 0 -> 1, 0 -> 3, 3 -> 0
  graph.add(List{}, List{}, List{});
  graph.add(List{0}, List{1}, List{1}); // once more 0 -> 1
  EXPECT_EQ(graph.of(0), (Neighbors{{3}, {1, 3, 1}}));
  EXPECT_EQ(graph.of(1), (Neighbors{{0, 0}, {}}));
  EXPECT_EQ(graph.of(3), (Neighbors{{0}, {0}}));
  EXPECT_EQ(graph.of(2), Neighbors{});
  graph.add(List{2}, List{5}, List{0}); // fewer destinations than it says
  EXPECT_THAT(graph.of(2).destinations, ElementsAre(0));
}

} // namespace
} // namespace rondo::trace
