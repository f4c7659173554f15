// SPDX-License-Identifier: Apache-2.0
// Topologies that a damaged graph may come from, by numbers alone: as many ranks, and about as many
// edges.
#pragma once

#include "rondo/topology/topology.hpp"

#include <vector>

namespace rondo::topology::internal {

/// All topologies of exactly `ranks` ranks whose number of edges is such that a share of at most
/// `tolerance` of them can be missing, and of the graph's edges extra. Left out are families whose
/// mapping is found in other ways: complete graphs, stars, multipartite graphs, chains, rings.
/// Dimensions of a mesh are prime, as match_cartesian finds them: 2x2 instead of a ring of 4.
/// @param edges    of the damaged graph
/// @return         nearest number of edges first
/// @complexity     O(factorizations of ranks, at most 20,000), plus O(ranks log ranks) for the few
///                 families whose edges are counted on the reference graph
/// @source         [logicalization, sec. 4.2]; a window instead of equal numbers
std::vector<Topology> templates_near(Vertex ranks, std::int64_t edges, double tolerance);

} // namespace rondo::topology::internal
