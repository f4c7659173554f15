// SPDX-License-Identifier: Apache-2.0
// A call site for programs.
#pragma once

#include "rondo/sites/resolver.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace rondo::present {

/// Module, offset, and as far as known function, inlined_in, file, line and text; `callers` if a
/// call stack was recorded. null for a site of which nothing is known.
nlohmann::json site_json(sites::Resolver& resolver, std::uint32_t site);

} // namespace rondo::present
