// SPDX-License-Identifier: Apache-2.0
// Who has to wait for whom, for a page that draws messages into a timeline and plays a run.
#pragma once

#include "rondo/trace/trace.hpp"

#include <nlohmann/json.hpp>

namespace rondo::present {

/// {"of_rank": [index into "columns"...], "columns": [{"sends": {"call", "receiver"}, "receipts":
/// {"call", "sender", "skipped"}, "parts": {"call", "began", "comm", "waits_for", "root"}}...]},
/// each a column as column_json() has them, or {"why_not": sentence}. Ranks that depend alike on
/// others share their columns: "receiver" and "sender" are relative to the rank, "began" is to the
/// call. A receipt gets the message behind the last one that was received from its sender, but for
/// so many as "skipped" says. "waits_for" is 0 for all ranks, 1 for the root, 2 for nobody, 3 for
/// ranks before it.
/// @complexity  O(calls), of runs of up to 4096 ranks, 4 * 10^6 calls and half as many messages
nlohmann::json dependences_json(const trace::Trace& trace);

} // namespace rondo::present
