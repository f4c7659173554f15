// SPDX-License-Identifier: Apache-2.0
// Which of a graph's names stands first.
#pragma once

#include "rondo/topology/recognize.hpp"

namespace rondo::topology::internal {

/// Puts the most natural name first, with its cells: the one that the program itself gave to MPI,
/// else the one whose numbering the ranks have, else, of a product of paths and cycles, the one
/// with fewest dimensions, but "hypercube" where all have two ranks. Sets the numbering.
/// @param recognition   of `graph`, one copy that takes in all ranks
/// @complexity          O(edges * dimensions) for each suggestion and each numbering that nearly
/// fits
/// @source              [logicalization, Table 7], which lists the names without an order
void put_natural_name_first(const Adjacency& graph, const std::vector<SuggestedGrid>& suggested,
                            Recognition& recognition);

} // namespace rondo::topology::internal
