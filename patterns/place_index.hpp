// SPDX-License-Identifier: Apache-2.0
// The places of a stream's patterns by the items that they hold: whoever asks for those of a few
// items does not look at all of them.
#pragma once

#include "rondo/patterns/process_patterns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::patterns::internal {

class PlaceIndex {
public:
  struct Place {
    std::size_t first = 0; // item
    std::size_t end = 0; // behind its last item
    std::uint64_t executions = 0;
    std::size_t number = 0; // in the order of patterns and their places
  };

  /// @complexity  O(places log places)
  explicit PlaceIndex(std::span<const ProcessPattern> patterns);

  /// Uses each place that holds one of the items, with the index of the first item that it holds.
  /// @param items   ascending, each once
  /// @complexity    O((items + places used) log places)
  template <class Use> void each_holding(std::span<const std::size_t> items, Use use) const {
    // What starts before an item that was asked for, and holds the next one, holds that one too.
    std::size_t begin = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto later = std::upper_bound(
          places_.begin() + static_cast<std::ptrdiff_t>(begin), places_.end(), items[i],
          [](std::size_t item, const Place& place) { return item < place.first; });
      const auto end = static_cast<std::size_t>(later - places_.begin());
      each_beyond(items[i], begin, end, 1, 0, leaves_, [&](const Place& place) { use(place, i); });
      begin = end;
    }
  }

private:
  // Those of places_[begin, end) that end behind an item, below a node of the tree, which stands
  // for places_[low, high).
  template <class Use>
  void each_beyond(std::size_t item, std::size_t begin, std::size_t end, std::size_t node,
                   std::size_t low, std::size_t high, const Use& use) const {
    if (high <= begin || end <= low || furthest_[node] <= item) return;
    if (high - low == 1) return use(places_[low]);
    const std::size_t middle = low + (high - low) / 2;
    each_beyond(item, begin, end, 2 * node, low, middle, use);
    each_beyond(item, begin, end, 2 * node + 1, middle, high, use);
  }

  std::vector<Place> places_; // by first item
  std::size_t leaves_ = 1; // a power of two
  std::vector<std::size_t> furthest_; // the largest end below each node of a tree with root 1
};

} // namespace rondo::patterns::internal
