// SPDX-License-Identifier: Apache-2.0
// What is recorded of one thread. Programs below MPI_THREAD_MULTIPLE have one stream, whichever
// threads their calls come from: MPI demands that these follow one another.
#pragma once

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/time_stamps.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::record {

struct Stream {
  std::uint32_t thread =
      0; // 0 for the thread that called MPI_Init, then in the order of their first calls
  std::optional<fold::ProgramBuilder> program; // made anew when a chunk is sealed
  trace::TimeStampWriter stamps; // only if all times are kept
  std::uint64_t sealed_calls = 0; // in chunks on disk
  std::uint64_t nonblocking_made = 0; // requests
  std::vector<bool> slot_in_use; // of persistent requests
  std::uint64_t calls_begun = 0;
  std::uint64_t before_ticks = 0; // that the recorder took before MPI got the calls, estimated
  std::uint64_t last_end_ticks = 0; // 0 before the first call
  // The call that the thread is in; function 0 between calls.
  std::uint16_t open_function = 0;
  std::uint32_t open_site = 0;
  std::uint64_t open_ticks = 0;
};

} // namespace rondo::record
