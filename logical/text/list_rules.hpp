// SPDX-License-Identifier: Apache-2.0
// Lists of directions that loops go through, as what the numbers of the rank and of the round say:
// "+1, +2, -2, -1" of 5 ranks is "(rank + round + 1) % 5".
#pragma once

#include "logical/places/names.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/logical/logical_text.hpp"

#include <vector>

namespace rondo::logical::internal {

/// Says so wherever it is true of all ranks of the run, of lists whose steps are equal: others, as
/// "+1, +2, +4", say as much by their names.
/// @complexity  O(statements + different lists * ranks)
void tell_lists(std::vector<LogicalText::Part>& parts, const LogicalProgram& logical,
                const Names& names);

} // namespace rondo::logical::internal
