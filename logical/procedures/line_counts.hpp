// SPDX-License-Identifier: Apache-2.0
// What the lines of a text with procedures stand for.
#pragma once

#include "rondo/logical/logical_text.hpp"

namespace rondo::logical::internal {

/// Gives each line of `shorter` the executions, the mean time before and the sites of those lines
/// of `text` that it stands for: one, or of a procedure one for each call of it.
/// @param text     without procedures
/// @param shorter  the same program with them
/// @complexity     O(lines of `text`)
void count_lines(const LogicalText& text, LogicalText& shorter);

} // namespace rondo::logical::internal
