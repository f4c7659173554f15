// SPDX-License-Identifier: Apache-2.0
// Stretches of a program that each of many sets of ranks goes through in an order of its own, as
// where the owners of rows and columns change from step to step: which calls come there, each
// written once.
//
//   ranks 0-5, in no common order:
//     recv any of east 8..96 double  tag 0..40  times 48
#pragma once

#include "logical/joining/guards.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::logical::internal {

/// Statements of ranks that go through them in orders of their own, as a list of the calls in them.
/// @param entries  how often the ranks come to the body
Guarded in_disorder(std::span<const Guarded> items, const Entries& entries);

/// Stretches with guards of many different sets of ranks, if they are several times as long as a
/// list of the calls in them. What all ranks do stays a border, unless it is a few calls.
/// @param condition  of a guard
/// @param entries    how often the ranks come to the body
/// @complexity       O(statements log statements)
std::vector<Guarded> disorder_as_one(std::vector<Guarded>&& items, const ConditionText& condition,
                                     const Entries& entries);

} // namespace rondo::logical::internal
