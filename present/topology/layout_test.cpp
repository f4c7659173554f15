// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/layout.hpp"

#include "present/topology/topology_picture.hpp"
#include "rondo/topology/graph_files.hpp"
#include "tests/topology/families.hpp"
#include "tests/topology/graphs.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Fontconfig keeps its caches until the process ends; under the leak sanitizer that is not our
// leak.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }

namespace rondo::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::mesh;
using testing::recognized;
using testing::shuffled;

Layout layout_of_named(const Adjacency& graph) { return layout_of(graph, recognized(graph)); }

double distance(const Point& a, const Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

TEST(Layout, GridsAreDrawnAsGridsWhateverTheNumbering) {
  const Adjacency graph = shuffled(reference_graph(mesh({7, 5})), 3);
  const Layout layout = layout_of_named(graph);
  for (const auto& [a, b] : testing::edges_of(graph)) {
    EXPECT_NEAR(distance(layout.points[static_cast<std::size_t>(a)],
                         layout.points[static_cast<std::size_t>(b)]),
                1, 1e-9);
  }
}

TEST(Layout, RowMajorRanksReadLikeText) {
  const Layout layout = layout_of_named(reference_graph(mesh({-4, -4})));
  EXPECT_EQ(layout.drawn_as, "4x4 torus");
  EXPECT_EQ(layout.points[1].x, 1);
  EXPECT_EQ(layout.points[4].y, 1);
  EXPECT_TRUE(std::is_sorted(layout.order.begin(), layout.order.end()));
}

// Whatever order the axes have in the program's numbering.
TEST(Layout, IsNamedAsTheTopologyIs) {
  for (const Topology& t : {mesh({4, 7}), mesh({7, 4}), mesh({-3, 5}), mesh({2, 3, 4})}) {
    const Adjacency graph = reference_graph(t);
    const Recognition found = recognized(graph);
    EXPECT_EQ(layout_of(graph, found).drawn_as, name(found.topology));
  }
}

TEST(Layout, NoTwoRanksStandOnOnePlace) {
  auto topologies = testing::all_meshes(64);
  for (const auto& more :
       {testing::all_moore(40), testing::all_star_stencils(24), testing::all_others(24)})
    topologies.insert(topologies.end(), more.begin(), more.end());
  for (const Topology& t : topologies) {
    const Layout layout = layout_of_named(shuffled(reference_graph(t), 5));
    ASSERT_EQ(static_cast<Vertex>(layout.points.size()), t.ranks);
    for (std::size_t v = 0; v < layout.points.size(); ++v) {
      EXPECT_GE(std::min(layout.points[v].x, layout.points[v].y), -1e-9) << name(t);
      for (std::size_t w = 0; w < v; ++w)
        ASSERT_GT(distance(layout.points[v], layout.points[w]), 0.05) << name(t);
    }
  }
}

TEST(Layout, TreesHangFromTheirRoot) {
  const Adjacency tree = reference_graph({.kind = TopologyKind::kBinomialTree, .ranks = 16});
  const Layout layout = layout_of_named(tree);
  for (std::size_t v = 1; v < 16; ++v) {
    EXPECT_GT(layout.points[v].y, layout.points[v & (v - 1)].y) << v;
  }
}

// Every group is a circle around its leader, away from all others.
TEST(Layout, GroupsStandAroundTheirLeaders) {
  for (const bool cliques : {false, true}) {
    Topology t{.kind = TopologyKind::kHierarchy, .ranks = 0, .group = 5, .cliques = cliques};
    t.leaders = Shared<Topology>(mesh({4, 3}));
    t.ranks = 60;
    const Layout layout = layout_of_named(reference_graph(t));
    for (std::size_t v = 0; v < 60; ++v) {
      for (std::size_t w = 0; w < v; ++w) {
        const double apart = distance(layout.points[v], layout.points[w]);
        ASSERT_GT(apart, 0.5);
        if (v / 5 == w / 5) {
          ASSERT_LT(apart, 2);
        }
      }
    }
    EXPECT_EQ(layout.drawn_as, name(t));
  }
}

TEST(Layout, LevelsOfAFatTreeAreRows) {
  const Layout layout = layout_of_named(
      reference_graph({.kind = TopologyKind::kFatTree, .ranks = 20, .parts = {2, 2, 2, 1, 2, 2}}));
  for (std::size_t v = 0; v < 20; ++v) {
    const double row = v < 8 ? 6 : v < 12 ? 4 : v < 16 ? 2 : 0;
    EXPECT_NEAR(layout.points[v].y, row, 1e-9) << v;
    for (std::size_t w = 0; w < v; ++w)
      EXPECT_GT(distance(layout.points[v], layout.points[w]), 0.9);
  }
}

TEST(Layout, PartsAndSilentRanksStandApart) {
  const Adjacency ring = reference_graph(mesh({-5}));
  const Adjacency parts = testing::beside(testing::beside(ring, reference_graph(mesh({3, 3}))),
                                          Adjacency::from_edges(2, {}));
  const Layout layout = layout_of_named(parts);
  EXPECT_EQ(layout.order.size(), 16u);
  for (std::size_t v = 0; v < 16; ++v) {
    for (std::size_t w = 0; w < v; ++w)
      EXPECT_GT(distance(layout.points[v], layout.points[w]), 0.5) << v << ' ' << w;
  }
}

Graph pair() {
  return Graph::from_matrix(
      matrix::CommunicationMatrix::from_entries(3, {{0, 1, 2, 16}, {1, 0, 1, 8}, {1, 2, 4, 4}}));
}

TEST(GraphFiles, CarryCoordinatesAndWeights) {
  const Recognition found = recognize(pair(), {});
  const Layout layout = layout_of(pair().adjacency(), found);
  const std::string graphml = to_graphml(pair(), found, layout);
  EXPECT_THAT(graphml, HasSubstr("<data key=\"topology\">chain of 3 ranks</data>"));
  EXPECT_THAT(graphml, HasSubstr("<node id=\"1\"><data key=\"coordinates\">1</data>"));
  EXPECT_THAT(graphml, HasSubstr("<edge source=\"0\" target=\"1\"><data key=\"messages\">2</data>"
                                 "<data key=\"bytes\">16</data></edge>"));
  EXPECT_THAT(graphml, Not(HasSubstr("source=\"2\""))); // 2 only received
  const std::string dot = to_dot(pair(), found, layout);
  EXPECT_THAT(dot, HasSubstr("  0 [pos=\"0,0!\", coordinates=\"0\"];"));
  EXPECT_THAT(dot, HasSubstr("  1 -> 2 [messages=4, bytes=4];"));
}

TEST(TopologyPicture, DrawsEveryFamily) {
  auto topologies = testing::all_meshes(12);
  for (const auto& more : {testing::all_moore(12), testing::all_others(9)})
    topologies.insert(topologies.end(), more.begin(), more.end());
  for (const Topology& t : topologies) {
    const auto matrix = testing::matrix_of(shuffled(reference_graph(t), 1));
    const Graph graph = Graph::from_matrix(matrix);
    const Recognition found = recognize(graph, {});
    const auto png = present::draw_topology(
        matrix, graph, found, layout_of(graph.adjacency(), found), present::PictureFormat::kSvg);
    ASSERT_TRUE(png) << name(t) << ": " << png.error().text();
    EXPECT_THAT(*png, HasSubstr("<svg "));
  }
}

TEST(TopologyPicture, HasALegendTextAndTooltips) {
  const auto matrix =
      matrix::CommunicationMatrix::from_entries(3, {{0, 1, 2, 16'000}, {1, 0, 1, 8}, {1, 2, 4, 4}});
  const Graph graph = Graph::from_matrix(matrix);
  const Recognition found = recognize(graph, {});
  present::TopologyPictureOptions options;
  options.about = "app · 3 ranks · all messages";
  const std::string svg =
      *present::draw_topology(matrix, graph, found, layout_of(graph.adjacency(), found),
                              present::PictureFormat::kSvg, options);
  EXPECT_THAT(svg, HasSubstr(">bytes, log scale</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>chain of 3 ranks: app · 3 ranks · all messages</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>rank 0 to rank 1: 16 kB</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>rank 1 at (1)</title>"));
}

TEST(TopologyPicture, DrawsManyRanksAndNoMessages) {
  for (const Adjacency& adjacency : {reference_graph(mesh({-200, -200})),
                                     Adjacency::from_edges(1, {}), Adjacency::from_edges(7, {})}) {
    const auto matrix = testing::matrix_of(adjacency);
    const Graph graph = Graph::from_matrix(matrix);
    const Recognition found = recognize(graph, {});
    EXPECT_TRUE(present::draw_topology(matrix, graph, found, layout_of(adjacency, found),
                                       present::PictureFormat::kPng, {.pixels_per_point = 1}));
  }
  EXPECT_EQ(present::draw_topology({}, {}, {}, {}, present::PictureFormat::kPng).error().code,
            ErrorCode::kUsage);
}

} // namespace
} // namespace rondo::topology
