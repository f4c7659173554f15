// SPDX-License-Identifier: Apache-2.0
// Which of the texts that a run can be folded to is the easiest to read.
#pragma once

#include "logical/places/run_facts.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstddef>

namespace rondo::logical::internal {

struct Shortest {
  LogicalProgram program;
  std::size_t effort = 0; // records, and two for each choice
  std::size_t records = 0;
};

/// The way there is told with logicalize_for_text().
/// @param facts  of the trace
Shortest shortest(const trace::Trace& trace, LogicalizeOptions options, RunFacts& facts,
                  bool shows_local, bool keeps_order);

} // namespace rondo::logical::internal
