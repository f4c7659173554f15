// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a recognized graph stand on paper: lattices by their coordinates, trees layer
// by layer, everything else on a circle. Parts that do not talk to each other stand side by side.
//
//   Layout layout = layout_of(graph.adjacency(), recognition);
//   Point p = layout.points[rank];
#pragma once

#include "rondo/topology/recognize.hpp"

#include <string>
#include <vector>

namespace rondo::topology {

struct Point {
  double x = 0; // to the right
  double y = 0; // down
};

struct Layout {
  std::vector<Point> points; // of every rank; neighbours in a lattice are about 1 apart
  std::vector<Vertex> order; // ranks in the order of copies and cells, silent ones last
  /// The name it is drawn by, an alias if that has fewer dimensions; empty for several parts.
  std::string drawn_as;
};

/// @param recognition  of this graph, or of one near it; ranks whose cell is -1 stand below the
/// rest
/// @complexity         O(ranks * dimensions + edges)
/// @source             [logicalization, sec. 4.2]; trees as in layered drawings, each parent above
///                     the middle of its children
Layout layout_of(const Adjacency& graph, const Recognition& recognition);

} // namespace rondo::topology
