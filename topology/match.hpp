// SPDX-License-Identifier: Apache-2.0
// What every recognizer gives back, and the only judge of it. A recognizer may guess; its answer
// counts when the mapping has been checked edge by edge.
#pragma once

#include "topology/at.hpp"

#include "rondo/topology/topology.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace rondo::topology::internal {

struct Match {
  Topology topology;
  std::vector<Vertex> cells; // vertex -> cell of reference_graph(topology)
};

using MaybeMatch = std::optional<Match>;

/// True if `cells` is a bijection that carries the edges of `graph` exactly onto those of
/// `reference`. A bijection with as many edges on both sides is an isomorphism once every edge has
/// an image.
/// @complexity     O(vertices + edges log degree)
bool maps_onto(const Adjacency& graph, const Adjacency& reference,
               const std::vector<Vertex>& cells);

/// True if every value of 0 .. cells.size() - 1 occurs once.
bool is_bijection(const std::vector<Vertex>& cells);

/// The inverse of a bijection.
std::vector<Vertex> inverse(const std::vector<Vertex>& cells);

} // namespace rondo::topology::internal
