// SPDX-License-Identifier: Apache-2.0
// What the launcher says of the process. It may be of another MPI than the program, as a job script
// hands one environment to all that it starts.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::record {

/// Why a process that is alone in its MPI_COMM_WORLD should not be: a launcher of the other MPI has
/// started it beside others, and they did not find each other. Empty if there is nothing to say.
std::string stranger_launcher(std::int64_t world_size);

/// The rank as the launcher has it, 0 if it does not say.
std::int64_t launched_rank();

} // namespace rondo::record
