// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/communication_matrix.hpp"

#include <algorithm>
#include <tuple>

namespace rondo::matrix {

CommunicationMatrix CommunicationMatrix::from_entries(std::int64_t ranks,
                                                      std::vector<MatrixEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
    return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
  });
  CommunicationMatrix matrix;
  matrix.ranks_ = ranks;
  for (const MatrixEntry& entry : entries) {
    if (entry.messages == 0) continue;
    if (!matrix.entries_.empty() && matrix.entries_.back().source == entry.source &&
        matrix.entries_.back().destination == entry.destination) {
      matrix.entries_.back().messages += entry.messages;
      matrix.entries_.back().bytes += entry.bytes;
    } else {
      matrix.entries_.push_back(entry);
    }
  }
  return matrix;
}

std::uint64_t CommunicationMatrix::total_messages() const {
  std::uint64_t sum = 0;
  for (const MatrixEntry& entry : entries_) sum += entry.messages;
  return sum;
}

std::uint64_t CommunicationMatrix::total_bytes() const {
  std::uint64_t sum = 0;
  for (const MatrixEntry& entry : entries_) sum += entry.bytes;
  return sum;
}

} // namespace rondo::matrix
