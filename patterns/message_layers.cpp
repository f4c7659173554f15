// SPDX-License-Identifier: Apache-2.0
// What of a pattern comes before what, where sends do not wait: layers of messages such that each
// rank is done with one before the next.
#include "patterns/message_group.hpp"

#include <algorithm>
#include <map>

namespace rondo::patterns::internal {
namespace {

using Edges = std::vector<std::vector<std::size_t>>;

// Messages are the first nodes. Between two times of a rank stands one more node, behind what is at
// the first and before what is at the second.
Edges order_of(const std::vector<PatternMessage>& messages) {
  std::map<std::int64_t, std::map<std::uint64_t, std::vector<std::size_t>>> at; // rank, time
  for (std::size_t i = 0; i < messages.size(); ++i) {
    at[messages[i].from][messages[i].sent].push_back(i);
    at[messages[i].to][messages[i].received].push_back(i);
  }
  Edges edges(messages.size());
  for (const auto& [rank, times] : at) {
    std::size_t between = messages.size(); // none yet
    for (const auto& [time, here] : times) {
      if (between > messages.size())
        edges[between].insert(edges[between].end(), here.begin(), here.end());
      const std::size_t next = std::max(edges.size(), messages.size() + 1);
      edges.resize(next + 1);
      for (const std::size_t message : here) edges[message].push_back(next);
      if (between > messages.size()) edges[between].push_back(next);
      between = next;
    }
  }
  return edges;
}

/// Strongly connected components, in the order in which they must be (the last ones first).
/// @source [tarjan1972], with a stack of its own
class Components {
public:
  explicit Components(const Edges& edges) : edges_(edges) {
    of.assign(edges.size(), kNone);
    number_.assign(edges.size(), kNone);
    low_.resize(edges.size());
    for (std::size_t node = 0; node < edges.size(); ++node) {
      if (number_[node] == kNone) visit(node);
    }
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> of; // by node
  std::size_t count = 0;

private:
  void visit(std::size_t root) {
    std::vector<std::pair<std::size_t, std::size_t>> path; // node, next of its edges
    enter(root, path);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next < edges_[node].size()) {
        const std::size_t target = edges_[node][next++];
        if (number_[target] == kNone) {
          enter(target, path);
        } else if (of[target] == kNone) {
          low_[node] = std::min(low_[node], number_[target]);
        }
        continue;
      }
      const std::size_t done = node;
      path.pop_back();
      if (!path.empty()) low_[path.back().first] = std::min(low_[path.back().first], low_[done]);
      if (low_[done] == number_[done]) close(done);
    }
  }

  void enter(std::size_t node, std::vector<std::pair<std::size_t, std::size_t>>& path) {
    number_[node] = low_[node] = next_number_++;
    open_.push_back(node);
    path.emplace_back(node, 0);
  }

  void close(std::size_t root) {
    std::size_t node = kNone;
    do {
      node = open_.back();
      open_.pop_back();
      of[node] = count;
    } while (node != root);
    ++count;
  }

  const Edges& edges_;
  std::vector<std::size_t> number_;
  std::vector<std::size_t> low_;
  std::vector<std::size_t> open_;
  std::size_t next_number_ = 0;
};

} // namespace

std::vector<std::size_t> layers_of(const std::vector<PatternMessage>& messages) {
  const Edges edges = order_of(messages);
  const Components components(edges);
  std::vector<std::vector<std::size_t>> members(components.count);
  for (std::size_t node = 0; node < edges.size(); ++node)
    members[components.of[node]].push_back(node);
  std::vector<std::size_t> before(components.count); // layers of messages
  std::vector<std::size_t> layers(messages.size());
  for (std::size_t c = components.count; c > 0; --c) {
    const auto& nodes = members[c - 1];
    const bool has_messages =
        std::any_of(nodes.begin(), nodes.end(), [&](std::size_t n) { return n < messages.size(); });
    const std::size_t behind = before[c - 1] + (has_messages ? 1 : 0);
    for (const std::size_t node : nodes) {
      if (node < messages.size()) layers[node] = behind;
      for (const std::size_t next : edges[node]) {
        std::size_t& least = before[components.of[next]];
        if (components.of[next] != c - 1) least = std::max(least, behind);
      }
    }
  }
  return layers;
}

} // namespace rondo::patterns::internal
