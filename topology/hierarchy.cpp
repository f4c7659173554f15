// SPDX-License-Identifier: Apache-2.0
// Hierarchies are taken apart from below: the members are those that talk within their group only.
#include "topology/hierarchy.hpp"

#include "topology/connected.hpp"

#include <algorithm>

namespace rondo::topology::internal {
namespace {

struct Groups {
  std::vector<Vertex> leader_of; // vertex -> leader of its group
  Vertex size = 0;
  bool cliques = false;
};

// Every vertex with a leaf is a leader, and every leader has as many.
std::optional<Groups> stars(const Adjacency& graph) {
  Groups groups{std::vector<Vertex>(at(graph.vertices()), -1), 0, false};
  std::vector<Vertex> leaves(at(graph.vertices()), 0);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) != 1) continue;
    groups.leader_of[at(v)] = graph.neighbours(v)[0];
    ++leaves[at(graph.neighbours(v)[0])];
  }
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) == 1) continue;
    if (groups.size == 0) groups.size = leaves[at(v)] + 1;
    if (groups.size != leaves[at(v)] + 1) return std::nullopt;
    groups.leader_of[at(v)] = v;
  }
  if (groups.size < 2) return std::nullopt;
  return groups;
}

// The neighbourhood of a member is its group; only the leader has others beside.
std::optional<Vertex> leader_of_clique(const Adjacency& graph, Vertex member) {
  const Vertex least = graph.degree(member);
  std::optional<Vertex> leader;
  for (const Vertex v : graph.neighbours(member)) {
    if (graph.degree(v) > least) {
      if (leader) return std::nullopt;
      leader = v;
      continue;
    }
    for (const Vertex w : graph.neighbours(v)) {
      if (w != member && !graph.adjacent(member, w)) return std::nullopt;
    }
  }
  return leader;
}

std::optional<Groups> cliques(const Adjacency& graph) {
  Groups groups{std::vector<Vertex>(at(graph.vertices()), -1), 0, true};
  groups.size = graph.degree(least_degree_vertex(graph)) + 1;
  if (groups.size < 3) return std::nullopt;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) + 1 != groups.size || groups.leader_of[at(v)] >= 0) continue;
    const auto leader = leader_of_clique(graph, v);
    // two groups of one leader would share it
    if (!leader || groups.leader_of[at(*leader)] >= 0) return std::nullopt;
    groups.leader_of[at(*leader)] = *leader;
    groups.leader_of[at(v)] = *leader;
    for (const Vertex w : graph.neighbours(v)) groups.leader_of[at(w)] = *leader;
  }
  if (std::find(groups.leader_of.begin(), groups.leader_of.end(), -1) != groups.leader_of.end())
    return std::nullopt;
  return groups;
}

MaybeMatch with_leaders(const Adjacency& graph, const Groups& groups) {
  std::vector<Vertex> leaders;
  std::vector<Vertex> index(at(graph.vertices()), -1);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (groups.leader_of[at(v)] != v) continue;
    index[at(v)] = static_cast<Vertex>(leaders.size());
    leaders.push_back(v);
  }
  const auto count = static_cast<Vertex>(leaders.size());
  if (count < 2 || std::int64_t{count} * groups.size != graph.vertices()) return std::nullopt;
  std::vector<Edge> edges;
  for (const Vertex v : leaders) {
    for (const Vertex w : graph.neighbours(v)) {
      if (index[at(w)] >= 0) edges.emplace_back(index[at(v)], index[at(w)]);
    }
  }
  const Adjacency top = Adjacency::from_edges(count, edges);
  const Layering layers = layer(top, least_degree_vertex(top));
  if (layers.reached() != count) return std::nullopt;
  auto matches = match_connected(top, layers, false);
  if (matches.empty() || matches[0].topology.kind == Kind::kTree) return std::nullopt;
  Match match;
  match.topology = {.kind = Kind::kHierarchy,
                    .ranks = graph.vertices(),
                    .group = groups.size,
                    .cliques = groups.cliques,
                    .leaders = Shared<Topology>(std::move(matches[0].topology))};
  match.cells.resize(at(graph.vertices()));
  std::vector<Vertex> members(at(count), 0);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const Vertex leader = index[at(groups.leader_of[at(v)])];
    const Vertex place = groups.leader_of[at(v)] == v ? 0 : ++members[at(leader)];
    match.cells[at(v)] = matches[0].cells[at(leader)] * groups.size + place;
  }
  if (!maps_onto(graph, reference_graph(match.topology), match.cells)) return std::nullopt;
  return match;
}

} // namespace

MaybeMatch match_hierarchy(const Adjacency& graph) {
  auto groups = stars(graph);
  if (!groups) groups = cliques(graph);
  return groups ? with_leaders(graph, *groups) : std::nullopt;
}

} // namespace rondo::topology::internal
