// SPDX-License-Identifier: Apache-2.0
// How ranks ended, for people: where they were when a run was killed or hung.
#pragma once

#include "rondo/sites/resolver.hpp"
#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rondo::present {

/// Ranks that ended in one way, in one call.
struct EndingGroup {
  std::vector<std::int64_t> ranks;
  trace::RankEnding ending; // of the one that was in its call the longest
  std::vector<std::vector<std::int64_t>> words{}; // of each rank's open call
};

/// Groups of ranks, the largest first; one that finalized is in a group too.
std::vector<EndingGroup> endings_of(const trace::Trace& trace);

/// "SIGSEGV, between MPI calls", "killed or lost, in MPI_Recv(source=rank-1, tag=7) for 12 s, solve
/// at lu.c:12".
/// @param comms   the names of the trace's communicators
std::string ending_text(const EndingGroup& group, sites::Resolver& resolver,
                        const trace::RunFacts& run, const trace::CommunicatorNames& comms);
/// What to know where a run ended because MPICH could not start processes: some builds of it never
/// can, recorded or not. Else empty.
std::string spawning_remark(const std::vector<EndingGroup>& groups, const trace::RunFacts& run);
/// Whether Rondo did not record the run, but read another tool's trace of it.
bool is_import(const trace::RunFacts& run);
/// What the group's open calls were given: peers, tags, roots and communicators, as "source=rank-1"
/// where they differ by rank; empty if that was not recorded.
std::vector<std::pair<std::string, std::string>>
open_arguments(const EndingGroup& group, std::int64_t ranks, const trace::CommunicatorNames& comms);
/// A word for programs: "finalized", "unknown", "signal", "aborted", "exited", "unheard".
const char* keyword_of(trace::Ending ending);

} // namespace rondo::present
