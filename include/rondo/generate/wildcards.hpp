// SPDX-License-Identifier: Apache-2.0
// Wildcards replaced by what came, so that a program made from the trace gives every receive the
// same message in every run.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>

namespace rondo::generate {

struct ResolvingOptions {
  bool keeps_wildcards = false; // nothing is resolved, and no status dropped
  /// Folded by the flow of control: each call of the source once, with what varies as columns.
  bool by_flow = false;
  /// Calls that differ in few words are soon one call with words that vary: a loop over a few
  /// roots.
  bool softens = false;
  /// Told of streams done and in all.
  std::function<void(std::uint64_t, std::uint64_t)> progress{};
};

struct ResolvedWildcards {
  trace::Trace trace;
  std::uint64_t resolved = 0; // calls that asked for any source or tag and no longer do
  /// Calls that still ask: nothing came for them that a status says (cancelled, never completed,
  /// completed by another thread, of a kind without statuses, or a probe that found nothing).
  std::uint64_t unanswered = 0;
  /// Persistent receives that still ask, as their starts got messages of different senders or tags.
  std::uint64_t differing = 0;
};

/// The same trace, where each receive and probe asks for the source and tag that came for it.
/// Statuses are dropped, as they say no more than the arguments now, but in streams where a
/// persistent receive still asks.
/// @source [benchmarkgeneration, sec. 3] for the idea; there one source for each receive of a loop
/// @complexity O(program) where nothing asks so and no status says anything, which leaves the trace
///             as it is; else O(calls of all ranks), memory O(result and longest stream's receives
///             with wildcards)
ResolvedWildcards resolve_wildcards(const trace::Trace& trace,
                                    const ResolvingOptions& options = {});

/// resolve_wildcards(), with calls softened where that saves a third of the terms; by the flow of
/// control where what repeats is long and that is far shorter: a third of the terms, of more
/// than 400.
/// @param options  softens and by_flow are found here
/// @complexity as of resolve_wildcards(), up to four times
ResolvedWildcards resolved_to_be_short(const trace::Trace& trace, ResolvingOptions options);

} // namespace rondo::generate
