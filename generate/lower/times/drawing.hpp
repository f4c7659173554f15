// SPDX-License-Identifier: Apache-2.0
// Times drawn from histograms, where ranks that wait for each other would notice that means have no
// slow passes.
#pragma once

#include "rondo/trace/times.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::generate::internal {

struct Drawing {
  bool draws = false; // else means say all there is to say
  bool by_rank = false; // what is drawn is scaled to each rank's own mean
};

/// How a place's times are drawn. A histogram is of all passes of all ranks: where ranks differ
/// more than their passes do, it is mostly of ranks, and their means are the better times.
/// @param variance_of_ranks   of their means, in squares of the unit of `mean` and `deviation`
Drawing drawing_of(double mean, double deviation, double variance_of_ranks);

/// A time for each bin in ns, and how many there are; their sum is exact. @complexity O(bins)
std::vector<std::pair<double, std::uint64_t>> times_of_bins(const trace::Durations& durations);

/// Which share of the times the n-th (from 1) to be drawn lies at, in [0, 1). Multiples of the
/// golden ratio modulo 1: of any times drawn in a row, each bin has its share, but for one or two
/// [weyl1916]. Ranks and histograms begin elsewhere, at multiples of the square roots of 3 and 2.
/// Generated benchmarks draw the same.
inline double drawn_share(std::uint64_t n, std::uint64_t histogram, std::uint64_t rank) {
  const std::uint64_t at =
      n * 0x9e3779b97f4a7c15 + histogram * 0x6a09e667f3bcc908 + rank * 0xbb67ae8584caa73b;
  return static_cast<double>(at >> 11) / 9007199254740992.0; // 2^53
}

} // namespace rondo::generate::internal
