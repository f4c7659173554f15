// SPDX-License-Identifier: Apache-2.0
// What the process was started in: the MPI that it is linked with, and the launcher's word on how
// many ranks there are. Either may not be what this recorder was built for, since a job script
// hands one recorder to all programs that it starts. In a program of the other MPI the recorder
// steps aside before main: it starts the program anew without itself, as its own MPI would stand in
// the way of the program's.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::record {

/// Why a process that is alone in its MPI_COMM_WORLD should not be: a launcher of the other MPI has
/// started it beside others, and they did not find each other. Empty if there is nothing to say.
std::string stranger_launcher(std::int64_t world_size);

/// At the start of MPI_Init: starts the program again without the recorder if the library that
/// calls it is linked with the other MPI. Returns if not.
void step_aside_of_stranger(const void* return_address);

/// The rank as the launcher has it, 0 if it does not say.
std::int64_t launched_rank();

} // namespace rondo::record
