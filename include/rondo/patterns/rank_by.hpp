// SPDX-License-Identifier: Apache-2.0
// What makes one pattern more important than another. Lists of patterns are in this order, the
// most important first; a number of a pattern means its place in such a list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::patterns {

enum class RankBy : std::uint8_t { kTraffic, kTime, kFrequency, kRanks, kLength };
std::optional<RankBy> rank_by(std::string_view name);
std::vector<std::string> rank_by_names();

} // namespace rondo::patterns
