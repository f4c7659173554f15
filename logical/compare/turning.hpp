// SPDX-License-Identifier: Apache-2.0
// One logical program in the words of a topology that lies another way: 3x2 ranks have their long
// side from north to south, also where the program's own first dimension is the short one.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <map>
#include <string>
#include <vector>

namespace rondo::logical::internal {

using Renaming = std::map<std::string, std::string>; // of directions

/// All turns and mirrors of the directions of a plane or a volume, but for the one that changes
/// nothing: 7 or 47. None for other names than those of the compass.
std::vector<Renaming> turns_of(const std::vector<std::string>& directions);

/// With other names for the directions in all calls and guards.
/// @complexity  O(length of the text)
LogicalText turned(LogicalText text, const Renaming& names);

} // namespace rondo::logical::internal
