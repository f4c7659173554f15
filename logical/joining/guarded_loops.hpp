// SPDX-License-Identifier: Apache-2.0
// Rounds that were recorded call by call become loops only when they stand under their guards. Two
// guards side by side may then be loops of as many rounds, as where all ranks wait for each other
// and some do more: `if` and `else` within one loop of the source.
#pragma once

#include "logical/joining/guards.hpp"
#include "logical/places/conditions.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/rank_set.hpp"

#include <functional>
#include <vector>

namespace rondo::logical::internal {

/// Whether there may be something to join: what is needed for that takes long where ranks are many.
/// @complexity  O(statements)
bool has_guarded_loops(const std::vector<Statement>& statements);

/// One loop for neighbours of which each is a loop under a guard of other ranks, as loops_joined()
/// has it. Guards whose words do not say for certain whom they are for stay.
/// @param around      all ranks of the statements
/// @param directions  that guards speak of
/// @complexity        O(product of the statements of two loops, times the ranks)
std::vector<Statement> guarded_loops_joined(std::vector<Statement> statements,
                                            const trace::RankSet& around,
                                            const ConditionAmong& among,
                                            const std::vector<Presence>& directions);

} // namespace rondo::logical::internal
