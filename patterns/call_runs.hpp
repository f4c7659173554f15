// SPDX-License-Identifier: Apache-2.0
// Which items some calls of a stream went into, one execution after the other, as runs: what stands
// in a loop is written once. Two such sequences are paired without going through executions.
#pragma once

#include "rondo/patterns/collapsed_stream.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace rondo::patterns::internal {

/// What one rank executes, for all that are like it.
struct CallLayout {
  std::vector<std::uint32_t> symbols; // calls, one after the other
  std::vector<std::uint32_t> items; // that they went into
  std::vector<CollapsedStream::LongPass> long_passes;
};

struct CallRun {
  std::uint32_t symbol = 0;
  std::uint32_t item = 0;
  std::uint64_t times = 1;
};

/// Runs, again and again.
struct CallBlock {
  std::vector<CallRun> runs; // a single one is executed once
  std::uint64_t times = 1;
  std::uint64_t length() const; // executions of one time
};
using CallSequence = std::vector<CallBlock>;

/// The executions of these calls.
/// @return   nothing if that takes too much room, in nests that never do the same
std::optional<CallSequence> sequence_of(const CallLayout& layout,
                                        const std::vector<std::uint32_t>& symbols);

std::uint64_t length_of(const CallSequence& sequence);

/// The first of one sequence with the first of the other, and so on, to the end of the shorter one.
/// @param most  pairs
/// @param use   gets how many such pairs there are
/// @complexity  O(runs + the common period of loops that meet), independent of their trip counts
void pair_up(const CallSequence& one, const CallSequence& other, std::uint64_t most,
             const std::function<void(const CallRun&, const CallRun&, std::uint64_t)>& use);

} // namespace rondo::patterns::internal
