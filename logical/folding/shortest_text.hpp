// SPDX-License-Identifier: Apache-2.0
// Which of the texts that a run can be folded to is the easiest to read.
#pragma once

#include "logical/places/run_facts.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstddef>
#include <functional>
#include <limits>

namespace rondo::logical::internal {

constexpr std::size_t kReadable = 600; // records, of which nobody would read many more

constexpr std::size_t kAnyEffort = std::numeric_limits<std::size_t>::max();

struct Shortest {
  LogicalProgram program;
  std::size_t effort = 0; // records, and two for each choice; kAnyEffort: nobody takes it
  std::size_t records = 0;
  std::size_t first = kAnyEffort; // effort of the first text that was tried by what repeats
};

/// A text that seems to become longer than kReadable.
struct LongText {
  std::size_t records = 0; // of the first one that was tried by what repeats, and its effort
  std::size_t first = kAnyEffort; // kAnyEffort: there is none yet
};
using WhenLong = std::function<void(const LongText&)>;

/// The way there is told with logicalize_for_text().
/// @param facts      of the trace; if it is given up, what comes back is of no use
/// @param most_at_first  the first text that is tried by what repeats has to be shorter for others
///                       to be tried, unless some could be by the flow of control
Shortest shortest(const trace::Trace& trace, LogicalizeOptions options, RunFacts& facts,
                  bool shows_local, bool keeps_order, const WhenLong& when_long = {},
                  std::size_t most_at_first = kAnyEffort);

} // namespace rondo::logical::internal
