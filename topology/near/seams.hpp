// SPDX-License-Identifier: Apache-2.0
// Where a damaged lattice begins and ends. A mapping that is right up to a shift crosses the seam
// of an open dimension somewhere inside.
#pragma once

#include "topology/match.hpp"

namespace rondo::topology::internal {

/// Shifts a mapping along each dimension until fewest edges cross from the last cells to the first,
/// and opens a dimension if less than half of the expected edges do, closes it otherwise.
/// @param match   a mesh, or a stencil with corners; cells a bijection
/// @return        the same sizes; nothing for other topologies
/// @complexity    O(edges * dimensions)
/// @source        [logicalization, sec. 4.2]; an addition for near matches
MaybeMatch with_best_seams(const Adjacency& graph, const Match& match);

} // namespace rondo::topology::internal
