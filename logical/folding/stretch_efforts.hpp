// SPDX-License-Identifier: Apache-2.0
// How much there is to read of loops that stand behind one another.
#pragma once

#include "logical/folding/effort.hpp"
#include "logical/folding/flow_stretches.hpp"

#include <cstddef>
#include <map>
#include <set>

namespace rondo::logical::internal {

using StretchEfforts = std::map<std::size_t, Effort>; // by stretch

/// What there is to read of some stretches.
/// @param logical  sites are set that its calls come from
StretchEfforts efforts_of_stretches(const trace::Trace& trace, LogicalProgram& logical,
                                    const FlowStretches& stretches,
                                    const std::set<std::size_t>& wanted,
                                    const std::set<std::size_t>& by_flow);

/// The longest of those that are longer than their source.
/// @param best  likewise
StretchEfforts too_long(const trace::Trace& trace, LogicalProgram& best,
                        const FlowStretches& stretches);

std::size_t weighed_together(const StretchEfforts& efforts);

/// Each call of the source stands once, as it does there, or about so; an `if` of the source may
/// take a line.
bool are_as_the_source(const StretchEfforts& efforts, const FlowStretches& stretches,
                       std::size_t times = 1);

} // namespace rondo::logical::internal
