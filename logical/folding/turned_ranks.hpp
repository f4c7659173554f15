// SPDX-License-Identifier: Apache-2.0
// Programs in which another rank leads in each step: the owner of row k sends it to all others, one
// by one or round a ring. Each rank does in turn what the leader does, at a time of its own, so
// that ranks have no order together; counted from the leader, they do the same in every step.
#pragma once

#include "rondo/trace/trace.hpp"

#include <optional>
#include <string>

namespace rondo::logical::internal {

struct TurnedRanks {
  /// The run in which rank r of a round is the r-th behind its leader, round the end; outside of
  /// rounds all ranks are themselves. Times are means of the call.
  trace::Trace trace;
  std::string led_by; // "in turn by all ranks"
};

/// A round is a broadcast by hand, of as many messages as there are other ranks, each of which
/// receives once, or a reduction, in which each sends once. Nothing if there are few rounds, one
/// leader only, or many other messages; if requests stay open from one round to the next; and of
/// long runs and many ranks.
/// @complexity  O(calls of all ranks), and O(ranks) more for each round; but for 64 failures to
/// find
///              one, of O(ranks * (ranks + calls of a round)) each
std::optional<TurnedRanks> with_turned_ranks(const trace::Trace& trace);

} // namespace rondo::logical::internal
