// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/binned_matrix.hpp"

#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

TEST(BinnedMatrix, IsThePlainMatrixWhileItFits) {
  const auto cells =
      binned(CommunicationMatrix::from_entries(3, {{0, 1, 2, 30}, {2, 2, 1, 5}}), {}, 3);
  EXPECT_EQ(cells.values, (std::vector<double>{0, 30, 0, 0, 0, 0, 0, 0, 5}));
  EXPECT_EQ(cells.smallest, 5);
  EXPECT_EQ(cells.largest, 30);
  EXPECT_EQ(cells.block_text(), "");
}

// Ranks  0 1 | 2 3 | 4   share cells; the last one is smaller.
TEST(BinnedMatrix, SumsNeighboursWhenItDoesNotFit) {
  const auto matrix = CommunicationMatrix::from_entries(
      5, {{0, 0, 1, 1}, {1, 1, 1, 2}, {1, 2, 1, 4}, {4, 4, 1, 8}});
  const auto cells = binned(matrix, {}, 4);
  EXPECT_EQ(cells.block, 2);
  EXPECT_EQ(cells.side, 3);
  EXPECT_EQ(cells.values, (std::vector<double>{3, 4, 0, 0, 0, 0, 0, 0, 8}));
  EXPECT_EQ(cells.block_text(), "each cell 2×2 ranks, sum");
}

TEST(BinnedMatrix, NeverHasMoreCellsThanAsked) {
  for (std::int64_t ranks = 1; ranks < 200; ++ranks) {
    const auto cells = binned(CommunicationMatrix::from_entries(ranks, {}), {}, 17);
    EXPECT_LE(cells.side, 17);
    EXPECT_GE(cells.side * cells.block, ranks);
  }
}

TEST(BinnedMatrix, OfNobodyIsEmpty) {
  const auto cells = binned({}, {}, 10);
  EXPECT_EQ(cells.side, 0);
  EXPECT_EQ(cells.largest, 0);
}

} // namespace
} // namespace rondo::matrix
