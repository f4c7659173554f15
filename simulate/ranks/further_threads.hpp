// SPDX-License-Identifier: Apache-2.0
// Threads of a trace's ranks that call MPI, besides those that are played as the ranks.
#pragma once

#include "rondo/trace/trace.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace rondo::simulate {

struct FurtherThread {
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  friend auto operator<=>(const FurtherThread&, const FurtherThread&) = default;
};

/// In the order of the numbers that observers know them by, which begin behind the last rank's.
/// @complexity O(classes + further threads)
std::vector<FurtherThread> further_threads(const trace::Trace& trace);

} // namespace rondo::simulate
