// SPDX-License-Identifier: Apache-2.0
// Process patterns: what each rank of a trace does again and again. Contiguous repetitions are
// collapsed first; patterns are the maximal repeats of what is left, and what was collapsed.
//
//   ProcessPatterns found = process_patterns(trace, {});
//   for (const StreamPatterns& stream : found.streams)
//     for (const ProcessPattern& p : stream.patterns) use(p.word, p.executions, p.places);
#pragma once

#include "rondo/patterns/events.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace rondo::patterns {

/// One place of a pattern in the collapsed stream.
struct PatternPlace {
  std::size_t item = 0; // index of its first event in StreamPatterns::items
  std::uint64_t executions = 0; // how often it was passed there
  std::uint64_t first = 0; // calls of the stream, from 0: where it starts first, and last
  std::uint64_t last = 0;
  friend bool operator==(const PatternPlace&, const PatternPlace&) = default;
};

struct ProcessPattern {
  Word word; // of events
  std::vector<PatternPlace> places; // that do not overlap
  std::uint64_t executions = 0; // at all places; the paper's frequency
  std::uint64_t bytes = 0; // that its calls move in all of them: matrix::CallBytes
  std::uint64_t inside_ns =
      0; // in MPI, with the calls behind the events, by the means of each call
  std::uint64_t calls = 0; // events in all of them, inner repetitions counted
  bool is_maximal = false; // a maximal repeat of the collapsed stream
  bool is_supermaximal = false;
  std::uint64_t tandem = 0; // how often it directly follows itself
  friend bool operator==(const ProcessPattern&, const ProcessPattern&) = default;
};

struct StreamPatterns {
  std::int64_t rank = 0;
  std::uint32_t thread = 0;
  std::vector<CollapsedItem> items;
  std::uint64_t calls = 0; // of the stream, events or not
  std::vector<ProcessPattern> patterns; // by first place, longer ones first
  // If calls were tracked:
  std::vector<std::uint32_t> item_of_call{}; // CollapsedStream::kNoItem for those of none
  std::vector<bool> completes_behind{}; // by item: requests are completed before the next item
  std::vector<std::uint32_t> place_of{}; // by item: where in the program of all ranks, from 1
  std::vector<std::uint32_t> site_of{}; // by item: the call site; trace::Trace::sites
};

/// Who sent what receives from MPI_ANY_SOURCE got.
struct WildcardSources {
  /// World ranks by calls, ascending, for each rank and thread.
  std::map<std::pair<std::int64_t, std::uint32_t>,
           std::vector<std::pair<std::uint64_t, std::int64_t>>>
      of;
  /// Masters with their workers: whom they hear from and answer next is no part of what they do.
  std::map<std::int64_t, std::set<std::int64_t>> workers{};
  /// Those that hear from each equally often, in the order in which they come first, and the
  /// senders.
  std::map<std::int64_t, std::set<std::int64_t>> senders{};
  /// Whose messages receives got is not asked: those that hear several ranks are from any.
  bool are_open = false;
  bool empty() const { return of.empty() && workers.empty() && senders.empty(); }
};
/// @complexity  that of match_messages() if there are such receives
WildcardSources wildcard_sources(const trace::Trace& trace);
/// Without `of`, which is another one in the next run.
/// @complexity  likewise
WildcardSources open_senders(const trace::Trace& trace);

struct PatternOptions {
  Envelope envelope{};
  std::size_t least_length = 2;
  std::optional<trace::RankSet> ranks{}; // unset: all
  bool call_by_call = false; // read every call, for comparison; the answer is the same
  bool track = false; // do that, and keep which item each call went into
  const WildcardSources* sources = nullptr; // with either; unset: open_senders()
};

struct ProcessPatterns {
  EventTable events;
  std::vector<StreamPatterns> streams; // by rank and thread
};

/// The patterns of a collapsed stream.
/// @complexity   that of repeats_of(), O(items) for each tandem repeat
std::vector<ProcessPattern> patterns_of(const CollapsedStream& stream, std::size_t least_length);

/// @complexity   for each rank O(terms) where peers and sizes do not vary, O(calls) of the loops in
///               which they do; then that of patterns_of()
/// @source       [patternrecognition, sec. IV]; collapsing by pieces of any length and the suffix
///               array are ours
ProcessPatterns process_patterns(const trace::Trace& trace, const PatternOptions& options);

/// What a rank's stream is before patterns are looked for.
/// @param completing  with `track`: gets the calls that complete requests, ascending
CollapsedStream collapsed_stream(const trace::Trace& trace, const trace::RankClass& rank_class,
                                 std::int64_t rank, const trace::Communicators& comms,
                                 EventTable& events, bool call_by_call, bool track = false,
                                 const WildcardSources* sources = nullptr,
                                 std::vector<std::uint64_t>* completing = nullptr);

} // namespace rondo::patterns
