// SPDX-License-Identifier: Apache-2.0
// Blocking collective operations on all of MPI_COMM_WORLD as actions, which know no others. All
// ranks name both sides of a rooted one, whether MPI looks at it or not.
#pragma once

#include "convert/simgrid_ti/action_lines.hpp"
#include "convert/simgrid_ti/amounts.hpp"
#include "convert/simgrid_ti/export.hpp"
#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace rondo::convert::internal {

/// What the words of a call mean on the rank that makes it.
struct CallSide {
  Export& run;
  std::int64_t rank = 0;
  Amounts& amounts;
  const trace::CallInstance& call;
  std::function<std::span<const std::int64_t>(std::int64_t)> array; // by index
};

/// The line of a call. One that no action says is refused.
void write_collective(const CallSide& side, ActionLines& lines);

} // namespace rondo::convert::internal
