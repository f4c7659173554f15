// SPDX-License-Identifier: Apache-2.0
// Messages in groups by what their calls say: by the communicators that they are on, where a
// program goes from one to the next, to half of the ranks, and half of these, as drop out those
// that have nothing left to do; by tags, where one function sends all that there is to send.
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

/// Layers by tag, ascending. None if one of them has several tags.
/// @complexity  O(layers * log layers)
std::vector<std::vector<std::size_t>> by_tags(const matrix::LayeredTraffic& layered,
                                              const std::vector<std::size_t>& layers);

} // namespace rondo::topology::internal
