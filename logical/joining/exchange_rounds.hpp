// SPDX-License-Identifier: Apache-2.0
// An exchange of several calls a neighbour, as "irecv, isend" in a loop over neighbours, where some
// ranks have more of these than others: rounds under guards of their own are one loop.
#pragma once

#include "logical/joining/guards.hpp"

#include <vector>

namespace rondo::logical::internal {

/// Joins items that are rounds of the same calls of the source, which each rank goes through from
/// the first to the last, as often as it has neighbours: where that is shorter, and no guard says
/// by one direction whose round it is.
/// @param around  all ranks of the body
/// @complexity    O(items * ranks)
std::vector<Guarded> exchange_rounds_joined(std::vector<Guarded>&& items,
                                            const trace::RankSet& around, const CountsText& counts);

/// What ranks of such a loop do more often than the one with the fewest: guards knew this of their
/// own ranks alone.
void say_surplus(LoopStatement& loop);

} // namespace rondo::logical::internal
