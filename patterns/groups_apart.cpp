// SPDX-License-Identifier: Apache-2.0
#include "patterns/groups_apart.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace rondo::patterns::internal {
namespace {

using Statements = std::vector<std::uint32_t>; // places in the program of all ranks

// What the ranks of a pattern execute, whichever of them does, and how often. Groups at the border
// of a grid may be smaller than others, so the number of ranks is no part of it.
struct GroupWork {
  std::set<Statements> statements; // empty: not all of them are known
  std::uint64_t executions = 0;
  std::size_t places = 0;
  friend auto operator<=>(const GroupWork&, const GroupWork&) = default;
};

GroupWork work_of(const ProcessPatterns& processes, const CommunicationPattern& pattern) {
  GroupWork work{{}, pattern.executions, pattern.places.size()};
  for (const PatternPart& part : pattern.parts) {
    const std::vector<std::uint32_t>& place_of = processes.streams[part.stream].place_of;
    if (place_of.size() < part.first + part.length) return {};
    const auto first = place_of.begin() + static_cast<std::ptrdiff_t>(part.first);
    Statements statements(first, first + static_cast<std::ptrdiff_t>(part.length));
    if (std::find(statements.begin(), statements.end(), 0u) != statements.end()) return {};
    work.statements.insert(std::move(statements));
  }
  return work;
}

bool have_common_stream(const CommunicationPattern& one, const CommunicationPattern& other) {
  std::set<std::size_t> streams;
  for (const PatternPart& part : one.parts) streams.insert(part.stream);
  return std::any_of(other.parts.begin(), other.parts.end(),
                     [&](const PatternPart& part) { return streams.contains(part.stream); });
}

void add(CommunicationPattern& sum, const CommunicationPattern& other) {
  const std::size_t parts = sum.parts.size();
  sum.parts.insert(sum.parts.end(), other.parts.begin(), other.parts.end());
  for (PatternLink link : other.links) {
    link.from += parts;
    link.to += parts;
    sum.links.push_back(link);
  }
  sum.messages += other.messages;
  sum.bytes += other.bytes;
  sum.collective_bytes += other.collective_bytes;
  sum.inside_ns += other.inside_ns;
  sum.events += other.events;
  sum.ranks += other.ranks;
}

// By rank again, as parts of any pattern are.
void put_in_order(CommunicationPattern& pattern) {
  std::vector<std::size_t> order(pattern.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return pattern.parts[a].stream < pattern.parts[b].stream;
  });
  std::vector<PatternPart> parts;
  std::vector<std::size_t> now_at(order.size());
  for (const std::size_t old : order) {
    now_at[old] = parts.size();
    parts.push_back(pattern.parts[old]);
  }
  pattern.parts = std::move(parts);
  for (PatternLink& link : pattern.links) {
    link.from = now_at[link.from];
    link.to = now_at[link.to];
  }
  sort_stably(pattern.links.begin(), pattern.links.end(),
              [](const PatternLink& a, const PatternLink& b) {
                return std::tie(a.from, a.from_event) < std::tie(b.from, b.from_event);
              });
}

} // namespace

std::vector<CommunicationPattern> with_groups_joined(const ProcessPatterns& processes,
                                                     std::vector<CommunicationPattern> patterns) {
  std::vector<CommunicationPattern> joined;
  std::map<GroupWork, std::size_t> known;
  for (CommunicationPattern& pattern : patterns) {
    GroupWork work = work_of(processes, pattern);
    if (!work.statements.empty()) {
      const auto [same, is_new] = known.try_emplace(std::move(work), joined.size());
      if (!is_new && !have_common_stream(joined[same->second], pattern)) {
        add(joined[same->second], pattern);
        continue;
      }
    }
    joined.push_back(std::move(pattern));
  }
  for (CommunicationPattern& pattern : joined) put_in_order(pattern);
  return joined;
}

} // namespace rondo::patterns::internal
