// SPDX-License-Identifier: Apache-2.0
#include "logical/places/irregular_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::logical::internal {
namespace {

using Layers = std::vector<std::size_t>;
using Pair = std::pair<std::int64_t, std::int64_t>;

// Messages of a call by sender and receiver, which are ranks.
using Messages = std::map<Pair, std::uint64_t>;

bool goes_round_neighbours(const Messages& messages) {
  return std::all_of(messages.begin(), messages.end(), [&](const auto& one) {
    return one.second == messages.begin()->second &&
           messages.contains({one.first.second, one.first.first});
  });
}

std::string list_of(const std::vector<topology::Vertex>& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += (i == 0 ? "" : i + 1 < steps.size() ? ", " : " and ") + std::to_string(steps[i]);
  return text;
}

std::string name_of(const topology::Adjacency& graph) {
  constexpr std::size_t kMostListed = 6; // steps
  const topology::Vertex ranks = graph.vertices();
  if (const auto steps = band_steps(graph); !steps.empty())
    return fmt::format("band of {} ranks with steps {}", ranks, list_of(steps));
  const auto steps = ring_steps(graph);
  if (steps.empty()) return fmt::format("irregular graph of {} ranks", ranks);
  return steps.size() > kMostListed
             ? fmt::format("ring of {} ranks with {} steps", ranks, steps.size())
             : fmt::format("ring of {} ranks with steps {}", ranks, list_of(steps));
}

Messages messages_of(const matrix::LayeredTraffic& layered, const Layers& layers,
                     const std::vector<std::int64_t>& rank_of) {
  Messages messages;
  for (const std::size_t layer : layers) {
    for (const matrix::MatrixEntry& entry : layered.layers[layer].entries) {
      const std::int64_t from = rank_of[static_cast<std::size_t>(entry.source)];
      const std::int64_t to = rank_of[static_cast<std::size_t>(entry.destination)];
      messages[{from, to}] += entry.messages;
    }
  }
  return messages;
}

class TreeFinder {
public:
  TreeFinder(const Messages& messages, std::size_t ranks) : cells_(ranks, -1) {
    for (const auto& [pair, number] : messages) {
      const auto& [from, to] = pair;
      if (from == to) continue;
      neighbours_[from].insert(to);
      neighbours_[to].insert(from);
      receivers_of_[from].insert(to);
      senders_to_[to].insert(from);
    }
  }

  std::optional<IrregularGraph> find() {
    if (neighbours_.empty()) return std::nullopt;
    std::vector<std::int64_t> order{root()}; // parents first
    std::vector<topology::Edge> edges;
    cells_[static_cast<std::size_t>(order[0])] = 0;
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (const std::int64_t child : neighbours_.at(order[at])) {
        topology::Vertex& cell = cells_[static_cast<std::size_t>(child)];
        if (cell >= 0) continue; // the parent, or no tree
        cell = static_cast<topology::Vertex>(order.size());
        edges.push_back({static_cast<topology::Vertex>(at), cell});
        order.push_back(child);
      }
    }
    std::size_t ends = 0;
    for (const auto& [rank, all] : neighbours_) ends += all.size();
    if (order.size() != neighbours_.size() || ends != 2 * edges.size()) return std::nullopt;
    const auto size = static_cast<topology::Vertex>(order.size());
    topology::Topology found{.kind = topology::TopologyKind::kTree, .ranks = size};
    found.user = topology::Shared<topology::UserTopology>(
        {"tree", topology::Adjacency::from_edges(size, edges)});
    return IrregularGraph{std::move(found), std::move(cells_)};
  }

private:
  using Partners = std::map<std::int64_t, std::set<std::int64_t>>;

  std::int64_t root() const {
    for (const Partners* towards : {&receivers_of_, &senders_to_}) {
      const bool is_one_way = towards->size() + 1 == neighbours_.size() &&
                              std::all_of(towards->begin(), towards->end(),
                                          [](const auto& one) { return one.second.size() == 1; });
      if (!is_one_way) continue;
      for (const auto& [rank, all] : neighbours_)
        if (!towards->contains(rank)) return rank;
    }
    return neighbours_.begin()->first;
  }

  std::vector<topology::Vertex> cells_; // by rank
  Partners neighbours_;
  Partners receivers_of_;
  Partners senders_to_;
};

class IrregularGraphFinder {
public:
  IrregularGraphFinder(const matrix::LayeredTraffic& layered,
                       const std::vector<std::int64_t>& rank_of)
      : layered_(layered), rank_of_(rank_of) {}

  std::optional<IrregularGraph> find(const Layers& all) const {
    using Call = std::pair<std::uint32_t, const trace::CommDefinition*>;
    std::map<Call, Layers> by_call; // of the source
    for (const std::size_t layer : all)
      by_call[{layered_.layers[layer].site, layered_.layers[layer].comm}].push_back(layer);
    std::erase_if(by_call,
                  [&](const auto& call) { return !is_irregular(messages_of(call.second)); });
    Layers layers; // what such a call sends elsewhere in the run, too
    for (std::size_t i = 0; i < layered_.layers.size(); ++i) {
      if (by_call.contains({layered_.layers[i].site, layered_.layers[i].comm})) layers.push_back(i);
    }
    if (layers.empty()) return std::nullopt;
    return graph_of(messages_of(layers));
  }

private:
  Messages messages_of(const Layers& layers) const {
    return internal::messages_of(layered_, layers, rank_of_);
  }

  IrregularGraph graph_of(const Messages& messages) const {
    std::vector<topology::Vertex> cells(rank_of_.size(), -1);
    for (const auto& [pair, number] : messages) {
      cells[static_cast<std::size_t>(pair.first)] = 0;
      cells[static_cast<std::size_t>(pair.second)] = 0;
    }
    topology::Vertex active = 0;
    for (topology::Vertex& cell : cells) {
      if (cell == 0) cell = active++;
    }
    std::vector<topology::Edge> edges;
    for (const auto& [pair, number] : messages)
      edges.push_back({cells[static_cast<std::size_t>(pair.first)],
                       cells[static_cast<std::size_t>(pair.second)]});
    topology::Adjacency graph = topology::Adjacency::from_edges(active, edges);
    if (const auto steps = band_steps(graph); count_up(steps) && !goes_round_neighbours(messages))
      return {chain_of_radius(active, steps.back()), std::move(cells)};
    topology::Topology found{.kind = topology::TopologyKind::kUser, .ranks = active};
    std::string name = name_of(graph);
    found.user = topology::Shared<topology::UserTopology>({std::move(name), std::move(graph)});
    return {std::move(found), std::move(cells)};
  }

  // Few distances, or ranks with a partner or two, as in trees, say more than neighbours would. Of
  // calls by which all exchange as many messages with each partner fewer are enough: these go round
  // a list of neighbours, and no tree does that. If such are at each of few distances, all ranks
  // are, and the distances are as good as directions. Likewise if all ranks send as far round the
  // end, and as much.
  static bool is_irregular(const Messages& messages) {
    constexpr double kDistancesAPartner = 1.5;
    std::set<std::int64_t> distances;
    std::set<Pair> pairs;
    std::set<std::int64_t> ranks;
    Messages to_others;
    for (const auto& [pair, number] : messages) {
      const auto& [from, to] = pair;
      if (from == to) continue;
      distances.insert(to - from);
      pairs.emplace(std::min(from, to), std::max(from, to));
      ranks.insert({from, to});
      to_others.emplace(pair, number);
    }
    if (ranks.empty()) return false;
    if (are_shifts(to_others, ranks)) return true;
    const bool goes_round = goes_round_neighbours(to_others);
    const auto steps = steps_of_band(pairs, ranks);
    if (!steps.empty() && (goes_round || (count_up(steps) && is_even_by_distance(to_others))))
      return true;
    if (goes_round && has_gaps(pairs, static_cast<std::int64_t>(ranks.size()))) return true;
    const double fewest_partners = goes_round ? 2.2 : 3; // a rank
    const double many_distances = goes_round ? 6 : 8;
    const double partners =
        2.0 * static_cast<double>(pairs.size()) / static_cast<double>(ranks.size());
    return partners >= fewest_partners &&
           static_cast<double>(distances.size()) >
               std::max(many_distances, kDistancesAPartner * partners);
  }

  // Few ranks have few distances, however irregular they are: whether more than a fifth of the
  // pairs at such distances send nothing. Trees have too few pairs.
  static bool has_gaps(const std::set<Pair>& pairs, std::int64_t ranks) {
    constexpr double kMostOfThem = 0.8;
    std::set<std::int64_t> distances;
    for (const auto& [low, high] : pairs) distances.insert(high - low);
    std::int64_t room = 0;
    for (const std::int64_t distance : distances)
      room += std::max<std::int64_t>(ranks - distance, 0);
    return static_cast<std::int64_t>(pairs.size()) >= ranks &&
           static_cast<double>(pairs.size()) < kMostOfThem * static_cast<double>(room);
  }

  // Each by some distances that all ranks go, round the end, with as many messages.
  static bool are_shifts(const Messages& to_others, const std::set<std::int64_t>& ranks) {
    const auto size = static_cast<std::int64_t>(ranks.size());
    if (*ranks.rbegin() - *ranks.begin() + 1 != size) return false;
    std::map<std::int64_t, std::pair<std::int64_t, std::uint64_t>> by_distance; // ranks, messages
    for (const auto& [pair, number] : to_others) {
      auto& [senders, messages] = by_distance[(pair.second - pair.first + size) % size];
      if (senders++ == 0) messages = number;
      if (messages != number) return false;
    }
    return std::all_of(by_distance.begin(), by_distance.end(),
                       [&](const auto& one) { return one.second.first == size; });
  }

  // As many messages for all that go as far in one direction.
  static bool is_even_by_distance(const Messages& messages) {
    std::map<std::int64_t, std::uint64_t> of_distance;
    return std::all_of(messages.begin(), messages.end(), [&](const auto& one) {
      const std::int64_t distance = one.first.second - one.first.first;
      return of_distance.try_emplace(distance, one.second).first->second == one.second;
    });
  }

  static std::vector<topology::Vertex> steps_of_band(const std::set<Pair>& pairs,
                                                     const std::set<std::int64_t>& ranks) {
    if (*ranks.rbegin() - *ranks.begin() + 1 != static_cast<std::int64_t>(ranks.size())) return {};
    std::vector<topology::Edge> edges;
    for (const auto& [low, high] : pairs)
      edges.push_back({static_cast<topology::Vertex>(low - *ranks.begin()),
                       static_cast<topology::Vertex>(high - *ranks.begin())});
    return band_steps(
        topology::Adjacency::from_edges(static_cast<topology::Vertex>(ranks.size()), edges));
  }

  // 1, 2, 3: of such steps each has a name, where ranks do not just go round their neighbours.
  static bool count_up(const std::vector<topology::Vertex>& steps) {
    return steps.size() > 1 && steps.back() == static_cast<topology::Vertex>(steps.size());
  }

  // What more ranks with such steps are called: of few the recognition does not say so.
  static topology::Topology chain_of_radius(topology::Vertex ranks, topology::Vertex radius) {
    return {.kind = topology::TopologyKind::kStarStencil,
            .ranks = ranks,
            .dimensions = {{ranks, false}},
            .radius = radius};
  }

  const matrix::LayeredTraffic& layered_;
  const std::vector<std::int64_t>& rank_of_;
};

} // namespace

std::optional<IrregularGraph> irregular_graph(const matrix::LayeredTraffic& layered,
                                              const Layers& layers,
                                              const std::vector<std::int64_t>& rank_of) {
  return IrregularGraphFinder(layered, rank_of).find(layers);
}

std::optional<IrregularGraph> rooted_tree(const matrix::LayeredTraffic& layered,
                                          const Layers& layers,
                                          const std::vector<std::int64_t>& rank_of) {
  return TreeFinder(messages_of(layered, layers, rank_of), rank_of.size()).find();
}

std::vector<topology::Vertex> band_steps(const topology::Adjacency& graph) {
  constexpr std::size_t kMostSteps = 3;
  std::map<topology::Vertex, topology::Vertex> pairs; // by step
  for (topology::Vertex cell = 0; cell < graph.vertices(); ++cell) {
    for (const topology::Vertex to : graph.neighbours(cell)) {
      if (to > cell) ++pairs[to - cell];
    }
    if (pairs.size() > kMostSteps) return {};
  }
  std::vector<topology::Vertex> steps;
  for (const auto& [step, number] : pairs) {
    if (number != graph.vertices() - step) return {};
    steps.push_back(step);
  }
  return steps;
}

std::vector<topology::Vertex> ring_steps(const topology::Adjacency& graph) {
  const topology::Vertex ranks = graph.vertices();
  std::map<topology::Vertex, topology::Vertex> cells; // that have a neighbour so far up
  for (topology::Vertex cell = 0; cell < ranks; ++cell) {
    for (const topology::Vertex to : graph.neighbours(cell)) ++cells[(to - cell + ranks) % ranks];
  }
  if (static_cast<topology::Vertex>(cells.size()) + 1 >= ranks) return {}; // all to all
  std::vector<topology::Vertex> steps;
  for (const auto& [step, number] : cells) {
    if (number != ranks) return {};
    if (2 * step <= ranks) steps.push_back(step);
  }
  return steps;
}

} // namespace rondo::logical::internal
