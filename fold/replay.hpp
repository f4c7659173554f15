// SPDX-License-Identifier: Apache-2.0
// Plays the calls of a rank into a builder, to fold them anew.
#pragma once

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>

namespace rondo::fold {

/// Where the times of the calls come from.
enum class TimesFrom : std::uint8_t {
  kNowhere,
  kPlaces, // the class's histograms: those of a place go to its first call
  kStamps, // the times of every call
};

/// Tells the builder where the rank stands in the communicators of the trace.
void set_positions(ProgramBuilder& builder, const trace::Trace& trace, std::int64_t rank);

/// @complexity O(calls)
void replay(const trace::Trace& trace, const trace::RankClass& c, std::int64_t rank,
            TimesFrom times, ProgramBuilder& to);

} // namespace rondo::fold
