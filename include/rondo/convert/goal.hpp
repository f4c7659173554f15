// SPDX-License-Identifier: Apache-2.0
// Reader and writer of GOAL schedules as texts, as LogGOPSim and ATLAHS take them: for each rank
// sends, receives and computation, and which of them requires which. docs/formats/goal.md says what
// becomes of each.
//
//   auto imported = convert::read_goal("binary_tree_32.goal", {});
//   auto remarks = convert::write_goal(trace, "app.goal", false, Overwrite::kRefuse);
//
// A schedule is held in memory while it is read, some 40 bytes an operation, as its order is that
// of its dependencies. Writing takes one rank's requests.
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert {

/// Whether a text begins as a schedule does: with num_ranks, comments before it apart.
bool is_goal(std::string_view start);

/// Sends and receives become MPI_Isend and MPI_Irecv on MPI_COMM_WORLD, what is required is waited
/// for, computation is that before a call. Calls are in the order of the text as far as its
/// dependencies and the messages allow.
/// @param place  the text, packed by gzip or zstd or not, or the folder with it alone
/// @error  kNotFound, kIo; kFormat with file and line; kDamaged: packed and cut, or a rank without
///         its end; kUnsupported: more than the budget of a file of that size
/// @complexity  O(operations and dependencies) but for schedules whose ranks go on out of order
/// @source [hoefler2010]
Result<Imported> read_goal(const std::string& place, const ImportOptions& options);

/// Writes messages as they are, and collective operations as the messages of which they consist;
/// comments at the head say by which algorithm. What follows a wait requires what was waited for.
/// @param approximates   calls that a schedule cannot say are left out, with remarks
/// @return       what was lowered, guessed or left out, one sentence each
/// @error  kExists, kIo; kUnsupported: calls that a schedule cannot say, with a list
/// @complexity  O(calls), read twice
/// @source [hoefler2010]
Result<std::vector<std::string>> write_goal(const trace::Trace& trace, const std::string& path,
                                            bool approximates, Overwrite overwrite);

} // namespace rondo::convert
