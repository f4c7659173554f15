// SPDX-License-Identifier: Apache-2.0
// What `rondo info --messages` says: how many messages have both ends, and which have not.
#pragma once

#include "rondo/trace/matching.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::present {

/// Lines of text, each with what it is about ("messages") or nothing in front.
std::vector<std::pair<std::string, std::string>> message_lines(const trace::MatchSummary& summary,
                                                               const trace::Trace& trace);

nlohmann::json message_json(const trace::MatchSummary& summary, const trace::Trace& trace);
/// Ranks that were in a call when the recording ended.
std::uint64_t open_calls(const trace::Trace& trace);

} // namespace rondo::present
