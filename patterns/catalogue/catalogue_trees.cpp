// SPDX-License-Identifier: Apache-2.0
// Shapes with a root: broadcast and reduction over trees, scatter and gather by one rank, master
// and workers.
#include "patterns/message_group.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace rondo::patterns::internal {
namespace {

// A rooted tree: the parent of each vertex, -1 for the root.
using Parents = std::vector<Vertex>;

// Vertices from the root on, so that parents come before children; empty if it is no tree.
std::vector<Vertex> from_root(const Parents& parents) {
  std::vector<std::vector<Vertex>> children(parents.size());
  std::vector<Vertex> order;
  for (std::size_t v = 0; v < parents.size(); ++v) {
    if (parents[v] < 0)
      order.push_back(static_cast<Vertex>(v));
    else
      children[index(parents[v])].push_back(static_cast<Vertex>(v));
  }
  if (order.size() != 1) return {};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Vertex child : children[index(order[i])]) order.push_back(child);
  }
  return order.size() == parents.size() ? order : std::vector<Vertex>{};
}

// Numbers for the shapes of trees: equal if and only if the trees are.
class TreeShapes {
public:
  std::size_t of(const Parents& parents) {
    const auto order = from_root(parents);
    std::vector<std::vector<std::size_t>> below(parents.size());
    std::size_t shape = 0;
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
      auto& children = below[index(*v)];
      std::sort(children.begin(), children.end());
      shape = numbers_.try_emplace(std::move(children), numbers_.size()).first->second;
      if (parents[index(*v)] >= 0) below[index(parents[index(*v)])].push_back(shape);
    }
    return shape;
  }

private:
  std::map<std::vector<std::size_t>, std::size_t> numbers_;
};

template <class ParentOf> Parents reference(std::size_t size, ParentOf parent_of) {
  Parents parents(size, -1);
  for (std::size_t v = 1; v < size; ++v) parents[v] = static_cast<Vertex>(parent_of(v));
  return parents;
}

std::size_t without_highest_bit(std::size_t v) {
  std::size_t bit = 1;
  while (bit * 2 <= v) bit *= 2;
  return v - bit;
}

enum class TreeKind : std::uint8_t { kBinomial, kBinary };

// Nothing for other trees.
std::optional<TreeKind> kind_of(const Parents& parents) {
  const std::size_t size = parents.size();
  TreeShapes shapes;
  const std::size_t shape = shapes.of(parents);
  const auto is = [&](auto parent_of) { return shapes.of(reference(size, parent_of)) == shape; };
  if (is([](std::size_t v) { return v & (v - 1); }) || is(without_highest_bit))
    return TreeKind::kBinomial;
  if (is([](std::size_t v) { return (v - 1) / 2; })) return TreeKind::kBinary;
  return {};
}

// Parents by who sends to whom; empty if the messages are no tree in that direction.
Parents parents_of(const MessageGroup& group, bool is_down) {
  const std::size_t size = group.ranks.size();
  Parents parents(size, -1);
  if (group.messages.size() + 1 != size) return {};
  for (const GroupMessage& m : group.messages) {
    const Vertex child = is_down ? m.to : m.from;
    if (parents[index(child)] >= 0) return {};
    parents[index(child)] = is_down ? m.from : m.to;
  }
  return from_root(parents).empty() ? Parents{} : parents;
}

// Each rank sends after it has received everything.
bool receives_first(const MessageGroup& group) {
  std::vector<std::uint64_t> first(group.ranks.size(), PatternMessage::kNever);
  for (const GroupMessage& m : group.messages)
    first[index(m.from)] = std::min(first[index(m.from)], m.sent);
  return std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
    return m.received < first[index(m.to)] || first[index(m.to)] == PatternMessage::kNever;
  });
}

bool by_subtree(const MessageGroup& group, const Parents& parents, bool is_down) {
  std::vector<double> size(parents.size(), 1);
  const auto order = from_root(parents);
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    if (parents[index(*v)] >= 0) size[index(parents[index(*v)])] += size[index(*v)];
  }
  const auto unit = [&](const GroupMessage& m) {
    return m.bytes / size[index(is_down ? m.to : m.from)];
  };
  return group.messages.front().bytes > 0 &&
         std::all_of(group.messages.begin(), group.messages.end(), [&](const GroupMessage& m) {
           return unit(m) == unit(group.messages.front());
         });
}

std::optional<Shape> star(const MessageGroup& group, bool is_down) {
  Shape shape{is_down ? PatternName::kScatter : PatternName::kGather,
              is_down ? "scatter" : "gather",
              "by point-to-point messages",
              {},
              std::string(is_down ? mpi::Scatter : mpi::Gather),
              -1};
  if (!group.same_bytes()) {
    shape.collective += "v";
  } else {
    shape.collective += is_down ? " (or MPI_Bcast, if all get the same)"
                                : " (or MPI_Reduce, if what arrives is combined)";
  }
  shape.evidence.push_back(is_down ? "one rank sends once to each other one, nobody else sends"
                                   : "each rank sends once to the same one, which sends nothing");
  shape.evidence.push_back("messages of " + bytes_text(group));
  return shape;
}

// Of three ranks on a chain the one in the middle has both others as neighbours. Messages of two
// statements, one to each side, are those of an exchange; a scatter or gather has one for all.
bool are_both_sides_of_chain(const MessageGroup& group) {
  return group.size() == 3 && group.messages.size() == 2 &&
         std::all_of(group.messages.begin(), group.messages.end(),
                     [](const GroupMessage& m) {
                       return m.site != 0 && std::min(m.from, m.to) + 1 == std::max(m.from, m.to);
                     }) &&
         group.messages[0].site != group.messages[1].site;
}

} // namespace

std::optional<Shape> tree(const MessageGroup& group) {
  if (group.size() < 3 || are_both_sides_of_chain(group)) return {};
  const auto down = parents_of(group, true);
  const auto up = down.empty() ? parents_of(group, false) : Parents{};
  const bool is_down = !down.empty();
  const Parents& parents = is_down ? down : up;
  if (parents.empty() || !receives_first(group)) return {};
  const auto root = from_root(parents).front();
  const auto children = static_cast<std::size_t>(std::count(parents.begin(), parents.end(), root));
  std::optional<Shape> shape;
  if (children + 1 == parents.size()) {
    shape = star(group, is_down);
    shape->root = root;
    return shape;
  }
  const auto kind = kind_of(parents);
  if (!kind) return {};
  const PatternName name =
      *kind == TreeKind::kBinomial
          ? (is_down ? PatternName::kBinomialTreeBroadcast : PatternName::kBinomialTreeReduce)
          : (is_down ? PatternName::kBinaryTreeBroadcast : PatternName::kBinaryTreeReduce);
  shape = Shape{name, std::string(to_text(name)), fmt::format("of depth {}", group.depth), {}, "",
                root};
  shape->collective = is_down ? mpi::Bcast : mpi::Reduce;
  shape->evidence.push_back(is_down ? "each rank hears from one and then sends to its children"
                                    : "each rank hears from its children and then sends to one");
  if (group.same_bytes()) {
    shape->evidence.push_back("the same size everywhere: " + bytes_text(group));
  } else if (by_subtree(group, parents, is_down)) {
    shape->what = *kind == TreeKind::kBinomial ? "binomial tree" : "binary tree";
    shape->what += is_down ? " scatter" : " gather";
    shape->collective = is_down ? mpi::Scatter : mpi::Gather;
    shape->evidence.push_back("sizes are those of the ranks below: " + bytes_text(group));
  } else {
    shape->collective.clear();
    shape->evidence.push_back("sizes differ: " + bytes_text(group));
  }
  if (parents.size() == 4)
    shape->evidence.push_back("of 4 ranks, binomial and binary tree are the same");
  return shape;
}

namespace {

bool is_swap(const PatternMessage& there, const PatternMessage& back) {
  return there.sent < back.received && back.sent < there.received &&
         std::max(there.received, back.received) != PatternMessage::kNever;
}

// Whether a rank answers one of two others before it has heard from the other one, which it answers
// as well: it exchanges with each of them in turn.
bool answers_each_in_turn(const std::vector<PatternMessage>& messages, std::int64_t root) {
  std::map<std::int64_t, std::uint64_t> heard; // last, by whom
  std::map<std::int64_t, std::uint64_t> answered; // first
  for (const PatternMessage& m : messages) {
    if (m.received == PatternMessage::kNever) continue;
    if (m.to == root) heard[m.from] = std::max(heard[m.from], m.received);
    if (m.from == root) answered.try_emplace(m.to, m.sent);
  }
  if (heard.size() != 2 || answered.size() != 2) return false;
  const auto [p, last_of_p] = *heard.begin();
  const auto [q, last_of_q] = *heard.rbegin();
  if (!answered.contains(p) || !answered.contains(q)) return false;
  const bool are_answers = last_of_p < answered[p] && last_of_q < answered[q];
  return are_answers && (answered[p] < last_of_q || answered[q] < last_of_p);
}

} // namespace

void drop_pieces_of_exchanges(const std::vector<PatternMessage>& messages,
                              std::vector<NamedPhase>& phases) {
  using Pair = std::pair<std::int64_t, std::int64_t>;
  std::map<Pair, std::vector<const PatternMessage*>> sent;
  const auto is_star = [](const NamedPhase& phase) {
    return phase.name == PatternName::kScatter || phase.name == PatternName::kGather;
  };
  if (std::none_of(phases.begin(), phases.end(), is_star)) return;
  for (const PatternMessage& m : messages) sent[{m.from, m.to}].push_back(&m);
  // Whether each of two ranks sends before it has what the other one sends, and then waits for it.
  const auto is_swapped = [&](const Pair& pair) {
    const auto there = sent.find(pair);
    const auto back = sent.find({pair.second, pair.first});
    if (there == sent.end() || back == sent.end()) return false;
    return std::any_of(there->second.begin(), there->second.end(), [&](const auto* one) {
      return std::any_of(back->second.begin(), back->second.end(),
                         [&](const auto* other) { return is_swap(*one, *other); });
    });
  };
  std::erase_if(phases, [&](const NamedPhase& phase) {
    if (!is_star(phase)) return false;
    const bool is_in_turn = std::all_of(phase.pairs.begin(), phase.pairs.end(), [&](auto pair) {
      const bool is_down = phase.name == PatternName::kScatter;
      return answers_each_in_turn(messages, is_down ? pair.first : pair.second);
    });
    if (is_in_turn) return true; // three ranks of a chain
    const auto swapped = std::count_if(phase.pairs.begin(), phase.pairs.end(), is_swapped);
    return 2 * swapped > static_cast<std::ptrdiff_t>(phase.pairs.size());
  });
}

// Three ranks would be the same as a chain.
std::optional<Shape> master_worker(const MessageGroup& group) {
  const std::size_t size = group.ranks.size();
  if (size < 4) return {};
  std::vector<std::size_t> partners(size);
  std::map<std::pair<Vertex, Vertex>, const GroupMessage*> first;
  for (const GroupMessage& m : group.messages) {
    if (first.try_emplace({m.from, m.to}, &m).second) ++partners[index(m.from)];
  }
  const auto most = std::max_element(partners.begin(), partners.end());
  if (*most != size - 1) return {};
  const auto master = static_cast<Vertex>(most - partners.begin());
  std::uint64_t first_sent = PatternMessage::kNever;
  std::uint64_t last_received = 0;
  std::size_t replies = 0;
  for (const GroupMessage& m : group.messages) {
    if (m.from != master && m.to != master) return {};
    if (m.from == master) first_sent = std::min(first_sent, m.sent);
    if (m.to != master) continue;
    if (m.received == PatternMessage::kNever) return {};
    last_received = std::max(last_received, m.received);
    const auto reply = first.find({master, m.from});
    if (reply == first.end()) return {};
    replies += reply->second->sent > m.received ? 1 : 0;
  }
  if (first.size() != 2 * (size - 1) || first_sent > last_received || 2 * replies < size - 1)
    return {};
  Shape shape{PatternName::kMasterWorker, "master and workers", "", {}, "", master};
  shape.evidence.push_back("one rank talks to all others, which talk to nobody else");
  shape.evidence.push_back(
      fmt::format("it hears from one and answers before it has heard from the last; {} of its "
                  "messages follow one from the same worker",
                  replies));
  return shape;
}

} // namespace rondo::patterns::internal
