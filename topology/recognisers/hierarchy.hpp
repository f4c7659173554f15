// SPDX-License-Identifier: Apache-2.0
// Topologies of several levels: groups with leaders, and fat trees.
#pragma once

#include "topology/match.hpp"

namespace rondo::topology::internal {

/// Groups of one size, each a star around its leader or a clique, whose leaders form a topology
/// with an exact name; that may be a hierarchy again.
/// @complexity     O(vertices + edges) for each level, and recognition of the leaders
/// @source         [logicalization, sec. 5.1]; added family, the traffic of collectives that go by
///                 way of one leader on each node
MaybeMatch match_hierarchy(const Adjacency& graph);

/// Fat trees XGFT(h; m_1 .. m_h; w_1 .. w_h) with these ranks, edges and degrees: two levels or
/// more, m >= 2, and not all w are 1 (which would be a tree).
/// @complexity     O(ranks * ways to write it as sizes of levels)
/// @source         [ohring1995, sec. 3]
std::vector<Topology> fat_tree_candidates(const Adjacency& graph);

/// The fat tree a graph of at most 1024 vertices is, nodes of all levels being ranks.
/// @complexity     that of find_isomorphism for each candidate
/// @source         [ohring1995, sec. 3], [mckay2014]
MaybeMatch match_fat_tree(const Adjacency& graph);

} // namespace rondo::topology::internal
