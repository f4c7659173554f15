// SPDX-License-Identifier: Apache-2.0
#include "efficiency/timeline.hpp"

#include <algorithm>

namespace rondo::efficiency::internal {

std::uint32_t SpotNumbers::of(Spot spot) {
  Known& known = known_[(spot.place.site * 29 + spot.place.function * 5 + spot.part * 67) % kKnown];
  if (known.is_set && known.spot == spot) return known.number;
  const auto [found, is_new] =
      numbers_.try_emplace(spot, static_cast<std::uint32_t>(spots_.size()));
  if (is_new) spots_.push_back(spot);
  known = {spot, found->second, true};
  return found->second;
}

void Timeline::computed(std::int64_t rank, std::uint32_t spot, double from_s, double seconds) {
  computed_[static_cast<std::size_t>(rank)].push_back({from_s, static_cast<float>(seconds), spot});
}

// How many at the front are as `is_before` says: most often almost all.
template <class Item, class IsBefore>
std::uint32_t count_before(const std::vector<Item>& items, IsBefore is_before) {
  std::size_t last = items.size();
  std::size_t step = 1;
  while (last >= step && !is_before(items[last - step])) {
    last -= step;
    step *= 2;
  }
  const auto first = items.begin() + static_cast<std::ptrdiff_t>(last >= step ? last - step : 0);
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(last);
  return static_cast<std::uint32_t>(std::partition_point(first, end, is_before) - items.begin());
}

// What a rank had done when it was `at_s`.
Timeline::Position Timeline::position(std::int64_t rank, double at_s) const {
  const auto& computed = computed_[static_cast<std::size_t>(rank)];
  const auto& waits = waits_of_[static_cast<std::size_t>(rank)];
  return {count_before(computed, [&](const Computed& c) { return c.from_s < at_s; }),
          count_before(waits, [&](std::uint32_t wait) { return waits_[wait].until_s <= at_s; })};
}

// When a rank has waited for another, both are at one time: what either does longer from there on
// makes the next wait between them. Meetings without a wait are none: the two are apart then.
void Timeline::wait(Waited wait, double other_s) {
  Position own = position(wait.rank, wait.from_s);
  const Position other = position(wait.other, other_s);
  const bool is_lower = wait.rank < wait.other;
  const auto low = static_cast<std::uint64_t>(is_lower ? wait.rank : wait.other);
  const auto high = static_cast<std::uint64_t>(is_lower ? wait.other : wait.rank);
  auto& [low_before, high_before] = together_[low << 32 | high];
  Position& own_before = is_lower ? low_before : high_before;
  Position& other_before = is_lower ? high_before : low_before;
  wait.own = {std::min(own_before.computed, own.computed), own.computed,
              std::min(own_before.waits, own.waits), own.waits};
  wait.others = {std::min(other_before.computed, other.computed), other.computed,
                 std::min(other_before.waits, other.waits), other.waits};
  auto& waits = waits_of_[static_cast<std::size_t>(wait.rank)];
  // One that comes to light after others of its rank is charged, but not charged on to.
  if (waits.empty() || waits_[waits.back()].until_s <= wait.from_s) {
    waits.push_back(static_cast<std::uint32_t>(waits_.size()));
    own.waits = static_cast<std::uint32_t>(waits.size());
  }
  waits_.push_back(wait);
  own_before.raise_to(own);
  other_before.raise_to(other);
}

void Timeline::wait_since(Waited wait, double since_s, double other_since_s, double other_s) {
  const auto stretch = [&](std::int64_t rank, double from_s, double until_s) {
    const Position from = position(rank, from_s);
    const Position to = position(rank, until_s);
    return Stretch{from.computed, std::max(from.computed, to.computed), from.waits,
                   std::max(from.waits, to.waits)};
  };
  wait.own = stretch(wait.rank, since_s, wait.from_s);
  wait.others = stretch(wait.other, other_since_s, other_s);
  waits_.push_back(wait);
}

} // namespace rondo::efficiency::internal
