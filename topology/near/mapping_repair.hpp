// SPDX-License-Identifier: Apache-2.0
// Small corrections of a mapping of one graph onto another.
#pragma once

#include "rondo/topology/adjacency.hpp"

#include <cstdint>
#include <vector>

namespace rondo::topology::internal {

/// Edges of the graph whose images are edges of the reference.
/// @complexity     O(edges log degree)
std::int64_t common_edges(const Adjacency& graph, const Adjacency& reference,
                          const std::vector<Vertex>& cells);

/// Swaps the cells of two vertices as long as that makes more edges common to both graphs. One of
/// the two has a neighbour without a common edge, and comes to stand beside another neighbour.
/// @param cells      a bijection
/// @param most_steps pairs of neighbours visited
/// @return           pairs visited
/// @complexity       O(rounds * edges * degree), at most 10 rounds; times log degree for each cell
/// weighed
/// @source           [kernighan1970]; single swaps only
std::int64_t improve_by_swaps(const Adjacency& graph, const Adjacency& reference,
                              std::vector<Vertex>& cells, std::int64_t most_steps);

/// Vertices of which most edges are common to both graphs, with their cells.
/// @complexity     O(edges log degree)
std::vector<Edge> well_placed(const Adjacency& graph, const Adjacency& reference,
                              const std::vector<Vertex>& cells);

} // namespace rondo::topology::internal
