// SPDX-License-Identifier: Apache-2.0
#include "topology/match.hpp"

namespace rondo::topology::internal {

bool is_bijection(const std::vector<Vertex>& cells) {
  std::vector<bool> used(cells.size(), false);
  for (const Vertex cell : cells) {
    if (cell < 0 || at(cell) >= cells.size() || used[at(cell)]) return false;
    used[at(cell)] = true;
  }
  return true;
}

std::vector<Vertex> inverse(const std::vector<Vertex>& cells) {
  std::vector<Vertex> vertex_at(cells.size());
  for (std::size_t v = 0; v < cells.size(); ++v) vertex_at[at(cells[v])] = static_cast<Vertex>(v);
  return vertex_at;
}

bool maps_onto(const Adjacency& graph, const Adjacency& reference,
               const std::vector<Vertex>& cells) {
  if (graph.vertices() != reference.vertices() || graph.edges() != reference.edges()) return false;
  if (!is_bijection(cells)) return false;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w && !reference.adjacent(cells[at(v)], cells[at(w)])) return false;
    }
  }
  return true;
}

} // namespace rondo::topology::internal
