// SPDX-License-Identifier: Apache-2.0
// Loops over lists of directions, whose length may depend on the number of ranks.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <vector>

namespace rondo::logical::internal {

/// "loop 2: send across x, across y 8,4 double" as "send across x 8 double" and "send across y 8
/// double": as the same program is written where it has too few steps for a loop. Of lists of
/// numbers each has the first one; longer lists than 64 stay.
std::vector<Statement> without_list_loops(const std::vector<Statement>& statements);

} // namespace rondo::logical::internal
