// SPDX-License-Identifier: Apache-2.0
// The places of a stream's patterns by the items that they hold: which of them has most messages in
// common with a few items is found without a look at all of them.
#pragma once

#include "rondo/patterns/process_patterns.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::patterns::internal {

/// What a place is wanted for.
struct WantedPlace {
  std::span<const std::size_t> items; // ascending, each once
  std::span<const std::uint64_t> messages_before; // each of them, and all: one more; no item has 0
  std::uint64_t executions = 0; // of several places with as many messages, the one that is most
  std::size_t length = 0; // like this one
};

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

  /// The place whose items have most of the messages; of several the one with the most similar
  /// executions, then length, then the first one. Null if no place holds any of the items.
  /// @param looked_at   is increased by the number of places that were compared
  /// @complexity    O(items + places that hold as much as the best one so far, * log places)
  const Place* best_for(const WantedPlace& wanted, std::uint64_t& looked_at) const;

private:
  class Search;

  std::vector<Place> places_; // by first item
  std::vector<std::size_t> starting_before_; // by item: how many places start there or before
  std::size_t leaves_ = 1; // a power of two
  std::vector<std::size_t> furthest_; // the largest end below each node of a tree with root 1
};

} // namespace rondo::patterns::internal
