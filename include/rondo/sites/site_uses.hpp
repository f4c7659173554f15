// SPDX-License-Identifier: Apache-2.0
// How much each call site is used: what to look at first in a program. Times and calls of all uses
// add up to those of the trace; so does the time in calls that never ended, which are not counted.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace rondo::sites {

struct SiteUse {
  const trace::Function* function = nullptr;
  std::uint32_t site = 0; // index into the trace's call sites
  std::uint64_t calls = 0; // of all ranks
  std::uint64_t inside_ns = 0; // of all ranks; 0 without times
  bool is_frame() const { return function->role == trace::Role::kEnv; } // MPI_Init and the like
};

/// Every call site that is used, once for each function that it calls; most time inside MPI first,
/// then most calls. Those that only begin and end (role env) come last, however long MPI_Init took.
/// @complexity   O(symbols log symbols + places), nothing is expanded
std::vector<SiteUse> site_uses(const trace::Trace& trace);

/// What a trace says by itself of where calls stand.
struct StoredNames {
  std::size_t sites = 0; // that stand in a file that ran; callers count too
  std::size_t named = 0; // of them, with function or line in the trace
  std::size_t with_lines = 0; // of them
};
StoredNames stored_names(const trace::Trace& trace);

} // namespace rondo::sites
