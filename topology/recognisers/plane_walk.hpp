// SPDX-License-Identifier: Apache-2.0
// Periodic planes that are no products: the six-point stencil of multi-partition methods, and 2-D
// tori whose columns close with a shift. Both are the plane modulo a lattice; they are walked, not
// searched.
#pragma once

#include "topology/layering.hpp"
#include "topology/match.hpp"

namespace rondo::topology::internal {

/// Six-point stencil (triangular lattice) with both sizes at least 4, closed with or without a
/// shift.
/// @param layers   of a whole connected graph
/// @complexity     O(vertices)
/// @source         [logicalization, sec. 5.1], [npb]; offsets of make_set.f. The neighbourhood of
/// every vertex is a
///                 hexagon, which gives the directions without any search
MaybeMatch match_six_point(const Layering& layers);

/// 2-D torus with a shift; both sizes at least 5 so that squares show what is straight.
/// @complexity     O(vertices)
/// @source         [logicalization, sec. 4.2]; not in the paper: same walk with squares for
/// triangles
MaybeMatch match_twisted_torus(const Layering& layers);

} // namespace rondo::topology::internal
