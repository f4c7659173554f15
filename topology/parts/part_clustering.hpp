// SPDX-License-Identifier: Apache-2.0
// Damaged multipartite graphs: who talks to nearly all but its own part.
#pragma once

#include "topology/match.hpp"

namespace rondo::topology::internal {

/// Parts such that few edges are missing between them and few are inside of them: vertices with
/// similar neighbours are put together, then single vertices move as long as that mends a pair.
/// @return         a multipartite topology, smallest part first; nothing if there are fewer than
///                 two parts, if one has less than three ranks, or for more than 2048 ranks
/// @complexity     O(ranks^3 / 64) bit operations
/// @source         [bansal2004], on the pairs that do not talk; local search
MaybeMatch nearest_multipartite(const Adjacency& graph);

} // namespace rondo::topology::internal
