// SPDX-License-Identifier: Apache-2.0
// What is recorded of one thread. Programs below MPI_THREAD_MULTIPLE have one stream, whichever
// threads their calls come from: MPI demands that these follow one another.
#pragma once

#include "record/handles/request_id.hpp"
#include "record/handles/slot_numbers.hpp"
#include "record/open_call.hpp"
#include "record/stream_times.hpp"
#include "rondo/fold/merge.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/time_stamps.hpp"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>
#include <vector>

namespace rondo::record {

/// What wrappers need for the length of a call. It stays with the thread's stream, so that calls
/// allocate nothing and nothing has to be destroyed when the thread ends.
struct alignas(64) Scratch {
  struct Pending { // a request that a call may complete
    RequestId id;
    std::uint8_t traits = 0; // Request::Traits
  };
  struct Unknown { // a handle that MPI has not been asked about yet
    std::size_t word; // where it stands in the event; kInArray: in an array
    trace::FieldKind kind;
    std::uint64_t handle;
  };
  static constexpr std::size_t kInArray = ~std::size_t{0};
  std::vector<Unknown> unknown;
  std::size_t request_room = 0; // of the next two: the size of `pending` would take a division
  std::vector<Pending> pending; // with room for those of any call so far; and
  std::vector<std::int64_t> request_words; // their words
  std::vector<std::int64_t> words;
  std::vector<MPI_Status> statuses;
};

constexpr std::uint32_t kSampled = 64; // one call in so many is timed before MPI, too
// In the recorder, of the clock: in so long the thread may have been without a processor.
constexpr std::uint64_t kLongTicks = 1 << 16;
constexpr std::uint64_t kNoTicks = ~std::uint64_t{0}; // later than any

struct alignas(128) Stream {
  // What all calls look at stands together, up to the beginning of the times.
  //
  // The call that the thread is in; function 0 between calls.
  struct Open {
    std::uint16_t function = 0;
    std::uint16_t size = 0; // words of the event that were known when MPI got the call
  };
  Open open;
  std::uint32_t until_sample = kSampled; // calls
  const std::int64_t* open_words = nullptr; // of the thread that is in it
  std::uint64_t open_ticks = 0;
  std::uint64_t last_end_ticks =
      kNoTicks; // so before the first call; later by what was displaced since
  std::uint64_t nonblocking_made = 0; // requests
  std::uint64_t requests = 0; // of its making that there are
  // Made anew when a chunk is sealed; none once the thread has ended: then its calls since the last
  // chunk, if there are any, are folded for good.
  std::unique_ptr<fold::ProgramBuilder> program;
  StreamTimes times; // begins with what all calls change
  std::uint64_t begun_ticks = 0; // when the call came, if it is one of those that are sampled
  // Only where computation is CPU time: when the last call ended, recorded or not, and in which
  // thread.
  std::uint64_t rest_ticks = 0;
  const void* rest_thread = nullptr;
  std::int64_t rest_site = 0; // the call site
  Scratch scratch;
  std::optional<fold::PartClass> ended;
  std::uint64_t ended_calls = 0;
  trace::TimeStampWriter stamps; // only if all times are kept
  std::uint64_t sealed_calls = 0; // in chunks on disk
  std::uint64_t calls_begun = 0; // on the long way: what a live run tells its calls apart by
  SlotNumbers slots; // of persistent requests
  std::uint64_t before_ticks = 0; // that the recorder took before MPI got the calls, estimated
  std::uint32_t thread =
      0; // 0 for the thread that called MPI_Init, then in the order of their first calls
  // With MPI_THREAD_MULTIPLE, where the thread has the call's event. While the thread is in MPI,
  // whoever holds the recorder's lock may change it.
  const OpenCall* open_call = nullptr;
  std::int64_t* open_event = nullptr;

  std::uint64_t open_calls() const { return program ? program->calls() : ended_calls; }
  std::size_t memory() const;
};

} // namespace rondo::record
