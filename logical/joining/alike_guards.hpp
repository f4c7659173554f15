// SPDX-License-Identifier: Apache-2.0
// Guards next to each other whose bodies are alike are one statement: all of their ranks go through
// it, each as often as it did.
#pragma once

#include "logical/joining/guards.hpp"

#include <vector>

namespace rondo::logical::internal {

/// Joins neighbours where one of them at least would name ranks. The loop around them has each
/// rank's count where these differ.
/// @param around     all ranks of the body
/// @complexity       O(statements * ranks)
std::vector<Guarded> alike_guards_joined(std::vector<Guarded>&& items, const trace::RankSet& around,
                                         const ConditionText& condition, const CountsText& counts);

} // namespace rondo::logical::internal
