// SPDX-License-Identifier: Apache-2.0
// Processes outside MPI_COMM_WORLD: those that a run has spawned, those that have spawned it, and
// those it has connected to.
#pragma once

#include "rondo/trace/trace.hpp"

namespace rondo::trace {

/// Whether some communicator has any.
/// @complexity O(ranges of ranks in the definitions)
bool has_outsiders(const Trace& trace);

} // namespace rondo::trace
