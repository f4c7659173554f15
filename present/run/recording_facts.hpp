// SPDX-License-Identifier: Apache-2.0
// Sums over a recording's ranks that text and JSON of rondo info both say.
#pragma once

#include "rondo/sites/site_uses.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::present {

struct RunTotals {
  std::uint64_t calls = 0;
  std::uint64_t span_ns = 0; // of the longest rank
  /// Sum of spans; of ranks that share processors, of what they had of them.
  std::uint64_t own_ns = 0;
  std::uint64_t computation_ns = 0;
  std::uint64_t recorder_ns = 0;
  std::uint64_t recorder_apart_ns = 0; // of these, for no call
  std::uint64_t recorder_start_ns = 0; // of these, in MPI_Init
  std::uint64_t recorder_end_ns = 0; // in MPI_Finalize, behind what spans count
  std::uint64_t most_end_ns = 0; // of one rank
  std::uint64_t recorder_bytes = 0; // of the rank with most
  std::size_t terms = 0; // of the merged programs
  std::size_t most_terms = 0; // of one rank's
  std::size_t distinct_calls = 0;
};

RunTotals totals_of(const trace::Trace& trace);

/// 0 for a whole of nothing.
double ratio(double part, double whole);
/// Of traces that others recorded it is not known.
bool has_cost(const RunTotals& totals);
/// Beginning to record takes as long for 20 calls as for a million: it is no call's cost.
double cost_per_call_ns(const RunTotals& totals);

/// "single", "funneled", ...
const char* thread_level(int level);

/// The call sites with most time in MPI, or with most calls in a trace without times.
struct LargestUses {
  LargestUses(const trace::Trace& trace, std::size_t count);
  double share_of_inside(const sites::SiteUse& use) const;

  std::vector<sites::SiteUse> uses;
  std::uint64_t inside_ns = 0; // of all, apart from MPI_Init and the like
};

/// How far ranks' clocks were apart, where stamps were put on one.
struct ClockCorrections {
  explicit ClockCorrections(const trace::Trace& trace);

  std::uint64_t greatest_ns = 0;
  std::int64_t gain_ppt = 0;
  std::uint64_t error_ns = 0;
  bool is_known = false;
};

} // namespace rondo::present
