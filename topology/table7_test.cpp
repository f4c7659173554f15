// SPDX-License-Identifier: Apache-2.0
// The paper's table of topologies, on matrices of the same programs: names and aliases, under the
// programs' own numbering and shuffled. The filter for MG is the paper's 5 %.
#include "tests/topology/graphs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

namespace rondo::topology {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::string data_path(const std::string& file) {
  const char* root = std::getenv("RONDO_SOURCE_DIR");
  return std::string(root != nullptr ? root : ".") + "/tests/topology/data/" + file;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) fields.push_back(field);
  return fields;
}

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::ifstream stream(data_path(file));
  EXPECT_TRUE(stream.good()) << file;
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(stream, line); // names of the columns
  while (std::getline(stream, line)) rows.push_back(split(line, ','));
  return rows;
}

matrix::CommunicationMatrix npb(const std::string& run, std::uint64_t seed = 0) {
  const Vertex ranks = std::stoi(split(run, '.').back());
  std::vector<Vertex> names = testing::shuffle(ranks, seed);
  if (seed == 0) std::iota(names.begin(), names.end(), 0);
  std::vector<matrix::MatrixEntry> entries;
  for (const auto& row : rows_of(run + ".csv")) {
    entries.push_back({names[std::stoul(row[0])], names[std::stoul(row[1])], std::stoull(row[2]),
                       std::stoull(row[3])});
  }
  return matrix::CommunicationMatrix::from_entries(ranks, entries);
}

TopologyOptions five_percent() {
  TopologyOptions options;
  options.filter = FilterKind::kFraction;
  options.fraction = 0.05;
  return options;
}

std::vector<std::string> programs(const std::string& benchmark) {
  if (benchmark == "BT/SP") return {"bt.A.", "sp.A."};
  if (benchmark == "LU") return {"lu.A."};
  return {benchmark == "CG" ? "cg.A." : "mg.A."};
}

class Table7 : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Table7, NamesWhatThePaperNames) {
  for (const auto& row : rows_of("logicalization-table7.csv")) {
    const int ranks = std::stoi(row[1]);
    if (ranks > 64) continue;
    for (const std::string& program : programs(row[0])) {
      const std::string run = program + row[1];
      SCOPED_TRACE(run);
      const Recognition r = recognize(npb(run, GetParam()), five_percent());
      EXPECT_THAT(testing::all_names(r), Contains(row[2]));
      if (row[0] != "MG") {
        EXPECT_EQ(title(r), row[2]);
      }
      if (row.size() > 3) {
        EXPECT_THAT(testing::all_names(r), IsSupersetOf(split(row[3], ';')));
      }
    }
  }
}

TEST_P(Table7, TheAutomaticFilterAgrees) {
  for (const auto& row : rows_of("logicalization-table7.csv")) {
    if (std::stoi(row[1]) > 64) continue;
    for (const std::string& program : programs(row[0])) {
      SCOPED_TRACE(program + row[1]);
      EXPECT_THAT(testing::all_names(recognize(npb(program + row[1], GetParam()), {})),
                  Contains(row[2]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Numberings, Table7, ::testing::Values(0, 1, 2, 3));

TEST(SmallRuns, FourRanksHaveTheirUsualNames) {
  EXPECT_EQ(title(recognize(npb("lu.A.4"), {})), "2x2 grid");
  EXPECT_EQ(title(recognize(npb("bt.A.4"), {})), "all-to-all of 4 ranks");
  EXPECT_EQ(title(recognize(npb("mg.A.4"), {})), "2x2 grid");
  const Recognition cg = recognize(npb("cg.A.4"), {});
  EXPECT_EQ(title(cg), "chain of 4 ranks");
  EXPECT_THAT(testing::all_names(cg),
              Not(Contains("CG pattern"))); // nobody would say so of a chain
}

TEST(SmallRuns, SelfMessagesAreCountedButAreNoEdges) {
  const Recognition cg = recognize(npb("cg.A.16"), {});
  EXPECT_EQ(cg.to_self.messages, 4u * 416u);
  EXPECT_EQ(cg.topology.kind, TopologyKind::kCg);
}

TEST(SmallRuns, NoCommunicationIsEmpty) {
  const Recognition ep = recognize(npb("ep.S.16"), {});
  EXPECT_EQ(title(ep), "no point-to-point messages between ranks");
  EXPECT_EQ(ep.silent_ranks, 16);
}

TEST(SmallRuns, TheFilterSaysWhatItLeftOut) {
  const Recognition mg = recognize(npb("mg.A.16"), five_percent());
  EXPECT_EQ(mg.filtered.edges, 4);
  EXPECT_EQ(mg.filtered.traffic, (Traffic{160, 11520}));
  EXPECT_GT(mg.accuracy(WeightMeasure::kBytes), 0.9999);
  EXPECT_LT(mg.accuracy(WeightMeasure::kMessages), 1.0);
}

// MG's grids have many names; the ranks' numbers say which is meant, and without them the simplest
// is taken.
TEST(SmallRuns, TheMostNaturalNameStandsFirst) {
  EXPECT_EQ(title(recognize(npb("mg.A.16"), five_percent())), "4x2x2 torus");
  EXPECT_EQ(title(recognize(npb("mg.A.64"), five_percent())), "4x4x4 torus");
  EXPECT_EQ(title(recognize(npb("mg.A.64", 1), five_percent())), "hypercube of 6 dimensions");
}

TEST(SmallRuns, AGridThatTheProgramMadeStandsBeforeAll) {
  TopologyOptions options = five_percent();
  options.suggested = {{{{4, true}, {4, true}}, std::vector<Vertex>(16)}};
  std::iota(options.suggested[0].cells.begin(), options.suggested[0].cells.end(), 0);
  const Recognition other = recognize(npb("mg.A.16"), options);
  EXPECT_EQ(title(other), "4x2x2 torus") << "under these coordinates it is no 4x4 torus";

  // 4x2x2 in row-major order is 4x4 with columns 0, 1, 3, 2 around a square
  for (Vertex rank = 0; rank < 16; ++rank)
    options.suggested[0].cells[static_cast<std::size_t>(rank)] =
        rank / 4 * 4 + std::array{0, 1, 3, 2}[static_cast<std::size_t>(rank % 4)];
  const Recognition made = recognize(npb("mg.A.16"), options);
  EXPECT_EQ(title(made), "4x4 torus");
  EXPECT_EQ(made.cells, options.suggested[0].cells);
  EXPECT_EQ(describe(made.numbering), "by MPI_Cart_create, 4x4");
  EXPECT_THAT(testing::all_names(made), IsSupersetOf({"4x2x2 torus", "2x2x2x2 grid"}));
}

TEST(SmallRuns, ProgramsNumberRowByRow) {
  EXPECT_EQ(describe(recognize(npb("lu.A.16"), {}).numbering), "row-major in 4x4");
  EXPECT_EQ(describe(recognize(npb("mg.A.16"), {}).numbering), "row-major in 4x2x2");
}

} // namespace
} // namespace rondo::topology
