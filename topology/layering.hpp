// SPDX-License-Identifier: Apache-2.0
// A graph renumbered in breadth-first order. Neighbours get nearby numbers, so the recognizers that
// follow run in cache whatever the ranks were called; and the neighbours of a vertex one layer
// nearer to the root are known by comparing numbers alone.
#pragma once

#include "topology/match.hpp"

#include <memory>
#include <span>
#include <vector>

namespace rondo::topology::internal {

/// Leaves new elements as they are: a large array is then first touched by whoever fills it.
template <class T> struct NoFill : std::allocator<T> {
  template <class U> struct rebind { using other = NoFill<U>; };
  template <class U> void construct(U* place) { ::new (static_cast<void*>(place)) U; }
  template <class U, class... Args> void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

struct Layering {
  std::vector<Vertex> order; // breadth-first number -> vertex; order[0] is the root
  std::vector<Vertex>
      layer_begin; // first number of every layer, then the number of vertices reached
  std::vector<std::int64_t> begin; // rows of the renumbered graph, not sorted
  std::vector<Vertex, NoFill<Vertex>> to;

  Vertex reached() const { return static_cast<Vertex>(order.size()); }
  Vertex layers() const { return static_cast<Vertex>(layer_begin.size()) - 1; }
  std::span<const Vertex> neighbours(Vertex v) const {
    return {to.data() + begin[at(v)], at(begin[at(v) + 1] - begin[at(v)])};
  }
  Vertex degree(Vertex v) const { return static_cast<Vertex>(begin[at(v) + 1] - begin[at(v)]); }
  bool adjacent(Vertex u, Vertex v) const;

  /// Cells given for breadth-first numbers, as cells of the vertices.
  std::vector<Vertex> for_vertices(const std::vector<Vertex>& cells) const;
};

/// Layers the part of the graph that `root` reaches.
/// @complexity     O(vertices + edges)
Layering layer(const Adjacency& graph, Vertex root);

/// The vertex of least degree, the lowest if there are several: a corner of a lattice with borders.
Vertex least_degree_vertex(const Adjacency& graph);

} // namespace rondo::topology::internal
