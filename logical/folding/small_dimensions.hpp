// SPDX-License-Identifier: Apache-2.0
// What two ranks in an open dimension are, and four in a square: the text that is plainer says so.
#pragma once

#include "rondo/logical/logical_program.hpp"

#include <cstddef>
#include <vector>

namespace rondo::logical::internal {

std::size_t terms_of(const LogicalProgram& logical);
/// Whether a dimension of two ranks does not wrap around, or ranks differ in a bit.
bool has_open_twos(const std::vector<PeerTopology>& peer_topologies);
/// Whether four ranks are called a ring: they are a grid of 2x2 as much.
bool has_square(const std::vector<PeerTopology>& peer_topologies);

/// Whether ranks across from each other have tags of their own, as two borders do.
/// @complexity  O(statements)
bool has_tags_of_borders(const LogicalProgram& logical);

/// Whether there is less to read, and more said, where such ranks have borders than where they
/// swap, or are a ring.
/// @complexity  O(statements)
bool is_plainer(const LogicalProgram& borders, const LogicalProgram& swaps);

} // namespace rondo::logical::internal
