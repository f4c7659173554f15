// SPDX-License-Identifier: Apache-2.0
// A logical program for programs.
#pragma once

#include "rondo/logical/logical_text.hpp"
#include "rondo/sites/resolver.hpp"

#include <nlohmann/json.hpp>

namespace rondo::cli {

/// What stands in the text, with `executions` and `before_ns` of calls.
nlohmann::json logical_json(const logical::LogicalText& text);

/// Calls and bytes off the topology: in total, by rank and by call site.
nlohmann::json accuracy_json(const logical::Accuracy& accuracy, const logical::OffTopology& off,
                             sites::Resolver& resolver);

} // namespace rondo::cli
