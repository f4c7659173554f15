// SPDX-License-Identifier: Apache-2.0
// How ranks ended, for people: where they were when a run was killed or hung.
#pragma once

#include "rondo/sites/resolver.hpp"
#include "rondo/trace/trace.hpp"

#include <string>
#include <vector>

namespace rondo::cli {

/// Ranks that ended in one way, in one call.
struct EndingGroup {
  std::vector<std::int64_t> ranks;
  trace::RankEnding ending; // of the one that was in its call the longest
};

/// Groups of ranks, the largest first; one that finalized is in a group too.
std::vector<EndingGroup> endings_of(const trace::Trace& trace);

/// "SIGSEGV, between MPI calls", "killed or lost, in MPI_Recv for 12 s, solve at lu.c:12".
std::string ending_text(const trace::RankEnding& ending, sites::Resolver& resolver);
/// A word for programs: "finalized", "unknown", "signal", "aborted", "exited", "unheard".
const char* keyword_of(trace::Ending ending);

} // namespace rondo::cli
