// SPDX-License-Identifier: Apache-2.0
// All names of one connected graph.
#pragma once

#include "topology/layering.hpp"
#include "topology/match.hpp"

namespace rondo::topology::internal {

/// The families a connected graph of at least two vertices belongs to, the most natural first;
/// empty if none. With `all_names` every family is tried, otherwise up to the first that fits.
/// @param layers   of the graph from a vertex of least degree
/// @complexity     O(edges * degree), more only for families in candidates.hpp
/// @source         [logicalization, sec. 4.2]
std::vector<Match> match_connected(const Adjacency& graph, const Layering& layers, bool all_names);

} // namespace rondo::topology::internal
