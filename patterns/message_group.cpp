// SPDX-License-Identifier: Apache-2.0
#include "patterns/message_group.hpp"

#include "rondo/base/units.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>

namespace rondo::patterns::internal {
namespace {

class DisjointSets {
public:
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::size_t add() {
    parent_.push_back(parent_.size());
    return parent_.size() - 1;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

private:
  std::vector<std::size_t> parent_;
};

void number_depths(MessageGroup& group) {
  std::size_t first = PatternMessage::kNever;
  for (const GroupMessage& m : group.messages) {
    if (m.depth == 0) group.in_order = false;
    first = std::min(first, m.depth);
  }
  for (GroupMessage& m : group.messages) {
    m.depth = group.in_order ? m.depth - first + 1 : 0;
    group.depth = std::max(group.depth, m.depth);
  }
}

} // namespace

std::vector<Vertex> MessageGroup::permutation_at(std::size_t wanted) const {
  std::vector<Vertex> to(ranks.size(), -1);
  std::vector<bool> is_taken(ranks.size());
  std::size_t count = 0;
  for (const GroupMessage& m : messages) {
    if (m.depth != wanted) continue;
    const auto from = static_cast<std::size_t>(m.from);
    if (to[from] >= 0 || is_taken[static_cast<std::size_t>(m.to)]) return {};
    to[from] = m.to;
    is_taken[static_cast<std::size_t>(m.to)] = true;
    ++count;
  }
  if (count != ranks.size()) return {};
  return to;
}

bool MessageGroup::same_bytes() const {
  return std::all_of(messages.begin(), messages.end(),
                     [&](const GroupMessage& m) { return m.bytes == messages.front().bytes; });
}

std::vector<std::size_t> depths_of(const std::vector<PatternMessage>& messages) {
  std::map<std::int64_t, std::vector<std::size_t>> sent_by;
  for (std::size_t i = 0; i < messages.size(); ++i) sent_by[messages[i].from].push_back(i);
  const auto each_behind = [&](const PatternMessage& m, auto use) {
    const auto sends = sent_by.find(m.to);
    if (sends == sent_by.end()) return;
    for (const std::size_t next : sends->second) {
      if (messages[next].sent > m.received) use(next);
    }
  };
  std::vector<std::size_t> waits_for(messages.size());
  for (const PatternMessage& m : messages)
    each_behind(m, [&](std::size_t next) { ++waits_for[next]; });
  std::vector<std::size_t> deepest(messages.size());
  std::vector<std::size_t> depths(messages.size());
  std::deque<std::size_t> ready;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (waits_for[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t i = ready.front();
    ready.pop_front();
    depths[i] = deepest[i] + 1;
    each_behind(messages[i], [&](std::size_t next) {
      deepest[next] = std::max(deepest[next], depths[i]);
      if (--waits_for[next] == 0) ready.push_back(next);
    });
  }
  return depths;
}

std::vector<MessageGroup> groups_of(const std::vector<PatternMessage>& messages,
                                    const std::vector<std::size_t>& depths) {
  DisjointSets components;
  std::map<std::int64_t, std::size_t> node_of;
  const auto node = [&](std::int64_t rank) {
    const auto [at, is_new] = node_of.try_emplace(rank, 0);
    if (is_new) at->second = components.add();
    return at->second;
  };
  for (const PatternMessage& m : messages) {
    const std::size_t from = node(m.from);
    components.join(from, node(m.to));
  }
  std::vector<MessageGroup> groups;
  std::map<std::size_t, std::size_t> group_of; // by root of the component
  std::map<std::int64_t, std::pair<std::size_t, Vertex>> place; // of a rank
  for (const auto& [rank, at] : node_of) {
    const auto [group, is_new] = group_of.try_emplace(components.find(at), groups.size());
    if (is_new) groups.emplace_back();
    place[rank] = {group->second, groups[group->second].size()};
    groups[group->second].ranks.push_back(rank);
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const PatternMessage& m = messages[i];
    if (m.from == m.to) continue;
    const auto [group, from] = place[m.from];
    groups[group].messages.push_back({from, place[m.to].second, m.sent, m.received, m.bytes,
                                      m.times, depths[i], m.least_bytes, m.most_bytes, m.site});
  }
  for (MessageGroup& group : groups) number_depths(group);
  return groups;
}

std::string ranks_text(const std::vector<std::int64_t>& ranks) {
  const std::string text = trace::guard_text(trace::RankSet::of(ranks));
  return text.starts_with("ranks ") ? text.substr(6) : text;
}

std::pair<double, double> bytes_range(const MessageGroup& group) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const GroupMessage& m : group.messages) {
    least = std::min(least, m.least_bytes < 0 ? m.bytes : m.least_bytes);
    most = std::max(most, m.most_bytes < 0 ? m.bytes : m.most_bytes);
  }
  return {least, most};
}

std::string bytes_text(const MessageGroup& group) {
  const auto [light, heavy] = std::minmax_element(
      group.messages.begin(), group.messages.end(),
      [](const GroupMessage& a, const GroupMessage& b) { return a.bytes < b.bytes; });
  const auto [least, most] = bytes_range(group);
  const std::string low = human_bytes(least);
  const std::string high = human_bytes(most);
  if (human_bytes(light->bytes) != low || human_bytes(heavy->bytes) != high) {
    double sum = 0;
    for (const GroupMessage& m : group.messages) sum += m.bytes;
    const double mean = sum / static_cast<double>(group.messages.size());
    return low + " to " + high + ", " + human_bytes(mean) + " on average";
  }
  if (least == most) return low + " each";
  return low == high ? "about " + low + " each" : low + " to " + high;
}

} // namespace rondo::patterns::internal
