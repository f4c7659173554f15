// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/filter.hpp"

#include <algorithm>

namespace rondo::matrix {

CommunicationMatrix filtered(const CommunicationMatrix& matrix, double fraction_of_heaviest,
                             const Measure& measure) {
  double heaviest = 0;
  for (const MatrixEntry& entry : matrix.entries()) {
    heaviest = std::max(heaviest, value_of(entry, measure));
  }
  const double least = heaviest * fraction_of_heaviest;
  std::vector<MatrixEntry> kept;
  for (const MatrixEntry& entry : matrix.entries()) {
    if (value_of(entry, measure) >= least) kept.push_back(entry);
  }
  return CommunicationMatrix::from_entries(matrix.ranks(), std::move(kept));
}

} // namespace rondo::matrix
