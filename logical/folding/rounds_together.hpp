// SPDX-License-Identifier: Apache-2.0
// What comes in the same rounds of a loop, under one `if`: ranks whose programs are joined have it
// for each call, where some make a call more.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <vector>

namespace rondo::logical::internal {

/// "in every 4th round: gather, if west: { in every 4th round: send west }" is "in every 4th round:
/// { gather, if west: send west }". Rounds of which only a mean is said may be others each time.
/// @complexity  O(statements)
std::vector<Statement> with_rounds_together(std::vector<Statement> statements);

} // namespace rondo::logical::internal
