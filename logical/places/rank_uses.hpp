// SPDX-License-Identifier: Apache-2.0
// What ranks do, told without their numbers, and numbers that follow from it: however a run's ranks
// were numbered, the same rank gets the same one.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace rondo::logical::internal {

/// The partners of a rank in the order in which its program first names them.
struct RankUse {
  std::vector<std::int64_t> partners; // world ranks, without itself
  // Those that it sends to, in the order of first sends; those that get few messages come last.
  std::vector<std::int64_t> receivers;
  std::uint64_t calls_as_root = 0; // of collectives on MPI_COMM_WORLD
  std::uint64_t fingerprint = 0; // of all calls, with places in `partners` for ranks
};

/// @complexity  O(calls of one rank of each class) and O(words) of the others that do the same;
/// else
///              O(calls of all ranks). Without fingerprints of loops whose passes come again those
///              of a few
/// @param has_fingerprints  else ranks with other partners alone are told apart
std::vector<RankUse> uses_of(const trace::Trace& trace, bool has_fingerprints);

/// Rank -> its number. Ranks are numbered as they are met, walking from a start along the partners
/// in the order of their use; the start is the one that gives the least sequence of what is met.
/// Two starts with one sequence are alike in all that the program says of them, so it does not
/// matter which is taken.
/// @complexity  O(edges) for each rank whose program is the rarest; above 10^8 steps only some of
///              them are tried, and the numbers may then depend on those of the ranks
/// @source      [logicalization, sec. 4.2] wants independence of the numbering; ours orders the
///              edges at each rank by their first use, so that a walk from a rank is unique
std::vector<std::int64_t> numbers_by_use(const std::vector<RankUse>& uses);

} // namespace rondo::logical::internal
