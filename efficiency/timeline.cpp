// SPDX-License-Identifier: Apache-2.0
#include "efficiency/timeline.hpp"

#include <algorithm>
#include <utility>

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

// What a rank had done when it was `at_s`.
Timeline::Position Timeline::position(std::int64_t rank, double at_s) const {
  const auto& computed = computed_[static_cast<std::size_t>(rank)];
  const auto& waits = waits_of_[static_cast<std::size_t>(rank)];
  return {count_before(computed, [&](const Computed& c) { return c.from_s < at_s; }),
          count_before(waits, [&](std::uint32_t wait) { return waits_[wait].until_s <= at_s; })};
}

std::optional<Computed> Timeline::computed_before(std::int64_t rank, double at_s) const {
  const Computations& computed = computation_of(rank);
  const std::uint32_t count =
      count_before(computed, [at_s](const Computed& c) { return c.from_s <= at_s; });
  return count > 0 ? std::optional(computed[count - 1]) : std::nullopt;
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
  if (list(wait)) own.waits = last(static_cast<std::size_t>(wait.rank)).waits;
  if (keeps_others_) others_s_.push_back(other_s);
  own_before.raise_to(own);
  other_before.raise_to(other);
}

// Periods -----------------------------------------------------------------------------------------

// What takes no time stands before a period, so that its begin is told from the end of what was
// before: between the two are the times that are not remembered.
void Timeline::period_begins() {
  before_ = std::move(mark_);
  mark_.waits = waits_.size();
  mark_.by_rank.clear();
  for (std::size_t rank = 0; rank < computed_.size(); ++rank) {
    auto& computed = computed_[rank];
    Computed nothing = computed.empty() ? Computed{} : computed.back();
    nothing.seconds = 0;
    computed.push_back(nothing);
    mark_.by_rank.push_back(last(rank));
  }
}

// Both go back to the same places in their periods, no further than to the period before.
bool Timeline::goes_back_alike(const Waited& one, const Waited& other) const {
  const auto is_same = [&](std::int32_t rank, const Stretch& a, const Stretch& b) {
    const Position& begin = before_.by_rank[static_cast<std::size_t>(rank)];
    const Position& end = mark_.by_rank[static_cast<std::size_t>(rank)];
    const std::uint32_t computed = end.computed - begin.computed;
    const std::uint32_t waits = end.waits - begin.waits;
    return b.computed_from >= begin.computed && b.waits_from >= begin.waits &&
           a.computed_from + computed == b.computed_from &&
           a.computed_to + computed == b.computed_to && a.waits_from + waits == b.waits_from &&
           a.waits_to + waits == b.waits_to;
  };
  return one.kind == other.kind && one.spot == other.spot && one.other == other.other &&
         is_same(one.rank, one.own, other.own) && is_same(one.other, one.others, other.others);
}

bool Timeline::is_alike(std::size_t rank, const Position& one, const Position& other,
                        std::uint32_t computed, std::uint32_t waits) const {
  for (std::uint32_t i = 0; i < computed; ++i) {
    if (computed_[rank][one.computed + i].spot != computed_[rank][other.computed + i].spot)
      return false;
  }
  for (std::uint32_t i = 0; i < waits; ++i) {
    if (!goes_back_alike(waits_[waits_of_[rank][one.waits + i]],
                         waits_[waits_of_[rank][other.waits + i]]))
      return false;
  }
  return true;
}

bool Timeline::repeats_itself() const {
  if (before_.by_rank.empty()) return false;
  std::size_t listed = 0;
  for (std::size_t rank = 0; rank < computed_.size(); ++rank) {
    const Position& first = before_.by_rank[rank];
    const Position& second = mark_.by_rank[rank];
    const Position end = last(rank);
    const std::uint32_t computed = end.computed - second.computed;
    const std::uint32_t waits = end.waits - second.waits;
    listed += waits;
    if (second.computed - first.computed != computed + 1 || second.waits - first.waits != waits ||
        !is_alike(rank, first, second, computed, waits))
      return false;
  }
  // Those that came to light later stand in no rank's list.
  return listed == waits_.size() - mark_.waits && listed == mark_.waits - before_.waits;
}

void Timeline::repeated(std::uint64_t times, const std::vector<double>& period_s) {
  Repeat repeat{times, mark_.waits, waits_.size(), {}};
  for (std::size_t rank = 0; rank < computed_.size(); ++rank) {
    const double later_s = static_cast<double>(times) * period_s[rank];
    const Position& begin = mark_.by_rank[rank];
    const Position end = last(rank);
    repeat.by_rank.push_back({begin.computed, end.computed, begin.waits, end.waits});
    for (std::uint32_t i = begin.computed; i < end.computed; ++i)
      computed_[rank].change(i, [later_s](Computed& computed) { computed.from_s += later_s; });
    for (std::uint32_t i = begin.waits; i < end.waits; ++i) {
      waits_.change(waits_of_[rank][i], [later_s](Waited& wait) {
        wait.from_s += later_s;
        wait.until_s += later_s;
      });
    }
  }
  repeats_.push_back(std::move(repeat));
  before_ = mark_ = {};
}

// One that comes to light after others of its rank is charged, but not charged on to.
bool Timeline::list(const Waited& wait) {
  auto& waits = waits_of_[static_cast<std::size_t>(wait.rank)];
  const bool is_last = waits.empty() || waits_[waits.back()].until_s <= wait.from_s;
  if (is_last) waits.push_back(static_cast<std::uint32_t>(waits_.size()));
  waits_.push_back(wait);
  return is_last;
}

void Timeline::wait_since(const LaterWait& later) {
  Waited wait = later.wait;
  const auto stretch = [&](std::int64_t rank, double from_s, double until_s) {
    const Position from = position(rank, from_s);
    const Position to = position(rank, until_s);
    return Stretch{from.computed, std::max(from.computed, to.computed), from.waits,
                   std::max(from.waits, to.waits)};
  };
  wait.own = stretch(wait.rank, later.since_s, wait.from_s);
  wait.others = stretch(wait.other, later.other_since_s, later.other_s);
  list(wait);
}

// All are told once more, in the order in which they ended: what one is charged on to has ended
// before. Of those that ended at one time the later ones come first, as what waits for a rank that
// waited ends with that rank's next call.
void Timeline::add_later(const std::vector<LaterWait>& later) {
  if (later.empty()) return;
  struct Told {
    double until_s = 0;
    std::size_t number = 0;
    bool is_later = false;
  };
  std::vector<Told> all;
  for (std::size_t i = 0; i < later.size(); ++i) all.push_back({later[i].wait.until_s, i, true});
  for (std::size_t i = 0; i < waits_.size(); ++i) all.push_back({waits_[i].until_s, i, false});
  std::ranges::stable_sort(all, {}, &Told::until_s);
  PackedList<Waited> before = std::exchange(waits_, PackedList<Waited>(room_));
  const std::vector<double> others_s = std::exchange(others_s_, {});
  together_.clear();
  for (auto& waits : waits_of_) waits.clear();
  for (const Told& each : all) {
    if (each.is_later) {
      wait_since(later[each.number]);
    } else {
      wait(before[each.number], others_s[each.number]);
    }
  }
  before.clear();
}

} // namespace rondo::efficiency::internal
