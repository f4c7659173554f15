// SPDX-License-Identifier: Apache-2.0
// Loops in loops that do nothing but the same few calls again and again, as one loop of these: a
// program that reads its input on one rank hands out hundreds of values by the same two calls, and
// which of them look like a loop is chance.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <vector>

namespace rondo::logical::internal {

/// @param entries  how often a rank comes to the statements; 0: not known, and they stay
/// @complexity     O(calls in the statements) where nothing is levelled, else that for each start
std::vector<Statement> levelled(std::vector<Statement> statements, std::uint64_t entries);

/// "loop 5: receive, barrier, loop 4: receive" is "loop 25: receive, in every 5th round from round
/// 1: barrier": the same statements before and in an inner loop, or in it and behind it, are one
/// loop with an `if`. Others stay.
/// @complexity     O(statements)
void with_rounds(LoopStatement& loop);

} // namespace rondo::logical::internal
