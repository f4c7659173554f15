// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/pattern_search.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/communicator_names.hpp"

#include <algorithm>
#include <tuple>

namespace rondo::patterns {
namespace {

RankHits hits_of(const CollapsedStream& stream, Word word, const SearchOptions& options) {
  RankHits result;
  Word text;
  for (const CollapsedItem& item : stream.items()) text.push_back(item.symbol);
  const auto found = options.fixed_window ? find_similar_windows(word, text, options.distance)
                                          : find_similar(word, text, options.distance);
  for (const Occurrence& occurrence : found) {
    const auto start = static_cast<std::size_t>(occurrence.start);
    const CollapsedItem& first = stream.items()[start];
    PatternPlace place{start, first.executions, first.first, first.last};
    Word piece;
    for (std::size_t i = start; i < start + occurrence.length; ++i) {
      piece.push_back(text[i]);
      place.executions = std::min(place.executions, stream.items()[i].executions);
    }
    result.hits.push_back({occurrence, place, edits(word, piece)});
  }
  result.word = std::move(word);
  result.items = stream.items();
  return result;
}

// The j-th occurrences of all ranks are one; those with too many differences in all are dropped.
void join(SearchResult& result, const SearchOptions& options) {
  if (result.ranks.empty()) return;
  const std::size_t count = result.ranks.front().hits.size();
  result.is_joined = std::all_of(result.ranks.begin(), result.ranks.end(),
                                 [&](const RankHits& r) { return r.hits.size() == count; });
  if (!result.is_joined) return;
  std::vector<bool> is_kept(count, true);
  for (std::size_t j = 0; j < count; ++j) {
    std::size_t total = 0;
    for (const RankHits& rank : result.ranks) total += rank.hits[j].occurrence.distance;
    is_kept[j] = !options.total || total <= *options.total;
    if (is_kept[j]) result.total_distances.push_back(total);
  }
  for (RankHits& rank : result.ranks) {
    std::size_t j = 0;
    std::erase_if(rank.hits, [&](const RankHits::Hit&) { return !is_kept[j++]; });
  }
}

// It says "recv any" where a listing does.
bool has_receives_from_any(const GivenPattern& pattern) {
  const auto is_from_any = [](const GivenEvent& e) {
    return e.source.kind == GivenPeer::Kind::kAny;
  };
  return std::any_of(
      pattern.sections.begin(), pattern.sections.end(), [&](const GivenSection& section) {
        return std::any_of(section.events.begin(), section.events.end(), is_from_any);
      });
}

} // namespace

Result<WantedPattern> wanted(const GivenPattern& pattern, const trace::Trace& trace) {
  const trace::Communicators comms(trace);
  const trace::CommunicatorNames names(trace);
  if (const auto unknown = pattern.unknown_comm(names); !unknown.empty())
    return fail(ErrorCode::kUsage, names.unknown(unknown));
  const WildcardSenders senders =
      has_receives_from_any(pattern) ? WildcardSenders::kOpen : WildcardSenders::kOfStatuses;
  WantedPattern result{EventTable(pattern.envelope), {}, senders};
  result.events.name_communicators(trace, comms);
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank) {
    const CommOf comm_of = [&](const std::string& name) {
      return comms.of(rank, *names.slot_of(name)).id;
    };
    const auto events = pattern.events_of(rank, trace.run.ranks, comm_of);
    if (!events || events->empty()) continue;
    for (const Event& event : *events) result.words[rank].push_back(result.events.number(event));
  }
  return result;
}

WantedPattern wanted(ProcessPatterns&& found, const PatternGroup& group) {
  WantedPattern result{std::move(found.events), {}, WildcardSenders::kOpen};
  for (const PatternGroup::Member& member : group.members) {
    const StreamPatterns& stream = found.streams[member.stream];
    result.words.try_emplace(stream.rank, stream.patterns[member.pattern].word);
  }
  return result;
}

WantedPattern wanted(CommunicationPatterns&& found, const CommunicationPattern& pattern) {
  WantedPattern result{std::move(found.processes.events), {}, WildcardSenders::kMatched};
  for (const PatternPart& part : pattern.parts) {
    const StreamPatterns& stream = found.processes.streams[part.stream];
    Word word;
    for (std::size_t i = 0; i < part.length; ++i)
      word.push_back(stream.items[part.first + i].symbol);
    result.words.try_emplace(stream.rank, std::move(word));
  }
  return result;
}

SearchResult search(const trace::Trace& trace, WantedPattern pattern,
                    const SearchOptions& options) {
  SearchResult result{std::move(pattern.events), {}, {}, true};
  const trace::Communicators comms(trace);
  const WildcardSources sources = pattern.senders == WildcardSenders::kMatched
                                      ? wildcard_sources(trace)
                                  : pattern.senders == WildcardSenders::kOpen ? open_senders(trace)
                                                                              : WildcardSources{};
  const bool by_call = pattern.senders == WildcardSenders::kMatched && !sources.empty();
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) {
      const auto word = pattern.words.find(rank);
      if (word == pattern.words.end()) continue;
      RankHits hits =
          hits_of(collapsed_stream(trace, c, rank, comms, result.events, by_call, false, &sources),
                  word->second, options);
      hits.rank = rank;
      hits.thread = c.thread;
      result.ranks.push_back(std::move(hits));
    }
  }
  sort_stably(result.ranks.begin(), result.ranks.end(), [](const RankHits& a, const RankHits& b) {
    return std::tuple{a.rank, a.thread} < std::tuple{b.rank, b.thread};
  });
  join(result, options);
  return result;
}

} // namespace rondo::patterns
