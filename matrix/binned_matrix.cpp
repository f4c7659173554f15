// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/binned_matrix.hpp"

#include <algorithm>

namespace rondo::matrix {
namespace {

void find_extremes(BinnedMatrix& binned) {
  for (const double value : binned.values) {
    if (value <= 0) continue;
    binned.smallest = binned.smallest == 0 ? value : std::min(binned.smallest, value);
    binned.largest = std::max(binned.largest, value);
  }
}

} // namespace

std::string BinnedMatrix::block_text() const {
  if (block == 1) return "";
  const std::string length = std::to_string(block);
  return "each cell " + length + "×" + length + " ranks, sum";
}

BinnedMatrix binned(const CommunicationMatrix& matrix, const Measure& measure,
                    std::int64_t most_cells) {
  BinnedMatrix result;
  result.ranks = matrix.ranks();
  if (result.ranks == 0) return result;
  result.block = (result.ranks + most_cells - 1) / most_cells;
  result.side = (result.ranks + result.block - 1) / result.block;
  result.values.assign(static_cast<std::size_t>(result.side * result.side), 0);
  for (const MatrixEntry& entry : matrix.entries()) {
    const std::int64_t row = entry.source / result.block;
    const std::int64_t column = entry.destination / result.block;
    result.values[static_cast<std::size_t>(row * result.side + column)] += value_of(entry, measure);
  }
  find_extremes(result);
  return result;
}

} // namespace rondo::matrix
