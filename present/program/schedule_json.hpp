// SPDX-License-Identifier: Apache-2.0
// What each rank does, as a page plays it on networks of a reader's choice.
#pragma once

#include "rondo/trace/trace.hpp"

#include <nlohmann/json.hpp>

namespace rondo::present {

/// Steps of rondo/simulate/schedule.hpp: a table of those that there are (`kinds`, `peers` as
/// differences to the own rank, `bytes`, `numbers`), `columns` of indices into it, of which each
/// rank has one (`of_rank`), and what it computes (`computing`: nanoseconds, and which of them each
/// time; `computing_of_rank`). docs/formats/page.md says what the
/// numbers mean. `why_not` in their place for runs of which a page does not hold or play so much.
/// @complexity O(steps), of no more than a page plays while a slider moves
nlohmann::json schedule_json(const trace::Trace& trace);

} // namespace rondo::present
