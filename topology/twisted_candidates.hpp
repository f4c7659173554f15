// SPDX-License-Identifier: Apache-2.0
// All twisted tori with a number of ranks, each once.
#pragma once

#include "topology/match.hpp"

#include <vector>

namespace rondo::topology::internal {

/// Which lattices of the plane, by their shortest way round.
enum class WaysRound {
  kAll, // all four neighbours differ
  kShort, // and some way round has three or four steps
};

/// Twisted tori under the names that match_twisted_torus() gives them; where a way round is shorter
/// than five steps, a graph may have several.
/// @param most    how many at most, the most square ones first
/// @complexity    O(sum of divisors of ranks)
/// @source        [logicalization, sec. 4.2]; a plane modulo a lattice of index `ranks`, up to
///                reflections
std::vector<Topology> twisted_tori(Vertex ranks, std::size_t most, WaysRound ways);

/// A twisted torus with a short way round, of at most 2048 ranks, by search: squares do not show
/// there what is straight.
/// @complexity    that of find_isomorphism for O(divisors of ranks) candidates
/// @source        [mckay2014]; the walk of match_twisted_torus() is for all others
MaybeMatch match_short_twisted_torus(const Adjacency& graph);

} // namespace rondo::topology::internal
