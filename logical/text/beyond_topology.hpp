// SPDX-License-Identifier: Apache-2.0
// How much ranks differ where no direction of a topology tells them apart.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

/// Sums up what stands under outermost guards that name ranks; a part of the text for some ranks
/// only is one such guard.
/// @param all_calls  of the run
/// @complexity       O(statements)
BeyondTopology beyond_of(const std::vector<LogicalText::Part>& parts, std::uint64_t all_calls);

/// The comment lines of the text, without line feeds; none if there is nothing. Of more than nine
/// sets the first eight are named, the others are one.
/// @param all_bytes  that the run's point-to-point calls send
std::vector<std::string> beyond_lines(const BeyondTopology& beyond, std::uint64_t all_bytes);

/// True for the first and for the others of beyond_lines().
bool is_beyond_head(std::string_view line);
bool is_beyond_line(std::string_view line);

/// Reads a line into `beyond`; whether the sums are right shows when it is written again.
/// @return  false if it is not as beyond_lines() writes it
bool read_beyond_line(std::string_view line, BeyondTopology& beyond);

} // namespace rondo::logical::internal
