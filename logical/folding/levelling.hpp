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

} // namespace rondo::logical::internal
