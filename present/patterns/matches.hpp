// SPDX-License-Identifier: Apache-2.0
// What `rondo patterns --match` shows.
#pragma once

#include "rondo/patterns/pattern_search.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::present {

/// @param most   occurrences of each rank that are shown
/// @param name   of the pattern that was looked for
std::string matches_text(const std::string& name, const patterns::SearchResult& result,
                         const patterns::SearchOptions& options, std::size_t most);

nlohmann::json matches_json(const std::string& name, const patterns::SearchResult& result);

} // namespace rondo::present
