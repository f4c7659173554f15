// SPDX-License-Identifier: Apache-2.0
// A line of a logical program that is a call, into the statement that it was written from.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

/// Between the parts of a line.
inline constexpr std::string_view kGap = "  ";

/// At least one part.
std::vector<std::string> split(std::string_view text, std::string_view separator);

/// Digits without zeros in front; nothing for anything else.
std::optional<std::uint64_t> number(std::string_view text);

/// "recv west 120..130 double  tag 2  # 1.2 ms before, at x_solve.f:120"
/// @return  what is wrong with a line that is none, as the end of a sentence about it
tl::expected<CallStatement, std::string> call_of(std::string_view text);

} // namespace rondo::logical::internal
