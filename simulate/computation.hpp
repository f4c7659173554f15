// SPDX-License-Identifier: Apache-2.0
// How long a rank computes before each of its calls, as far as the trace says.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::simulate::internal {

class Computation {
public:
  /// All must outlive the object.
  Computation(const trace::Trace& trace, const trace::RankClass& rank_class, std::int64_t rank);

  /// Seconds before the next call of the stream. @complexity O(places of that call)
  double before(std::uint32_t symbol);

private:
  struct Place {
    std::uint32_t before = 0;
    double seconds = 0;
  };
  double mean(std::uint32_t symbol) const;

  std::optional<trace::TimeStampReader> stamps_;
  std::vector<std::size_t> first_; // by symbol, and one more
  std::vector<Place> places_;
  std::uint32_t last_ = trace::PlaceTimes::kStart;
};

} // namespace rondo::simulate::internal
