// SPDX-License-Identifier: Apache-2.0
// One guard for several statements behind one another: "if odd:" over a receive from the west and
// one from the east, where each would have a guard of its own.
#pragma once

#include "logical/joining/guards.hpp"

#include <vector>

namespace rondo::logical::internal {

/// Items as statements below guards, neighbours below one guard where that saves a guard. What a
/// direction implies needs none.
/// @param among     what a guard says of some ranks among others
/// @param may_nest  else each has a guard of its own, as others can be joined with
/// @complexity      O(items * 32 * ranks), and a condition for each pair that could be joined
std::vector<Statement> under_common_guards(std::vector<Guarded>&& items,
                                           const trace::RankSet& around,
                                           const ConditionAmong& among, bool may_nest = true);

} // namespace rondo::logical::internal
