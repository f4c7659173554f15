// SPDX-License-Identifier: Apache-2.0
// Exact graph isomorphism for the families without a recognizer of their own.
#pragma once

#include "topology/match.hpp"

namespace rondo::topology::internal {

enum class Symmetry { kNone, kVertexTransitive };

/// Finds an isomorphism from `graph` to `reference`, or proves that there is none.
/// Colours of both graphs are refined together: a colour class with more vertices of one graph than
/// of the other is a refutation; where classes stay, a vertex is paired with each candidate in
/// turn.
/// @param symmetry   kVertexTransitive if all vertices of the reference are alike: one candidate is
/// enough
///                   for the first pair
/// @param budget     vertex visits after which the search gives up (then nothing is returned)
/// @return           vertex of graph -> vertex of reference, checked edge by edge
/// @complexity       O(edges log vertices) for each search node; few nodes for all families here
/// @source           [mckay2014], [cardon1982]; refines the disjoint union instead of canonising
/// both
std::optional<std::vector<Vertex>> find_isomorphism(const Adjacency& graph,
                                                    const Adjacency& reference,
                                                    Symmetry symmetry = Symmetry::kNone,
                                                    std::int64_t budget = 2'000'000'000);

} // namespace rondo::topology::internal
