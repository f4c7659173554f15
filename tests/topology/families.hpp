// SPDX-License-Identifier: Apache-2.0
// Every topology of every family up to some size, for sweeps.
#pragma once

#include "rondo/topology/topology.hpp"

#include <functional>
#include <vector>

namespace rondo::topology::testing {

/// Lists of dimensions, largest first, whose product is at most `ranks`.
/// @param allowed   which dimensions may occur
std::vector<std::vector<Dimension>> boxes(Vertex ranks,
                                          const std::function<bool(Dimension)>& allowed);

/// Products of paths and cycles by their prime dimensions, so that no two are the same graph.
std::vector<Topology> all_meshes(Vertex ranks);

/// Strong products of two to five dimensions.
std::vector<Topology> all_moore(Vertex ranks);

/// Star stencils of radius two to six, each under its canonical name.
std::vector<Topology> all_star_stencils(Vertex ranks);

/// Six-point stencils and twisted tori with so many rows or more, at least three columns, and every
/// shift up to half of the columns.
std::vector<Topology> all_twisted(Vertex ranks, Vertex least_rows);

/// Grids of one to three dimensions with two and more levels.
std::vector<Topology> all_multigrids(Vertex ranks);

/// Everything else that has an exact name: six-point, 18-point, dense, trees, patterns.
std::vector<Topology> all_others(Vertex ranks);

} // namespace rondo::topology::testing
