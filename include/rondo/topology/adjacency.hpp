// SPDX-License-Identifier: Apache-2.0
// An undirected simple graph as compressed rows: row v lists the neighbours of v, ascending,
// without v itself. Every edge stands in two rows. Immutable, so it may be read from many threads.
//
//   Adjacency ring = Adjacency::from_edges(4, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 0}});
//   for (Vertex w : ring.neighbours(0)) use(w);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rondo::topology {

using Vertex = std::int32_t;
using Edge = std::pair<Vertex, Vertex>;

class Adjacency {
public:
  Adjacency() = default;

  /// Takes finished rows.
  /// @param begin   n + 1 offsets into `to`; row v is to[begin[v] .. begin[v + 1])
  /// @param to      each row ascending, symmetric, without loops
  Adjacency(std::vector<std::int64_t> begin, std::vector<Vertex> to)
      : begin_(std::move(begin)), to_(std::move(to)) {}

  /// Makes rows from edges in any order and direction; loops and repetitions are dropped.
  /// @complexity     O(vertices + edges)
  static Adjacency from_edges(Vertex vertices, std::span<const Edge> edges);

  Vertex vertices() const { return static_cast<Vertex>(begin_.size()) - 1; }
  std::int64_t edges() const { return static_cast<std::int64_t>(to_.size()) / 2; }

  Vertex degree(Vertex v) const { return static_cast<Vertex>(row_end(v) - row_begin(v)); }
  std::int64_t row_begin(Vertex v) const { return begin_[static_cast<std::size_t>(v)]; }
  std::int64_t row_end(Vertex v) const { return begin_[static_cast<std::size_t>(v) + 1]; }

  std::span<const Vertex> neighbours(Vertex v) const {
    return {to_.data() + row_begin(v), static_cast<std::size_t>(row_end(v) - row_begin(v))};
  }

  /// Where the offsets of a row are stored, to fetch them into the cache ahead of use.
  const std::int64_t* row_position(Vertex v) const { return &begin_[static_cast<std::size_t>(v)]; }

  /// @complexity     O(log degree(u))
  bool adjacent(Vertex u, Vertex v) const;

  friend bool operator==(const Adjacency&, const Adjacency&) = default;

private:
  std::vector<std::int64_t> begin_ = {0};
  std::vector<Vertex> to_;
};

/// The same graph with vertex v called `new_name[v]`.
/// @complexity     O(vertices + edges)
Adjacency renumbered(const Adjacency& graph, std::span<const Vertex> new_name);

/// The subgraph on `members`, renumbered 0, 1, ... in their order; no edge may leave it.
/// @param index_of   scratch of graph.vertices() entries; on return the new number of every member
/// @complexity       O(members + their edges), plus sorting of rows if members are not ascending
Adjacency part_of(const Adjacency& graph, std::span<const Vertex> members,
                  std::span<Vertex> index_of);

} // namespace rondo::topology
