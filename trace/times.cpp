// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/times.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::trace {
namespace {

constexpr double kStepsOfOctave = 16;

} // namespace

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

std::uint16_t mean_code(const Durations& times) {
  if (times.count == 0) return 0;
  return static_cast<std::uint16_t>(1 +
                                    std::lround(kStepsOfOctave * std::log2(1 + times.mean_ns())));
}

double mean_of_code_ns(std::uint16_t code) {
  return code == 0 ? 0 : std::exp2((code - 1) / kStepsOfOctave) - 1;
}

} // namespace rondo::trace
