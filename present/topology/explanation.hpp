// SPDX-License-Identifier: Apache-2.0
// What remains after each of the paper's three stages, for people and for programs.
#pragma once

#include "rondo/topology/explain.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::present {

/// Runs the stages on the largest part of the graph whose ranks reach each other.
topology::Explanation explanation_of(const topology::Adjacency& graph,
                                     const std::vector<topology::Family>& families);

/// A table with a line for each stage, and the candidates below it.
/// @param all_ranks  of the graph, to say if the stages looked at a part of it
std::string explanation_text(const topology::Explanation& explanation, topology::Vertex all_ranks);

nlohmann::json explanation_json(const topology::Explanation& explanation);

} // namespace rondo::present
