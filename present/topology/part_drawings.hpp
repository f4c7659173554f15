// SPDX-License-Identifier: Apache-2.0
// Where ranks are drawn and which pairs of them talk, for the pictures of a report.
#pragma once

#include "rondo/topology/parts.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace rondo::present {

/// Above, a page draws the graph of the whole run alone: those of its parts would be most of a
/// file.
constexpr std::int64_t kMostDrawnRanks = 4096;

/// `x` and `y` of each rank, `order` of the ranks in it, the name that it is `drawn_as`.
nlohmann::json layout_json(const topology::Graph& graph, const topology::Recognition& found);

/// Adds `pairs` and `layout` to the rows of parts that have messages.
/// @param rows  of part_json()
void draw_parts(nlohmann::json& rows, const std::vector<topology::TrafficPart>& parts);

} // namespace rondo::present
