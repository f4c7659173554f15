// SPDX-License-Identifier: Apache-2.0
// How much comes where receives have room for more than anybody sends: the count of such a call is
// the size of its buffer, and says nothing of the message.
//
//   const Arrivals arrivals = arrivals_of(trace);
//   if (const auto at = arrivals.find(call->site); at != arrivals.end()) use(at->second);
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace rondo::matrix {

/// By call site of the receives: bytes of their messages; of more than four amounts four, the least
/// and the greatest among them.
using Arrivals = std::map<std::uint32_t, std::set<std::int64_t>>;

/// Empty if each receive has room for as much as some message of the run, if no call sites are
/// known, and in runs of more than 2^21 calls. Sites whose messages are not all known are left out.
/// @complexity  that of visit_traffic(), and of match_messages() if there are such receives
Arrivals arrivals_of(const trace::Trace& trace);

/// The least and the most bytes that come at a call with room for more; nothing at others.
/// @param call  of the same trace, or one that was made of it
std::optional<std::pair<std::int64_t, std::int64_t>>
arrived_at(const trace::Trace& trace, const Arrivals& arrivals, const trace::Call& call);

} // namespace rondo::matrix
