// SPDX-License-Identifier: Apache-2.0
// Which of the texts that a run can be folded to is the easiest to read.
#pragma once

#include "logical/places/run_facts.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstddef>
#include <functional>

namespace rondo::logical::internal {

constexpr std::size_t kReadable = 600; // records, of which nobody would read many more

struct Shortest {
  LogicalProgram program;
  std::size_t effort = 0; // records, and two for each choice
  std::size_t records = 0;
};

/// The way there is told with logicalize_for_text().
/// @param facts      of the trace; if it is given up, what comes back is of no use
/// @param when_long  called when the text seems to become longer than kReadable, and whether it is
///                   sure to: the first one that was tried has twice as much
Shortest shortest(const trace::Trace& trace, LogicalizeOptions options, RunFacts& facts,
                  bool shows_local, bool keeps_order,
                  const std::function<void(bool is_sure)>& when_long = {});

} // namespace rondo::logical::internal
