// SPDX-License-Identifier: Apache-2.0
// What is recorded of one thread. Programs below MPI_THREAD_MULTIPLE have one stream, whichever
// threads their calls come from: MPI demands that these follow one another.
#pragma once

#include "record/request_id.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/time_stamps.hpp"

#include <cstdint>
#include <mpi.h>
#include <optional>
#include <vector>

namespace rondo::record {

/// What wrappers need for the length of a call. It stays with the thread's stream, so that calls
/// allocate nothing and nothing has to be destroyed when the thread ends.
struct Scratch {
  struct Pending { // a request that a call may complete
    RequestId id;
    bool wants_status = false;
    bool is_send = false;
  };
  struct Unknown { // a handle that MPI has not been asked about yet
    std::size_t word; // where it stands in the event; kInArray: in an array
    trace::FieldKind kind;
    std::uint64_t handle;
  };
  static constexpr std::size_t kInArray = ~std::size_t{0};
  std::vector<std::int64_t> words;
  std::vector<Unknown> unknown;
  std::vector<Pending> pending;
  std::vector<std::int64_t> request_words;
  std::vector<MPI_Status> statuses;
  std::vector<std::int64_t> entries;
};

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
  Scratch scratch;
};

} // namespace rondo::record
