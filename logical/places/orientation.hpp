// SPDX-License-Identifier: Apache-2.0
// Which way a lattice lies: as its ranks are numbered; or, whatever their numbers, of all maps of
// it onto itself the one under which an inner rank first uses east, then south, and then down.
#pragma once

#include "logical/places/rank_uses.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/topology/recognize.hpp"

namespace rondo::logical::internal {

/// Turns, mirrors and shifts the cells of a lattice. Axes change places if they are equally long
/// and both open or both periodic; the origin of periodic axes goes to the root of most
/// collectives, else to the lowest number. The leaves of a star are numbered as its centre turns to
/// them. Other topologies without coordinates and those that close with a shift stay as they are.
/// @param numbers     of numbers_by_use(); decide where uses do not
/// @complexity        O(ranks * dimensions)
void orient(topology::Recognition& found, const std::vector<RankUse>& uses,
            const std::vector<std::int64_t>& numbers);

/// Leaves a lattice as the ranks are numbered, row by row: the next rank is east, and a row further
/// south. False if they are numbered otherwise, or dimensions of two may be taken in several ways.
/// @param found     of a graph whose vertices are ranks
/// @param is_round  four ranks are a ring, and no square
bool lie_as_numbered(topology::Recognition& found, bool is_round);

/// Of recursive doubling that can be laid in several ways: bit 0 is of ranks whose numbers are
/// nearest, and so on. Other topologies, and copies, stay as they are.
/// @param found  of a graph whose vertices are ranks
/// @complexity   O(ranks * log ranks)
void count_bits_as_numbered(topology::Recognition& found);

/// Whether all ranks turn to those that they send to in the same directions, one after the other.
/// @complexity  O(receivers of all ranks)
bool go_the_same_ways(const PeerTopology& peer_topology, const std::vector<RankUse>& uses);

} // namespace rondo::logical::internal
