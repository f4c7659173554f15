// SPDX-License-Identifier: Apache-2.0
// What a proposed topology and mapping are worth, counted edge by edge on the graph.
#pragma once

#include "rondo/topology/near.hpp"

#include <functional>
#include <vector>

namespace rondo::topology::internal {

/// A proposal, laid over the graph.
struct Scored {
  NearMatch match;
  double missing_share = 1; // without the stars of hubs
  double surplus = 1; // of edges or of traffic, whichever is less

  double merit() const { return (1 - missing_share) * (1 - surplus); }
};

/// Calls f(v, w, index) for every edge v < w, in the order of Graph::edge_traffic.
void each_edge(const Adjacency& graph, const std::function<void(Vertex, Vertex, std::size_t)>& f);

class Scorer {
public:
  /// @param graph   outlives this
  Scorer(const Graph& graph, WeightMeasure measure)
      : graph_(graph), measure_(measure), weights_(graph.edge_traffic()) {}

  /// @param cells   rank -> cell of the topology, each once; -1 for hubs outside of it
  /// @complexity    O((edges of the graph and of the topology) log degree)
  /// @source        [logicalization, sec. 4.2]; shares instead of yes or no
  Scored operator()(const Topology& topology, std::vector<Vertex> cells,
                    const std::vector<Vertex>& hubs) const;

private:
  const Graph& graph_;
  WeightMeasure measure_;
  std::vector<Traffic> weights_;
};

} // namespace rondo::topology::internal
