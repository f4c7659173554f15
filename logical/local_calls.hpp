// SPDX-License-Identifier: Apache-2.0
// Calls that no other rank hears of: how many there are, and the line that says so.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

/// Of all ranks, most calls first. @complexity O(terms of the classes)
std::vector<LocalCalls> local_calls_of(const trace::Trace& trace, Unseen unseen = Unseen::kLocal);

/// "# left out of sight: local calls, 120 type_get_contents, 60 group_incl"
std::string local_line(const std::vector<LocalCalls>& local);
bool is_local_line(std::string_view line);
/// Reads what local_line() wrote; false for what it does not write.
bool read_local_line(std::string_view line, std::vector<LocalCalls>& local);

} // namespace rondo::logical::internal
