// SPDX-License-Identifier: Apache-2.0
#include "efficiency/timeline.hpp"

#include <algorithm>

namespace rondo::efficiency::internal {

std::uint32_t PlaceNumbers::of(CallPlace place) {
  const auto [found, is_new] =
      numbers_.try_emplace(place, static_cast<std::uint32_t>(places_.size()));
  if (is_new) places_.push_back(place);
  return found->second;
}

void Timeline::computed(std::int64_t rank, std::uint32_t place, double from_s, double seconds) {
  computed_[static_cast<std::size_t>(rank)].push_back({from_s, static_cast<float>(seconds), place});
}

// What a rank had done when it was `at_s`.
Timeline::Position Timeline::position(std::int64_t rank, double at_s) const {
  const auto& computed = computed_[static_cast<std::size_t>(rank)];
  const auto& waits = waits_of_[static_cast<std::size_t>(rank)];
  const auto computed_to = std::partition_point(computed.begin(), computed.end(),
                                                [&](const Computed& c) { return c.from_s < at_s; });
  const auto waits_to = std::partition_point(
      waits.begin(), waits.end(), [&](std::uint32_t wait) { return waits_[wait].until_s <= at_s; });
  return {static_cast<std::uint32_t>(computed_to - computed.begin()),
          static_cast<std::uint32_t>(waits_to - waits.begin())};
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

} // namespace rondo::efficiency::internal
