// SPDX-License-Identifier: Apache-2.0
// A set of ranks. Regular sets (every eighth rank, the interior of a grid, one of its borders) take
// the same space at any size. Immutable but for add(), so any number of threads may read one.
#pragma once

#include "rondo/trace/rank_sequence.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rondo::trace {

/// start, start + stride, ..., `count` of them.
struct RankRange {
  std::int64_t start = 0;
  std::int64_t stride = 1; // any sign in a sequence, positive in a set
  std::int64_t count = 1;
  friend bool operator==(const RankRange&, const RankRange&) = default;
};

/// Cuts a sequence (order kept, any values) into progressions, longest first from the left.
/// @complexity O(n)
std::vector<RankRange> ranges_of(const std::vector<std::int64_t>& sequence);
std::vector<std::int64_t> sequence_of(const std::vector<RankRange>& ranges);

/// Ascending ranks: the first, then the folded gaps between them, so that strided products are
/// loops in loops.
class RankSet {
public:
  RankSet() = default;
  /// @param ranks   in any order, each once
  static RankSet of(std::vector<std::int64_t> ranks);
  static RankSet from_range(const RankRange& range);
  /// @param gaps   each at least 1
  static RankSet from_gaps(std::int64_t first, RankSequence gaps);

  /// Adds ranks that this set does not have.
  /// @complexity O(items) if they are all above its own, else O(size)
  void add(const RankSet& other);

  bool empty() const { return is_empty_; }
  std::int64_t size() const { return is_empty_ ? 0 : static_cast<std::int64_t>(gaps_.size()) + 1; }
  bool contains(std::int64_t rank) const { return index_of(rank).has_value(); }
  /// How many ranks of the set stand before this one, if it is in the set. @complexity O(items)
  std::optional<std::uint64_t> index_of(std::int64_t rank) const;
  std::vector<std::int64_t> ranks() const; // ascending
  std::int64_t front() const { return first_; }
  std::int64_t back() const { return first_ + gaps_.sum_of_first(gaps_.size()); }
  const RankSequence& gaps() const { return gaps_; }

  /// "0-3,8-20:4"; ranges that repeat are written once: "17-30(+16 x14)".
  std::string text() const;
  friend bool operator==(const RankSet& a, const RankSet& b) {
    return a.is_empty_ == b.is_empty_ && a.first_ == b.first_ && a.gaps_ == b.gaps_;
  }

private:
  bool is_empty_ = true;
  std::int64_t first_ = 0;
  RankSequence gaps_;
};

} // namespace rondo::trace
