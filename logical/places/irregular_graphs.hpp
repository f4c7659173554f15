// SPDX-License-Identifier: Apache-2.0
// Graphs that are of no family, of which a rank's neighbours are all that can be said: the parts of
// an unstructured mesh, a band of a matrix, or shifts around all ranks by several distances. And
// trees of no family, in which a rank has a parent and children.
#pragma once

#include "rondo/matrix/layers.hpp"
#include "rondo/topology/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::logical::internal {

struct IrregularGraph {
  topology::Topology topology; // kUser or kTree, with the graph itself
  std::vector<topology::Vertex> cells; // by rank; -1 for those of none
};

/// The graph of all calls of the source among some layers that have partners at many distances;
/// nothing if there are no such calls.
/// @param layers   of `layered`
/// @param rank_of  by the number that a rank has in `layered`
std::optional<IrregularGraph> irregular_graph(const matrix::LayeredTraffic& layered,
                                              const std::vector<std::size_t>& layers,
                                              const std::vector<std::int64_t>& rank_of);

/// The tree that the messages of some layers form, with parents in front of their children. The
/// root is the rank that all messages go to, or come from; if they go both ways, the lowest one.
/// Nothing if they form no tree.
std::optional<IrregularGraph> rooted_tree(const matrix::LayeredTraffic& layered,
                                          const std::vector<std::size_t>& layers,
                                          const std::vector<std::int64_t>& rank_of);

/// The steps up of a graph in which any two cells that are so far apart are neighbours, and no
/// others are: 1 and 3 of a band. Empty if they are many, or it is no such graph.
std::vector<topology::Vertex> band_steps(const topology::Adjacency& graph);

/// The same of a graph that closes round the end: each cell has neighbours so far up and down, at
/// most half way round. Empty if it is no such graph, or all are neighbours.
std::vector<topology::Vertex> ring_steps(const topology::Adjacency& graph);

} // namespace rondo::logical::internal
