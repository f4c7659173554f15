// SPDX-License-Identifier: Apache-2.0
// Texts that are only compared in length: how much is sent is not in them, for which each rank's
// messages have to be looked at.
#pragma once

#include "rondo/logical/logical_program.hpp"
#include "rondo/logical/logical_text.hpp"

#include <vector>

namespace rondo::logical::internal {

/// As statements_of(), but all amounts of bytes are 0.
std::vector<std::vector<Statement>> statements_without_bytes(const LogicalProgram& logical);

/// As text_of() of everything, but what is sent by some ranks only is 0 bytes.
/// @param statements  statements_without_bytes() of it
LogicalText text_without_bytes(const LogicalProgram& logical,
                               std::vector<std::vector<Statement>> statements);

/// Ranks that guards name by their numbers in such a text, with disorder summed up.
std::vector<RankDifference> told_by_numbers(LogicalProgram& logical);

} // namespace rondo::logical::internal
