// SPDX-License-Identifier: Apache-2.0
// Blocks of different sizes replaced by blocks of one size, so that a program made from the trace
// has a number where it had tables, and loops where each iteration was another.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::generate {

/// Calls that got one count: those of one function on one communicator and, where all its ranks
/// agree on the order, from one call site.
struct AveragedCalls {
  std::string function;
  std::uint64_t calls = 0; // of all ranks
  std::int64_t count = 0; // elements of each block
  std::int64_t recorded_elements = 0; // of all blocks that the calls list
  std::int64_t made_elements = 0;
};

struct AveragedCounts {
  trace::Trace trace;
  std::vector<AveragedCalls> averaged;
  /// Calls that keep their counts: their datatypes differ or are the program's own, their two sides
  /// do not say the same, or they join two groups.
  std::uint64_t kept = 0;
};

/// The same trace, where collectives with lists of counts (MPI_Alltoallv, MPI_Allgatherv,
/// MPI_Gatherv, MPI_Scatterv, MPI_Reduce_scatter and their like, but MPI_Alltoallw) have equal
/// ones: the average over ranks and iterations, rounded to elements, in blocks one behind the
/// other.
/// @param progress  told of streams done and in all
/// @source [benchmarkgeneration, sec. 5]; there for MPI_Alltoallv in IS
/// @complexity O(calls of all ranks and their counts); memory O(result)
AveragedCounts
average_counts(const trace::Trace& trace,
               const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

} // namespace rondo::generate
