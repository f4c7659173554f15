// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/drawing.hpp"

#include <algorithm>

namespace rondo::generate::internal {
namespace {

constexpr double kSpread = 0.1; // of passes about their mean; less need not be drawn
constexpr double kRankSpread = 0.05; // of ranks about theirs; means that are kept are 2 % off

} // namespace

Drawing drawing_of(double mean, double deviation, double variance_of_ranks) {
  const double of_passes = deviation * deviation - variance_of_ranks;
  const double square = mean * mean;
  return {of_passes > kSpread * kSpread * square && of_passes >= variance_of_ranks,
          variance_of_ranks > kRankSpread * kRankSpread * square};
}

std::vector<std::pair<double, std::uint64_t>> times_of_bins(const trace::Durations& durations) {
  std::vector<std::pair<double, std::uint64_t>> result;
  double sum = 0;
  for (int b = 0; b < trace::kBins; ++b) {
    const std::uint64_t count = durations.bins[static_cast<std::size_t>(b)];
    if (count == 0) continue;
    const double middle =
        0.5 * static_cast<double>(trace::bin_start(b) +
                                  trace::bin_start(std::min(b + 1, trace::kBins - 1)));
    result.emplace_back(middle, count);
    sum += middle * static_cast<double>(count);
  }
  // Bins are coarse; their sum is known.
  const double scale = sum > 0 ? static_cast<double>(durations.sum_ns) / sum : 1;
  for (auto& [middle, count] : result) middle *= scale;
  return result;
}

} // namespace rondo::generate::internal
