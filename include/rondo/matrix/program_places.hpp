// SPDX-License-Identifier: Apache-2.0
// The places of merged programs and how often they are executed, where nobody asks who talks to
// whom: the cost does not depend on the number of ranks.
//
//   for (const ProgramPlace& place : program_places_of(trace)[0]) say(place.executions);
#pragma once

#include "rondo/matrix/layers.hpp"
#include "rondo/trace/trace.hpp"

#include <vector>

namespace rondo::matrix {

/// LayeredTraffic::places, without its layers.
/// @complexity  O(terms) for each class of ranks
std::vector<std::vector<ProgramPlace>> program_places_of(const trace::Trace& trace);

} // namespace rondo::matrix
