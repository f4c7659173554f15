// SPDX-License-Identifier: Apache-2.0
// Trees: stars, heaps of any arity, binomial trees, others.
#pragma once

#include "topology/match.hpp"

namespace rondo::topology::internal {

/// All families of trees that a connected graph with one edge less than vertices belongs to, the
/// most telling first; kTree, without cells, if none. Chains are left to match_cartesian.
/// @complexity     O(vertices log degree) expected
/// @source         [aho1974, ex. 3.2]; classes numbered bottom-up from the centre
std::vector<Match> match_trees(const Adjacency& graph);

/// An isomorphism between two trees.
/// @complexity     O(vertices log degree) expected
/// @source         [aho1974, ex. 3.2]
std::optional<std::vector<Vertex>> find_tree_isomorphism(const Adjacency& graph,
                                                         const Adjacency& reference);

} // namespace rondo::topology::internal
