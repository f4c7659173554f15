// SPDX-License-Identifier: Apache-2.0
// Which pattern says something that those before it do not.
#include "rondo/patterns/pattern_groups.hpp"

#include <algorithm>
#include <map>

namespace rondo::patterns {
namespace {

// A sum over the items that a group stands at.
struct Covered {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;

  void add(const CollapsedItem& item) {
    calls += item.executions;
    bytes += item.bytes;
  }
  // Whether this is a part of `all` of one to `times` and more.
  bool is_part(const Covered& all, std::uint64_t times) const {
    const auto reaches = [&](std::uint64_t own, std::uint64_t of) {
      return of > 0 && own >= of / times + (of % times != 0 ? 1 : 0);
    };
    return reaches(calls, all.calls) || reaches(bytes, all.bytes);
  }
};

class Standings {
public:
  Standings(const ProcessPatterns& found, const std::vector<PatternGroup>& groups)
      : found_(found), groups_(groups) {
    for (const StreamPatterns& stream : found.streams) {
      owner_.emplace_back(stream.items.size(), kNone);
      is_inner_.emplace_back(stream.items.size(), false);
    }
  }

  std::vector<Standing> all() {
    std::vector<Standing> result;
    for (std::size_t i = 0; i < groups_.size(); ++i) result.push_back(next(i));
    return result;
  }

private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::uint64_t kOwnPart = 4; // a quarter
  static constexpr std::uint64_t kInnerPart = 2;

  template <class Visit> void for_each_item(const PatternGroup& group, const Visit& visit) const {
    for (const PatternGroup::Member& member : group.members) {
      const ProcessPattern& pattern = found_.streams[member.stream].patterns[member.pattern];
      for (const PatternPlace& place : pattern.places) {
        for (std::size_t i = 0; i < pattern.word.size(); ++i) visit(member.stream, place.item + i);
      }
    }
  }

  Standing next(std::size_t index) {
    const PatternGroup& group = groups_[index];
    Covered all;
    Covered own;
    Covered new_within; // those before it
    std::map<std::size_t, std::uint64_t> owners; // calls, by group
    for_each_item(group, [&](std::size_t stream, std::size_t at) {
      const CollapsedItem& item = found_.streams[stream].items[at];
      all.add(item);
      if (owner_[stream][at] == kNone) return own.add(item);
      owners[owner_[stream][at]] += item.executions;
      if (!is_inner_[stream][at]) new_within.add(item);
    });
    if (own.is_part(all, kOwnPart) || owners.empty()) {
      for_each_item(group, [&](std::size_t stream, std::size_t at) {
        std::size_t& owner = owner_[stream][at];
        owner = std::min(owner, index);
      });
      return {};
    }
    const auto most =
        std::max_element(owners.begin(), owners.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool is_within = group.length < groups_[most->first].length &&
                           4 * most->second >= 3 * all.calls; // three quarters
    if (!group.is_tandem || !is_within || !new_within.is_part(all, kInnerPart))
      return {Standing::Kind::kOverlaps, 0};
    for_each_item(group, [&](std::size_t stream, std::size_t at) { is_inner_[stream][at] = true; });
    return {Standing::Kind::kInner, most->first};
  }

  const ProcessPatterns& found_;
  const std::vector<PatternGroup>& groups_;
  std::vector<std::vector<std::size_t>> owner_; // by stream and item: the first group that has it
  std::vector<std::vector<bool>> is_inner_; // likewise: an inner one has it
};

} // namespace

std::vector<Standing> standings(const ProcessPatterns& found,
                                const std::vector<PatternGroup>& groups) {
  return Standings(found, groups).all();
}

} // namespace rondo::patterns
