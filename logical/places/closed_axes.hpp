// SPDX-License-Identifier: Apache-2.0
// A ring and its chain, a torus and its grid: what few or small messages close.
#pragma once

#include "rondo/matrix/layers.hpp"
#include "rondo/topology/recognize.hpp"

#include <cstddef>
#include <vector>

namespace rondo::logical::internal {

/// Whether the one can be the other with messages around it: a ring of a chain, a torus of a grid,
/// whose axes may be told in another order.
bool closes(const topology::Topology& closed, const topology::Topology& open);

/// A torus with the axes of a grid, in the grid's order and with its cells, so that calls have the
/// same names in both.
/// @param layers  of the traffic, whose messages are looked at
/// @param open    the grid
/// @param closed  the torus as it was recognised; it is returned if a message is no step of the
///                grid, or if that makes other axes
/// @complexity    O(entries * dimensions)
topology::Recognition with_axes_of(const topology::Recognition& open,
                                   const topology::Recognition& closed,
                                   const matrix::LayeredTraffic& layered,
                                   const std::vector<std::size_t>& layers);

} // namespace rondo::logical::internal
