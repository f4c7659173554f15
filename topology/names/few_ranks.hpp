// SPDX-License-Identifier: Apache-2.0
// Of few ranks most graphs are members of some family in some order. What ranks' numbers and the
// ways of the messages say decides which of them the program means.
#pragma once

#include "rondo/topology/graph.hpp"
#include "rondo/topology/recognize.hpp"

namespace rondo::topology::internal {

/// Whether partners are those of recursive doubling by the ranks' own numbers: ranks beyond the
/// power of two are the even ones of the first, or the last ones.
bool is_doubling_of_ranks(const Adjacency& graph);

/// Few ranks that form an incomplete hypercube, but not by their numbers, do so by chance.
void refuse_bits_in_an_odd_order(const Adjacency& graph, Recognition& recognition);

/// Where messages go one way, a tree's root is who all of them come from or go to. A name with
/// another root is none: another one is put first, or it is any tree.
void root_tree_by_messages(const Graph& graph, Recognition& recognition);

} // namespace rondo::topology::internal
