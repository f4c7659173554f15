// SPDX-License-Identifier: Apache-2.0
// How long a rank computes before each of its calls: exactly where the trace has the times of every
// call, else the mean of the call's place for that rank.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::trace {

/// Each rank's mean computation at a place in ns, in the order of the class's ranks; empty if only
/// the mean of all is known. Kept as rounded codes, they make up the exact mean together.
/// @complexity O(ranks)
std::vector<double> means_of_ranks(const PlaceTimes& place);

class Computation {
public:
  /// All must outlive the object.
  Computation(const Trace& trace, const RankClass& rank_class, std::int64_t rank);

  /// Seconds before the next call of the stream. @complexity O(places of that call)
  double before(std::uint32_t symbol);

private:
  struct Place {
    std::uint32_t before = 0;
    double seconds = 0;
  };
  double mean(std::uint32_t symbol) const;

  std::optional<TimeStampReader> stamps_;
  std::vector<std::size_t> first_; // by symbol, and one more
  std::vector<Place> places_;
  std::uint32_t last_ = PlaceTimes::kStart;
};

} // namespace rondo::trace
