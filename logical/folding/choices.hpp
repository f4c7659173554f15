// SPDX-License-Identifier: Apache-2.0
// How much a text leaves open: peers that are one of several, and what only the flow of control
// joins.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstddef>
#include <vector>

namespace rondo::logical::internal {

/// Peers and datatypes beyond the first that a call may have, in statements and all below them.
/// Directions that count on (`bit 0|bit 1|bit 2`) are one choice, and so are equal ones of a call,
/// a tag that a rank has by a condition, and a loop around choices that is gone round by rank.
/// @param is_by_flow  equal ones of calls in one body are, too: such a text has no procedure of
///                    which they would be one parameter
std::size_t choices_of(const std::vector<Statement>& statements, bool is_by_flow = false);

/// Of a text by the flow of control, what it does not say, as choices.
std::size_t lost_by_flow(const std::vector<Statement>& statements);

/// Lines like `in every 20th round` that stand for an `if` of the source, and for no loop in a
/// loop.
std::size_t known_ifs_in(const std::vector<Statement>& statements);

} // namespace rondo::logical::internal
