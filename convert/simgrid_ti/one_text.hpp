// SPDX-License-Identifier: Apache-2.0
// A time-independent trace whose ranks share one text, as smpirun -replay takes it, too: each line
// begins with its rank, and lines of several ranks may alternate.
#pragma once

#include "convert/simgrid_ti/rank_folder.hpp"

#include <string>
#include <string_view>

namespace rondo::convert::internal {

/// Whether a text begins with a rank and an action.
bool is_actions(std::string_view start);

/// Whether two ranks have lines in what a text begins with.
bool has_several_ranks(std::string_view start);

/// @error  kNotFound: a rank below the largest has no line; those of RankFolder with file, rank and
/// line; kUnsupported: more ranks than the budget of the file allows
Result<FoldedRanks> fold_text(const std::string& path, const SimgridTiOptions& options);

} // namespace rondo::convert::internal
