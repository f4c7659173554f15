// SPDX-License-Identifier: Apache-2.0
// Ranks that had to share processors, and what that does to the times of a recording: a rank that
// waits for a processor looks like one that computes.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::trace {

/// The host where most ranks came on one processor, and how long all ranks waited for one.
struct ProcessorSharing {
  std::string host;
  std::int64_t ranks = 0;
  std::int64_t processors = 0; // that these ranks could run on
  bool computation_is_cpu_time = false; // of all ranks
  std::uint64_t waited_ns = 0; // of all ranks, for a processor
  std::uint64_t run_ns = 0; // of all ranks
  bool is_shared() const { return ranks > processors; }
  /// There were enough processors, and yet ranks waited for one for a tenth of the run or more.
  bool others_had_them() const { return !is_shared() && waited_ns > 0 && waited_ns >= run_ns / 10; }
  /// Either way times are not those of ranks with processors of their own.
  bool is_crowded() const { return is_shared() || others_had_them(); }
};

/// What is known of the ranks' processors. Ranks share some if more of them than these are could
/// run on no others, whether the launcher started too many or bound them badly.
/// @return       no ranks and processors if none shared, or the trace does not say
/// @complexity   O(ranks log ranks + affinities^2 * processors)
ProcessorSharing sharing_of(const Trace& trace);

/// "8 ranks shared 2 processors of vm", or how long ranks waited for processors that others had; a
/// sentence on what that means for computation and one on time inside MPI. Empty if neither.
std::vector<std::string> sharing_text(const ProcessorSharing& sharing);

/// How long ranks were in MPI, apart from starting up. Sums over all ranks, and over their threads
/// that call MPI.
struct TimeShares {
  std::uint64_t run_ns = 0; // from MPI_Init's start to MPI_Finalize, or the end
  std::uint64_t startup_ns = 0; // in MPI_Init; 0 if that is not known
  std::uint64_t inside_ns = 0; // in MPI behind MPI_Init, and in the calls that never ended
  std::uint64_t computation_ns = 0;
  std::uint64_t displaced_ns =
      0; // between calls, without a processor; only where that was measured
  std::uint64_t behind_ns() const { return run_ns > startup_ns ? run_ns - startup_ns : 0; }
};

/// @complexity   O(ranks + classes); older archives say by their histograms how long MPI_Init took
TimeShares time_shares(const Trace& trace);

} // namespace rondo::trace
