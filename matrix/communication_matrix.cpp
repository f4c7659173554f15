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

void sort_rows(std::vector<MatrixEntry>& entries) {
  for (auto row = entries.begin(); row != entries.end();) {
    const auto next = std::find_if(
        row, entries.end(), [&](const MatrixEntry& entry) { return entry.source != row->source; });
    std::sort(row, next, before);
    row = next;
  }
}

// Counting sort: linear, and rows are short where there are many ranks.
void group_by_source(std::int64_t ranks, std::vector<MatrixEntry>& entries) {
  std::vector<std::size_t> next(static_cast<std::size_t>(ranks) + 1, 0);
  for (const MatrixEntry& entry : entries) ++next[static_cast<std::size_t>(entry.source) + 1];
  for (std::size_t row = 1; row < next.size(); ++row) next[row] += next[row - 1];
  std::vector<MatrixEntry> grouped(entries.size());
  for (const MatrixEntry& entry : entries) {
    grouped[next[static_cast<std::size_t>(entry.source)]++] = entry;
  }
  entries = std::move(grouped);
}

// Most matrices come with their sources in order, many with the destinations in order too.
void sort_entries(std::int64_t ranks, std::vector<MatrixEntry>& entries) {
  if (std::is_sorted(entries.begin(), entries.end(), before)) return;
  const bool grouped = std::is_sorted(
      entries.begin(), entries.end(),
      [](const MatrixEntry& a, const MatrixEntry& b) { return a.source < b.source; });
  if (!grouped && static_cast<std::size_t>(ranks) > entries.size()) {
    std::sort(entries.begin(), entries.end(), before);
    return;
  }
  if (!grouped) group_by_source(ranks, entries);
  sort_rows(entries);
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
