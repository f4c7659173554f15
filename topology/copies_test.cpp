// SPDX-License-Identifier: Apache-2.0
// Copies of every family beside each other under random numbering, and parts that only look alike.
#include "rondo/topology/layout.hpp"
#include "tests/topology/families.hpp"
#include "tests/topology/family_files.hpp"
#include "tests/topology/graphs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace rondo::topology {
namespace {

using testing::all_names;
using testing::beside;
using ::testing::Contains;
using testing::mesh;
using testing::recognized;
using testing::shuffled;

Adjacency copies_of(const Adjacency& graph, int copies) {
  Adjacency all = graph;
  for (int k = 1; k < copies; ++k)
    all = beside(all, shuffled(graph, static_cast<std::uint64_t>(k)));
  return all;
}

// Empty if every copy is carried onto `reference` by its cells, edge by edge.
std::string wrong_copy(const Adjacency& graph, const Recognition& r, const Adjacency& reference) {
  const auto n = static_cast<std::size_t>(graph.vertices());
  if (r.cells.size() != n || r.copy_of.size() != n) return "no cell or no copy for every rank";
  std::map<Vertex, std::vector<bool>> used;
  std::map<Vertex, std::int64_t> edges;
  for (std::size_t v = 0; v < n; ++v) {
    auto& cells = used[r.copy_of[v]];
    cells.resize(static_cast<std::size_t>(reference.vertices()), false);
    if (r.cells[v] < 0 || r.cells[v] >= reference.vertices()) return "a cell outside";
    if (cells[static_cast<std::size_t>(r.cells[v])]) return "a cell is used twice";
    cells[static_cast<std::size_t>(r.cells[v])] = true;
  }
  if (static_cast<Vertex>(used.size()) != r.copies) return "another number of copies";
  for (const auto& [copy, cells] : used) {
    if (std::find(cells.begin(), cells.end(), false) != cells.end()) return "a cell is not used";
  }
  for (const auto& [u, v] : testing::edges_of(graph)) {
    const auto [a, b] = std::pair(static_cast<std::size_t>(u), static_cast<std::size_t>(v));
    if (r.copy_of[a] != r.copy_of[b]) return "an edge between copies";
    if (!reference.adjacent(r.cells[a], r.cells[b])) return "an edge without image";
    ++edges[r.copy_of[a]];
  }
  for (const auto& [copy, count] : edges) {
    if (count != reference.edges()) return "another number of edges";
  }
  return "";
}

class Copies : public ::testing::TestWithParam<int> {};

TEST_P(Copies, OfEveryFamilyAreCountedAndMapped) {
  std::vector<Topology> topologies = testing::all_meshes(30);
  for (const auto& more : {testing::all_moore(30), testing::all_star_stencils(30),
                           testing::all_others(30), testing::all_twisted(40, 4)}) {
    topologies.insert(topologies.end(), more.begin(), more.end());
  }
  std::uint64_t seed = 1;
  for (const Topology& t : topologies) {
    const Adjacency graph = shuffled(copies_of(reference_graph(t), GetParam()), ++seed);
    const Recognition r = recognized(graph);
    ASSERT_EQ(r.copies, GetParam()) << name(t) << " became " << title(r);
    ASSERT_TRUE(r.recognized()) << name(t);
    ASSERT_EQ(title(r), r.topology.ranks == 2
                            ? std::to_string(GetParam()) + " pairs"
                            : std::to_string(GetParam()) + " copies of " + name(r.topology));
    if (t.kind != TopologyKind::kTwistedTorus && t.shift == 0) {
      ASSERT_THAT(all_names(r), Contains(name(t)));
    }
    ASSERT_EQ(wrong_copy(graph, r, reference_graph(r.topology)), "") << name(t);
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, Copies, ::testing::Values(2, 3, 8));

Adjacency random_tree(Vertex ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Edge> edges;
  for (Vertex v = 1; v < ranks; ++v)
    edges.emplace_back(v, static_cast<Vertex>(random() % static_cast<std::uint64_t>(v)));
  return Adjacency::from_edges(ranks, edges);
}

// The ranks of the copy with this rank, as a graph of its own in the order of cells.
Adjacency copy_with(const Adjacency& graph, const Recognition& r, Vertex rank) {
  const Vertex copy = r.copy_of[static_cast<std::size_t>(rank)];
  std::vector<Edge> edges;
  Vertex ranks = 0;
  for (const Vertex c : r.copy_of) ranks += c == copy ? 1 : 0;
  for (const auto& [u, v] : testing::edges_of(graph)) {
    if (r.copy_of[static_cast<std::size_t>(u)] != copy) continue;
    edges.emplace_back(r.cells[static_cast<std::size_t>(u)], r.cells[static_cast<std::size_t>(v)]);
  }
  return Adjacency::from_edges(ranks, edges);
}

TEST(Parts, CopiesOfAnyTreeAreMappedOntoEachOther) {
  int without_family = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Adjacency tree = random_tree(static_cast<Vertex>(5 + seed / 2), seed);
    const Adjacency graph = shuffled(copies_of(tree, 3), seed);
    const Recognition r = recognized(graph);
    ASSERT_EQ(r.copies, 3) << title(r);
    without_family += r.topology.kind == TopologyKind::kTree ? 1 : 0;
    ASSERT_EQ(wrong_copy(graph, r, copy_with(graph, r, 0)), "");
  }
  EXPECT_GT(without_family, 30);
}

TEST(Parts, CopiesOfAGraphWithoutANameAreMappedOntoEachOther) {
  const Adjacency one = testing::two_switched(reference_graph(mesh({-5, -6})), 1);
  const Adjacency graph = shuffled(copies_of(one, 3), 2);
  const Recognition r = recognized(graph);
  EXPECT_EQ(title(r), "3 copies of irregular graph");
  EXPECT_FALSE(r.recognized());
  EXPECT_EQ(wrong_copy(graph, r, copy_with(graph, r, 0)), "");
}

TEST(Parts, UnlikeOnesAreNamedApart) {
  const Adjacency torus = reference_graph(mesh({-5, -6}));
  const auto both = [](const Adjacency& a, const Adjacency& b) {
    return title(recognized(shuffled(beside(a, b), 1)));
  };
  EXPECT_EQ(both(torus, reference_graph(mesh({-10, -3}))), "6x5 torus and 10x3 torus");
  EXPECT_EQ(both(random_tree(12, 1), random_tree(12, 2)), "tree of 12 ranks and tree of 12 ranks");
  EXPECT_EQ(both(testing::two_switched(torus, 1), testing::two_switched(torus, 2)),
            "irregular graph and irregular graph");
  EXPECT_EQ(both(copies_of(torus, 2), copies_of(reference_graph(mesh({-7})), 3)),
            "2 copies of 6x5 torus and 3 copies of ring of 7 ranks");
  Topology rook;
  rook.kind = TopologyKind::kRowColumn;
  rook.ranks = 16;
  rook.parts = {4, 4};
  EXPECT_EQ(both(reference_graph(rook), reference_graph(testing::six_point(4, 4))),
            "4x4 row and column all-to-all and 4x4 6-point stencil");
}

// Cells of each star begin with its centre, also where three ranks in a row are one.
TEST(Parts, OfOneKindTheyAreCountedTogether) {
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {0, 3},  {4, 5}, {5, 6},
                                   {7, 8}, {7, 9}, {7, 10}, {7, 11}};
  const Adjacency stars = Adjacency::from_edges(12, edges);
  const Recognition r = recognized(stars);
  EXPECT_EQ(title(r), "3 stars of 3 to 5 ranks");
  EXPECT_TRUE(r.is_of_one_kind());
  for (const std::size_t centre : {0u, 5u, 7u}) EXPECT_EQ(r.cells[centre], 0);
  EXPECT_FALSE(recognized(beside(stars, reference_graph(mesh({4, 4})))).is_of_one_kind());
}

TEST(Parts, CopiesStandSideBySideOnPaper) {
  const auto known = testing::families(testing::kFamilyExamples[0].text);
  const auto members = known[0].topologies(42, {1, 1000});
  const auto knight = std::find_if(members.begin(), members.end(),
                                   [](const Topology& t) { return t.dimensions[0].size == 6; });
  const Adjacency graph = shuffled(copies_of(knight->user->graph, 2), 3);
  TopologyOptions options;
  options.families = known;
  const Recognition r = recognize(testing::matrix_of(graph), options);
  ASSERT_EQ(r.copies, 2);
  const Layout layout = layout_of(graph, r);
  // the same shape twice: differences between ranks of equal cells are the same for all cells
  std::map<Vertex, Point> first;
  std::vector<Point> shifts;
  for (std::size_t v = 0; v < r.cells.size(); ++v) {
    const Point p = layout.points[v];
    const auto [other, is_new] = first.try_emplace(r.cells[v], p);
    if (is_new) continue;
    const double sign = r.copy_of[v] == 0 ? -1 : 1;
    shifts.push_back({sign * (p.x - other->second.x), sign * (p.y - other->second.y)});
  }
  ASSERT_EQ(shifts.size(), 42u);
  for (const Point& shift : shifts) {
    EXPECT_NEAR(shift.x, shifts[0].x, 1e-9);
    EXPECT_NEAR(shift.y, shifts[0].y, 1e-9);
  }
  EXPECT_GT(std::abs(shifts[0].x) + std::abs(shifts[0].y), 1);
}

} // namespace
} // namespace rondo::topology
