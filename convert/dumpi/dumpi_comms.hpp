// SPDX-License-Identifier: Apache-2.0
// Who is in the communicators that the ranks of a DUMPI trace made: each rank's file says only its
// own part of each call. The n-th such call on a communicator is the same on all its members.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace rondo::convert::internal {

struct DumpiCreation {
  enum class Kind : std::uint8_t { kDup, kSplit, kCart, kCartSub, kUnknown } kind = Kind::kUnknown;
  std::int64_t parent = 0; // slot
  std::int64_t color = 0;
  std::int64_t key = 0;
  std::vector<std::int64_t> dims{}; // of kCartSub: whether each remains
  std::int64_t made = trace::kNull; // slot; kNull where this rank is in none
};

struct DumpiCommunicators {
  std::vector<trace::CommDefinition> definitions;
  std::uint64_t unknown = 0; // made by ranks, and nobody knows by whom else
};

/// @param by_rank   each rank's in the order of its calls
/// @complexity      O(members of all that were made, log of their number)
DumpiCommunicators dumpi_communicators(const std::vector<std::vector<DumpiCreation>>& by_rank);

} // namespace rondo::convert::internal
