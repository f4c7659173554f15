// SPDX-License-Identifier: Apache-2.0
// Graphs made of all pairs of something: complete, complete multipartite, rows and columns.
#pragma once

#include "topology/match.hpp"

namespace rondo::topology::internal {

/// @complexity     O(1) beyond the mapping
/// @source         [logicalization, sec. 5.1]; decided by counting edges
MaybeMatch match_complete(const Adjacency& graph);

/// Complete multipartite with any parts. A vertex misses exactly the others of its part, so parts
/// are read off the degrees.
/// @complexity     O(vertices + edges)
/// @source         [logicalization, sec. 5.1]; added family
MaybeMatch match_multipartite(const Adjacency& graph);

/// All pairs in a row or column of an a x b arrangement, a, b >= 2 (the rook's graph).
/// @complexity     O(vertices + edges)
/// @source         [imrich2007]; a product of two complete graphs, coloured from one vertex
MaybeMatch match_row_column(const Adjacency& graph);

} // namespace rondo::topology::internal
