// SPDX-License-Identifier: Apache-2.0
// The line above the body of a loop. What comes once or not at all in each round of the loop around
// it is no loop for who reads it, but an `if`: "in rounds 1-52 of 60".
#pragma once

#include "rondo/trace/column.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace rondo::logical::internal {

/// "loop 249", "in some rounds (mean 0.3)", "in rounds 1-52 of 60", "in every 5th round".
/// @param count  as LoopStatement has it
std::string loop_head(const std::string& count);

/// Back again; nothing if `head` is not what loop_head() writes.
std::optional<std::string> count_of_head(std::string_view head);

/// Whether each round of the loop around has the body once or not at all, as the count says it.
bool is_condition(std::string_view count);

/// "0..1 (every 5th)" of 0, 0, 0, 0, 1 again and again, "0..1 (every 5th from 2)" if each time it
/// is the second; nothing of others, of more than 2^24 rounds, or if it comes only once.
std::optional<std::string> every_kth(const trace::Column& column);

/// k of such a count.
std::optional<std::int64_t> kth_of(std::string_view count);

} // namespace rondo::logical::internal
