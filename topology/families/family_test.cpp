// SPDX-License-Identifier: Apache-2.0
// Families of users: what their files say is what is recognized.
#include "rondo/topology/family.hpp"

#include "rondo/matrix/matrix_files.hpp"
#include "rondo/topology/explain.hpp"
#include "rondo/topology/near.hpp"
#include "tests/topology/family_files.hpp"
#include "tests/topology/graphs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace rondo::topology {
namespace {

using testing::all_names;
using ::testing::Contains;
using testing::edges_of;
using testing::families;
using testing::kFamilyExamples;
using testing::shuffled;
using testing::wrong_mapping;

Recognition recognized_with(const std::vector<Family>& known, const Adjacency& graph) {
  TopologyOptions options;
  options.filter = FilterKind::kNone;
  options.families = known;
  return recognize(testing::matrix_of(graph), options);
}

// The one member with so many ranks.
Topology member(const std::vector<Family>& known, Vertex ranks) {
  const auto all = known.at(0).topologies(ranks, {0, INT64_MAX});
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Topology{} : all.front();
}

TEST(Family, OfCgIsCgAtEveryPowerOfTwo) {
  const auto cg = families(testing::kCgFamily);
  for (Vertex ranks = 2; ranks <= 4096; ranks *= 2) {
    const Topology built_in{.kind = TopologyKind::kCg, .ranks = ranks};
    ASSERT_EQ(reference_graph(member(cg, ranks)), reference_graph(built_in)) << ranks;
  }
  EXPECT_TRUE(cg[0].topologies(24, {0, INT64_MAX}).empty());
}

TEST(Family, NamesTheRecordedCgBesideTheBuiltInOne) {
  const char* root = std::getenv("RONDO_SOURCE_DIR");
  const auto cg = families(testing::kCgFamily);
  for (const char* ranks : {"4", "8", "16", "32", "64"}) {
    const auto matrix = matrix::read_matrix(std::string(root != nullptr ? root : ".") +
                                            "/tests/topology/data/cg.A." + ranks + ".csv");
    ASSERT_TRUE(matrix) << matrix.error().text();
    TopologyOptions options;
    options.families = cg;
    const Recognition r = recognize(*matrix, options);
    if (matrix->ranks() > 4) { // on four it is a chain, which nobody calls CG
      EXPECT_THAT(all_names(r), Contains("CG pattern"));
    }
    EXPECT_THAT(all_names(r), Contains("npb-cg of " + std::string(ranks) + " ranks"));
  }
}

TEST(Family, IsRecognizedUnderAnyNumbering) {
  int compared = 0;
  for (const testing::FamilyExample& example : kFamilyExamples) {
    const auto known = families(example.text);
    for (const Vertex ranks : example.ranks) {
      const auto members = known[0].topologies(ranks, {1, INT64_MAX});
      ASSERT_FALSE(members.empty()) << example.text << ranks;
      for (const Topology& t : members) {
        const Adjacency graph = shuffled(reference_graph(t), 5);
        // at some sizes it has another name, or falls into parts
        const Recognition without = testing::recognized(graph);
        if (without.recognized() || !without.copy_of.empty()) continue;
        ++compared;
        const Recognition r = recognized_with(known, graph);
        ASSERT_TRUE(r.recognized()) << name(t);
        ASSERT_EQ(r.topology.kind, TopologyKind::kUser);
        ASSERT_EQ(wrong_mapping(graph, r), "") << name(t);
      }
    }
  }
  EXPECT_GE(compared, 20);
}

TEST(Family, MeshesHaveCoordinatesAndNames) {
  const auto knight = families("family knight\nmesh any open, any periodic\noffsets (1,2) (2,1)");
  const auto members = knight[0].topologies(42, {100 - 40, 200});
  const auto wanted = std::find_if(members.begin(), members.end(), [](const Topology& t) {
    return t.dimensions == std::vector<Dimension>{{6, false}, {7, true}};
  });
  ASSERT_NE(wanted, members.end());
  EXPECT_EQ(name(*wanted), "6x7 knight");
  const Recognition natural = recognized_with(knight, wanted->user->graph);
  EXPECT_EQ(describe(natural.numbering), "row-major in 6x7");
  EXPECT_EQ(natural.cells[9], 9);
  const Recognition other = recognized_with(knight, shuffled(wanted->user->graph, 1));
  EXPECT_EQ(describe(other.numbering), "arbitrary");
}

TEST(Family, ParametersStandInTheName) {
  const auto hops = families(kFamilyExamples.back().text);
  const auto members = hops[0].topologies(40, {1, INT64_MAX});
  ASSERT_EQ(members.size(), 5u);
  EXPECT_EQ(name(members[1]), "hops of 40 ranks, a = 3");
}

TEST(Family, CopiesAndAliasesAreNamed) {
  const auto known = families(kFamilyExamples[0].text + std::string("\n") +
                              kFamilyExamples[3].text + "\nfamily my-ring\nneighbour (r+1) mod n");
  const Adjacency one = known[1].topologies(20, {1, 100}).front().user->graph;
  const Adjacency three = testing::beside(testing::beside(one, shuffled(one, 1)), shuffled(one, 2));
  EXPECT_EQ(title(recognized_with(known, shuffled(three, 3))), "3 copies of odd-even of 20 ranks");
  const Recognition ring = recognized_with(known, reference_graph(testing::mesh({-9})));
  EXPECT_EQ(all_names(ring), (std::vector<std::string>{"ring of 9 ranks", "my-ring of 9 ranks"}));
}

TEST(Family, TreesAreNamedIfTheyHaveNoOtherName) {
  const auto comb = families("family comb\nonly if n mod 3 = 0\nneighbour r+1 if r mod 3 != 2\n"
                             "neighbour r+3 if r mod 3 = 0");
  const Adjacency graph = shuffled(comb[0].topologies(30, {29, 29}).front().user->graph, 1);
  EXPECT_EQ(testing::recognized(graph).topology.kind, TopologyKind::kTree);
  const Recognition r = recognized_with(comb, graph);
  EXPECT_EQ(title(r), "comb of 30 ranks");
  EXPECT_EQ(wrong_mapping(graph, r), "");
}

// A graph without a name: learnt once, known again.
TEST(Family, IsLearntFromAGraph) {
  const Adjacency graph = testing::two_switched(reference_graph(testing::mesh({-5, -6})), 1);
  ASSERT_FALSE(testing::recognized(graph).recognized());
  const auto text = family_file("my app", graph);
  ASSERT_TRUE(text);
  const Adjacency again = shuffled(graph, 8);
  const Recognition r = recognized_with(families(*text), again);
  EXPECT_EQ(title(r), "my app of 30 ranks");
  EXPECT_EQ(wrong_mapping(again, r), "");
}

TEST(Family, OfSeveralPartsIsLearntWithoutSilentRanks) {
  const Adjacency parts = testing::beside(
      testing::two_switched(reference_graph(testing::mesh({-5, -6})), 1),
      testing::beside(Adjacency::from_edges(2, {}), reference_graph(testing::mesh({-5}))));
  const auto known = families(*family_file("two", parts));
  const Recognition r = recognized_with(known, shuffled(parts, 4));
  EXPECT_EQ(title(r), "two of 35 ranks");
  EXPECT_EQ(r.silent_ranks, 2);
  EXPECT_EQ(std::count(r.cells.begin(), r.cells.end(), -1), 2);
  EXPECT_EQ(r.parts.size(), 0u);
}

TEST(Family, LearningRefusesWhatCannotBeLearnt) {
  const Adjacency ring = reference_graph(testing::mesh({-5}));
  EXPECT_EQ(family_file("1st", ring).error().code, ErrorCode::kUsage);
  EXPECT_EQ(family_file("", ring).error().code, ErrorCode::kUsage);
  EXPECT_EQ(family_file("ok", Adjacency::from_edges(5, {})).error().code, ErrorCode::kUsage);
}

TEST(Family, IsACandidateOfExplainAndOfNearMatches) {
  const auto known = families(kFamilyExamples[0].text);
  Adjacency graph = known[0].topologies(64, {100, 200}).front().user->graph;
  for (const Topology& t : known[0].topologies(64, {100, 200})) {
    if (t.dimensions[0].size == 8) graph = t.user->graph;
  }
  ExplainOptions options;
  options.families = known;
  const Explanation e = explain(shuffled(graph, 1), options);
  ASSERT_EQ(e.stages[2].candidates.size(), 1u);
  EXPECT_EQ(name(e.stages[2].candidates[0]), "8x8 knight");
  auto edges = edges_of(graph);
  edges.erase(edges.begin() + 5);
  edges.emplace_back(0, 63);
  NearOptions near;
  near.families = known;
  const auto found =
      nearest(Graph::from_matrix(testing::matrix_of(Adjacency::from_edges(64, edges))), near);
  ASSERT_TRUE(found);
  EXPECT_EQ(title(*found), "8x8 knight");
  EXPECT_EQ(found->missing.size(), 1u);
  EXPECT_EQ(found->extra, (std::vector<Edge>{{0, 63}}));
}

// More work than is allowed: given up, not waited for.
TEST(Family, EndlessRulesHaveNoMembers) {
  const auto known = families("family slow\nparameter p in 1 .. 2^60\nparameter q in 1 .. 2^60\n"
                              "only if q < 0\nneighbour r+1\nfamily long\n"
                              "neighbour r + k - k for k in 1 .. 2^62");
  EXPECT_TRUE(known[0].topologies(10, {0, 100}).empty());
  EXPECT_TRUE(known[1].topologies(10, {0, 100}).empty());
}

} // namespace
} // namespace rondo::topology
