// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/times.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::trace {

void Durations::add(const Durations& other) {
  count += other.count;
  sum_ns += other.sum_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  sum_of_squares += other.sum_of_squares;
  for (std::size_t i = 0; i < bins.size(); ++i) bins[i] += other.bins[i];
}

double Durations::deviation_ns() const {
  if (count < 2) return 0;
  const double mean = mean_ns();
  return std::sqrt(std::max(0.0, sum_of_squares / static_cast<double>(count) - mean * mean));
}

} // namespace rondo::trace
