// SPDX-License-Identifier: Apache-2.0
// Where the cells of a topology stand on paper.
#pragma once

#include "rondo/topology/layout.hpp"

#include <vector>

namespace rondo::topology::internal {

/// A point for each cell; neighbours in a lattice are about 1 apart.
/// @complexity     O(ranks * dimensions)
/// @source         [logicalization, sec. 4.2]
std::vector<Point> places_of(const Topology& topology);

/// A point for each vertex of a tree, each parent above the middle of its children.
/// @complexity     O(vertices log vertices)
/// @source         [logicalization, sec. 4.2]; layered drawing
std::vector<Point> tree_places(const Adjacency& tree, Vertex root);

} // namespace rondo::topology::internal
