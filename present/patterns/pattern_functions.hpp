// SPDX-License-Identifier: Apache-2.0
// The functions of the program that a pattern's calls stand in, for its heading.
#pragma once

#include "rondo/sites/resolver.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace rondo::present {

/// " in exchange": the innermost function that is on the stack of all calls, as far as stacks were
/// recorded; else those that make most of the calls: " in pack, unpack and 2 more functions". Of
/// stripped programs the file. Empty if nothing is known.
/// @param calls   events by the site of their call
std::string functions_text(sites::Resolver& resolver,
                           const std::map<std::uint32_t, std::uint64_t>& calls);

} // namespace rondo::present
