// SPDX-License-Identifier: Apache-2.0
// A logical program for programs.
#pragma once

#include "rondo/logical/logical_text.hpp"
#include "rondo/sites/resolver.hpp"

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::present {

/// Call sites of the recorded trace as texts, in their order.
using SitesInWords =
    std::function<std::vector<std::string>(const std::vector<std::uint32_t>& sites)>;

/// What stands in the text, with `executions` and `before_ns` of calls.
/// @param sites  for `sites` of each call; unset: it has none
nlohmann::json logical_json(const logical::LogicalText& text, const SitesInWords& sites = {});

/// Calls and bytes off the topology: in total, by rank and by call site.
nlohmann::json accuracy_json(const logical::Accuracy& accuracy, const logical::OffTopology& off,
                             sites::Resolver& resolver);

} // namespace rondo::present
