// SPDX-License-Identifier: Apache-2.0
// Calls of a trace that a format cannot say, found before anything is written.
//
//   const UnsaidCalls unsaid = unsaid_calls(trace, [](const trace::Function& f) { ... });
//   if (!unsaid.empty() && !approximates)
//     return refuse("a Dimemas trace", unsaid, "leaves them out");
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/trace.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace rondo::convert::internal {

using UnsaidCalls = std::set<std::string>; // names of functions

/// @complexity O(calls that differ)
UnsaidCalls unsaid_calls(const trace::Trace& trace,
                         const std::function<bool(const trace::Function&)>& is_unsaid);

/// The list as an error. @param otherwise  what --approximate does, as in "leaves them out"
tl::unexpected<Error> refuse(std::string_view format, const UnsaidCalls& unsaid,
                             std::string_view otherwise);

} // namespace rondo::convert::internal
