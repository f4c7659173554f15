// SPDX-License-Identifier: Apache-2.0
// One column for ranks whose columns differ: where the ranks take turns in the same rhythm (their
// neighbours one after the other, on a torus), the values at one place of the columns are a
// function of the rank, and the column of these functions is as regular as each rank's own.
#pragma once

#include "rondo/trace/merged_program.hpp"

namespace rondo::fold {

/// Replaces words that choose a column by rank (kColumnByRank) by columns of functions
/// (kFunctionColumn) where that takes fewer numbers. Words must be settled.
/// @complexity O(values of the columns), at most kMostValues; longer ones are left as they are
void share_columns(trace::MergedProgram& program);

} // namespace rondo::fold
