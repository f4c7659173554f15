// SPDX-License-Identifier: Apache-2.0
// All twisted tori with a number of ranks, each once.
#pragma once

#include "rondo/topology/topology.hpp"

#include <vector>

namespace rondo::topology::internal {

/// Twisted tori under the names that match_twisted_torus() gives them; where a way round is shorter
/// than five steps, a graph may have several.
/// @param most    how many at most, the most square ones first
/// @complexity    O(sum of divisors of ranks)
/// @source        [logicalization, sec. 4.2]; a plane modulo a lattice of index `ranks`, up to
///                reflections
std::vector<Topology> twisted_tori(Vertex ranks, std::size_t most);

} // namespace rondo::topology::internal
