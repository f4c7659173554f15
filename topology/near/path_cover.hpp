// SPDX-License-Identifier: Apache-2.0
// Damaged chains and rings: an order of the ranks in which most neighbours talk.
#pragma once

#include "topology/match.hpp"

#include <vector>

namespace rondo::topology::internal {

/// Ranks in an order in which many of those behind each other are adjacent, the last and the first
/// too if that is so. Paths are put together from edges between ranks of few partners, then
/// mended by reversals as in the search for Hamiltonian paths; random choices have a fixed seed.
/// @complexity     O(edges log ranks + 200 * ranks^1.5), at most 20,000 ranks mended
/// @source         [posa1976]
std::vector<Vertex> order_along_paths(const Adjacency& graph);

} // namespace rondo::topology::internal
