// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/communication_patterns.hpp"

#include "rondo/trace/matching.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace rondo::patterns {
namespace {

struct ItemRef {
  std::size_t stream = 0;
  std::size_t item = 0;
  friend auto operator<=>(const ItemRef&, const ItemRef&) = default;
};

struct Weight {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Which items have messages for which, and which are partners in collectives.
class ItemLinks {
public:
  ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes) : processes_(processes) {
    for (std::size_t s = 0; s < processes.streams.size(); ++s)
      stream_of_[{processes.streams[s].rank, processes.streams[s].thread}] = s;
    trace::MatchVisitor visitor;
    visitor.message = [&](const trace::Message& m) {
      ItemRef from;
      ItemRef to;
      if (!find(m.send, from) || !find(m.receive, to)) return;
      Weight& weight = out_[from][to];
      ++weight.messages;
      weight.bytes += m.bytes;
      in_[to].insert(from);
    };
    visitor.collective = [&](const trace::CollectiveOperation& operation) {
      ItemRef first;
      ItemRef other;
      if (!find(operation.ends.front(), first)) return;
      for (const trace::MessageEnd& end : operation.ends.subspan(1)) {
        if (!find(end, other)) continue;
        out_[first].try_emplace(other);
        in_[other].insert(first);
      }
    };
    trace::match_messages(trace, visitor);
  }

  const std::map<ItemRef, Weight>& from(const ItemRef& item) const {
    static const std::map<ItemRef, Weight> kNone;
    const auto found = out_.find(item);
    return found == out_.end() ? kNone : found->second;
  }

  std::vector<ItemRef> partners(const ItemRef& item) const {
    std::vector<ItemRef> result;
    for (const auto& [to, weight] : from(item)) result.push_back(to);
    if (const auto found = in_.find(item); found != in_.end())
      result.insert(result.end(), found->second.begin(), found->second.end());
    return result;
  }

private:
  bool find(const trace::MessageEnd& end, ItemRef& item) const {
    const auto stream = stream_of_.find({end.rank, end.thread});
    if (stream == stream_of_.end()) return false;
    const auto& item_of = processes_.streams[stream->second].item_of_call;
    if (end.call >= item_of.size() || item_of[end.call] == CollapsedStream::kNoItem) return false;
    item = {stream->second, item_of[end.call]};
    return true;
  }

  const ProcessPatterns& processes_;
  std::map<std::pair<std::int64_t, std::uint32_t>, std::size_t> stream_of_;
  std::map<ItemRef, std::map<ItemRef, Weight>> out_;
  std::map<ItemRef, std::set<ItemRef>> in_;
};

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
    std::vector<CommunicationPattern> result;
    for (auto& [signature, pattern] : found_) result.push_back(std::move(pattern));
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
      return std::tuple{b.bytes, b.events, b.executions} <
             std::tuple{a.bytes, a.events, a.executions};
    });
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
      for (std::size_t i = 0; i < part.length; ++i) {
        for (const ItemRef& partner : links_.partners({part.stream, part.first + i})) {
          if (parts.contains(partner.stream)) continue;
          const PatternPart other = part_at(partner, seed);
          parts.emplace(partner.stream, other);
          open.push_back(other);
        }
      }
    }
    return parts;
  }

  // The place around an item that is most like the one that the search began with; the item alone
  // if it is in none.
  PatternPart part_at(const ItemRef& item, const PatternPart& seed) const {
    const StreamPatterns& stream = processes_.streams[item.stream];
    const auto off = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
    PatternPart best{item.stream, item.item, 1, stream.items[item.item].executions};
    auto least = std::tuple{~std::uint64_t{0}, ~std::uint64_t{0}};
    for (const ProcessPattern& pattern : stream.patterns) {
      for (const PatternPlace& place : pattern.places) {
        const PatternPart part{item.stream, place.item, pattern.word.size(), place.executions};
        if (!holds(part, item.item)) continue;
        const auto unlike = std::tuple{off(part.executions, seed.executions),
                                       std::uint64_t{off(part.length, seed.length)}};
        if (unlike < least) std::tie(least, best) = std::pair{unlike, part};
      }
    }
    return best;
  }

  void add(const std::map<std::size_t, PatternPart>& parts) {
    CommunicationPattern pattern;
    Signature signature;
    std::map<std::size_t, std::size_t> index; // stream -> part
    for (const auto& [s, part] : parts) {
      used_.insert(key_of(part));
      Word word;
      for (std::size_t i = 0; i < part.length; ++i)
        word.push_back(processes_.streams[s].items[part.first + i].symbol);
      signature.emplace_back(s, std::move(word));
      index.emplace(s, pattern.parts.size());
      pattern.parts.push_back(part);
      pattern.executions = std::max(pattern.executions, part.executions);
      pattern.events += part.length;
    }
    for (const auto& [s, part] : parts) {
      for (std::size_t i = 0; i < part.length; ++i) {
        for (const auto& [to, weight] : links_.from({s, part.first + i})) {
          const auto other = parts.find(to.stream);
          if (other == parts.end() || !holds(other->second, to.item)) continue;
          pattern.links.push_back({index[s], i, index[to.stream], to.item - other->second.first,
                                   weight.messages, weight.bytes});
          pattern.messages += weight.messages;
          pattern.bytes += weight.bytes;
        }
      }
    }
    if (pattern.parts.size() < 2) return;
    const auto [known, is_new] = found_.try_emplace(std::move(signature), pattern);
    if (!is_new) {
      known->second.executions += pattern.executions;
      known->second.messages += pattern.messages;
      known->second.bytes += pattern.bytes;
    }
    ++known->second.occurrences;
  }

  const ProcessPatterns& processes_;
  const ItemLinks& links_;
  std::set<PartKey> used_;
  std::map<Signature, CommunicationPattern> found_;
};

} // namespace

CommunicationPatterns communication_patterns(const trace::Trace& trace,
                                             const PatternOptions& options) {
  PatternOptions tracked = options;
  tracked.track = true;
  CommunicationPatterns result{process_patterns(trace, tracked), {}};
  const ItemLinks links(trace, result.processes);
  result.patterns = Assembly(result.processes, links).run();
  return result;
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
