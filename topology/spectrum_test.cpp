// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/spectrum.hpp"

#include "rondo/topology/explain.hpp"
#include "rondo/topology/offsets.hpp"
#include "tests/topology/families.hpp"
#include "tests/topology/graphs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names_of(const std::vector<Topology>& topologies) {
  std::vector<std::string> names;
  for (const Topology& t : topologies) names.push_back(name(t));
  return names;
}

TEST(Spectrum, ClosedFormsAgreeWithTheSolver) {
  auto topologies = testing::all_meshes(40);
  for (const auto& more : {testing::all_moore(40), testing::all_others(40)}) {
    topologies.insert(topologies.end(), more.begin(), more.end());
  }
  topologies.push_back(testing::six_point(5, 6, 2));
  int compared = 0;
  for (const Topology& t : topologies) {
    const auto closed = closed_form_spectrum(t);
    if (!closed) continue;
    ++compared;
    EXPECT_TRUE(same_spectrum(*closed, spectrum(reference_graph(t)))) << name(t);
  }
  EXPECT_GT(compared, 500);
}

TEST(Spectrum, CannotTellRookFromShrikhande) {
  Topology rook;
  rook.kind = TopologyKind::kRowColumn;
  rook.ranks = 16;
  rook.parts = {4, 4};
  EXPECT_TRUE(
      same_spectrum(*closed_form_spectrum(rook), *closed_form_spectrum(testing::six_point(4, 4))));
}

TEST(Explain, KeepsTheAliasesOfAHypercube) {
  const Adjacency graph = testing::shuffled(reference_graph(testing::mesh({2, 2, 2, 2})), 1);
  const Explanation e = explain(graph, {});
  ASSERT_EQ(e.stages.size(), 3u);
  EXPECT_THAT(names_of(e.stages[2].candidates),
              UnorderedElementsAre("2x2x2x2 grid", "4x2x2 torus", "4x4 torus"));
}

TEST(Explain, NeedsIsomorphismWhereSpectraAgree) {
  const Adjacency graph = testing::shuffled(reference_graph(testing::six_point(4, 4)), 1);
  const Explanation e = explain(graph, {});
  EXPECT_THAT(names_of(e.stages[1].candidates),
              UnorderedElementsAre("4x4 6-point stencil", "4x4 row and column all-to-all"));
  EXPECT_THAT(names_of(e.stages[2].candidates), ElementsAre("4x4 6-point stencil"));
}

TEST(Explain, KeepsWhatRecognitionNames) {
  for (const Topology& t : testing::all_others(24)) {
    const Adjacency graph = testing::shuffled(reference_graph(t), 3);
    const Explanation e = explain(graph, {});
    EXPECT_THAT(names_of(e.stages[2].candidates), ::testing::Not(::testing::IsEmpty())) << name(t);
    for (std::size_t i = 1; i < e.stages.size(); ++i) {
      EXPECT_LE(e.stages[i].candidates.size(), e.stages[i - 1].candidates.size()) << name(t);
    }
  }
}

Topology twisted(Vertex rows, Vertex columns, Vertex shift) {
  Topology t = testing::six_point(rows, columns, shift);
  t.kind = TopologyKind::kTwistedTorus;
  return t;
}

// Small ones may be several twisted tori at once, of which recognition names one.
TEST(Explain, HasEveryTwistedTorusAmongItsCandidates) {
  int compared = 0;
  for (Vertex rows = 1; rows <= 9; ++rows) {
    for (Vertex columns = 5; columns <= 40 && rows * columns <= 60; ++columns) {
      for (Vertex shift = 1; shift < columns; ++shift) {
        const Adjacency graph =
            testing::shuffled(reference_graph(twisted(rows, columns, shift)), 5);
        const Topology found = testing::recognized(graph).topology;
        if (found.kind != TopologyKind::kTwistedTorus) continue;
        ++compared;
        const auto candidates = candidates_by_counts(graph);
        if (std::find(candidates.begin(), candidates.end(), found) != candidates.end()) continue;
        const auto kept = explain(graph, {}).stages[2].candidates;
        ASSERT_TRUE(std::any_of(kept.begin(), kept.end(), [](const Topology& t) {
          return t.kind == TopologyKind::kTwistedTorus;
        })) << name(found);
      }
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(Explain, KeepsOneTwistedTorusOfManyInTheEnd) {
  const Explanation e = explain(testing::shuffled(reference_graph(twisted(6, 10, 3)), 2), {});
  EXPECT_GT(e.stages[0].candidates.size(), 20u);
  ASSERT_EQ(e.stages[2].candidates.size(), 1u);
  EXPECT_EQ(e.stages[2].candidates[0].kind, TopologyKind::kTwistedTorus);
}

TEST(Explain, ListsABoundedNumberOfTwistedTori) {
  const auto candidates = candidates_by_counts(reference_graph(testing::mesh({-240, -210})));
  EXPECT_LE(candidates.size(), 2500u);
  const auto of_a_prime = candidates_by_counts(reference_graph(twisted(1, 100'003, 300)));
  EXPECT_GE(of_a_prime.size(), 2000u);
  EXPECT_LE(of_a_prime.size(), 2100u);
}

TEST(Explain, KeepsAStarStencil) {
  const Explanation e =
      explain(testing::shuffled(reference_graph(testing::star_stencil({-7, 6}, 2)), 2), {});
  EXPECT_THAT(names_of(e.stages[2].candidates),
              ElementsAre("7x6 radius-2 star stencil, periodic in dimension 1"));
}

TEST(Explain, KeepsNothingOfWhatHasNoName) {
  const Adjacency graph = testing::two_switched(reference_graph(testing::mesh({-5, -6})), 1);
  const Explanation e = explain(graph, {});
  EXPECT_THAT(names_of(e.stages[0].candidates), IsSupersetOf({"6x5 torus"}));
  EXPECT_THAT(e.stages[1].candidates, ::testing::IsEmpty());
  EXPECT_THAT(e.stages[2].candidates, ::testing::IsEmpty());
}

TEST(Explain, FindsTheLargestPart) {
  const Adjacency grid = reference_graph(testing::mesh({3, 4}));
  const Adjacency both = testing::beside(reference_graph(testing::mesh({-5})), grid);
  EXPECT_EQ(largest_part(both), grid);
  EXPECT_EQ(largest_part(grid), grid);
  EXPECT_EQ(largest_part(Adjacency::from_edges(3, {})).vertices(), 1);
}

TEST(Explain, MeasuresTheTimeOfEachStage) {
  for (const Stage& stage : explain(reference_graph(testing::mesh({8, 9})), {}).stages) {
    EXPECT_GT(stage.seconds, 0) << stage.test;
  }
}

TEST(Explain, SaysWhatIsTooLarge) {
  const Explanation e = explain(reference_graph(testing::mesh({60, 60})), {});
  EXPECT_THAT(names_of(e.stages[0].candidates), IsSupersetOf({"60x60 grid"}));
  EXPECT_FALSE(e.stages[1].done);
}

TEST(Offsets, AWavefrontGoesOneWay) {
  std::vector<matrix::MatrixEntry> entries;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 5; ++column) {
      const int rank = row * 5 + column;
      if (column + 1 < 5) entries.push_back({rank, rank + 1, 2, 80});
      if (row + 1 < 4) entries.push_back({rank, rank + 5, 1, 8});
    }
  }
  const Graph graph = Graph::from_matrix(matrix::CommunicationMatrix::from_entries(20, entries));
  const Recognition r = recognize(graph, {});
  EXPECT_EQ(title(r), "5x4 grid");
  EXPECT_FALSE(r.symmetric);
  const auto uses = offset_usage(graph, r);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_TRUE(uses[0].one_way() && uses[1].one_way());
  EXPECT_EQ(offset_text(uses[0].offset), "(0, 1)");
  EXPECT_EQ(uses[0].edges, 15);
  EXPECT_EQ(uses[1].forward, (Traffic{32, 1280}));
}

TEST(Offsets, AreThoseOfTheStencil) {
  for (const Topology& t : {testing::mesh({-5, -7}), testing::six_point(6, 6),
                            testing::six_point(6, 7, 3), testing::moore({-5, -5, -6})}) {
    const Graph graph =
        Graph::from_matrix(testing::matrix_of(testing::shuffled(reference_graph(t), 1)));
    const Recognition r = recognize(graph, {});
    const auto uses = offset_usage(graph, r);
    const std::size_t expected = t.kind == TopologyKind::kMesh       ? 2
                                 : t.kind == TopologyKind::kSixPoint ? 3
                                                                     : 13;
    EXPECT_EQ(uses.size(), expected) << name(t);
    for (const OffsetUse& use : uses) EXPECT_EQ(use.edges, t.ranks) << offset_text(use.offset);
  }
}

} // namespace
} // namespace rondo::topology
