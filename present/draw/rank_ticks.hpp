// SPDX-License-Identifier: Apache-2.0
// Which ranks an axis names.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace rondo::present {

/// The least round step not below `least`: a power of two if the ranks are one, else 1, 2 or 5
/// times a power of ten.
inline std::int64_t rank_step(std::int64_t ranks, double least) {
  if (std::has_single_bit(static_cast<std::uint64_t>(ranks))) {
    std::int64_t step = 1;
    while (static_cast<double>(step) < least) step *= 2;
    return step;
  }
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (static_cast<double>(digit * power) >= least) return digit * power;
    }
  }
}

} // namespace rondo::present
