// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/parts.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::topology {

PartWeights weigh(const std::vector<TrafficPart>& parts, WeightMeasure measure) {
  constexpr double kLeastRatio = 10;
  const bool no_bytes = std::all_of(parts.begin(), parts.end(),
                                    [](const TrafficPart& p) { return p.traffic.bytes == 0; });
  if (no_bytes) measure = WeightMeasure::kMessages;
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  const auto weight = [&](std::size_t i) {
    return static_cast<double>(std::max<std::uint64_t>(parts[i].traffic.of(measure), 1));
  };
  sort_stably(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  std::size_t cut = order.size();
  double widest = kLeastRatio;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const double ratio = weight(order[i - 1]) / weight(order[i]);
    if (ratio < widest) continue;
    widest = ratio;
    cut = i;
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(cut);
  return {{order.begin(), middle}, {middle, order.end()}};
}

} // namespace rondo::topology
