// SPDX-License-Identifier: Apache-2.0
// Leaves out what is negligible, so that the structure of the rest can be seen: a few small
// messages at the start of a run hide a grid. Filtering never adds or changes an entry.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/quantity.hpp"

namespace rondo::matrix {

/// The entries that carry at least `fraction_of_heaviest` of what the heaviest one carries; the
/// number of ranks stays.
/// @param fraction_of_heaviest  0 keeps every entry, 0.05 leaves out those below 5 %, 1 keeps only
/// the
///                              heaviest
/// @complexity                  O(n) for n entries
/// @source                      [logicalization, communication filtering]: edges far below the
/// heaviest hide the topology
CommunicationMatrix filtered(const CommunicationMatrix& matrix, double fraction_of_heaviest,
                             const Measure& measure);

} // namespace rondo::matrix
