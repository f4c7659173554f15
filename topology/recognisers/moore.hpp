// SPDX-License-Identifier: Apache-2.0
// Strong products of paths and cycles: the 8-neighbour stencil in 2-D, 26 in 3-D, with open or
// periodic dimensions of any sizes.
#pragma once

#include "topology/layering.hpp"
#include "topology/match.hpp"

namespace rondo::topology::internal {

/// Decides whether a connected graph is a strong product of paths and cycles, of which at least two
/// dimensions, or of twins and one dimension.
/// Twins (dimensions of two, periodic ones of three) are merged; of the edges that remain those
/// that change one coordinate form the Cartesian skeleton, which is a mesh.
/// @param layers   of a whole connected graph from a vertex of least degree
/// @complexity     O(edges * degree), for degrees up to 242 (five dimensions)
/// @source         [hammack2009]; the skeleton from counts of common neighbours, see the .cpp
MaybeMatch match_moore(const Layering& layers);

} // namespace rondo::topology::internal
