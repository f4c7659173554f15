// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/spread_tags.hpp"

#include <algorithm>

namespace rondo::convert::internal {

std::int64_t SpreadTags::of(std::uint32_t comm, std::int64_t tag) {
  Range& range = ranges_[comm];
  range.lowest = std::min(range.lowest, tag);
  range.highest = std::max(range.highest, tag);
  highest_ = std::max(highest_, tag);
  return tag + range.added;
}

std::int64_t SpreadTags::of_steps(std::uint32_t comm) {
  has_steps_ = true;
  return ranges_[comm].steps;
}

bool SpreadTags::spread(std::int64_t most) { return fit(most, false) || fit(most, true); }

bool SpreadTags::fit(std::int64_t most, bool by_own_tags) {
  std::int64_t next = 0;
  for (auto& [comm, range] : ranges_) {
    const bool has_tags = range.highest >= 0;
    const std::int64_t lowest = by_own_tags && has_tags ? range.lowest : 0;
    const std::int64_t highest = by_own_tags ? range.highest : highest_;
    range.added = next - lowest;
    range.steps = range.added + (has_tags || !by_own_tags ? highest + 1 : 0);
    next = range.steps + (has_steps_ ? 1 : 0);
    if (next - 1 > most) return false;
  }
  return true;
}

} // namespace rondo::convert::internal
