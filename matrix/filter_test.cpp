// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/filter.hpp"

#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

const CommunicationMatrix kMatrix = CommunicationMatrix::from_entries(
    4, {{0, 1, 1, 1000}, {1, 2, 100, 50}, {2, 3, 4, 49}, {3, 0, 9, 0}});

std::vector<std::int64_t> sources(const CommunicationMatrix& matrix) {
  std::vector<std::int64_t> ranks;
  for (const MatrixEntry& entry : matrix.entries()) ranks.push_back(entry.source);
  return ranks;
}

using Ranks = std::vector<std::int64_t>;

TEST(Filter, LeavesOutWhatIsBelowItsShareOfTheHeaviest) {
  EXPECT_EQ(sources(filtered(kMatrix, 0.05, {Quantity::kBytes})), (Ranks{0, 1}));
  EXPECT_EQ(sources(filtered(kMatrix, 0.05, {Quantity::kMessages})), (Ranks{1, 3}));
  EXPECT_EQ(sources(filtered(kMatrix, 0.05, {Quantity::kBytesPerSecond, 10})), (Ranks{0, 1}));
}

TEST(Filter, ZeroKeepsEverythingAndOneTheHeaviest) {
  EXPECT_EQ(filtered(kMatrix, 0, {}), kMatrix);
  EXPECT_EQ(sources(filtered(kMatrix, 1, {})), (Ranks{0}));
}

TEST(Filter, KeepsTheNumberOfRanks) { EXPECT_EQ(filtered(kMatrix, 1, {}).ranks(), 4); }

TEST(Filter, KeepsPairsThatOnlySendEmptyMessages) {
  const auto silent = CommunicationMatrix::from_entries(2, {{0, 1, 3, 0}});
  EXPECT_EQ(filtered(silent, 0.5, {Quantity::kBytes}), silent);
}

} // namespace
} // namespace rondo::matrix
