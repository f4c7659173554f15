// SPDX-License-Identifier: Apache-2.0
// Which topologies would a graph nearly be if its ranks had natural numbers? Every pair u < v votes
// for the difference v - u; a row-major lattice has few differences and many votes for each.
#pragma once

#include "topology/match.hpp"

#include <vector>

namespace rondo::topology::internal {

/// Topologies for ranks numbered row by row, with `dimensions` in the order of the numbering,
/// slowest first; and patterns and trees in their own numbering. To be checked against the graph:
/// cell = rank.
/// @param least_share   of the pairs of every dimension that must be there
/// @complexity          O(edges + factorisations of the number of ranks), O(ranks) more for each
///                      that has votes
/// @source              [logicalization, sec. 4.2]; votes of differences instead of exact counts
std::vector<Topology> natural_candidates(const Adjacency& graph, double least_share);

} // namespace rondo::topology::internal
