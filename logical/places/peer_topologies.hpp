// SPDX-License-Identifier: Apache-2.0
// Which topologies a trace's messages follow, and which of them each call does.
#pragma once

#include "logical/places/rank_uses.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/matrix/layers.hpp"

namespace rondo::logical::internal {

/// The topology of the whole if it has directions, else those of its parts.
/// They are the same whatever the numbers of the ranks.
/// @param layered  of the trace
/// @param numbers  of numbers_by_use(uses)
std::vector<PeerTopology> peer_topologies_of(const trace::Trace& trace,
                                             matrix::LayeredTraffic layered,
                                             const std::vector<RankUse>& uses,
                                             const std::vector<std::int64_t>& numbers,
                                             DirectionOptions options);

/// The direction from one recorded rank to another.
std::optional<std::size_t> direction_between(const PeerTopology& peer_topology, std::int64_t from,
                                             std::int64_t to);

/// Whether a direction leads from the centre of a star, from a leader of a group, to one of the
/// neighbours in an irregular graph, or to one of the other side: which one it is, the text does
/// not say.
bool is_leaf(const PeerTopology& peer_topology, std::size_t direction);

/// For each class and symbol of its program the peer topology that has directions for most of its
/// peers; 0 if it has no peers.
std::vector<std::vector<std::size_t>>
peer_topologies_of_calls(const trace::Trace& trace,
                         const std::vector<PeerTopology>& peer_topologies);

} // namespace rondo::logical::internal
