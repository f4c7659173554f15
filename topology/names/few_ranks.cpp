// SPDX-License-Identifier: Apache-2.0
#include "topology/names/few_ranks.hpp"

#include "topology/match.hpp"
#include "topology/names/plain_names.hpp"
#include "topology/recognisers/trees.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace rondo::topology::internal {
namespace {

// A hypercube of the first ranks; each of the others has a partner among these.
bool is_doubling_of_the_first(const Adjacency& graph) {
  const Vertex n = graph.vertices();
  const auto core = static_cast<Vertex>(std::bit_floor(static_cast<std::uint32_t>(n)));
  std::vector<Edge> edges;
  for (Vertex v = 0; v < core; ++v) {
    for (Vertex bit = 1; bit < core; bit *= 2) {
      if ((v & bit) == 0) edges.emplace_back(v, v | bit);
    }
  }
  for (Vertex v = core; v < n; ++v) edges.emplace_back(v - core, v);
  return graph == Adjacency::from_edges(n, std::move(edges));
}

bool is_named_tree(const Topology& t) {
  return t.kind == TopologyKind::kHeapTree || t.kind == TopologyKind::kBinomialTree;
}

// Who only sends, or only receives, if messages of all other ranks lead to it or come from it.
std::optional<Vertex> root_of(const Graph& graph) {
  const Vertex n = graph.ranks();
  std::vector<Vertex> out(at(n)), in(at(n)); // partners that a rank sends to, and receives from
  for (Vertex v = 0; v < n; ++v) {
    std::int64_t arc = graph.adjacency().row_begin(v);
    for (const Vertex w : graph.adjacency().neighbours(v)) {
      if (graph.sent(arc++).messages == 0) continue;
      ++out[at(v)];
      ++in[at(w)];
    }
  }
  for (const auto& ways : {in, out}) {
    if (std::count(ways.begin(), ways.end(), 1) != n - 1) continue;
    const auto root = std::find(ways.begin(), ways.end(), 0);
    if (root != ways.end()) return static_cast<Vertex>(root - ways.begin());
  }
  return std::nullopt;
}

bool take_if_rooted(const Adjacency& graph, Topology name, Vertex root, Recognition& recognition) {
  for (int i = 0; i < (name.kind == TopologyKind::kBinomialTree ? 2 : 1); ++i) {
    auto cells = find_tree_isomorphism(graph, reference_graph(name));
    if (cells && (*cells)[at(root)] == 0) {
      recognition.topology = std::move(name);
      recognition.cells = std::move(*cells);
      return true;
    }
    name.clears_highest_bit = !name.clears_highest_bit;
  }
  return false;
}

} // namespace

bool is_doubling_of_ranks(const Adjacency& graph) {
  const Topology doubling{.kind = TopologyKind::kRecursiveDoubling, .ranks = graph.vertices()};
  return graph == reference_graph(doubling) || is_doubling_of_the_first(graph);
}

void refuse_bits_in_an_odd_order(const Adjacency& graph, Recognition& recognition) {
  constexpr Vertex kFewRanks = 8;
  const Topology& t = recognition.topology;
  if (recognition.copies != 1 || t.ranks != graph.vertices() || t.ranks >= kFewRanks) return;
  if (t.kind == TopologyKind::kIncompleteHypercube && !(graph == reference_graph(t)))
    make_irregular(recognition);
}

void root_tree_by_messages(const Graph& graph, Recognition& recognition) {
  if (recognition.copies != 1 || recognition.topology.ranks != graph.ranks() ||
      !is_named_tree(recognition.topology))
    return;
  const std::optional<Vertex> root = root_of(graph);
  if (!root || recognition.cells[at(*root)] == 0) return;
  std::vector<Topology> names = {recognition.topology};
  names.insert(names.end(), recognition.aliases.begin(), recognition.aliases.end());
  recognition.aliases.clear();
  recognition.numbering = {};
  for (const Topology& name : names) {
    if (is_named_tree(name) && take_if_rooted(graph.adjacency(), name, *root, recognition)) return;
  }
  recognition.topology = {.kind = TopologyKind::kTree, .ranks = graph.ranks()};
  recognition.cells.clear();
}

} // namespace rondo::topology::internal
