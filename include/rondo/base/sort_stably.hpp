// SPDX-License-Identifier: Apache-2.0
// Sorting of what is seldom sorted: the order is found by one function for all types, which asks
// for two numbers which of them comes first. std::stable_sort is compiled anew for each type and
// each comparison, about 5 kB and 0.2 s each; where sorting takes a part of a command's time, it
// is worth that.
//
//   sort_stably(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.n > b.n; });
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rondo {

/// Whether what has the number `a` stands before what has the number `b`.
using IsBefore = bool (*)(const void* context, std::uint32_t a, std::uint32_t b);

/// The numbers 0 to size - 1 in the order of `is_before`, equal ones as they stand.
std::vector<std::uint32_t> stable_order(std::size_t size, IsBefore is_before, const void* context);

/// As std::stable_sort, of at most 2^32 things.
template <class Iterator, class Less> void sort_stably(Iterator first, Iterator last, Less less) {
  const auto compare = [&](std::uint32_t a, std::uint32_t b) { return less(first[a], first[b]); };
  const auto is_before = [](const void* context, std::uint32_t a, std::uint32_t b) -> bool {
    return (*static_cast<decltype(&compare)>(context))(a, b);
  };
  std::vector<std::uint32_t> from =
      stable_order(static_cast<std::size_t>(last - first), is_before, &compare);
  // Place i gets what stood at from[i]: round by round, as far as each leads back to its start.
  for (std::uint32_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    auto taken = std::move(first[start]);
    std::uint32_t place = start;
    while (from[place] != start) {
      const std::uint32_t next = from[place];
      first[place] = std::move(first[next]);
      from[place] = place;
      place = next;
    }
    first[place] = std::move(taken);
    from[place] = place;
  }
}

} // namespace rondo
