// SPDX-License-Identifier: Apache-2.0
// Where in a trace does a given pattern stand, or something like it: one from a file, or one that
// was found? Each rank is searched for the events that the pattern has for it, in its stream
// without contiguous repetitions; the j-th occurrences of all ranks together are the j-th
// occurrence of the pattern.
#pragma once

#include "rondo/patterns/approximate_search.hpp"
#include "rondo/patterns/communication_patterns.hpp"
#include "rondo/patterns/pattern_file.hpp"
#include "rondo/patterns/pattern_groups.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rondo::patterns {

/// What a receive from MPI_ANY_SOURCE is in a word that is searched for.
enum class WildcardSenders : std::uint8_t {
  kOpen, // one call that hears several ranks is from any: as process_patterns() has them
  kOfStatuses, // from the rank that its status says, if it has one
  kMatched, // from the rank whose message it got: as communication patterns have them
};

/// What to look for: on each rank a word of these events.
struct WantedPattern {
  EventTable events;
  std::map<std::int64_t, Word> words; // by rank; ranks that are not in it are not searched
  WildcardSenders senders = WildcardSenders::kOpen;
};
/// @error  kUsage for a communicator that the trace does not have
Result<WantedPattern> wanted(const GivenPattern& pattern, const trace::Trace& trace);
WantedPattern wanted(ProcessPatterns&& found, const PatternGroup& group);
WantedPattern wanted(CommunicationPatterns&& found, const CommunicationPattern& pattern);

struct SearchOptions {
  std::size_t distance = 0; // differences on one rank, at most
  std::optional<std::size_t> total{}; // on all ranks together
  bool fixed_window = false; // occurrences as long as the pattern only, as the paper has them
};

struct RankHits {
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  Word word; // what was looked for
  std::vector<CollapsedItem> items; // of the stream
  struct Hit {
    Occurrence occurrence; // start: index into items
    PatternPlace place;
    std::vector<Edit> edits;
  };
  std::vector<Hit> hits;
};

struct SearchResult {
  EventTable events;
  std::vector<RankHits> ranks; // those for which the pattern has events
  /// Of each occurrence on all ranks; empty if ranks have different numbers of them.
  std::vector<std::size_t> total_distances;
  bool is_joined = true; // all ranks have as many
};

/// @complexity  that of collapsed_stream() and find_similar() for each rank
/// @source      [patternrecognition, sec. IV.C]
SearchResult search(const trace::Trace& trace, WantedPattern pattern, const SearchOptions& options);

} // namespace rondo::patterns
