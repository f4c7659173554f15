// SPDX-License-Identifier: Apache-2.0
// Products of paths and cycles: grids, tori, mixtures, hypercubes, rings, chains, in any number of
// dimensions, with their sizes found from the graph.
#pragma once

#include "topology/layering.hpp"
#include "topology/match.hpp"

namespace rondo::topology::internal {

/// Decides whether a connected graph is a Cartesian product of paths and cycles.
/// The factors are prime, so the answer is unique: a cycle of four appears as two dimensions of
/// two.
/// @param layers   of the whole graph from a vertex of least degree
/// @return         the mesh with its dimensions sorted, or nothing if the graph is no such product
/// @complexity     O(vertices * dimensions + edges)
/// @source         [imrich2007]; layers instead of general product colours, since factors are known
/// to
///                 be paths and cycles; [hellmuth2013] for the local view
MaybeMatch match_cartesian(const Layering& layers);

} // namespace rondo::topology::internal
