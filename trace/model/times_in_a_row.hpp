// SPDX-License-Identifier: Apache-2.0
// How often the next values of a column come again, a period at a time.
#pragma once

#include "rondo/trace/column.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::trace::internal {

// How often the next values come again, `period` at a time; `read` fills a span with those that
// follow, of this column or of what was read of it ahead, and says how many.
template <class Read>
std::uint64_t times_in_a_row(std::uint64_t period, std::uint64_t most, ColumnReader& column,
                             Read read) {
  std::vector<std::int64_t> first(period);
  for (std::size_t have = 0; have < period;) {
    const std::size_t count = read(std::span(first).subspan(have));
    if (count == 0) return 0;
    have += count;
  }
  std::vector<std::int64_t> next(period);
  for (std::uint64_t times = 1; times < most; ++times) {
    const bool looks = (times & (times - 1)) == 0; // which takes a while, so at powers of two
    const auto before = looks ? column.place() : nullptr;
    const std::uint64_t taken = column.taken();
    for (std::size_t have = 0; have < period;) {
      const std::size_t count = read(std::span(next).subspan(have));
      if (count == 0) return times;
      have += count;
    }
    if (next != first) return times;
    const bool is_all_read = column.taken() - taken == period;
    if (before && is_all_read) times += column.leave_out_again(*before, most - 1 - times);
  }
  return most;
}

} // namespace rondo::trace::internal
