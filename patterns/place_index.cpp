// SPDX-License-Identifier: Apache-2.0
#include "patterns/place_index.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <bit>

namespace rondo::patterns::internal {

PlaceIndex::PlaceIndex(std::span<const ProcessPattern> patterns) {
  for (const ProcessPattern& pattern : patterns) {
    for (const PatternPlace& place : pattern.places)
      places_.push_back(
          {place.item, place.item + pattern.word.size(), place.executions, places_.size()});
  }
  sort_stably(places_.begin(), places_.end(),
              [](const Place& a, const Place& b) { return a.first < b.first; });
  starting_before_.resize(places_.empty() ? 1 : places_.back().first + 1);
  for (std::size_t i = 0; i < places_.size(); ++i) starting_before_[places_[i].first] = i + 1;
  for (std::size_t item = 1; item < starting_before_.size(); ++item)
    starting_before_[item] = std::max(starting_before_[item], starting_before_[item - 1]);
  leaves_ = std::bit_ceil(std::max<std::size_t>(places_.size(), 1));
  furthest_.assign(2 * leaves_, 0);
  for (std::size_t i = 0; i < places_.size(); ++i) furthest_[leaves_ + i] = places_[i].end;
  for (std::size_t node = leaves_; --node > 0;)
    furthest_[node] = std::max(furthest_[2 * node], furthest_[2 * node + 1]);
}

// What starts before a wanted item, and behind the one before it, has no messages of earlier ones;
// so it must reach as far as a certain item, or it has fewer than the best place that is known.
class PlaceIndex::Search {
public:
  Search(const PlaceIndex& index, const WantedPlace& wanted, std::uint64_t& looked_at)
      : index_(index), wanted_(wanted), looked_at_(looked_at) {}

  const Place* run() {
    const auto& starting = index_.starting_before_;
    std::size_t begin = 0;
    for (first_ = 0; first_ < wanted_.items.size(); ++first_) {
      if (messages(first_, wanted_.items.size()) < most_) break;
      const std::size_t item = std::min(wanted_.items[first_], starting.size() - 1);
      const std::size_t end = starting[item];
      if (begin == end) continue;
      must_hold();
      look_below(begin, end, 1, 0, index_.leaves_);
      begin = end;
    }
    return best_;
  }

private:
  std::uint64_t messages(std::size_t first, std::size_t end) const {
    return wanted_.messages_before[end] - wanted_.messages_before[first];
  }

  // The item that a place must hold to have as many messages as the best one.
  void must_hold() {
    last_ = std::max(last_, first_);
    while (messages(first_, last_ + 1) < most_) ++last_;
  }

  // Those of places_[begin, end), below a node of the tree, which stands for places_[low, high).
  void look_below(std::size_t begin, std::size_t end, std::size_t node, std::size_t low,
                  std::size_t high) {
    if (high <= begin || end <= low || index_.furthest_[node] <= wanted_.items[last_]) return;
    if (high - low == 1) return look_at(index_.places_[low]);
    const std::size_t middle = low + (high - low) / 2;
    look_below(begin, end, 2 * node, low, middle);
    look_below(begin, end, 2 * node + 1, middle, high);
  }

  void look_at(const Place& place) {
    ++looked_at_;
    const std::uint64_t common = messages(first_, behind(place.end));
    if (common < most_ || (common == most_ && !is_better(place))) return;
    best_ = &place;
    if (common == most_) return;
    most_ = common;
    must_hold();
  }

  // How many of the items stand before one: all that are between, where they have no gaps.
  std::size_t behind(std::size_t end) const {
    const auto& items = wanted_.items;
    const std::size_t most = std::min(items.size(), first_ + (end - items[first_]));
    if (items[most - 1] < end) return most;
    return static_cast<std::size_t>(
        std::lower_bound(items.begin() + static_cast<std::ptrdiff_t>(last_),
                         items.begin() + static_cast<std::ptrdiff_t>(most), end) -
        items.begin());
  }

  bool is_better(const Place& place) const {
    const auto off = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
    const std::uint64_t executions = off(place.executions, wanted_.executions);
    const std::uint64_t of_best = off(best_->executions, wanted_.executions);
    if (executions != of_best) return executions < of_best;
    const std::size_t length = off(place.end - place.first, wanted_.length);
    const std::size_t length_of_best = off(best_->end - best_->first, wanted_.length);
    return length != length_of_best ? length < length_of_best : place.number < best_->number;
  }

  const PlaceIndex& index_;
  const WantedPlace& wanted_;
  std::uint64_t& looked_at_;
  std::size_t first_ = 0; // of the items: what is looked at starts behind those before it
  std::size_t last_ = 0; // of the items: see must_hold
  std::uint64_t most_ = 0;
  const Place* best_ = nullptr;
};

const PlaceIndex::Place* PlaceIndex::best_for(const WantedPlace& wanted,
                                              std::uint64_t& looked_at) const {
  return Search(*this, wanted, looked_at).run();
}

} // namespace rondo::patterns::internal
