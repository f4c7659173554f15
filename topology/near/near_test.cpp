// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/near.hpp"

#include "tests/topology/corpus.hpp"
#include "tests/topology/graphs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace rondo::topology {
namespace {

using testing::damaged;
using testing::edges_of;
using testing::mesh;
using testing::moore;
using testing::of_kind;
using testing::random_regular;
using testing::random_sparse;
using testing::shuffled;
using testing::six_point;
using testing::with_hub;

Graph graph_of(const Adjacency& adjacency) {
  return Graph::from_matrix(testing::matrix_of(adjacency));
}

std::optional<NearMatch> near(const Adjacency& adjacency) {
  return nearest(graph_of(adjacency), {});
}

std::string near_name(const Adjacency& adjacency) {
  const auto match = near(adjacency);
  return match ? title(*match) : "none";
}

// Counts again, one pair after the other, what a match says of a graph.
void expect_true_numbers(const Adjacency& graph, const NearMatch& match) {
  const Adjacency reference = reference_graph(match.topology);
  const auto is_hub = [&](Vertex v) { return std::count(match.hubs.begin(), match.hubs.end(), v); };
  std::vector<Edge> missing;
  std::vector<Edge> extra;
  std::int64_t shared = 0;
  for (Vertex a = 0; a < graph.vertices(); ++a) {
    for (Vertex b = a + 1; b < graph.vertices(); ++b) {
      const Vertex x = match.cells[static_cast<std::size_t>(a)];
      const Vertex y = match.cells[static_cast<std::size_t>(b)];
      const bool wanted = is_hub(a) || is_hub(b) || (x >= 0 && y >= 0 && reference.adjacent(x, y));
      const bool there = graph.adjacent(a, b);
      if (wanted && there) ++shared;
      if (wanted && !there) missing.emplace_back(a, b);
      if (!wanted && there) extra.emplace_back(a, b);
    }
  }
  EXPECT_EQ(match.shared, shared);
  EXPECT_EQ(match.missing, missing);
  EXPECT_EQ(match.extra, extra);
  std::set<Vertex> cells;
  for (const Vertex cell : match.cells) {
    if (cell >= 0) cells.insert(cell);
  }
  EXPECT_EQ(static_cast<Vertex>(cells.size()), match.topology.ranks);
}

std::vector<Topology> families() {
  std::vector<Topology> list = {mesh({-8, -8}),
                                mesh({8, 8}),
                                mesh({7, 5}),
                                mesh({-12, 6}),
                                mesh({-4, -4, -4}),
                                mesh({5, 4, 3}),
                                mesh({-6, -5, -4}),
                                mesh({2, 2, 2, 2, 2, 2}),
                                mesh({-40}),
                                mesh({40}),
                                moore({8, 8}),
                                moore({-6, -6}),
                                moore({4, 4, 4}),
                                six_point(6, 6),
                                six_point(8, 5),
                                of_kind(TopologyKind::kComplete, 20),
                                of_kind(TopologyKind::kStar, 40),
                                of_kind(TopologyKind::kBinomialTree, 64),
                                of_kind(TopologyKind::kDissemination, 40),
                                of_kind(TopologyKind::kRecursiveDoubling, 44),
                                of_kind(TopologyKind::kCg, 64)};
  list.push_back(of_kind(TopologyKind::kHeapTree, 50));
  list.back().arity = 2;
  list.push_back(of_kind(TopologyKind::kRowColumn, 42));
  list.back().parts = {6, 7};
  return list;
}

class Damage : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Damage, LeavesTheFamilyToBeNamed) {
  const auto [missing_percent, extra_percent] = GetParam();
  std::uint64_t seed = 1;
  for (const Topology& t : families()) {
    const Adjacency graph = reference_graph(t);
    const auto edges = static_cast<std::size_t>(graph.edges());
    const std::size_t missing = edges * static_cast<std::size_t>(missing_percent) / 100;
    std::size_t extra = edges * static_cast<std::size_t>(extra_percent) / 100;
    if (t.kind == TopologyKind::kComplete) extra = 0; // nothing can be added
    // of what is left, at most a tenth may be extra
    extra = std::min(extra, (edges - missing) / 9);
    const Adjacency broken = damaged(graph, missing, extra, ++seed);
    const auto match = near(broken);
    ASSERT_TRUE(match) << name(t) << " without " << missing << " with " << extra;
    EXPECT_EQ(title(*match), name(t));
    EXPECT_EQ(match->missing.size(), missing) << name(t);
    EXPECT_EQ(match->extra.size(), extra) << name(t);
    expect_true_numbers(broken, *match);
  }
}

INSTANTIATE_TEST_SUITE_P(NearMatch, Damage,
                         ::testing::Values(std::pair{0, 2}, std::pair{2, 0}, std::pair{3, 3},
                                           std::pair{5, 5}, std::pair{10, 0}, std::pair{0, 10},
                                           std::pair{10, 10}));

// A hub's own edges are part of its star, so that a ring with a hub is a chain with a hub too.
TEST(NearMatch, NamesALatticeWithAHubInsideIt) {
  for (const Topology& t :
       {mesh({-8, -8}), mesh({8, 8}), mesh({-4, -4, -4}), mesh({7, 5}), moore({8, 8})}) {
    for (const Vertex hub : {0, 17}) {
      const Adjacency graph = with_hub(reference_graph(t), hub);
      EXPECT_EQ(near_name(graph), name(t) + " and hub " + std::to_string(hub));
      EXPECT_EQ(near(graph)->jaccard(), 1);
      const auto edges = static_cast<std::size_t>(reference_graph(t).edges());
      const Adjacency broken =
          damaged(with_hub(reference_graph(t), hub), edges / 20, edges / 20, 5);
      EXPECT_EQ(near_name(broken), name(t) + " and hub " + std::to_string(hub));
      expect_true_numbers(broken, *near(broken));
    }
  }
}

TEST(NearMatch, NamesATorusWithAHubInsideItWhateverTheNumbering) {
  for (const auto& sizes : std::vector<std::vector<int>>{{-8, -8}, {-6, -5, -5}, {-9, -6}}) {
    const Topology t = mesh(sizes);
    const Adjacency graph = shuffled(with_hub(reference_graph(t), 0), 3);
    EXPECT_EQ(near_name(graph).substr(0, name(t).size() + 8), name(t) + " and hub");
    expect_true_numbers(graph, *near(graph));
  }
}

TEST(NearMatch, NamesWhatWorkersFormBesideAMaster) {
  for (const Topology& t :
       {mesh({4, 4}), mesh({-5, -5}), mesh({3, 3, 3}), moore({4, 4}), mesh({-24})}) {
    const Adjacency graph = with_hub(reference_graph(t), t.ranks);
    EXPECT_EQ(near_name(graph), name(t) + " and hub " + std::to_string(t.ranks));
    const Adjacency other = shuffled(graph, 9);
    ASSERT_TRUE(near(other)) << name(t);
    EXPECT_EQ(name(near(other)->topology), name(t));
    EXPECT_EQ(near(other)->jaccard(), 1);
    expect_true_numbers(other, *near(other));
  }
}

TEST(NearMatch, SeesExtraEdgesInLatticesWhateverTheNumbering) {
  for (const auto& sizes : std::vector<std::vector<int>>{{-12, -10}, {12, 11}, {-6, -6, -5}}) {
    const Topology t = mesh(sizes);
    const Adjacency graph = reference_graph(t);
    const Adjacency more = shuffled(damaged(graph, 0, 3, 2), 8);
    ASSERT_TRUE(near(more)) << name(t);
    EXPECT_EQ(title(*near(more)), name(t));
    EXPECT_EQ(near(more)->extra.size(), 3u);
    expect_true_numbers(more, *near(more));
  }
}

TEST(NearMatch, NamesSnakesAndBlocks) {
  const std::vector<Dimension> layout = {{12, true}, {8, false}};
  for (const NumberingKind kind : {NumberingKind::kSnake, NumberingKind::kBlocked}) {
    const Numbering numbering{.kind = kind, .layout = layout, .block = {4, 2}};
    std::vector<Vertex> cells;
    for (Vertex v = 0; v < 96; ++v) cells.push_back(cell_by_rule(numbering, v));
    std::vector<Vertex> rank_at(cells.size());
    for (std::size_t v = 0; v < cells.size(); ++v)
      rank_at[static_cast<std::size_t>(cells[v])] = static_cast<Vertex>(v);
    const Topology t = mesh({-12, 8});
    const Adjacency broken = damaged(renumbered(reference_graph(t), rank_at), 5, 5, 3);
    EXPECT_EQ(near_name(broken), name(t)) << describe(numbering);
    expect_true_numbers(broken, *near(broken));
  }
}

// Growth, clustering and paths, each for the families they are for.
TEST(NearMatch, RepairsMissingAndExtraEdgesWhateverTheNumbering) {
  for (const Topology& t : families()) {
    if (t.kind == TopologyKind::kRing || t.ranks > 64) continue; // a ring without a link is a chain
    const Adjacency graph = reference_graph(t);
    const std::size_t extra = t.kind == TopologyKind::kComplete ? 0 : 1;
    const Adjacency broken = shuffled(damaged(graph, 1, extra, 4), 6);
    const auto match = near(broken);
    ASSERT_TRUE(match) << name(t);
    const auto names = testing::all_names(testing::recognized(graph));
    EXPECT_EQ(std::count(names.begin(), names.end(), title(*match)), 1)
        << title(*match) << " for " << name(t);
    expect_true_numbers(broken, *match);
  }
}

// A torus of heavy messages, numbered at random, and light messages on as many other pairs.
TEST(NearMatch, FindsTheHeavyCore) {
  const Adjacency torus = shuffled(reference_graph(mesh({-6, -5})), 4);
  const Adjacency both = damaged(torus, 0, 60, 7);
  std::vector<matrix::MatrixEntry> entries;
  for (const auto& [a, b] : edges_of(both)) {
    const auto light = static_cast<std::uint64_t>(40 + (a + b) % 7);
    entries.push_back({a, b, 1, torus.adjacent(a, b) ? 1000 : light});
  }
  const Graph graph = Graph::from_matrix(matrix::CommunicationMatrix::from_entries(30, entries));
  const auto match = nearest(graph, {});
  ASSERT_TRUE(match);
  EXPECT_EQ(title(*match), "6x5 torus");
  EXPECT_EQ(match->recall(), 1);
  EXPECT_EQ(match->extra.size(), 60u);
  EXPECT_GT(match->accuracy(WeightMeasure::kBytes), 0.9);
  expect_true_numbers(both, *match);
}

TEST(NearMatch, AsksForLessIfToleranceIsLess) {
  const Adjacency broken = damaged(reference_graph(mesh({-8, -8})), 10, 0, 1);
  EXPECT_TRUE(nearest(graph_of(broken), {.tolerance = 0.1}));
  EXPECT_FALSE(nearest(graph_of(broken), {.tolerance = 0.05}));
}

TEST(NearMatch, NamesNoRandomGraph) {
  int tried = 0;
  for (const Vertex ranks : {12, 16, 27, 36, 64, 100}) {
    for (const Vertex degree : {3, 4, 5, 6, 8}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto edges = static_cast<std::size_t>(ranks * degree / 2);
        for (const Adjacency& graph :
             {random_regular(ranks, degree, seed), random_sparse(ranks, edges, seed)}) {
          ++tried;
          EXPECT_EQ(near_name(graph), "none") << ranks << ' ' << degree << ' ' << seed;
        }
      }
    }
  }
  EXPECT_EQ(tried, 1200);
}

// Five of six pairs of twelve ranks: these are nearly a periodic 18-point stencil, in some order.
TEST(NearMatch, MostPairsOfAFewRanksAreNoStencil) {
  std::vector<Edge> silent = {{0, 3},  {1, 4}, {2, 9},  {5, 8}, {6, 11},
                              {7, 10}, {0, 7}, {1, 10}, {2, 6}, {4, 9}};
  std::vector<Edge> edges;
  for (const Edge& edge : edges_of(reference_graph(of_kind(TopologyKind::kComplete, 12)))) {
    if (std::find(silent.begin(), silent.end(), edge) == silent.end()) edges.push_back(edge);
  }
  const std::string name = near_name(Adjacency::from_edges(12, edges));
  EXPECT_EQ(name.find("stencil"), std::string::npos) << name;
}

TEST(NearMatch, NamesNoRandomGraphWithAHubOrWithWeights) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(near_name(with_hub(random_regular(36, 4, seed), 0)), "none") << seed;
    const Adjacency graph = random_regular(36, 4, seed);
    std::mt19937_64 random(seed);
    std::vector<matrix::MatrixEntry> entries;
    for (const auto& [a, b] : edges_of(graph))
      entries.push_back({a, b, 1, std::uint64_t{1} << random() % 30});
    const auto weighted =
        Graph::from_matrix(matrix::CommunicationMatrix::from_entries(36, entries));
    EXPECT_FALSE(nearest(weighted, {})) << seed;
  }
}

TEST(NearMatch, PassesOverGraphsWithoutEdges) {
  EXPECT_EQ(near_name(Adjacency::from_edges(5, {})), "none");
  EXPECT_EQ(near_name(Adjacency::from_edges(1, {})), "none");
}

} // namespace
} // namespace rondo::topology
