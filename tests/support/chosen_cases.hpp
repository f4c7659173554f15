// SPDX-License-Identifier: Apache-2.0
// Sweeps over hundreds of cases: a test run looks at some of them, always the same ones; with
// RONDO_TEST_CASES=all in its environment it looks at all. What is left out differs from its
// neighbours by a size or a seed only.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace rondo::support {

inline bool looks_at_all_cases() {
  const char* const which = std::getenv("RONDO_TEST_CASES");
  return which != nullptr && std::string_view(which) == "all";
}

/// Of a sweep over cases that grow, whether to look at case number `index`: at all that are small,
/// and at one of `every` among the others.
inline bool is_chosen(std::uint64_t index, bool is_small, std::uint64_t every) {
  return is_small || index % every == 0 || looks_at_all_cases();
}

/// How many seeds a test of random cases goes through.
inline std::uint64_t number_of_seeds(std::uint64_t usual, std::uint64_t all) {
  return looks_at_all_cases() ? all : usual;
}

} // namespace rondo::support
