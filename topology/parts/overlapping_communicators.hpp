// SPDX-License-Identifier: Apache-2.0
// Messages by the communicators that they are on, where a program goes from one to the next: to
// half of the ranks, and half of these, as drop out those that have nothing left to do.
#pragma once

#include "rondo/matrix/layers.hpp"

#include <cstddef>
#include <vector>

namespace rondo::topology::internal {

/// Layers in groups, in their order. Communicators without a common rank, as the rows of a grid
/// are, and those with the same ranks are one group.
/// @complexity  O(members of all communicators, for each group)
std::vector<std::vector<std::size_t>>
by_overlapping_communicators(const matrix::LayeredTraffic& layered,
                             const std::vector<std::size_t>& layers, std::int64_t ranks);

} // namespace rondo::topology::internal
