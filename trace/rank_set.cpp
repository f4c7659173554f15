// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_set.hpp"

#include <algorithm>

namespace rondo::trace {

std::vector<RankRange> ranges_of(const std::vector<std::int64_t>& sequence) {
  std::vector<RankRange> ranges;
  for (const std::int64_t rank : sequence) {
    if (!ranges.empty()) {
      RankRange& last = ranges.back();
      if (last.count == 1) {
        last.stride = rank - last.start;
        last.count = 2;
        continue;
      }
      if (rank == last.start + last.stride * last.count) {
        ++last.count;
        continue;
      }
      // Two values make a progression only if a third goes on; else the second may start a better
      // one.
      if (last.count == 2 && rank - (last.start + last.stride) != last.stride) {
        const std::int64_t second = last.start + last.stride;
        last = {last.start, 1, 1};
        ranges.push_back({second, rank - second, 2});
        continue;
      }
    }
    ranges.push_back({rank, 1, 1});
  }
  return ranges;
}

std::vector<std::int64_t> sequence_of(const std::vector<RankRange>& ranges) {
  std::vector<std::int64_t> sequence;
  for (const RankRange& range : ranges) {
    for (std::int64_t i = 0; i < range.count; ++i)
      sequence.push_back(range.start + i * range.stride);
  }
  return sequence;
}

RankSet RankSet::of(std::vector<std::int64_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  return from_ranges(ranges_of(ranks));
}

RankSet RankSet::from_ranges(std::vector<RankRange> ranges) {
  RankSet set;
  set.ranges_ = std::move(ranges);
  return set;
}

std::int64_t RankSet::size() const {
  std::int64_t size = 0;
  for (const RankRange& range : ranges_) size += range.count;
  return size;
}

bool RankSet::contains(std::int64_t rank) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const RankRange& range) {
    const std::int64_t distance = rank - range.start;
    if (range.stride == 0) return distance == 0;
    return distance % range.stride == 0 && distance / range.stride >= 0 &&
           distance / range.stride < range.count;
  });
}

std::string RankSet::text() const {
  std::string text;
  for (const RankRange& range : ranges_) {
    if (!text.empty()) text += ',';
    const std::int64_t last = range.start + (range.count - 1) * range.stride;
    text += std::to_string(range.start);
    if (range.count == 1) continue;
    if (range.count == 2 && range.stride != 1) {
      text += ',' + std::to_string(last);
      continue;
    }
    text += '-' + std::to_string(last);
    if (range.stride != 1) text += ':' + std::to_string(range.stride);
  }
  return text;
}

} // namespace rondo::trace
