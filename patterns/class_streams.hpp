// SPDX-License-Identifier: Apache-2.0
// The streams of ranks that do the same, read once for all of them. Of a class's ranks whose events
// are equal to each other at the same calls, one is read; the others have their own events in the
// places of its. Loops are gone through until they are steady.
#pragma once

#include "patterns/call_runs.hpp"
#include "rondo/patterns/process_patterns.hpp"
#include "rondo/trace/communicators.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::patterns::internal {

/// A call as one side of a message, or a rank's part in a collective.
struct RankCall {
  enum class Side : std::uint8_t { kSend, kReceive, kCollective };
  std::uint32_t comm = 0; // Communicators::View::id
  std::int64_t source = 0; // world ranks; of collectives what tells MPI_COMM_SELFs apart, and 0
  std::int64_t destination = 0;
  std::int64_t tag = 0;
  Side side = Side::kSend;
  std::int64_t rank = 0;
  std::size_t stream = 0; // index into ClassStreams::streams, class by class
  std::uint32_t symbol = 0; // the call
  std::uint64_t bytes = 0; // of a send
  std::int64_t all = 0; // of a collective: ranks that take part
};

struct ClassStreams {
  std::vector<StreamPatterns> streams; // class by class; item_of_call is empty
  std::vector<std::size_t> layout_of; // by rank, of layouts
  std::vector<CallLayout> layouts;
  std::vector<RankCall> calls;
};

/// Nothing if not all is known before: calls whose peers or sizes vary, receives from anywhere,
/// persistent requests, one-sided calls, cancelled calls, threads, nests that are too deep.
/// @param events   may have got some of the events then
/// @complexity     O(calls of the program) for each rank, independent of trip counts; that of
///                 collapsed_stream() for each group of ranks that are alike
std::optional<ClassStreams> class_streams(const trace::Trace& trace, const PatternOptions& options,
                                          const trace::Communicators& comms, EventTable& events);

} // namespace rondo::patterns::internal
