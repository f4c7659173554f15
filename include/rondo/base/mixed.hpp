// SPDX-License-Identifier: Apache-2.0
// One more number in a hash, for keys of a few numbers in tables that live as long as the process.
// Two instructions where it is inlined, which a library that takes bytes cannot be: sums over files
// are xxhash's.
//
//   const std::uint64_t hash = mixed(mixed(0, 3), 5);
#pragma once

#include <cstdint>

namespace rondo {

/// Multiplying by 2^64 over the golden ratio spreads numbers side by side over the upper half, and
/// the lower half, which tables look at, gets it too. A hash of 0 with a 0 stays 0.
/// @source [knuth1998, sec. 6.4] for the factor
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32);
}

} // namespace rondo
