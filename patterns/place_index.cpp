// SPDX-License-Identifier: Apache-2.0
#include "patterns/place_index.hpp"

#include "rondo/base/sort_stably.hpp"

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
  leaves_ = std::bit_ceil(std::max<std::size_t>(places_.size(), 1));
  furthest_.assign(2 * leaves_, 0);
  for (std::size_t i = 0; i < places_.size(); ++i) furthest_[leaves_ + i] = places_[i].end;
  for (std::size_t node = leaves_; --node > 0;)
    furthest_[node] = std::max(furthest_[2 * node], furthest_[2 * node + 1]);
}

} // namespace rondo::patterns::internal
