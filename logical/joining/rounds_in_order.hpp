// SPDX-License-Identifier: Apache-2.0
// Rounds of a loop of the source in which ranks do different things: what each rank does has an
// order, what two of them do has none, and the one that it happened to get may hide the loop.
#pragma once

#include "logical/joining/guards.hpp"

#include <vector>

namespace rondo::logical::internal {

/// Calls of places in the source that came in another order one round before come in that order,
/// where no rank can tell: "send +1, recv -1, send +2, send +4, recv -2, recv -4" as "send, recv"
/// three times, and "isend +4, wait, recv -4" as "isend +2, recv -2, wait" in front of it.
/// @complexity  O(items), times the ranks where calls change places
void put_rounds_in_order(std::vector<Guarded>& items);

} // namespace rondo::logical::internal
