// SPDX-License-Identifier: Apache-2.0
// The folded program with its times, for a page that unfolds it: what a timeline without time
// stamps is made of.
#pragma once

#include "rondo/sites/resolver.hpp"
#include "rondo/trace/trace.hpp"

#include <nlohmann/json.hpp>

namespace rondo::present {

/// {"functions": [...], "sites": [...], "classes": [{"ranks": ..., "calls": [[function, site]...],
/// "nest": ..., "places": [[before, call, computation_ns, inside_ns, least_inside_ns]...]}...],
/// "spans_ns": [...], "stamps": [{"rank", "begins_ns", "gaps_ns", "inside_ns"}...], "dependences":
/// those of report_dependences.hpp}. Terms are as Term::code has them.
/// A place's times are means of the class, with those of its ranks in "computation_ns" and
/// "inside_ns" of the class (unless these would be many). Of stamps, which small archives with all
/// times have, each gap is the time since the call before.
/// @complexity  O(size of the programs + ranks)
nlohmann::json folded_program(const trace::Trace& trace, sites::Resolver& resolver);

/// {"runs": [value, count...]}, {"values": [...]} or {"first", "differences", "nest"}.
nlohmann::json column_json(const trace::Column& column);

} // namespace rondo::present
