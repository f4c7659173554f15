// SPDX-License-Identifier: Apache-2.0
#include "patterns/groups_apart.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
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

// What a pattern of two ranks is to one of them: it does one thing to another rank, again and
// again.
struct Spoke {
  std::size_t hub_item = 0;
  std::size_t pattern = 0;
  std::size_t hub_part = 0; // 0 or 1
};

// By the hub, what it and the others do, and how often.
using SpokeKind = std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint64_t>;
using Spokes = std::map<SpokeKind, std::vector<Spoke>>;

Spokes spokes_among(const ProcessPatterns& processes,
                    const std::vector<CommunicationPattern>& patterns) {
  Spokes spokes;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::vector<PatternPart>& parts = patterns[i].parts;
    if (parts.size() != 2 || parts[0].length != 1 || parts[1].length != 1 ||
        patterns[i].places.size() != 1)
      continue;
    const auto function_of = [&](const PatternPart& part) {
      const Symbol symbol = processes.streams[part.stream].items[part.first].symbol;
      return static_cast<std::uint32_t>(processes.events[symbol].function);
    };
    for (const std::size_t hub : {0u, 1u}) {
      const PatternPart& other = parts[1 - hub];
      spokes[{parts[hub].stream, function_of(parts[hub]), function_of(other),
              patterns[i].executions}]
          .push_back({parts[hub].first, i, hub});
    }
  }
  return spokes;
}

// One for all spokes, which follow each other in what the hub does.
CommunicationPattern star_of(std::span<const Spoke> spokes,
                             const std::vector<CommunicationPattern>& patterns) {
  CommunicationPattern star;
  star.executions = patterns[spokes.front().pattern].executions;
  PatternPart hub = patterns[spokes.front().pattern].parts[spokes.front().hub_part];
  hub.length = spokes.size();
  star.parts.push_back(hub);
  for (std::size_t i = 0; i < spokes.size(); ++i) {
    const auto& [item, pattern, hub_part] = spokes[i];
    CommunicationPattern spoke = patterns[pattern];
    for (PatternLink& link : spoke.links) {
      (link.from == hub_part ? link.from_event : link.to_event) += i;
      link.from = link.from == hub_part ? 0 : 1;
      link.to = 1 - link.from;
      (link.from == 1 ? link.from : link.to) = star.parts.size();
      star.links.push_back(link);
    }
    star.parts.push_back(spoke.parts[1 - hub_part]);
    spoke.parts.clear();
    spoke.links.clear();
    add(star, spoke);
  }
  star.ranks = star.parts.size();
  put_in_order(star);
  star.places = {star.parts.front()};
  return star;
}

// The longest first; no pattern is in two of them.
std::vector<std::vector<Spoke>> runs_of_spokes(Spokes&& spokes) {
  std::vector<std::vector<Spoke>> runs;
  for (auto& [kind, of_kind] : spokes) {
    std::sort(of_kind.begin(), of_kind.end(),
              [](const Spoke& a, const Spoke& b) { return a.hub_item < b.hub_item; });
    std::vector<Spoke> run;
    for (const Spoke& spoke : of_kind) {
      if (!run.empty() && spoke.hub_item != run.back().hub_item + 1)
        runs.push_back(std::exchange(run, {}));
      run.push_back(spoke);
    }
    runs.push_back(std::move(run));
  }
  std::erase_if(runs, [](const auto& run) { return run.size() < 2; });
  sort_stably(runs.begin(), runs.end(),
              [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return runs;
}

// A rank that sends to each of the others in turn, to each as often, deals out, and is no pattern
// with each of them: "send 1, send 1, send 2, send 2" of two messages for each.
std::vector<CommunicationPattern> with_stars_joined(const ProcessPatterns& processes,
                                                    std::vector<CommunicationPattern> patterns) {
  std::vector<bool> is_joined(patterns.size());
  std::map<std::size_t, CommunicationPattern> stars; // by their first pattern
  for (const std::vector<Spoke>& run : runs_of_spokes(spokes_among(processes, patterns))) {
    std::set<std::size_t> others;
    for (const Spoke& spoke : run)
      others.insert(patterns[spoke.pattern].parts[1 - spoke.hub_part].stream);
    const bool is_star =
        others.size() == run.size() &&
        std::none_of(run.begin(), run.end(), [&](const Spoke& s) { return is_joined[s.pattern]; });
    if (!is_star) continue;
    std::size_t first = run.front().pattern;
    for (const Spoke& spoke : run) {
      is_joined[spoke.pattern] = true;
      first = std::min(first, spoke.pattern);
    }
    stars.emplace(first, star_of(run, patterns));
  }
  std::vector<CommunicationPattern> result;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (const auto star = stars.find(i); star != stars.end()) {
      result.push_back(std::move(star->second));
    } else if (!is_joined[i]) {
      result.push_back(std::move(patterns[i]));
    }
  }
  return result;
}

} // namespace

std::vector<CommunicationPattern> with_groups_joined(const ProcessPatterns& processes,
                                                     std::vector<CommunicationPattern> patterns) {
  std::vector<CommunicationPattern> joined;
  std::map<GroupWork, std::size_t> known;
  for (CommunicationPattern& pattern : with_stars_joined(processes, std::move(patterns))) {
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
