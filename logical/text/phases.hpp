// SPDX-License-Identifier: Apache-2.0
// Which topology the messages of each stretch of the text follow.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

/// Puts a PhaseStatement in front of the first call of each stretch whose messages follow one
/// topology. Stretches with fewer than two calls with peers each, as in a loop that goes east and
/// to the parent by turns, are one phase on all of their topologies, and so are many short ones on
/// a few topologies. Nothing changes where all messages follow the same ones. A direction that only
/// one topology of its phase has goes without the topology's name.
/// @param topologies  that CallStatement::peer_topologies counts
/// @complexity        O(statements * (depth + directions))
void mark_phases(std::vector<LogicalText::Part>& parts,
                 const std::vector<PeerTopologyWords>& topologies);

/// "phase 2: on 4x4 grid, in rows"
std::string phase_text(const PhaseStatement& phase);

/// Reads phase_text().
/// @param names  of all topologies of the text
/// @return       nothing if it is not as phase_text() writes it
std::optional<PhaseStatement> phase_of(std::string_view text,
                                       const std::vector<PeerTopologyWords>& names);

} // namespace rondo::logical::internal
