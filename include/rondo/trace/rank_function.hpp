// SPDX-License-Identifier: Apache-2.0
// Words that differ between ranks: a value for each rank of a set, folded over the ranks. The value
// may be written in several ways (the neighbour to the right is the same distance everywhere, the
// partner of a butterfly the same exclusive or), and the shortest is kept.
#pragma once

#include "rondo/trace/rank_set.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::trace {

/// How a sequence stands for the values. Special values stand for themselves in each.
enum class RankEncoding : std::uint8_t {
  kAbsolute, // the value
  kRelative, // the value less the rank
  kXor, // value xor rank
  kDifference, // the value less the one before that is not special; the first less 0
};
constexpr int kRankEncodings = 4;

struct EncodedValues {
  RankEncoding encoding = RankEncoding::kAbsolute;
  RankSequence values; // one for each rank of the domain, ascending

  std::size_t items() const { return values.total_items(); }
  friend bool operator==(const EncodedValues&, const EncodedValues&) = default;
};

struct RankFunction {
  std::uint32_t domain = 0; // index into RankTable::sets
  std::vector<EncodedValues>
      encoded; // ways to write the same values; one, once all ranks are there
  /// While ranks are being merged: (rank + modulo) % size is the value for all of them.
  std::optional<std::int64_t> modulo{};
  friend bool operator==(const RankFunction&, const RankFunction&) = default;
};

/// The sets of ranks and the functions of a program.
struct RankTable {
  std::vector<RankSet> sets;
  std::vector<RankFunction> functions;

  /// @param rank    in MPI_COMM_WORLD; 0 is the answer for one outside the domain
  /// @param own     the rank that kRelative and kXor mean: that in the call's communicator
  /// @complexity    O(items of domain and values)
  std::int64_t value(std::size_t function, std::int64_t rank, std::int64_t own) const;
  friend bool operator==(const RankTable&, const RankTable&) = default;
};

} // namespace rondo::trace
