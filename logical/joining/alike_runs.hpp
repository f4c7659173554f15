// SPDX-License-Identifier: Apache-2.0
// Runs of statements that are alike become loops.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <vector>

namespace rondo::logical::internal {

/// Sequences that come again at once, equal but for values and datatypes, become a loop where that
/// saves more lines than words get less exact: `barrier, bcast 1 int, barrier, bcast 80 double,
/// ...` is `loop 230: barrier, bcast 1..80 int|double`. Calls in
/// few different directions stay apart.
/// @param lists_few  calls in few directions are one loop with a list of these, too, where that
///                   saves a line
/// @param entries    how often a rank comes to the statements; 0: not known, and loops in loops of
///                   the same calls stay as they are
/// @complexity       O(statements * longest body)
std::vector<Statement> with_runs_as_loops(std::vector<Statement> statements, bool lists_few = false,
                                          std::uint64_t entries = 1);

} // namespace rondo::logical::internal
