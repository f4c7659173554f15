// SPDX-License-Identifier: Apache-2.0
// Groups of MPI functions by the names that people give them: "point-to-point", "collective", "io".
// They say what is recorded. What frames the rest (MPI_Init, MPI_Finalize, MPI_Pcontrol, markers)
// is in no group and always recorded.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/functions.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::trace {

struct FunctionChoice {
  std::vector<bool> wanted; // by function id
  std::string text; // "only collective", "without io"; empty if all are wanted
};

/// @param only   names of groups and functions separated by commas; empty for all
/// @param skip   the same: those that are not wanted
/// @error  kUsage with the names of all groups, for a name that is none
Result<FunctionChoice> choose_functions(std::string_view only, std::string_view skip);

/// Calls that no other rank hears of and that make nothing which others are made of: of groups,
/// queries of datatypes, committing and freeing them, names.
bool is_local(const Function& function);

/// "point-to-point, send, recv, ..."
std::string function_group_names();

} // namespace rondo::trace
