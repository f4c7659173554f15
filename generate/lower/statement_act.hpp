// SPDX-License-Identifier: Apache-2.0
// What a statement of a benchmark does, if it is a call of an MPI function, and how often a loop's
// body runs, whether the loop stands there or is called.
#pragma once

#include "rondo/generate/benchmark.hpp"
#include "rondo/trace/call_meaning.hpp"

namespace rondo::generate::internal {

inline trace::Act act_of(const Statement& statement) {
  const trace::Function* function = trace::find_function(std::string_view(statement.name));
  return function == nullptr ? trace::Act::kLocal : trace::meaning_of(*function).act;
}

inline const Expression& iterations_of(const Statement& loop) {
  return loop.kind == Statement::Kind::kInvoke ? loop.arguments.front().value : loop.value;
}

} // namespace rondo::generate::internal
