// SPDX-License-Identifier: Apache-2.0
// Peers by their place in a topology: the neighbour to the east, the parent, the partner whose
// number differs in bit 2. A direction leads from a cell to at most one other cell, so with it and
// the cell the peer is known. On the diagonal of the NAS CG pattern, "transpose" leads from a cell
// to itself.
//
//   Directions directions(topology, {});
//   auto east = directions.between(0, 1);       // index of the direction from cell 0 to cell 1
//   directions.name(*east);                     // "east"
//   directions.target(5, *east);                // 6, or nothing at the border
#pragma once

#include "rondo/topology/topology.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical {

struct DirectionOptions {
  /// In open dimensions of two ranks: one direction to the other rank for both ("across x"),
  /// instead of one there and one back.
  bool across_twos = true;
  /// A ring of four ranks, which is a square, is taken for a grid of 2x2.
  bool square_is_grid = false;
  /// Where ranks are numbered row by row, the next one is east, and a row further south; else the
  /// directions go by their use.
  bool lies_as_numbered = false;
};

class Directions {
public:
  /// @param topology  with a reference graph
  /// @complexity      O(edges * dimensions)
  Directions(const topology::Topology& topology, DirectionOptions options);

  /// Of topologies beside each other, whose directions of one name are one: rings of 5 and of 6
  /// ranks. Cells of each are numbered on behind those of the one before.
  /// @param parts  not empty
  Directions(const std::vector<topology::Topology>& parts, DirectionOptions options);

  /// True if the family has directions: false for those in which any partner is like any other
  /// (all-to-all, whose ranks have distances only; complete multipartite, irregular graphs).
  static bool has(const topology::Topology& topology);

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t direction) const { return names_[direction]; }
  void rename(std::size_t direction, std::string name) { names_[direction] = std::move(name); }

  /// @complexity  O(log degree)
  std::optional<std::size_t> between(topology::Vertex from, topology::Vertex to) const;

  /// The way to any cell in steps along the axes, "+2z-1x"; nothing without coordinates.
  /// @complexity  O(dimensions)
  std::optional<std::string> steps_between(topology::Vertex from, topology::Vertex to) const;

  /// Whether a graph without a family is one of steps round the end, which all cells have.
  bool are_round_steps() const { return closes_; }

  /// Those that lead somewhere from a cell.
  std::vector<std::size_t> from(topology::Vertex cell) const;

  /// @complexity  O(degree * between())
  std::optional<topology::Vertex> target(topology::Vertex from, std::size_t direction) const;

private:
  using Key = std::vector<topology::Vertex>;

  Key key(topology::Vertex from, topology::Vertex to) const;
  /// On the diagonal of the NAS CG pattern, where the transpose of a cell is itself.
  bool is_own_mirror(topology::Vertex cell) const;
  Key lattice_key(topology::Vertex from, topology::Vertex to) const;
  Key hierarchy_key(topology::Vertex from, topology::Vertex to) const;
  topology::Vertex place_among_neighbours(topology::Vertex from, topology::Vertex to) const;
  std::string name_of(const Key& key) const;

  topology::Topology topology_;
  DirectionOptions options_;
  topology::Adjacency graph_; // on cells
  std::vector<std::uint32_t> direction_of_; // by edge, in the order of the graph's rows
  bool is_band_ = false; // of a graph without a family: its directions are steps
  bool closes_ = false; // steps round the end
  std::optional<std::size_t> mirror_; // the direction of the transpose
  std::shared_ptr<const Directions> leaders_; // of a hierarchy
  std::vector<std::pair<topology::Vertex, topology::Vertex>>
      group_of_; // cell -> group, place in it
  std::vector<std::string> names_;
};

} // namespace rondo::logical
