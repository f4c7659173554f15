// SPDX-License-Identifier: Apache-2.0
#include "topology/near/near_score.hpp"

#include "topology/match.hpp"
#include "topology/names/plain_names.hpp"

#include <algorithm>

namespace rondo::topology {
namespace {

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

Adjacency expected_graph(const Topology& topology, const std::vector<Vertex>& cells,
                         const std::vector<Vertex>& hubs) {
  const Adjacency reference = reference_graph(topology);
  std::vector<Vertex> rank_at(at(topology.ranks), -1);
  for (std::size_t rank = 0; rank < cells.size(); ++rank) {
    if (cells[rank] >= 0) rank_at[at(cells[rank])] = static_cast<Vertex>(rank);
  }
  std::vector<Edge> edges;
  for (Vertex a = 0; a < reference.vertices(); ++a) {
    for (const Vertex b : reference.neighbours(a)) {
      if (a < b) edges.emplace_back(rank_at[at(a)], rank_at[at(b)]);
    }
  }
  const auto ranks = static_cast<Vertex>(cells.size());
  for (const Vertex hub : hubs) {
    for (Vertex v = 0; v < ranks; ++v) edges.emplace_back(hub, v);
  }
  return Adjacency::from_edges(ranks, edges);
}

} // namespace

double NearMatch::recall() const {
  const auto found = static_cast<double>(shared);
  const double half = 0.5 * static_cast<double>(one_way.size());
  return share(found - half, found + static_cast<double>(missing.size()));
}

double NearMatch::jaccard() const {
  const auto found = static_cast<double>(shared);
  return share(found, found + static_cast<double>(missing.size() + extra.size()));
}

double NearMatch::accuracy(WeightMeasure measure) const {
  const auto all = static_cast<double>(total.of(measure));
  return all == 0 ? 1.0 : static_cast<double>(explained.of(measure)) / all;
}

namespace internal {

void each_edge(const Adjacency& graph, const std::function<void(Vertex, Vertex, std::size_t)>& f) {
  std::size_t index = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w) f(v, w, index++);
    }
  }
}

Scored Scorer::operator()(const Topology& topology, std::vector<Vertex> cells,
                          const std::vector<Vertex>& hubs) const {
  Scored scored;
  NearMatch& match = scored.match;
  match.topology = topology;
  match.hubs = hubs;
  const Adjacency expected = expected_graph(topology, cells, hubs);
  match.cells = std::move(cells);
  match.total = graph_.total();
  const auto at_hub = [&](Vertex v, Vertex w) {
    return std::find(hubs.begin(), hubs.end(), v) != hubs.end() ||
           std::find(hubs.begin(), hubs.end(), w) != hubs.end();
  };
  double apart = 0; // edges and weight of the graph, and edges of the match, away from hubs
  double apart_weight = 0;
  double extra_weight = 0;
  each_edge(graph_.adjacency(), [&](Vertex v, Vertex w, std::size_t i) {
    const auto weight = static_cast<double>(weights_[i].of(measure_));
    if (!at_hub(v, w)) {
      ++apart;
      apart_weight += weight;
    }
    if (expected.adjacent(v, w)) {
      ++match.shared;
      match.explained += weights_[i];
    } else {
      match.extra.emplace_back(v, w);
      extra_weight += weight;
    }
  });
  double wanted = 0;
  double missing = 0;
  each_edge(expected, [&](Vertex v, Vertex w, std::size_t) {
    const bool there = graph_.adjacency().adjacent(v, w);
    if (!there) match.missing.emplace_back(v, w);
    if (at_hub(v, w)) return;
    ++wanted;
    if (!there) ++missing;
  });
  if (topology.kind == TopologyKind::kComplete && hubs.empty()) {
    const auto one_way = internal::one_way_pairs(graph_);
    const bool is_damage = 2 * static_cast<std::int64_t>(one_way.size()) < match.shared;
    if (is_damage) match.one_way = one_way;
  }
  scored.missing_share = std::max(share(missing, wanted), 1 - match.recall());
  const double by_edges = share(static_cast<double>(match.extra.size()), apart);
  const double by_weight = apart_weight == 0 ? by_edges : share(extra_weight, apart_weight);
  scored.surplus = std::min(by_edges, by_weight);
  return scored;
}

} // namespace internal
} // namespace rondo::topology
