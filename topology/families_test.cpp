// SPDX-License-Identifier: Apache-2.0
// Sweeps: every size of every family under random numbering, and graphs that only look like them.
// Of those of more than 64 ranks a test run looks at some (chosen_cases.hpp). The oracle for "the
// same graph" is nauty.
#include "tests/support/chosen_cases.hpp"
#include "tests/topology/canonical.hpp"
#include "tests/topology/families.hpp"
#include "tests/topology/graphs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace rondo::topology {
namespace {

using testing::all_names;
using testing::canonical_form;
using ::testing::Contains;
using ::testing::IsSupersetOf;
using testing::mesh;
using testing::moore;
using testing::recognized;
using testing::shuffled;
using testing::wrong_mapping;

bool is_looked_at(Vertex ranks, std::uint64_t index) {
  return support::is_chosen(index, ranks <= 64, 7);
}

// Each topology, numbered at random, is found under its name among others.
void expect_named(const std::vector<Topology>& topologies) {
  std::uint64_t seed = 1;
  for (const Topology& t : topologies) {
    if (!is_looked_at(t.ranks, ++seed)) continue;
    const Adjacency graph = shuffled(reference_graph(t), seed);
    const Recognition r = recognized(graph);
    ASSERT_THAT(all_names(r), Contains(name(t)));
    ASSERT_EQ(wrong_mapping(graph, r), "") << name(t);
  }
}

TEST(Meshes, EveryProductOfPathsAndCyclesTo400RanksIsNamed) {
  expect_named(testing::all_meshes(400));
}

TEST(Moore, EveryStrongProductTo300RanksIsNamed) { expect_named(testing::all_moore(300)); }

TEST(StarStencils, OfEverySizeTo200RanksAreNamed) { expect_named(testing::all_star_stencils(200)); }

TEST(Multigrids, OfEverySizeTo64RanksAreNamed) {
  std::uint64_t seed = 1;
  for (const Topology& t : testing::all_multigrids(64)) {
    const Adjacency graph = shuffled(reference_graph(t), ++seed);
    const Recognition r = recognized(graph);
    ASSERT_TRUE(r.recognized()) << name(t);
    if (r.topology.kind == TopologyKind::kMultigrid) {
      ASSERT_THAT(all_names(r), Contains(name(t)));
    }
    ASSERT_EQ(wrong_mapping(graph, r), "") << name(t);
  }
}

// 0-1-2-3-4-5-6-7-8   every rank is next to its neighbours,
// 0---2---4---6---8   every second one to those two on,
// 0-------4-------8   and so on
TEST(Multigrids, HaveTheirNumberOfLevelsInTheName) {
  const Topology t{
      .kind = TopologyKind::kMultigrid, .ranks = 9, .dimensions = {{9, false}}, .levels = 3};
  EXPECT_EQ(title(recognized(reference_graph(t))), "3 multigrid levels on a chain of 9 ranks");
}

TEST(OtherFamilies, AreNamedTo200Ranks) { expect_named(testing::all_others(200)); }

// Groups all named graphs by canonical form: the names in a group are aliases, and no others are.
TEST(Aliases, AreExactlyTheNamesOfIsomorphicGraphsTo64Ranks) {
  std::vector<Topology> topologies = testing::all_meshes(64);
  for (const auto& more :
       {testing::all_moore(64), testing::all_star_stencils(64), testing::all_others(64)}) {
    topologies.insert(topologies.end(), more.begin(), more.end());
  }
  std::map<std::vector<Edge>, std::set<std::string>> names_of;
  for (const Topology& t : topologies) {
    auto key = testing::edges_of(canonical_form(reference_graph(t)));
    key.emplace_back(t.ranks, 0);
    names_of[key].insert(name(t));
  }
  for (const auto& [form, names] : names_of) {
    const Vertex ranks = form.back().first;
    const Adjacency graph =
        shuffled(Adjacency::from_edges(ranks, std::span(form).first(form.size() - 1)), 7);
    const Recognition r = recognized(graph);
    ASSERT_THAT(all_names(r), IsSupersetOf(names)) << ranks << " ranks";
    for (const Topology& alias : r.aliases) {
      ASSERT_EQ(canonical_form(reference_graph(alias)), canonical_form(graph)) << name(alias);
    }
  }
}

TEST(Mutants, AreNamedOnlyIfTheyAreTheSameGraph) {
  std::uint64_t seed = 1;
  int named = 0;
  auto topologies = testing::all_meshes(120);
  for (const auto& more : {testing::all_moore(120), testing::all_star_stencils(120)}) {
    topologies.insert(topologies.end(), more.begin(), more.end());
  }
  for (const Topology& t : topologies) {
    const Adjacency graph = reference_graph(t);
    if (graph.edges() < 2 || !is_looked_at(t.ranks, ++seed)) continue;
    const Adjacency mutant = shuffled(testing::two_switched(graph, seed), 17);
    const Recognition r = recognized(mutant);
    const bool same = canonical_form(mutant) == canonical_form(graph);
    if (same) {
      ASSERT_THAT(all_names(r), Contains(name(t)));
    } else {
      ASSERT_THAT(all_names(r), ::testing::Not(Contains(name(t))));
    }
    if (r.recognized() && r.copies == 1 && !r.cells.empty() && r.silent_ranks == 0) {
      ++named;
      ASSERT_EQ(wrong_mapping(mutant, r), "") << name(r.topology);
    }
  }
  EXPECT_GT(named, 0); // small graphs survive a switch now and then
}

Adjacency torus_with(Vertex rows, Vertex columns,
                     const std::function<Vertex(Vertex)>& column_after_wrap) {
  std::vector<Edge> edges;
  for (Vertex r = 0; r < rows; ++r) {
    for (Vertex c = 0; c < columns; ++c) {
      edges.emplace_back(r * columns + c, r * columns + (c + 1) % columns);
      const bool wraps = r + 1 == rows;
      edges.emplace_back(r * columns + c, wraps ? column_after_wrap(c) : (r + 1) * columns + c);
    }
  }
  return Adjacency::from_edges(rows * columns, edges);
}

TEST(Trees, AnyTreeTo200RanksIsATreeAtLeast) {
  std::mt19937_64 random(1);
  int without_family = 0;
  for (Vertex ranks = 3; ranks <= 200; ++ranks) {
    std::vector<Edge> edges;
    for (Vertex v = 1; v < ranks; ++v)
      edges.emplace_back(v, static_cast<Vertex>(random() % static_cast<std::uint64_t>(v)));
    const Adjacency graph = shuffled(Adjacency::from_edges(ranks, edges), random());
    const Recognition r = recognized(graph);
    ASSERT_TRUE(r.recognized()) << ranks;
    if (r.topology.kind == TopologyKind::kTree) {
      ++without_family;
    } else {
      ASSERT_EQ(wrong_mapping(graph, r), "") << title(r);
    }
  }
  EXPECT_GT(without_family, 150);
}

TEST(Mutants, TwistedToriAreToldFromTori) {
  for (Vertex rows = 5; rows <= 12; ++rows) {
    for (Vertex columns = 5; columns <= 12; ++columns) {
      for (Vertex shift = 1; shift < columns; ++shift) {
        const Adjacency graph = shuffled(
            torus_with(rows, columns, [&](Vertex c) { return (c + shift) % columns; }), 11);
        const Recognition r = recognized(graph);
        ASSERT_TRUE(r.recognized()) << rows << 'x' << columns << " shift " << shift;
        ASSERT_EQ(wrong_mapping(graph, r), "");
      }
    }
  }
}

TEST(Mutants, KleinBottlesAreNoTori) {
  for (Vertex rows = 5; rows <= 9; ++rows) {
    for (Vertex columns = 5; columns <= 9; ++columns) {
      const Adjacency graph =
          shuffled(torus_with(rows, columns, [&](Vertex c) { return columns - 1 - c; }), 3);
      EXPECT_EQ(title(recognized(graph)), "irregular graph") << rows << 'x' << columns;
    }
  }
}

TEST(Mutants, TheRookGraphIsNotTheShrikhandeGraph) {
  Topology rook;
  rook.kind = TopologyKind::kRowColumn;
  rook.ranks = 16;
  rook.parts = {4, 4};
  EXPECT_EQ(title(recognized(shuffled(reference_graph(rook), 5))), "4x4 row and column all-to-all");
  const Adjacency shrikhande = reference_graph(testing::six_point(4, 4));
  EXPECT_EQ(title(recognized(shuffled(shrikhande, 5))), "4x4 6-point stencil");
}

// Those with fewer than four or six neighbours are no planes.
TEST(Twisted, PlanesOfEverySizeTo200RanksAreNamed) {
  std::uint64_t seed = 1;
  int planes = 0;
  for (const Topology& t : testing::all_twisted(200, 1)) {
    if (!is_looked_at(t.ranks, ++seed)) continue;
    const Adjacency graph = shuffled(reference_graph(t), seed);
    if (graph.degree(0) != (t.kind == TopologyKind::kSixPoint ? 6 : 4)) continue;
    ++planes;
    const Recognition r = recognized(graph);
    ASSERT_TRUE(r.recognized()) << name(t);
    ASSERT_EQ(wrong_mapping(graph, r), "") << name(t);
  }
  EXPECT_GT(planes, support::looks_at_all_cases() ? 10'000 : 1000);
}

TEST(SixPoint, WithAShiftIsNamedAndVerified) {
  for (Vertex shift = 1; shift < 7; ++shift) {
    const Adjacency graph = shuffled(reference_graph(testing::six_point(6, 7, shift)), 13);
    const Recognition r = recognized(graph);
    EXPECT_EQ(r.topology.kind, TopologyKind::kSixPoint) << title(r);
    EXPECT_EQ(wrong_mapping(graph, r), "");
  }
}

TEST(Parts, CopiesAreCounted) {
  const Adjacency ring = reference_graph(mesh({-5}));
  const Adjacency two = testing::beside(ring, ring);
  const Recognition r = recognized(shuffled(testing::beside(two, ring), 2));
  EXPECT_EQ(title(r), "3 copies of ring of 5 ranks");
  EXPECT_EQ(r.copies, 3);
}

TEST(Parts, DifferentOnesAreListed) {
  const Adjacency both =
      testing::beside(reference_graph(mesh({4, 4})), reference_graph(mesh({-5})));
  EXPECT_EQ(title(recognized(shuffled(both, 2))), "4x4 grid and ring of 5 ranks");
}

TEST(Parts, SilentRanksDoNotHideTheTopology) {
  const Adjacency with_silent =
      testing::beside(reference_graph(mesh({3, 3})), Adjacency::from_edges(2, std::vector<Edge>{}));
  const Recognition r = recognized(shuffled(with_silent, 4));
  EXPECT_EQ(title(r), "3x3 grid");
  EXPECT_EQ(r.silent_ranks, 2);
}

TEST(Numbering, NaturalNumbersKeepTheirCoordinates) {
  auto topologies = testing::all_meshes(100);
  for (const auto& more :
       {testing::all_moore(100), testing::all_star_stencils(100), testing::all_others(64)}) {
    topologies.insert(topologies.end(), more.begin(), more.end());
  }
  for (const Topology& t : topologies) {
    const Adjacency graph = reference_graph(t);
    const Recognition r = recognized(graph);
    ASSERT_EQ(wrong_mapping(graph, r), "") << name(t);
    if (r.topology == t) {
      ASSERT_EQ(has_coordinates(t), r.numbering.kind == NumberingKind::kRowMajor) << name(t);
    }
  }
}

// 0 1 2     ranks along a snake through 3x3
// 5 4 3
// 6 7 8
TEST(Numbering, SnakesAndBlocksAreSeen) {
  const Adjacency grid = reference_graph(mesh({3, 3}));
  const std::vector<Vertex> snake = {0, 1, 2, 5, 4, 3, 6, 7, 8};
  EXPECT_EQ(describe(recognized(renumbered(grid, snake)).numbering), "snake through 3x3");
  std::vector<Vertex> blocks(64);
  for (Vertex cell = 0; cell < 64; ++cell) {
    const Vertex row = cell / 8;
    const Vertex column = cell % 8;
    blocks[static_cast<std::size_t>(cell)] =
        (row / 4 * 4 + column / 2) * 8 + row % 4 * 2 + column % 2;
  }
  const Adjacency large = renumbered(reference_graph(mesh({8, 8})), blocks);
  const Recognition r = recognized(large);
  EXPECT_EQ(describe(r.numbering), "blocks of 4x2, row-major in 8x8");
  EXPECT_EQ(wrong_mapping(large, r), "");
  EXPECT_EQ(describe(recognized(reference_graph(mesh({2, 5}))).numbering),
            "column-major (row-major in 2x5)");
  EXPECT_EQ(describe(recognized(shuffled(large, 1)).numbering), "arbitrary");
}

TEST(Irregular, RandomGraphsAreNotNamed) {
  std::mt19937_64 random(1);
  for (const Vertex ranks : {20, 100, 500}) {
    for (const int degree : {3, 4, 6, 8}) {
      std::vector<Edge> edges;
      for (int k = 0; k < degree * ranks / 2; ++k) {
        edges.emplace_back(static_cast<Vertex>(random() % static_cast<unsigned>(ranks)),
                           static_cast<Vertex>(random() % static_cast<unsigned>(ranks)));
      }
      const Recognition r = recognized(Adjacency::from_edges(ranks, edges));
      EXPECT_FALSE(r.recognized()) << title(r);
    }
  }
}

} // namespace
} // namespace rondo::topology
