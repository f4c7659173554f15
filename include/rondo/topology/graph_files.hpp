// SPDX-License-Identifier: Apache-2.0
// A recognized graph in files of other tools: GraphML (yEd, Gephi, networkx) and DOT (Graphviz).
// Nodes carry rank, coordinates and a position, edges go from sender to receiver with messages and
// bytes.
#pragma once

#include "rondo/topology/layout.hpp"

#include <string>

namespace rondo::topology {

/// @complexity     O(ranks + edges)
std::string to_graphml(const Graph& graph, const Recognition& recognition, const Layout& layout);

/// Positions are in inches and pinned, as `neato -n2` and `neato` read them.
/// @complexity     O(ranks + edges)
std::string to_dot(const Graph& graph, const Recognition& recognition, const Layout& layout);

} // namespace rondo::topology
