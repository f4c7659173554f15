// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <numeric>

namespace rondo {

std::vector<std::uint32_t> stable_order(std::size_t size, IsBefore is_before, const void* context) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return is_before(context, a, b); });
  return order;
}

} // namespace rondo
