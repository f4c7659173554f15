// SPDX-License-Identifier: Apache-2.0
// A communication matrix as a small dense grid for people to look at: neighbouring ranks share a
// cell when there are too many to show, and a cell holds the sum of its pairs.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/quantity.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::matrix {

struct BinnedMatrix {
  std::int64_t ranks = 0;
  std::int64_t block = 1; // ranks per cell, each way; the last cell may hold fewer
  std::int64_t side = 0; // cells each way, ceil(ranks / block)
  std::vector<double> values; // side * side, row (source) after row
  double smallest = 0; // smallest value above zero, 0 if there is none
  double largest = 0;

  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * side + column)];
  }

  /// "each cell 4×4 ranks, sum", empty if every cell is one pair.
  std::string block_text() const;
};

/// @param most_cells  largest side wanted, >= 1; the smallest block that respects it is used
/// @complexity        O(n + side^2) for n entries
BinnedMatrix binned(const CommunicationMatrix& matrix, const Measure& measure,
                    std::int64_t most_cells);

} // namespace rondo::matrix
