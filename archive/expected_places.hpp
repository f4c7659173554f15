// SPDX-License-Identifier: Apache-2.0
// Which places a class of ranks has times for, as its program lets expect: which calls come right
// behind each other, and how often. A file then says only where that is not so.
#pragma once

#include "rondo/trace/program.hpp"

#include <cstdint>
#include <vector>

namespace rondo::archive {

struct ExpectedPlace {
  std::uint32_t call = 0;
  std::uint32_t before = 0; // or PlaceTimes::kStart
  std::uint64_t count = 0;
};

struct ExpectedPlaces {
  std::vector<ExpectedPlace> places; // sorted by call, then by the call before
  std::vector<std::uint64_t> executions; // of each call
};

/// Exact where each loop goes round once at least, else near.
/// @param program  a valid nest, whose sums of trip counts may be wrong
/// @complexity   O(size of the program), however often its loops go round
ExpectedPlaces expected_places(const trace::Program& program, std::uint64_t ranks);

} // namespace rondo::archive
