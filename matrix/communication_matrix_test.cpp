// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/communication_matrix.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <utility>

namespace rondo::matrix {
namespace {

// The obvious way to the same entries.
std::vector<MatrixEntry> summed_by_map(const std::vector<MatrixEntry>& entries) {
  std::map<std::pair<std::int64_t, std::int64_t>, MatrixEntry> sums;
  for (const MatrixEntry& entry : entries) {
    if (entry.messages == 0) continue;
    MatrixEntry& sum = sums[{entry.source, entry.destination}];
    sum = {entry.source, entry.destination, sum.messages + entry.messages, sum.bytes + entry.bytes};
  }
  std::vector<MatrixEntry> result;
  for (const auto& [pair, sum] : sums) result.push_back(sum);
  return result;
}

std::vector<MatrixEntry> random_entries(std::mt19937& random, std::int64_t ranks, int count) {
  std::uniform_int_distribution<std::int64_t> rank(0, ranks - 1);
  std::uniform_int_distribution<std::uint64_t> number(0, 3);
  std::vector<MatrixEntry> entries;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t messages = number(random);
    entries.push_back({rank(random), rank(random), messages, messages * 100});
  }
  return entries;
}

std::vector<MatrixEntry> copy_of(const CommunicationMatrix& matrix) {
  return {matrix.entries().begin(), matrix.entries().end()};
}

TEST(CommunicationMatrix, AgreesWithAMapForFewAndManyRanks) {
  std::mt19937 random(1);
  for (const std::int64_t ranks :
       {1, 3, 10, 1000, 100000}) { // grouped by counting and by comparing
    const auto entries = random_entries(random, ranks, 500);
    EXPECT_EQ(copy_of(CommunicationMatrix::from_entries(ranks, entries)), summed_by_map(entries));
  }
}

TEST(CommunicationMatrix, SortsDestinationsWithinSourcesThatAreInOrder) {
  const auto matrix =
      CommunicationMatrix::from_entries(3, {{0, 2, 1, 1}, {0, 1, 1, 1}, {2, 0, 1, 1}});
  const std::vector<MatrixEntry> want{{0, 1, 1, 1}, {0, 2, 1, 1}, {2, 0, 1, 1}};
  EXPECT_EQ(copy_of(matrix), want);
}

TEST(CommunicationMatrix, AddsUpMessagesAndBytes) {
  const auto matrix =
      CommunicationMatrix::from_entries(2, {{0, 1, 2, 10}, {1, 0, 3, 0}, {0, 1, 1, 5}});
  EXPECT_EQ(matrix.total_messages(), 6u);
  EXPECT_EQ(matrix.total_bytes(), 15u);
  EXPECT_EQ(matrix.entries().size(), 2u);
}

TEST(CommunicationMatrix, LeavesOutPairsWithoutMessages) {
  EXPECT_TRUE(CommunicationMatrix::from_entries(2, {{0, 1, 0, 0}}).entries().empty());
}

} // namespace
} // namespace rondo::matrix
