// SPDX-License-Identifier: Apache-2.0
// Hierarchies are taken apart from below: the members are those that talk within their group only.
#include "topology/recognisers/hierarchy.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/recognisers/connected.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::topology::internal {
namespace {

struct Groups {
  std::vector<Vertex> leader_of; // vertex -> leader of its group, itself for leaders
  bool cliques = false;
};

// Every vertex with a leaf is a leader, and there are no others.
std::optional<Groups> stars(const Adjacency& graph) {
  Groups groups{std::vector<Vertex>(at(graph.vertices()), -1), false};
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) != 1) continue;
    const Vertex leader = graph.neighbours(v)[0];
    groups.leader_of[at(v)] = leader;
    groups.leader_of[at(leader)] = leader;
  }
  // the last node of a machine may have one rank, which leads nobody
  if (std::count(groups.leader_of.begin(), groups.leader_of.end(), -1) > 1) return std::nullopt;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (groups.leader_of[at(v)] == -1) groups.leader_of[at(v)] = v;
  }
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

// Members have fewer neighbours than their leaders, so what is left with fewest is a member.
std::optional<Groups> cliques(const Adjacency& graph) {
  Groups groups{std::vector<Vertex>(at(graph.vertices()), -1), true};
  std::vector<Vertex> order(at(graph.vertices()));
  std::iota(order.begin(), order.end(), 0);
  sort_stably(order.begin(), order.end(),
              [&](Vertex a, Vertex b) { return graph.degree(a) < graph.degree(b); });
  for (const Vertex v : order) {
    if (groups.leader_of[at(v)] >= 0) continue;
    const auto leader = leader_of_clique(graph, v);
    // two groups of one leader would share it
    if (!leader || groups.leader_of[at(*leader)] >= 0) return std::nullopt;
    groups.leader_of[at(v)] = *leader;
    for (const Vertex w : graph.neighbours(v)) {
      if (groups.leader_of[at(w)] >= 0) return std::nullopt;
      groups.leader_of[at(w)] = *leader;
    }
  }
  return groups;
}

// The size of all groups but one smaller one; nothing if they differ more.
struct Sizes {
  Vertex group = 0;
  Vertex small_group = 0; // 0: there is none
  Vertex small_leader = -1; // vertex
};

std::optional<Sizes> sizes_of(const Groups& groups) {
  std::vector<Vertex> members(groups.leader_of.size(), 0);
  for (const Vertex leader : groups.leader_of) ++members[at(leader)];
  Sizes sizes;
  sizes.group = *std::max_element(members.begin(), members.end());
  Vertex count = 0;
  for (Vertex v = 0; v < static_cast<Vertex>(members.size()); ++v) {
    if (members[at(v)] == 0) continue;
    ++count;
    if (members[at(v)] == sizes.group) continue;
    if (sizes.small_group > 0) return std::nullopt;
    sizes.small_group = members[at(v)];
    sizes.small_leader = v;
  }
  if (count < 2) return std::nullopt;
  return sizes;
}

struct Leaders {
  std::vector<Vertex> index; // vertex -> number among the leaders, -1 for members
  Adjacency graph;
};

Leaders leaders_of(const Adjacency& graph, const Groups& groups) {
  Leaders leaders{std::vector<Vertex>(at(graph.vertices()), -1), {}};
  Vertex count = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (groups.leader_of[at(v)] == v) leaders.index[at(v)] = count++;
  }
  std::vector<Edge> edges;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (leaders.index[at(v)] < 0) continue;
    for (const Vertex w : graph.neighbours(v)) {
      if (leaders.index[at(w)] >= 0) edges.emplace_back(leaders.index[at(v)], leaders.index[at(w)]);
    }
  }
  leaders.graph = Adjacency::from_edges(count, edges);
  return leaders;
}

// Leaders are in the order of their ranks.
bool around_a_square(const Adjacency& graph) {
  return graph.adjacent(0, 1) && graph.adjacent(1, 2) && graph.adjacent(2, 3) &&
         graph.adjacent(3, 0);
}

Match ring_of_four() {
  return {{.kind = TopologyKind::kRing, .ranks = 4, .dimensions = {{4, true}}}, {0, 1, 2, 3}};
}

MaybeMatch with_groups(const Adjacency& graph, const Groups& groups) {
  const auto sizes = sizes_of(groups);
  if (!sizes) return std::nullopt;
  const Leaders leaders = leaders_of(graph, groups);
  const Layering layers = layer(leaders.graph, least_degree_vertex(leaders.graph));
  if (layers.reached() != leaders.graph.vertices()) return std::nullopt;
  auto matches = match_connected(leaders.graph, layers, false);
  if (matches.empty() || matches[0].topology.kind == TopologyKind::kTree) return std::nullopt;
  const bool is_square =
      matches[0].topology.kind == TopologyKind::kMesh && leaders.graph.vertices() == 4;
  if (is_square && around_a_square(leaders.graph)) matches[0] = ring_of_four();
  const std::vector<Vertex>& cell_of = matches[0].cells;
  Match match;
  Topology& t = match.topology;
  t = {.kind = TopologyKind::kHierarchy, .ranks = graph.vertices(), .group = sizes->group};
  t.cliques = groups.cliques;
  t.leaders = Shared<Topology>(std::move(matches[0].topology));
  if (sizes->small_group > 0) {
    t.small_group = sizes->small_group;
    t.small_cell = cell_of[at(leaders.index[at(sizes->small_leader)])];
  }
  match.cells.resize(at(graph.vertices()));
  std::vector<Vertex> placed(cell_of.size(), 0); // members, by group
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const Vertex group = cell_of[at(leaders.index[at(groups.leader_of[at(v)])])];
    const Vertex place = groups.leader_of[at(v)] == v ? 0 : ++placed[at(group)];
    match.cells[at(v)] = leader_cell(t, group) + place;
  }
  if (!maps_onto(graph, reference_graph(t), match.cells)) return std::nullopt;
  return match;
}

} // namespace

MaybeMatch match_hierarchy(const Adjacency& graph) {
  auto groups = stars(graph);
  if (!groups) groups = cliques(graph);
  return groups ? with_groups(graph, *groups) : std::nullopt;
}

} // namespace rondo::topology::internal
