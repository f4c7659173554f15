// SPDX-License-Identifier: Apache-2.0
// Groups with leaders and fat trees, under any numbering, and what only looks like them.
#include "tests/topology/families.hpp"
#include "tests/topology/graphs.hpp"
#include "topology/paired_refinement.hpp"
#include "topology/recognisers/hierarchy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::topology {
namespace {

using testing::mesh;
using testing::of_kind;
using testing::recognized;
using testing::shuffled;
using testing::wrong_mapping;

Topology grouped(const Topology& leaders, Vertex group, bool cliques) {
  Topology t = of_kind(TopologyKind::kHierarchy, leaders.ranks * group);
  t.group = group;
  t.cliques = cliques;
  t.leaders = Shared<Topology>(leaders);
  return t;
}

//   2   6
//   |   |
// 1-0---4-5    two stars of four; the leaders 0 and 4 talk
//   |   |
//   3   7
TEST(Hierarchy, HasTheGraphOfItsPicture) {
  const Adjacency graph = reference_graph(grouped(mesh({2}), 4, false));
  EXPECT_EQ(testing::edges_of(graph),
            (std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {4, 5}, {4, 6}, {4, 7}}));
  EXPECT_EQ(reference_graph(grouped(mesh({2}), 4, true)).edges(), 13);
}

TEST(Hierarchy, LeadersOfEveryFamilyAreNamedTo200Ranks) {
  std::vector<Topology> leaders = testing::all_meshes(66);
  for (const auto& more : {testing::all_moore(40), testing::all_star_stencils(40),
                           testing::all_twisted(40, 4), testing::all_others(40)}) {
    leaders.insert(leaders.end(), more.begin(), more.end());
  }
  std::uint64_t seed = 1;
  int hierarchies = 0;
  for (const Topology& top : leaders) {
    if (top.ranks < 2) continue;
    for (const Vertex group : {2, 3, 4, 7}) {
      for (const bool cliques : {false, true}) {
        const Topology t = grouped(top, group, cliques && group > 2);
        if (t.ranks > 200 || (cliques && group == 2)) continue;
        const Adjacency graph = shuffled(reference_graph(t), ++seed);
        const Recognition r = recognized(graph);
        ASSERT_TRUE(r.recognized()) << name(t);
        ASSERT_NE(r.topology.kind, TopologyKind::kTree) << name(t);
        ASSERT_EQ(wrong_mapping(graph, r), "") << name(t) << " became " << title(r);
        if (r.topology.kind != TopologyKind::kHierarchy) continue; // has a name with fewer words
        ++hierarchies;
        ASSERT_EQ(r.topology.group, group);
        ASSERT_EQ(r.topology.cliques, t.cliques);
      }
    }
  }
  EXPECT_GT(hierarchies, 1000);
}

TEST(Hierarchy, NamesSayAllLevels) {
  const Topology ring = mesh({-5});
  EXPECT_EQ(title(recognized(shuffled(reference_graph(grouped(ring, 4, true)), 1))),
            "two-level hierarchy: 5 cliques of 4, leaders in ring of 5 ranks");
  EXPECT_EQ(title(recognized(shuffled(reference_graph(grouped(ring, 3, false)), 1))),
            "two-level hierarchy: 5 stars of 3, leaders in ring of 5 ranks");
  const Topology three = grouped(grouped(ring, 3, false), 4, true);
  const Adjacency graph = shuffled(reference_graph(three), 2);
  const Recognition r = recognized(graph);
  EXPECT_EQ(title(r), "three-level hierarchy: 15 cliques of 4, leaders in 5 stars of 3, leaders in "
                      "ring of 5 ranks");
  EXPECT_EQ(r.topology, three);
  EXPECT_EQ(wrong_mapping(graph, r), "");
}

// A job on 64 nodes of 128 ranks: all talk within a node, leaders in a binomial tree.
TEST(Hierarchy, OfManyRanksIsNamed) {
  const Topology t = grouped(of_kind(TopologyKind::kBinomialTree, 64), 128, true);
  const Adjacency graph = shuffled(reference_graph(t), 3);
  const Recognition r = recognized(graph);
  EXPECT_EQ(r.topology, t);
  EXPECT_EQ(wrong_mapping(graph, r), "");
}

TEST(Hierarchy, CopiesAreNamed) {
  const Adjacency one = reference_graph(grouped(mesh({-3, -3}), 4, true));
  EXPECT_EQ(title(recognized(shuffled(testing::beside(one, shuffled(one, 1)), 2))),
            "2 copies of two-level hierarchy: 9 cliques of 4, leaders in 3x3 torus");
}

// The last node is not filled.
TEST(Hierarchy, OneGroupMayBeSmaller) {
  std::uint64_t seed = 1;
  for (const Topology& top :
       {mesh({-9}), mesh({6}), mesh({4, 3}), of_kind(TopologyKind::kBinomialTree, 11),
        of_kind(TopologyKind::kComplete, 5), of_kind(TopologyKind::kStar, 7)}) {
    for (Vertex small = 2; small <= 4; ++small) {
      for (Vertex cell = 0; cell < top.ranks; ++cell) {
        for (const bool cliques : {false, true}) {
          Topology t = grouped(top, 5, cliques);
          t.small_group = small;
          t.small_cell = cell;
          t.ranks -= 5 - small;
          const Adjacency graph = shuffled(reference_graph(t), ++seed);
          const Recognition r = recognized(graph);
          ASSERT_EQ(name(r.topology), name(t));
          ASSERT_EQ(wrong_mapping(graph, r), "") << name(t);
        }
      }
    }
  }
  Topology t = grouped(mesh({-5}), 4, true);
  t.small_group = 2;
  t.ranks -= 2;
  EXPECT_EQ(name(t),
            "two-level hierarchy: 4 cliques of 4 and one of 2, leaders in ring of 5 ranks");
  const Adjacency one = reference_graph(t);
  EXPECT_EQ(title(recognized(shuffled(testing::beside(one, shuffled(one, 1)), 2))),
            "2 copies of " + name(t));
}

Adjacency with_more(const Adjacency& graph, Vertex ranks, const std::vector<Edge>& more) {
  auto edges = testing::edges_of(graph);
  edges.insert(edges.end(), more.begin(), more.end());
  return Adjacency::from_edges(ranks, edges);
}

TEST(Hierarchy, GroupsOfManySizesOrWithTwoLeadersAreNone) {
  const Adjacency graph = reference_graph(grouped(mesh({-5}), 4, true));
  EXPECT_TRUE(internal::match_hierarchy(graph));
  // a fifth member in the first group, which is one larger group and no smaller one
  EXPECT_FALSE(
      internal::match_hierarchy(with_more(graph, 21, {{0, 20}, {1, 20}, {2, 20}, {3, 20}})));
  EXPECT_FALSE(internal::match_hierarchy(with_more(graph, 20, {{1, 5}}))); // between two members
}

Topology fat_tree(const std::vector<Vertex>& children, const std::vector<Vertex>& parents) {
  Topology t = of_kind(TopologyKind::kFatTree, 0);
  t.parts = children;
  t.parts.insert(t.parts.end(), parents.begin(), parents.end());
  for (std::size_t level = 0; level <= children.size(); ++level) {
    Vertex nodes = 1;
    for (std::size_t i = 0; i < children.size(); ++i) nodes *= i < level ? parents[i] : children[i];
    t.ranks += nodes;
  }
  return t;
}

// As it is defined: copies of the tree with one level less, and above them new tops; top k * w + j
// is joined to the old top k of every copy. Nodes of the result: the copies, then the tops.
struct Built {
  Vertex nodes = 1;
  std::vector<Vertex> tops = {0};
  std::vector<Edge> edges;
};

Built built(const std::vector<Vertex>& children, const std::vector<Vertex>& parents) {
  Built tree;
  for (std::size_t level = 0; level < children.size(); ++level) {
    const Built lower = tree;
    tree = {lower.nodes * children[level], {}, {}};
    const Vertex tops = tree.nodes;
    for (Vertex copy = 0; copy < children[level]; ++copy) {
      const Vertex first = copy * lower.nodes;
      for (const auto& [u, v] : lower.edges) tree.edges.emplace_back(first + u, first + v);
      for (std::size_t k = 0; k < lower.tops.size(); ++k) {
        for (Vertex j = 0; j < parents[level]; ++j) {
          const Vertex top = tops + static_cast<Vertex>(k) * parents[level] + j;
          tree.edges.emplace_back(first + lower.tops[k], top);
        }
      }
    }
    for (std::size_t k = 0; k < lower.tops.size(); ++k) {
      for (Vertex j = 0; j < parents[level]; ++j) tree.tops.push_back(tree.nodes++);
    }
  }
  return tree;
}

// All sizes with two or three levels and some choice on the way up.
std::vector<Topology> all_fat_trees(Vertex ranks) {
  std::vector<Topology> result;
  for (std::size_t levels = 2; levels <= 3; ++levels) {
    std::vector<Vertex> digits(2 * levels, 1); // children - 1, then parents
    for (;;) {
      std::vector<Vertex> children(digits.begin(), digits.begin() + std::ptrdiff_t(levels));
      for (Vertex& m : children) ++m;
      const std::vector<Vertex> parents(digits.begin() + std::ptrdiff_t(levels), digits.end());
      const bool tree =
          std::all_of(parents.begin(), parents.end(), [](Vertex w) { return w == 1; });
      const Topology t = fat_tree(children, parents);
      if (!tree && t.ranks <= ranks) result.push_back(t);
      std::size_t i = 0;
      while (i < digits.size() && digits[i] == 4) digits[i++] = 1;
      if (i == digits.size()) break;
      ++digits[i];
    }
  }
  return result;
}

TEST(FatTree, HasTheGraphOfItsDefinition) {
  int compared = 0;
  for (const Topology& t : all_fat_trees(80)) {
    const std::size_t levels = t.parts.size() / 2;
    const Built tree = built({t.parts.begin(), t.parts.begin() + std::ptrdiff_t(levels)},
                             {t.parts.begin() + std::ptrdiff_t(levels), t.parts.end()});
    ASSERT_EQ(tree.nodes, t.ranks) << name(t);
    const Adjacency graph = Adjacency::from_edges(tree.nodes, tree.edges);
    ASSERT_TRUE(internal::find_isomorphism(graph, reference_graph(t))) << name(t);
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(FatTree, OfEverySizeTo200RanksIsNamed) {
  std::uint64_t seed = 1;
  for (const Topology& t : all_fat_trees(200)) {
    const Adjacency graph = shuffled(reference_graph(t), ++seed);
    const Recognition r = recognized(graph);
    ASSERT_TRUE(r.recognized()) << name(t);
    ASSERT_EQ(wrong_mapping(graph, r), "") << name(t) << " became " << title(r);
  }
}

TEST(FatTree, NamesAreThoseOfTheLiterature) {
  const auto named = [](const Topology& t) {
    return title(recognized(shuffled(reference_graph(t), 1)));
  };
  EXPECT_EQ(named(fat_tree({2, 2, 2}, {1, 2, 2})), "2-ary 3-tree of 20 ranks");
  EXPECT_EQ(named(fat_tree({4, 4}, {1, 4})), "4-ary 2-tree of 24 ranks");
  EXPECT_EQ(named(fat_tree({4, 3}, {1, 2})), "fat tree XGFT(2; 4,3; 1,2) of 17 ranks");
}

} // namespace
} // namespace rondo::topology
