// SPDX-License-Identifier: Apache-2.0
// Who sent how much to whom: a sparse square matrix of messages and bytes. Entries are sorted by
// (source, destination) and unique; an entry has at least one message.
//
//   CommunicationMatrix m = CommunicationMatrix::from_entries(16, entries);
//   for (const auto& e : m.entries()) use(e.source, e.destination, e.bytes);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::matrix {

struct MatrixEntry {
  std::int64_t source = 0; // world rank of the sender
  std::int64_t destination = 0; // world rank of the receiver
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const MatrixEntry&, const MatrixEntry&) = default;
};

class CommunicationMatrix {
public:
  CommunicationMatrix() = default;

  /// Sorts the entries and adds up those of one pair.
  /// @param ranks    size of the matrix; every source and destination is in [0, ranks)
  /// @complexity     O(n) for n entries in order, O(n log n) otherwise
  static CommunicationMatrix from_entries(std::int64_t ranks, std::vector<MatrixEntry> entries);

  std::int64_t ranks() const { return ranks_; }
  std::span<const MatrixEntry> entries() const { return entries_; }

  std::uint64_t total_messages() const;
  std::uint64_t total_bytes() const;

  friend bool operator==(const CommunicationMatrix&, const CommunicationMatrix&) = default;

private:
  std::int64_t ranks_ = 0;
  std::vector<MatrixEntry> entries_;
};

} // namespace rondo::matrix
