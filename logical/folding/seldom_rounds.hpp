// SPDX-License-Identifier: Apache-2.0
// Loops in which something comes in some rounds only, as `if (step % 5 == 0)` has it: what repeats
// is cut up by it, so that the rounds between two of them are loops of their own, the first and the
// last of which stand apart.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <vector>

namespace rondo::logical::internal {

/// "receive, loop 3: { barrier, loop 5: receive }, barrier, loop 2: receive" is "loop 18: receive,
/// in every 5th round from round 1: barrier". Others stay, and so does what would not be shorter.
/// @param is_once  whether ranks come to the statements once
/// @complexity     O(statements), and where a loop begins or ends with a loop, that for each of the
///                 few stretches around it
std::vector<Statement> with_seldom_rounds(std::vector<Statement> statements, bool is_once);

} // namespace rondo::logical::internal
