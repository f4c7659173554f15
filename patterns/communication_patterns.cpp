// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/communication_patterns.hpp"

#include "patterns/class_streams.hpp"
#include "patterns/groups_apart.hpp"
#include "patterns/item_links.hpp"
#include "patterns/masters.hpp"
#include "patterns/partner_sums.hpp"
#include "patterns/place_index.hpp"
#include "rondo/base/mixed.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace rondo::patterns {
namespace {

using internal::ItemLinks;
using internal::PartnerSums;
using internal::PlaceIndex;
using internal::WantedPlace;
using internal::Weight;
using Items = std::span<const std::size_t>;
using Messages = std::span<const std::uint64_t>;

bool holds(const PatternPart& part, std::size_t item) {
  return part.first <= item && item < part.first + part.length;
}

// By what patterns are ordered; equal ones by traffic, events and executions.
std::array<std::uint64_t, 4> importance(const CommunicationPattern& pattern, RankBy by) {
  std::uint64_t weight = 0;
  switch (by) {
  case RankBy::kTraffic:
    weight = pattern.bytes + pattern.collective_bytes;
    break;
  case RankBy::kTime:
    weight = pattern.inside_ns;
    break;
  case RankBy::kFrequency:
    weight = pattern.executions;
    break;
  case RankBy::kRanks:
    weight = pattern.ranks;
    break;
  case RankBy::kLength:
    weight = pattern.events;
    break;
  }
  return {weight, pattern.bytes, pattern.events, pattern.executions};
}

class Assembly {
public:
  Assembly(const ProcessPatterns& processes, const ItemLinks& links)
      : processes_(processes), links_(links), part_of_(processes.streams.size(), kNone),
        partners_(processes, links) {
    for (const StreamPatterns& stream : processes.streams) places_.emplace_back(stream.patterns);
  }

  std::vector<CommunicationPattern> run() {
    for (std::size_t s = 0; s < processes_.streams.size(); ++s) {
      for (const ProcessPattern& pattern : processes_.streams[s].patterns) {
        for (const PatternPlace& place : pattern.places) {
          const PatternPart seed{s, place.item, pattern.word.size(), place.executions};
          if (!used_.contains(key_of(seed))) add(assembled(seed));
        }
      }
    }
    for (std::size_t s = 0; s < processes_.streams.size(); ++s) add_repeated_events(s);
    return without_inner();
  }

private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  using Parts = std::vector<PatternPart>; // each of another stream
  using PartKey = std::array<std::size_t, 3>;
  struct PartHash {
    std::size_t operator()(const PartKey& key) const {
      return mixed(mixed(mixed(1, key[0]), key[1]), key[2]);
    }
  };
  using PartKeys = std::unordered_set<PartKey, PartHash>;

  struct Found {
    CommunicationPattern pattern;
    PartKeys taken; // parts of its occurrences
  };

  static PartKey key_of(const PatternPart& part) { return {part.stream, part.first, part.length}; }

  // From partner to partner; each stream takes part with one place.
  Parts assembled(const PatternPart& seed) {
    Parts parts{seed};
    part_of_[seed.stream] = 0;
    for (std::size_t next = 0; next < parts.size(); ++next) {
      add_partners(parts[next], [&](std::size_t stream) { return part_of_[stream] == kNone; });
      partners_.take([&](std::size_t stream, Items items, Messages before) {
        part_of_[stream] = parts.size();
        parts.push_back(part_at(stream, items, before, seed));
      });
    }
    settle(parts, seed);
    for (const PatternPart& part : parts) part_of_[part.stream] = kNone;
    sort_stably(parts.begin(), parts.end(),
                [](const PatternPart& a, const PatternPart& b) { return a.stream < b.stream; });
    return parts;
  }

  // Parts were chosen by those that were known before; now all of them are.
  void settle(Parts& parts, const PatternPart& seed) {
    constexpr int kMostRounds = 4;
    bool has_changed = true;
    for (int round = 0; round < kMostRounds && has_changed; ++round) {
      has_changed = false;
      for (const PatternPart& part : parts) {
        add_partners(part, [&](std::size_t stream) {
          return stream != seed.stream && part_of_[stream] != kNone;
        });
      }
      partners_.take([&](std::size_t stream, Items items, Messages before) {
        PatternPart& part = parts[part_of_[stream]];
        const PatternPart better = part_at(stream, items, before, seed);
        has_changed = has_changed || key_of(better) != key_of(part);
        part = better;
      });
    }
  }

  template <class IsWanted> void add_partners(const PatternPart& part, IsWanted is_wanted) {
    partners_.add(part.stream, part.first, part.length, is_wanted);
  }

  // The place that has most messages in common; of several the one that is most like the place that
  // the search began with. If there is none, the item alone.
  PatternPart part_at(std::size_t s, Items items, Messages before, const PatternPart& seed) {
    const WantedPlace wanted{items, before, seed.executions, seed.length};
    if (const PlaceIndex::Place* const place = places_[s].best_for(wanted, looked_at_))
      return {s, place->first, place->end - place->first, place->executions};
    std::size_t most = 0;
    for (std::size_t i = 1; i < items.size(); ++i) {
      if (before[i + 1] - before[i] > before[most + 1] - before[most]) most = i;
    }
    return {s, items[most], 1, processes_.streams[s].items[items[most]].executions};
  }

  // Whether a pattern stands within another one and nowhere else.
  static bool is_within(const CommunicationPattern& inner, const CommunicationPattern& outer) {
    if (inner.events >= outer.events || inner.executions > outer.executions ||
        inner.places.size() > outer.places.size())
      return false;
    const auto holds_part = [&](const PatternPart& part) {
      const auto at = std::find_if(outer.parts.begin(), outer.parts.end(),
                                   [&](const PatternPart& o) { return o.stream == part.stream; });
      return at != outer.parts.end() && at->first <= part.first &&
             part.first + part.length <= at->first + at->length;
    };
    return std::all_of(inner.parts.begin(), inner.parts.end(), holds_part);
  }

  // Whether two patterns share three quarters of their events: the search began at different places
  // of the same thing.
  static bool is_nearly(const CommunicationPattern& one, const CommunicationPattern& other) {
    std::size_t shared = 0;
    for (const PatternPart& part : one.parts) {
      for (const PatternPart& o : other.parts) {
        const std::size_t first = std::max(part.first, o.first);
        const std::size_t last = std::min(part.first + part.length, o.first + o.length);
        if (o.stream == part.stream && first < last) shared += last - first;
      }
    }
    return 4 * shared >= 3 * std::max(one.events, other.events) &&
           one.executions <= 2 * other.executions;
  }

  // How often the events of a part were executed together.
  std::uint64_t executions_of(const PartKey& part) const {
    const auto& [s, first, length] = part;
    std::uint64_t least = ~std::uint64_t{0};
    for (std::size_t i = first; i < first + length; ++i)
      least = std::min(least, processes_.streams[s].items[i].executions);
    return least;
  }

  // By stream and item: how often patterns that are kept were executed there, 0 for none.
  using Kept = std::vector<std::vector<std::uint64_t>>;

  // Whether three quarters of the events are those of patterns that are kept, wherever it stands,
  // which are executed half as often at least: it is made of pieces of them. What is executed
  // more often than what it stands in says more than that.
  bool is_told(const PartKeys& parts, const Kept& kept) const {
    std::size_t events = 0;
    std::size_t told = 0;
    for (const PartKey& part : parts) {
      const auto& [s, first, length] = part;
      const std::uint64_t executions = executions_of(part);
      events += length;
      for (std::size_t i = first; i < first + length; ++i)
        told += 2 * kept[s][i] >= executions ? 1 : 0;
    }
    return 4 * told >= 3 * events;
  }

  void keep(const PartKeys& parts, Kept& kept) const {
    for (const PartKey& part : parts) {
      const auto& [s, first, length] = part;
      const std::uint64_t executions = executions_of(part);
      for (std::size_t i = first; i < first + length; ++i)
        kept[s][i] = std::max(kept[s][i], executions);
    }
  }

  // The patterns with most bytes stay.
  std::vector<CommunicationPattern> without_inner() {
    std::sort(found_.begin(), found_.end(), [&](const Found& a, const Found& b) {
      return compare(a.pattern.parts, b.pattern.parts) == std::strong_ordering::less;
    });
    sort_stably(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return importance(b.pattern, RankBy::kTraffic) < importance(a.pattern, RankBy::kTraffic);
    });
    Kept kept;
    for (const StreamPatterns& stream : processes_.streams) kept.emplace_back(stream.items.size());
    std::vector<CommunicationPattern> result;
    for (Found& one : found_) {
      const bool is_known =
          is_told(one.taken, kept) ||
          std::any_of(result.begin(), result.end(), [&](const CommunicationPattern& other) {
            return is_within(one.pattern, other) || is_nearly(one.pattern, other);
          });
      if (is_known) continue;
      keep(one.taken, kept);
      result.push_back(std::move(one.pattern));
    }
    return result;
  }

  // A single event that follows itself is no process pattern, but may be one with its partners.
  void add_repeated_events(std::size_t s) {
    const StreamPatterns& stream = processes_.streams[s];
    std::vector<bool> is_in_pattern(stream.items.size());
    for (const ProcessPattern& pattern : stream.patterns) {
      for (const PatternPlace& place : pattern.places)
        std::fill_n(is_in_pattern.begin() + static_cast<std::ptrdiff_t>(place.item),
                    pattern.word.size(), true);
    }
    for (std::size_t i = 0; i < stream.items.size(); ++i) {
      const PatternPart seed{s, i, 1, stream.items[i].executions};
      if (seed.executions > 1 && !is_in_pattern[i] && !used_.contains(key_of(seed)))
        add(assembled(seed));
    }
  }

  // What is said of a pattern's messages holds for all its occurrences: the first may be the one
  // with nothing to send.
  static void add_sizes(std::vector<PatternLink>& links, const std::vector<PatternLink>& others) {
    const auto key = [](const PatternLink& link) {
      return std::tie(link.from, link.from_event, link.to, link.to_event);
    };
    auto link = links.begin();
    for (const PatternLink& other : others) {
      while (link != links.end() && key(*link) < key(other)) ++link;
      if (link == links.end()) return;
      if (key(*link) != key(other) || other.messages == 0) continue;
      link->least_bytes = std::min(link->least_bytes, other.least_bytes);
      link->most_bytes = std::max(link->most_bytes, other.most_bytes);
      link->messages_anywhere += other.messages;
      link->bytes_anywhere += other.bytes;
    }
  }

  bool is_collective(const CollapsedItem& item) const {
    const auto* function = trace::find_function(processes_.events[item.symbol].function);
    return trace::meaning_of(*function).act == trace::Act::kCollective;
  }

  std::span<const CollapsedItem> items_of(const PatternPart& part) const {
    return std::span(processes_.streams[part.stream].items).subspan(part.first, part.length);
  }

  // Streams and what they do.
  std::uint64_t hash_of(const Parts& parts) const {
    std::uint64_t hash = parts.size();
    for (const PatternPart& part : parts) {
      hash = mixed(hash, part.stream);
      for (const CollapsedItem& item : items_of(part)) hash = mixed(hash, item.symbol);
    }
    return hash;
  }

  // By the streams in turn, and what each of them does.
  std::strong_ordering compare(const Parts& one, const Parts& other) const {
    const auto by_symbols = [](const CollapsedItem& a, const CollapsedItem& b) {
      return a.symbol <=> b.symbol;
    };
    const auto by_parts = [&](const PatternPart& a, const PatternPart& b) {
      if (a.stream != b.stream) return a.stream <=> b.stream;
      const auto own = items_of(a);
      const auto others = items_of(b);
      return std::lexicographical_compare_three_way(own.begin(), own.end(), others.begin(),
                                                    others.end(), by_symbols);
    };
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(),
                                                  other.end(), by_parts);
  }

  // What was found of the same streams doing the same; it is put there if there is none.
  Found& found_of(const Parts& parts) {
    const std::uint64_t hash = hash_of(parts);
    const auto [first, last] = known_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
      Found& found = found_[known->second];
      if (compare(found.pattern.parts, parts) == std::strong_ordering::equal) return found;
    }
    known_.emplace(hash, found_.size());
    found_.emplace_back().pattern.parts = parts;
    return found_.back();
  }

  void add(const Parts& parts) {
    for (const PatternPart& part : parts) used_.insert(key_of(part));
    if (parts.size() < 2) return;
    Found& found = found_of(parts);
    const bool is_taken = std::any_of(parts.begin(), parts.end(), [&](const PatternPart& part) {
      return found.taken.contains(key_of(part)); // another search has come here
    });
    if (is_taken) return;
    const bool is_new = found.taken.empty();
    for (const PatternPart& part : parts) found.taken.insert(key_of(part));
    CommunicationPattern pattern = occurrence_of(parts);
    if (is_new) {
      found.pattern = std::move(pattern);
    } else {
      found.pattern.executions += pattern.executions;
      found.pattern.messages += pattern.messages;
      found.pattern.bytes += pattern.bytes;
      found.pattern.collective_bytes += pattern.collective_bytes;
      found.pattern.inside_ns += pattern.inside_ns;
      add_sizes(found.pattern.links, pattern.links);
    }
    found.pattern.places.push_back(parts.front());
  }

  CommunicationPattern occurrence_of(const Parts& parts) {
    CommunicationPattern pattern;
    pattern.parts = parts;
    std::set<std::int64_t> ranks;
    const bool has_long =
        std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.length > 1; });
    pattern.executions = ~std::uint64_t{0};
    for (const PatternPart& part : parts) {
      for (const CollapsedItem& item : items_of(part)) {
        pattern.inside_ns += item.inside_ns;
        if (is_collective(item)) pattern.collective_bytes += item.bytes;
      }
      ranks.insert(processes_.streams[part.stream].rank);
      if (part.length > 1 || !has_long)
        pattern.executions = std::min(pattern.executions, part.executions);
      pattern.events += part.length;
    }
    pattern.ranks = ranks.size();
    add_links(pattern);
    return pattern;
  }

  void add_links(CommunicationPattern& pattern) {
    const Parts& parts = pattern.parts;
    for (std::size_t p = 0; p < parts.size(); ++p) part_of_[parts[p].stream] = p;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t i = 0; i < parts[p].length; ++i) {
        for (const auto& [from, to, weight] : links_.from({parts[p].stream, parts[p].first + i})) {
          const std::size_t other = part_of_[to.stream];
          if (other == kNone || !holds(parts[other], to.item)) continue;
          pattern.links.push_back({p, i, other, to.item - parts[other].first, weight.messages,
                                   weight.bytes, weight.least_bytes, weight.most_bytes,
                                   weight.messages, weight.bytes});
          pattern.messages += weight.messages;
          pattern.bytes += weight.bytes;
        }
      }
    }
    for (const PatternPart& part : parts) part_of_[part.stream] = kNone;
  }

  const ProcessPatterns& processes_;
  const ItemLinks& links_;
  std::vector<std::size_t> part_of_; // by stream, while a pattern is put together; else kNone
  std::vector<PlaceIndex> places_; // by stream
  PartnerSums partners_; // of parts that are looked at
  std::uint64_t looked_at_ = 0;
  PartKeys used_;
  std::vector<Found> found_;
  std::unordered_multimap<std::uint64_t, std::size_t> known_; // of found_, by hash_of
};

} // namespace

namespace {

// Of programs whose calls are all known before, classes of ranks are read, and not each call.
std::optional<internal::ClassStreams>
read_classes(const trace::Trace& trace, const PatternOptions& options, ProcessPatterns& processes) {
  const trace::Communicators comms(trace);
  processes.events.name_communicators(trace, comms);
  auto reading = internal::class_streams(trace, options, comms, processes.events);
  if (!reading) return std::nullopt;
  processes.streams = std::move(reading->streams);
  sort_stably(processes.streams.begin(), processes.streams.end(),
              [](const StreamPatterns& a, const StreamPatterns& b) { return a.rank < b.rank; });
  return reading;
}

void assemble(CommunicationPatterns& result, const ItemLinks& links) {
  result.patterns =
      internal::with_groups_joined(result.processes, Assembly(result.processes, links).run());
  order(result.patterns, RankBy::kTraffic);
}

} // namespace

CommunicationPatterns communication_patterns(const trace::Trace& trace,
                                             const PatternOptions& options) {
  PatternOptions tracked = options;
  tracked.track = true;
  const WildcardSources sources = wildcard_sources(trace);
  tracked.sources = &sources;
  CommunicationPatterns result{
      {EventTable(options.envelope), {}}, {}, topology::cartesian_grids(trace)};
  internal::MasterFinder masters(trace);
  if (sources.empty() && masters.has_none()) {
    if (const auto reading = read_classes(trace, options, result.processes)) {
      assemble(result, ItemLinks(trace, result.processes, *reading));
      return result;
    }
  }
  result.processes = process_patterns(trace, tracked);
  const ItemLinks links(trace, result.processes, masters);
  result.takers = masters.found();
  assemble(result, links);
  return result;
}

void order(std::vector<CommunicationPattern>& patterns, RankBy by) {
  sort_stably(patterns.begin(), patterns.end(),
              [&](const auto& a, const auto& b) { return importance(b, by) < importance(a, by); });
}

matrix::CommunicationMatrix matrix_of(const CommunicationPatterns& found,
                                      const CommunicationPattern& pattern, std::int64_t ranks) {
  std::map<std::pair<std::int64_t, std::int64_t>, Weight> pairs;
  for (const PatternLink& link : pattern.links) {
    if (link.messages == 0) continue;
    const auto rank = [&](std::size_t part) {
      return found.processes.streams[pattern.parts[part].stream].rank;
    };
    Weight& weight = pairs[{rank(link.from), rank(link.to)}];
    weight.messages += link.messages;
    weight.bytes += link.bytes;
  }
  std::vector<matrix::MatrixEntry> entries;
  for (const auto& [pair, weight] : pairs)
    entries.push_back({pair.first, pair.second, weight.messages, weight.bytes});
  return matrix::CommunicationMatrix::from_entries(ranks, std::move(entries));
}

} // namespace rondo::patterns
