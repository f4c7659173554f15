// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/communication_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace rondo::matrix {
namespace {

bool before(const MatrixEntry& a, const MatrixEntry& b) {
  return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
}

bool in_order(const std::vector<MatrixEntry>& entries) {
  return std::is_sorted(entries.begin(), entries.end(), before);
}

// Counting sort by source, then every row by itself: a row is short where there are many ranks.
std::vector<MatrixEntry> sorted_by_rows(std::int64_t ranks,
                                        const std::vector<MatrixEntry>& entries) {
  std::vector<std::size_t> row_end(static_cast<std::size_t>(ranks) + 1, 0);
  for (const MatrixEntry& entry : entries) ++row_end[static_cast<std::size_t>(entry.source) + 1];
  for (std::size_t row = 1; row < row_end.size(); ++row) row_end[row] += row_end[row - 1];
  std::vector<MatrixEntry> sorted(entries.size());
  // row_end[r] is where row r starts, and after this loop where it ends
  for (const MatrixEntry& entry : entries) {
    sorted[row_end[static_cast<std::size_t>(entry.source)]++] = entry;
  }
  std::size_t begin = 0;
  for (std::size_t row = 0; row + 1 < row_end.size(); ++row) {
    const auto first = sorted.begin();
    std::sort(first + static_cast<std::ptrdiff_t>(begin),
              first + static_cast<std::ptrdiff_t>(row_end[row]), before);
    begin = row_end[row];
  }
  return sorted;
}

void sort_entries(std::int64_t ranks, std::vector<MatrixEntry>& entries) {
  if (in_order(entries)) return;
  const bool few_ranks = static_cast<std::size_t>(ranks) <= entries.size();
  if (few_ranks) {
    entries = sorted_by_rows(ranks, entries);
  } else {
    std::sort(entries.begin(), entries.end(), before);
  }
}

// In place, because a matrix may fill much of the memory.
void merge_equal_pairs(std::vector<MatrixEntry>& entries) {
  std::size_t kept = 0;
  for (const MatrixEntry entry : entries) {
    if (entry.messages == 0) continue;
    if (kept > 0 && entries[kept - 1].source == entry.source &&
        entries[kept - 1].destination == entry.destination) {
      entries[kept - 1].messages += entry.messages;
      entries[kept - 1].bytes += entry.bytes;
    } else {
      entries[kept++] = entry;
    }
  }
  entries.resize(kept);
}

} // namespace

CommunicationMatrix CommunicationMatrix::from_entries(std::int64_t ranks,
                                                      std::vector<MatrixEntry> entries) {
  sort_entries(ranks, entries);
  merge_equal_pairs(entries);
  CommunicationMatrix matrix;
  matrix.ranks_ = ranks;
  matrix.entries_ = std::move(entries);
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
