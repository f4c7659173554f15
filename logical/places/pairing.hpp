// SPDX-License-Identifier: Apache-2.0
// A ring of four ranks is a square, so a hypercube is also called a torus: which of these names
// fits what the ranks do.
#pragma once

#include "logical/places/rank_uses.hpp"
#include "rondo/topology/recognize.hpp"

namespace rondo::logical::internal {

/// Puts pairs of dimensions of two ranks into rings of four, or takes such rings apart, so that as
/// many ranks as possible use their partners in one order of directions: then the same statement
/// goes the same way on all of them. The result does not depend on how the hypercube was laid out.
/// Topologies of more than eight such dimensions stay as they are.
/// @param square_is_grid  two such dimensions and no other stay a grid of 2x2
/// @complexity  O(pairings * edges * dimensions); 764 pairings of 8 dimensions
/// @source      [logicalization, Table 7] lists these names side by side and leaves the choice open
void pair_dimensions(topology::Recognition& found, const std::vector<RankUse>& uses,
                     bool square_is_grid);

} // namespace rondo::logical::internal
