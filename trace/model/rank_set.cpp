// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_set.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace rondo::trace {

namespace {

// What has no value is a number near the least one, so that not all steps and sums are numbers.
std::optional<std::int64_t> step(std::int64_t from, std::int64_t to) {
  std::int64_t step = 0;
  return __builtin_sub_overflow(to, from, &step) ? std::nullopt : std::optional(step);
}

bool goes_on_at(const RankRange& range, std::int64_t rank) {
  std::int64_t next = 0;
  return !__builtin_mul_overflow(range.stride, range.count, &next) &&
         !__builtin_add_overflow(range.start, next, &next) && next == rank;
}

} // namespace

std::vector<RankRange> ranges_of(const std::vector<std::int64_t>& sequence) {
  std::vector<RankRange> ranges;
  const auto begin = [&ranges](std::int64_t first, std::int64_t second) {
    if (const auto stride = step(first, second)) {
      ranges.push_back({first, *stride, 2});
    } else {
      ranges.push_back({first, 1, 1});
      ranges.push_back({second, 1, 1});
    }
  };
  for (const std::int64_t rank : sequence) {
    if (ranges.empty()) {
      ranges.push_back({rank, 1, 1});
      continue;
    }
    RankRange& last = ranges.back();
    if (last.count == 1) {
      const std::int64_t first = last.start;
      ranges.pop_back();
      begin(first, rank);
    } else if (goes_on_at(last, rank)) {
      ++last.count;
    } else if (last.count == 2) {
      // Two values make a progression only if a third goes on; else the second may start a better
      // one.
      const std::int64_t second = last.start + last.stride;
      last = {last.start, 1, 1};
      begin(second, rank);
    } else {
      ranges.push_back({rank, 1, 1});
    }
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
  RankSet set;
  if (ranks.empty()) return set;
  if (!std::is_sorted(ranks.begin(), ranks.end())) std::sort(ranks.begin(), ranks.end());
  set.is_empty_ = false;
  set.first_ = ranks.front();
  for (std::size_t i = 1; i < ranks.size(); ++i) set.gaps_.push(ranks[i] - ranks[i - 1]);
  return set;
}

RankSet RankSet::from_range(const RankRange& range) {
  RankSequence gaps;
  if (range.count > 1) gaps.push(range.stride, static_cast<std::uint64_t>(range.count) - 1);
  return from_gaps(range.start, std::move(gaps));
}

RankSet RankSet::from_gaps(std::int64_t first, RankSequence gaps) {
  RankSet set;
  set.is_empty_ = false;
  set.first_ = first;
  set.gaps_ = std::move(gaps);
  return set;
}

void RankSet::add(const RankSet& other) {
  if (other.is_empty_) return;
  if (is_empty_) {
    *this = other;
    return;
  }
  const std::int64_t last = back();
  if (last < other.first_) {
    const RankSequence added = other.gaps_; // may be this set's
    gaps_.push(other.first_ - last);
    gaps_.append(added);
    return;
  }
  std::vector<std::int64_t> all = ranks();
  const std::vector<std::int64_t> more = other.ranks();
  all.insert(all.end(), more.begin(), more.end());
  *this = of(std::move(all));
}

// One walk down the gaps: as many passes of each item as fit into what is left of the way, which is
// nothing at a rank of the set. Gaps of 0 are between members that are no ranks, all -1.
std::optional<std::uint64_t> RankSet::index_of(std::int64_t rank) const {
  if (is_empty_ || rank < first_) return std::nullopt;
  std::uint64_t index = 0;
  std::int64_t left = rank - first_;
  const std::vector<RankSequence::Item>* items = &gaps_.items();
  while (items != nullptr) {
    const std::vector<RankSequence::Item>* inside = nullptr;
    for (const RankSequence::Item& item : *items) {
      std::uint64_t passes = item.sum == 0 ? item.count : 0;
      if (item.sum > 0 && item.sum <= left)
        passes =
            item.count == 1 ? 1 : std::min(item.count, static_cast<std::uint64_t>(left / item.sum));
      index += passes * item.once;
      left -= static_cast<std::int64_t>(passes) * item.sum;
      if (passes == item.count) continue;
      if (item.is_loop()) inside = &item.body;
      break;
    }
    items = inside;
  }
  return left == 0 ? std::optional(index) : std::nullopt;
}

std::vector<std::int64_t> RankSet::ranks() const {
  std::vector<std::int64_t> ranks;
  if (is_empty_) return ranks;
  ranks.reserve(gaps_.size() + 1);
  ranks.push_back(first_);
  gaps_.for_each_run([&](std::int64_t gap, std::uint64_t count) {
    for (; count > 0; --count) ranks.push_back(ranks.back() + gap);
  });
  return ranks;
}

namespace {

std::string range_text(const RankRange& range) {
  const std::string first = std::to_string(range.start);
  const std::string last = std::to_string(range.start + (range.count - 1) * range.stride);
  if (range.count == 1) return first;
  if (range.count == 2 && range.stride != 1) return first + ',' + last;
  return first + '-' + last + (range.stride != 1 ? ':' + std::to_string(range.stride) : "");
}

// Ranks side by side first, as people count; what stands alone may be a progression of its own.
std::vector<RankRange> readable_ranges(const std::vector<std::int64_t>& ranks) {
  std::vector<RankRange> ranges;
  std::vector<std::int64_t> alone;
  const auto take_alone = [&] {
    const std::vector<RankRange> progressions = ranges_of(alone);
    ranges.insert(ranges.end(), progressions.begin(), progressions.end());
    alone.clear();
  };
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i > 1) {
      take_alone();
      ranges.push_back({ranks[i], 1, static_cast<std::int64_t>(end - i)});
    } else {
      alone.push_back(ranks[i]);
    }
    i = end;
  }
  take_alone();
  return ranges;
}

} // namespace

std::string RankSet::text() const {
  std::string text;
  const std::vector<RankRange> ranges = readable_ranges(ranks());
  for (std::size_t i = 0; i < ranges.size();) {
    const RankRange& range = ranges[i];
    const std::int64_t step = i + 1 < ranges.size() ? ranges[i + 1].start - range.start : 0;
    std::size_t same = 1;
    while (i + same < ranges.size() && ranges[i + same].stride == range.stride &&
           ranges[i + same].count == range.count &&
           ranges[i + same].start == range.start + static_cast<std::int64_t>(same) * step) {
      ++same;
    }
    if (same < 4) same = 1;
    text += (text.empty() ? "" : ",") + range_text(range);
    if (same > 1) text += "(+" + std::to_string(step) + " x" + std::to_string(same) + ")";
    i += same;
  }
  return text;
}

} // namespace rondo::trace
