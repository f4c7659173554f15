// SPDX-License-Identifier: Apache-2.0
// Recognition of a graph that may fall into parts: one topology, copies of one, or several.
#pragma once

#include "rondo/topology/recognize.hpp"

#include <span>

namespace rondo::topology::internal {

/// Fills topology, aliases, copies, parts, cells, copy_of and silent_ranks.
/// Names are invariants: parts with equal exact names are isomorphic, so copies need no further
/// search.
/// @complexity     that of match_connected, summed over the parts
/// @source         [logicalization, sec. 4.2]; parts are an addition
Recognition recognize_components(const Adjacency& graph, Vertex all_names_up_to,
                                 std::span<const Family> families = {}, bool plain_names = true);

/// Replaces the cells by those the numbering gives, if they belong to the same dimensions in some
/// order: then coordinates are the ones the program uses.
/// @complexity     O(ranks * dimensions)
void adopt_numbering(Recognition& recognition);

} // namespace rondo::topology::internal
