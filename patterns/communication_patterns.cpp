// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/communication_patterns.hpp"

#include "patterns/groups_apart.hpp"
#include "patterns/item_links.hpp"
#include "patterns/masters.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace rondo::patterns {
namespace {

using internal::ItemLinks;
using internal::ItemRef;
using internal::Weight;

bool holds(const PatternPart& part, std::size_t item) {
  return part.first <= item && item < part.first + part.length;
}

class Assembly {
public:
  Assembly(const ProcessPatterns& processes, const ItemLinks& links)
      : processes_(processes), links_(links) {}

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
    std::vector<CommunicationPattern> result;
    for (auto& [signature, pattern] : found_) result.push_back(std::move(pattern));
    drop_inner(result);
    return result;
  }

private:
  using PartKey = std::array<std::size_t, 3>;
  using Signature = std::vector<std::pair<std::size_t, Word>>; // streams and what they do

  static PartKey key_of(const PatternPart& part) { return {part.stream, part.first, part.length}; }

  // From partner to partner; each stream takes part with one place.
  std::map<std::size_t, PatternPart> assembled(const PatternPart& seed) const {
    std::map<std::size_t, PatternPart> parts{{seed.stream, seed}};
    std::deque<PatternPart> open{seed};
    while (!open.empty()) {
      const PatternPart part = open.front();
      open.pop_front();
      for (const auto& [stream, partners] : partners_of(part)) {
        if (parts.contains(stream)) continue;
        const PatternPart other = part_at(stream, partners, seed);
        parts.emplace(stream, other);
        open.push_back(other);
      }
    }
    settle(parts, seed);
    return parts;
  }

  // Parts were chosen by those that were known before; now all of them are.
  void settle(std::map<std::size_t, PatternPart>& parts, const PatternPart& seed) const {
    constexpr int kMostRounds = 4;
    bool has_changed = true;
    for (int round = 0; round < kMostRounds && has_changed; ++round) {
      has_changed = false;
      std::map<std::size_t, Partners> partners; // of all parts, by stream
      for (const auto& [s, part] : parts) {
        for (const auto& [stream, items] : partners_of(part)) {
          for (const auto& [item, messages] : items) partners[stream][item] += messages;
        }
      }
      for (auto& [s, part] : parts) {
        if (s == seed.stream || !partners.contains(s)) continue;
        const PatternPart better = part_at(s, partners[s], seed);
        has_changed = has_changed || key_of(better) != key_of(part);
        part = better;
      }
    }
  }

  using Partners = std::map<std::size_t, std::uint64_t>; // item -> messages, or 1 for a collective

  std::map<std::size_t, Partners> partners_of(const PatternPart& part) const {
    std::map<std::size_t, Partners> result; // by stream
    for (std::size_t i = 0; i < part.length; ++i) {
      const ItemRef item{part.stream, part.first + i};
      const auto partners = links_.partners(item);
      for (const ItemRef& partner : std::set<ItemRef>(partners.begin(), partners.end()))
        result[partner.stream][partner.item] += links_.messages_between(item, partner);
    }
    return result;
  }

  // The place that has most messages in common; of several the one that is most like the place that
  // the search began with. If there is none, the item alone.
  PatternPart part_at(std::size_t s, const Partners& partners, const PatternPart& seed) const {
    const StreamPatterns& stream = processes_.streams[s];
    const auto off = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
    const auto most =
        std::max_element(partners.begin(), partners.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    PatternPart best{s, most->first, 1, stream.items[most->first].executions};
    auto least = std::tuple{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
    for (const ProcessPattern& pattern : stream.patterns) {
      for (const PatternPlace& place : pattern.places) {
        const PatternPart part{s, place.item, pattern.word.size(), place.executions};
        std::uint64_t common = 0;
        for (auto at = partners.lower_bound(part.first);
             at != partners.end() && holds(part, at->first); ++at)
          common += at->second;
        if (common == 0) continue;
        const auto unlike = std::tuple{~common, off(part.executions, seed.executions),
                                       std::uint64_t{off(part.length, seed.length)}};
        if (unlike < least) std::tie(least, best) = std::pair{unlike, part};
      }
    }
    return best;
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

  // The patterns with most bytes stay.
  static void drop_inner(std::vector<CommunicationPattern>& patterns) {
    order(patterns, RankBy::kTraffic);
    std::vector<CommunicationPattern> kept;
    for (CommunicationPattern& pattern : patterns) {
      const bool is_known = std::any_of(kept.begin(), kept.end(), [&](const auto& other) {
        return is_within(pattern, other) || is_nearly(pattern, other);
      });
      if (!is_known) kept.push_back(std::move(pattern));
    }
    patterns = std::move(kept);
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

  void add(const std::map<std::size_t, PatternPart>& parts) {
    CommunicationPattern pattern;
    Signature signature;
    std::map<std::size_t, std::size_t> index; // stream -> part
    std::set<std::int64_t> ranks;
    const bool has_long = std::any_of(parts.begin(), parts.end(),
                                      [](const auto& part) { return part.second.length > 1; });
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& [s, part] : parts) {
      used_.insert(key_of(part));
      Word word;
      for (std::size_t i = 0; i < part.length; ++i) {
        const CollapsedItem& item = processes_.streams[s].items[part.first + i];
        word.push_back(item.symbol);
        pattern.inside_ns += item.inside_ns;
        if (is_collective(item)) pattern.collective_bytes += item.bytes;
      }
      ranks.insert(processes_.streams[s].rank);
      signature.emplace_back(s, std::move(word));
      index.emplace(s, pattern.parts.size());
      pattern.parts.push_back(part);
      if (part.length > 1 || !has_long) least = std::min(least, part.executions);
      pattern.events += part.length;
    }
    for (const auto& [s, part] : parts) {
      for (std::size_t i = 0; i < part.length; ++i) {
        for (const auto& [to, weight] : links_.from({s, part.first + i})) {
          const auto other = parts.find(to.stream);
          if (other == parts.end() || !holds(other->second, to.item)) continue;
          pattern.links.push_back({index[s], i, index[to.stream], to.item - other->second.first,
                                   weight.messages, weight.bytes, weight.least_bytes,
                                   weight.most_bytes, weight.messages, weight.bytes});
          pattern.messages += weight.messages;
          pattern.bytes += weight.bytes;
        }
      }
    }
    if (pattern.parts.size() < 2) return;
    pattern.ranks = ranks.size();
    pattern.executions = least;
    const auto [known, is_new] = found_.try_emplace(std::move(signature), pattern);
    auto& taken = taken_[known->first]; // another search may have come here
    for (const PatternPart& part : pattern.parts) {
      if (taken.contains(key_of(part))) return;
    }
    for (const PatternPart& part : pattern.parts) taken.insert(key_of(part));
    if (!is_new) {
      known->second.executions += pattern.executions;
      known->second.messages += pattern.messages;
      known->second.bytes += pattern.bytes;
      known->second.collective_bytes += pattern.collective_bytes;
      known->second.inside_ns += pattern.inside_ns;
      add_sizes(known->second.links, pattern.links);
    }
    known->second.places.push_back(pattern.parts.front());
  }

  const ProcessPatterns& processes_;
  const ItemLinks& links_;
  std::set<PartKey> used_;
  std::map<Signature, CommunicationPattern> found_;
  std::map<Signature, std::set<PartKey>> taken_; // parts of its occurrences
};

} // namespace

CommunicationPatterns communication_patterns(const trace::Trace& trace,
                                             const PatternOptions& options) {
  PatternOptions tracked = options;
  tracked.track = true;
  const WildcardSources sources = wildcard_sources(trace);
  tracked.sources = &sources;
  CommunicationPatterns result{
      process_patterns(trace, tracked), {}, topology::cartesian_grids(trace)};
  internal::MasterFinder masters(trace);
  const ItemLinks links(trace, result.processes, masters);
  result.takers = masters.found();
  result.patterns =
      internal::with_groups_joined(result.processes, Assembly(result.processes, links).run());
  order(result.patterns, RankBy::kTraffic);
  return result;
}

void order(std::vector<CommunicationPattern>& patterns, RankBy by) {
  const auto weight = [&](const CommunicationPattern& pattern) -> std::uint64_t {
    switch (by) {
    case RankBy::kTraffic:
      return pattern.bytes + pattern.collective_bytes;
    case RankBy::kTime:
      return pattern.inside_ns;
    case RankBy::kFrequency:
      return pattern.executions;
    case RankBy::kRanks:
      return pattern.ranks;
    case RankBy::kLength:
      return pattern.events;
    }
    return 0;
  };
  const auto key = [&](const CommunicationPattern& pattern) {
    return std::tuple{weight(pattern), pattern.bytes, pattern.events, pattern.executions};
  };
  std::stable_sort(patterns.begin(), patterns.end(),
                   [&](const auto& a, const auto& b) { return key(b) < key(a); });
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
