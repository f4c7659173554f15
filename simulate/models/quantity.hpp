// SPDX-License-Identifier: Apache-2.0
// Numbers with units, as settings of a network have them.
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::simulate::internal {

std::string_view trimmed(std::string_view text);

/// "64kB", "4 KiB", "1500".
/// @error kUsage for anything else
Result<std::uint64_t> parse_bytes(std::string_view text);

} // namespace rondo::simulate::internal
