// SPDX-License-Identifier: Apache-2.0
// Ranks that are given a communicator and ranks that are given none, or make one with another
// colour, call the same MPI_Comm_split of the source.
//
//   ranks 0-2:                                     comm_split color=rank < 3 ? 0 : undefined
//     comm_split color=0  makes split#1         is   makes split#1
//   ranks 3-8:
//     comm_split color=undefined
#pragma once

#include "logical/joining/guards.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rondo::logical::internal {

/// Joins items that are one call each at one place of the source, if they differ in numbers that
/// are short formulas in the rank, and no rank can tell.
/// @param around   all ranks of the body
/// @param formula  of numbers by cell
/// @complexity     O(items with such calls * items * ranks)
void join_makers(std::vector<Guarded>& items, const trace::RankSet& around,
                 const FormulaText& formula);

} // namespace rondo::logical::internal
