// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/pattern_groups.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <tuple>

namespace rondo::patterns {
namespace {

using Key = std::vector<std::int64_t>;

Key peers_of(const EventTable& events, Symbol symbol) {
  Key peers;
  events.for_each_message(symbol, [&](const Event& event) {
    peers.insert(peers.end(), {event.destination, event.source});
  });
  return peers;
}

// What a pattern does, but for the peers.
Key form_of(const EventTable& events, const Word& word) {
  Key form;
  for (const Symbol symbol : word) {
    form.push_back(events[symbol].function);
    events.for_each_message(symbol, [&](const Event& event) {
      form.insert(form.end(),
                  {event.made_by, event.root, event.send_tag, event.receive_tag, event.bytes});
    });
  }
  return form;
}

// The patterns of one form.
struct Form {
  std::vector<Key> peers; // of each event of the first pattern
  std::vector<bool> is_fixed; // whether they are these on all ranks, as "send 0" of a gather
  std::map<Key, std::size_t> groups;
};

void join(Form& form, const EventTable& events, const Word& word) {
  if (form.peers.empty()) {
    for (const Symbol symbol : word) form.peers.push_back(peers_of(events, symbol));
    form.is_fixed.assign(word.size(), true);
    return;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (form.is_fixed[i]) form.is_fixed[i] = peers_of(events, word[i]) == form.peers[i];
  }
}

// Peers that are not fixed, numbered in the order in which they come: that the next rank of a ring
// is the one that gathers too, on one rank, makes no difference.
Key roles_of(const EventTable& events, const Word& word, const std::vector<bool>& is_fixed) {
  Key roles;
  std::map<std::int64_t, std::int64_t> numbers;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (is_fixed[i]) continue;
    for (const std::int64_t peer : peers_of(events, word[i])) {
      const auto next = static_cast<std::int64_t>(numbers.size());
      roles.push_back(trace::is_special(peer) ? peer : numbers.emplace(peer, next).first->second);
    }
  }
  return roles;
}

Key offsets_of(const EventTable& events, const Word& word, const std::vector<bool>& is_fixed,
               std::int64_t rank) {
  Key offsets;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (is_fixed[i]) continue;
    for (const std::int64_t peer : peers_of(events, word[i]))
      offsets.push_back(trace::is_special(peer) ? peer : peer - rank);
  }
  return offsets;
}

void add(PatternGroup& group, const StreamPatterns& stream, const ProcessPattern& pattern) {
  group.length = pattern.word.size();
  group.executions = std::max(group.executions, pattern.executions);
  group.places = std::max(group.places, pattern.places.size());
  group.bytes += pattern.bytes;
  group.inside_ns += pattern.inside_ns;
  group.calls += pattern.calls;
  group.is_tandem = group.is_tandem || pattern.tandem > 0;
  group.is_maximal = group.is_maximal || pattern.is_maximal;
  group.is_supermaximal =
      pattern.is_supermaximal && (group.members.empty() || group.is_supermaximal);
  if (!group.ranks.contains(stream.rank)) group.ranks.add(trace::RankSet::of({stream.rank}));
}

} // namespace

std::vector<PatternGroup> groups_of(const ProcessPatterns& found) {
  std::map<Key, Form> forms;
  std::vector<Form*> form_of_each; // pattern
  for (const StreamPatterns& stream : found.streams) {
    for (const ProcessPattern& pattern : stream.patterns) {
      Form& form = forms[form_of(found.events, pattern.word)];
      join(form, found.events, pattern.word);
      form_of_each.push_back(&form);
    }
  }
  std::vector<PatternGroup> groups;
  std::vector<Key> offsets; // of the first member of each
  std::size_t next = 0;
  for (std::size_t s = 0; s < found.streams.size(); ++s) {
    const StreamPatterns& stream = found.streams[s];
    for (std::size_t p = 0; p < stream.patterns.size(); ++p) {
      const Word& word = stream.patterns[p].word;
      Form& form = *form_of_each[next++];
      const auto [entry, is_new] =
          form.groups.emplace(roles_of(found.events, word, form.is_fixed), groups.size());
      Key own = offsets_of(found.events, word, form.is_fixed, stream.rank);
      if (is_new) {
        groups.emplace_back().same_offsets = true;
        groups.back().is_fixed = form.is_fixed;
        offsets.push_back(own);
      }
      PatternGroup& group = groups[entry->second];
      group.same_offsets = group.same_offsets && own == offsets[entry->second];
      add(group, stream, stream.patterns[p]);
      group.members.push_back({s, p});
    }
  }
  return groups;
}

std::vector<PatternGroup> ranked(std::vector<PatternGroup> groups, RankBy by) {
  const auto weight = [&](const PatternGroup& group) -> std::uint64_t {
    switch (by) {
    case RankBy::kTraffic:
      return group.bytes;
    case RankBy::kTime:
      return group.inside_ns;
    case RankBy::kFrequency:
      return group.executions;
    case RankBy::kRanks:
      return static_cast<std::uint64_t>(group.ranks.size());
    case RankBy::kLength:
      return group.length;
    }
    return 0;
  };
  sort_stably(groups.begin(), groups.end(), [&](const PatternGroup& a, const PatternGroup& b) {
    return std::tuple{weight(b), b.bytes, b.calls, b.length} <
           std::tuple{weight(a), a.bytes, a.calls, a.length};
  });
  return groups;
}

std::string word_text(const ProcessPatterns& found, const PatternGroup& group, std::size_t most) {
  const StreamPatterns& stream = found.streams[group.members.front().stream];
  const ProcessPattern& pattern = stream.patterns[group.members.front().pattern];
  const PatternPlace& place = pattern.places.front();
  // How often an event is executed for one execution of the pattern; 0 if that varies.
  const auto times = [&](std::size_t i) {
    const std::uint64_t executions = stream.items[place.item + i].executions;
    return executions % place.executions == 0 ? executions / place.executions : 0;
  };
  std::string text;
  const std::size_t shown = std::min(most, pattern.word.size());
  for (std::size_t i = 0; i < shown;) {
    std::size_t end = i + 1;
    while (end < shown && times(end) == times(i)) ++end;
    std::string piece;
    for (std::size_t k = i; k < end; ++k) {
      const bool is_relative = group.same_offsets && !group.is_fixed[k];
      piece += (k == i ? "" : ", ") +
               found.events.text_of(pattern.word[k], is_relative ? stream.rank : -1);
    }
    if (times(i) == 0) piece = "varying x {" + piece + "}";
    if (times(i) > 1) piece = fmt::format("{} x {{{}}}", times(i), piece);
    text += (i == 0 ? "" : ", ") + piece;
    i = end;
  }
  if (shown < pattern.word.size()) text += fmt::format(", {} more", pattern.word.size() - shown);
  return text;
}

} // namespace rondo::patterns
