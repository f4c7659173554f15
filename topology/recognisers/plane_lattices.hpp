// SPDX-License-Identifier: Apache-2.0
// Planes modulo a lattice, without a walk: all twisted tori with a number of ranks, and the search
// for lattices so narrow that a walk cannot tell what is straight.
#pragma once

#include "topology/match.hpp"

#include <vector>

namespace rondo::topology::internal {

/// Twisted tori under the names that match_twisted_torus() gives them; where a way round is shorter
/// than five steps, a graph may have several.
/// @param most    how many at most, the most square ones first
/// @complexity    O(sum of divisors of ranks)
/// @source        [logicalization, sec. 4.2]; a plane modulo a lattice of index `ranks`, up to
///                reflections
std::vector<Topology> twisted_tori(Vertex ranks, std::size_t most);

/// A twisted torus with a way round of three or four steps, or a six-point stencil with one of
/// three steps, of at most 2048 ranks. All others are found by the walks of plane_walk.hpp.
/// @complexity    O(sum of divisors of ranks), and find_isomorphism for a few candidates
/// @source        [mckay2014]
MaybeMatch match_narrow_plane(const Adjacency& graph);

} // namespace rondo::topology::internal
