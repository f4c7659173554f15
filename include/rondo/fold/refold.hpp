// SPDX-License-Identifier: Apache-2.0
// A trace folded anew, further than it is or less far: to see what folding and merging are worth.
// Whatever it is folded to, it expands to the same calls.
#pragma once

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>

namespace rondo::fold {

/// How much of a trace's structure is made explicit.
enum class Folding : std::uint8_t {
  kNone, // every rank's calls one by one
  kLoops, // loops, for every rank by itself
  kFull, // and ranks that do the same share a program
};

struct Refolded {
  trace::Trace trace;
  /// Streams without times because they were summed up over several ranks.
  std::uint64_t streams_without_times = 0;
};

/// The same calls, definitions and time stamps. Histograms come from the time stamps, if there are
/// any; otherwise those of a class of one rank stay, and those of several ranks can only stay
/// together (kFull).
/// @param progress  told of streams done and in all
/// @complexity O(calls of all ranks); memory O(result)
Refolded refold(const trace::Trace& trace, Folding folding, ProgramOptions options,
                const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

/// Tells the builder where the rank stands in the communicators of the trace.
void set_positions(ProgramBuilder& builder, const trace::Trace& trace, std::int64_t rank);

} // namespace rondo::fold
