// SPDX-License-Identifier: Apache-2.0
// Groups of ranks that do the same apart from each other: what each row of a grid does is one
// pattern of all rows, and what a rank does with each of the others in turn is one star.
#pragma once

#include "rondo/patterns/communication_patterns.hpp"

#include <vector>

namespace rondo::patterns::internal {

/// Patterns whose ranks execute the same statements of the program equally often, and have no rank
/// in common, become one, and so do those of one rank with another in which it does the same thing
/// as often, one behind the other. Sums are added; the places stay those of the first.
/// @complexity O(events of all patterns, log of their number)
std::vector<CommunicationPattern> with_groups_joined(const ProcessPatterns& processes,
                                                     std::vector<CommunicationPattern> patterns);

} // namespace rondo::patterns::internal
