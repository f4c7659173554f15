// SPDX-License-Identifier: Apache-2.0
// Stencils that reach farther than one step along the axes: products of powers of paths and cycles.
#pragma once

#include "topology/layering.hpp"
#include "topology/match.hpp"

namespace rondo::topology::internal {

/// Star stencil of radius two or more, open or periodic, in any number of dimensions. Along at
/// least one of them some rank must have all of its neighbours, 2 * radius, and not talk to all
/// ranks.
/// @param layers   of a whole connected graph
/// @complexity     O(edges * dimensions), plus O(degree^3) at the root and at its axes, plus an
///                 isomorphism of each axis
/// @source         [imrich2007]; triangles of a product lie within one factor, and here they join
///                 all edges of a factor, so axes are found without the product relation
MaybeMatch match_star_stencil(const Layering& layers);

} // namespace rondo::topology::internal
