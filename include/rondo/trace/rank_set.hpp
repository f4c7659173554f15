// SPDX-License-Identifier: Apache-2.0
// A set of ranks as a short list of arithmetic progressions; regular sets take the same space at
// any size. Invariant: no rank is in two ranges of a set. Immutable, so any number of threads may
// read one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::trace {

/// start, start + stride, ..., `count` of them.
struct RankRange {
  std::int64_t start = 0;
  std::int64_t stride = 1; // may be negative or 0 in a sequence; positive in a set
  std::int64_t count = 1;
  friend bool operator==(const RankRange&, const RankRange&) = default;
};

/// Cuts a sequence (order kept, any values) into progressions, longest first from the left.
/// @complexity O(n)
std::vector<RankRange> ranges_of(const std::vector<std::int64_t>& sequence);
std::vector<std::int64_t> sequence_of(const std::vector<RankRange>& ranges);

class RankSet {
public:
  RankSet() = default;
  /// @param ranks   in any order, each once
  static RankSet of(std::vector<std::int64_t> ranks);
  static RankSet from_ranges(std::vector<RankRange> ranges);

  const std::vector<RankRange>& ranges() const { return ranges_; }
  std::int64_t size() const;
  bool contains(std::int64_t rank) const;
  std::vector<std::int64_t> ranks() const { return sequence_of(ranges_); }
  std::int64_t front() const { return ranges_.front().start; }

  /// "0-3,8,12-20:4"
  std::string text() const;
  friend bool operator==(const RankSet&, const RankSet&) = default;

private:
  std::vector<RankRange> ranges_; // sorted by start
};

} // namespace rondo::trace
