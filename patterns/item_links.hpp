// SPDX-License-Identifier: Apache-2.0
// Which events of the ranks' streams belong together: messages, and operations of all.
#pragma once

#include "patterns/masters.hpp"
#include "rondo/patterns/process_patterns.hpp"
#include "rondo/trace/matching.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rondo::patterns::internal {

struct ItemRef {
  std::size_t stream = 0;
  std::size_t item = 0;
  friend auto operator<=>(const ItemRef&, const ItemRef&) = default;
};

struct Weight {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = ~std::uint64_t{0}; // of one message
  std::uint64_t most_bytes = 0;
};

/// Which items have messages for which, and which are partners in collectives.
class ItemLinks {
public:
  ItemLinks(const trace::Trace& trace, const ProcessPatterns& processes, MasterFinder& masters)
      : processes_(processes) {
    for (std::size_t s = 0; s < processes.streams.size(); ++s)
      stream_of_[{processes.streams[s].rank, processes.streams[s].thread}] = s;
    trace::MatchVisitor visitor;
    visitor.message = [&](const trace::Message& m) {
      masters.note(m);
      ItemRef from;
      ItemRef to;
      if (!find(m.send, from) || !find(m.receive, to)) return;
      Weight& weight = out_[from][to];
      ++weight.messages;
      weight.bytes += m.bytes;
      weight.least_bytes = std::min(weight.least_bytes, m.bytes);
      weight.most_bytes = std::max(weight.most_bytes, m.bytes);
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

  /// Both ways; at least 1.
  std::uint64_t messages_between(const ItemRef& a, const ItemRef& b) const {
    const auto sent = [&](const ItemRef& one, const ItemRef& other) {
      const auto found = from(one).find(other);
      return found == from(one).end() ? 0 : found->second.messages;
    };
    return std::max(sent(a, b) + sent(b, a), std::uint64_t{1});
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

} // namespace rondo::patterns::internal
