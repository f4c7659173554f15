// SPDX-License-Identifier: Apache-2.0
// What a graph looks like near each vertex: degrees, triangles and squares. A few missing or extra
// edges change few of these numbers, so they say where two graphs can be laid on each other first.
#pragma once

#include "rondo/topology/adjacency.hpp"

#include <array>
#include <vector>

namespace rondo::topology::internal {

/// Degree, sum of the neighbours' degrees, triangles, pairs of paths of two edges to a common end
/// (squares, roughly), vertices at two steps; in sparse graphs, where all that says little, also
/// those within 3, 5 and 7 steps.
using Profile = std::array<std::int64_t, 8>;

/// Profiles of all vertices.
/// @complexity     O(sum of squares of degrees); in graphs with at most 1.25 edges a vertex, times
/// the
///                 vertices within 7 steps, of which at most 1000 are counted
std::vector<Profile> profiles_of(const Adjacency& graph);

/// 0 for equal profiles; each of the differences counts at most one.
double distance(const Profile& a, const Profile& b);

/// The edges that are the side of a triangle or square. Edges between any two ranks of a large
/// lattice hardly ever are.
/// @complexity     O(sum over edges of the product of degrees), less where squares are many
Adjacency edges_in_squares(const Adjacency& graph);

} // namespace rondo::topology::internal
