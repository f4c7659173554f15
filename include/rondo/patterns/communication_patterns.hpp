// SPDX-License-Identifier: Apache-2.0
// Communication patterns: process patterns of different ranks that belong together, because the
// messages of one are received in the other or they take part in the same collectives.
//
//   for (const CommunicationPattern& p : communication_patterns(trace, {}).patterns)
//     use(p.parts, p.links, p.executions);
//
// Ranks are joined by the events of their streams without contiguous repetitions, of which one
// stands for all iterations of a loop. So an iteration is not joined with the next one through a
// message that crosses over, as it would be among the calls themselves.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/patterns/process_patterns.hpp"
#include "rondo/patterns/rank_by.hpp"
#include "rondo/topology/recognize.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::patterns {

/// What one rank does in a communication pattern.
struct PatternPart {
  std::size_t stream = 0; // index into ProcessPatterns::streams
  std::size_t first = 0; // index into its items
  std::size_t length = 0; // 1: a single partner event that is in no pattern of its rank
  std::uint64_t executions = 0; // of the place
};

/// Messages from one event to another, or the two ends of a collective.
struct PatternLink {
  std::size_t from = 0; // indices into parts
  std::size_t from_event = 0; // from the start of the part
  std::size_t to = 0;
  std::size_t to_event = 0;
  std::uint64_t messages = 0; // 0: a collective
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = 0; // of one message, in all occurrences
  std::uint64_t most_bytes = 0;
  std::uint64_t messages_anywhere = 0; // in all occurrences
  std::uint64_t bytes_anywhere = 0;
};

struct CommunicationPattern {
  std::vector<PatternPart> parts; // of its first occurrence; by rank
  std::vector<PatternLink> links; // within it, in the order of parts, events, parts and events
  std::vector<PatternPart> places; // where it stands: what the first stream does at each
  std::uint64_t executions = 0; // of the rank with fewest, at all of them; single events aside
  std::uint64_t messages = 0; // in all occurrences
  std::uint64_t bytes = 0;
  std::uint64_t collective_bytes = 0; // handed to collectives, likewise; see matrix/call_bytes.hpp
  std::uint64_t inside_ns = 0; // in MPI, of all ranks
  std::size_t events = 0; // of all parts
  std::size_t ranks = 0; // that take part
};

struct CommunicationPatterns {
  ProcessPatterns processes;
  std::vector<CommunicationPattern> patterns; // most bytes first, then most events
  std::vector<topology::SuggestedGrid> grids{}; // that the program made of all its ranks
  /// Ranks that take what comes first (MPI_ANY_SOURCE, MPI_Waitany); whether they do not
  /// hear the same from all in turn, and answer: masters of workers.
  std::map<std::int64_t, bool> takers{};
};

/// @complexity  O(terms) for each rank where peers, sizes and senders do not vary, whatever the
/// trip
///              counts; else O(calls) time and 8 bytes for each; then O(places * their links)
/// @source      [patternrecognition, Algorithm 4]
CommunicationPatterns communication_patterns(const trace::Trace& trace,
                                             const PatternOptions& options);

/// The most important first; equal ones by traffic, events and executions.
void order(std::vector<CommunicationPattern>& patterns, RankBy by);

/// Who sends to whom in a pattern, by world rank.
matrix::CommunicationMatrix matrix_of(const CommunicationPatterns& found,
                                      const CommunicationPattern& pattern, std::int64_t ranks);

} // namespace rondo::patterns
