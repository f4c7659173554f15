// SPDX-License-Identifier: Apache-2.0
// What calls that complete requests do with them: what these were is noted first, since MPI takes
// their handles away. For wrappers, which the functions become part of.
#pragma once

#include "record/call.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace rondo::record {

// In the wrappers' own frames: what is asked of the recorder stays in registers then.
#define RONDO_INLINE [[gnu::always_inline]] inline

inline std::size_t number_of(const MPI_Request* requests, int n) {
  return n > 0 && requests != nullptr ? static_cast<std::size_t>(n) : 0;
}

inline bool wants_status(const Scratch::Pending& pending) {
  return Request::wants_status(pending.traits);
}
inline bool is_send(const Scratch::Pending& pending) {
  return (pending.traits & Request::kReceive) == 0;
}

[[gnu::noinline]] inline void make_room(Scratch& scratch, std::size_t n) {
  scratch.pending.resize(n);
  scratch.request_words.resize(n);
  scratch.request_room = n;
}

// Notes the requests and their words; true if a status of theirs is worth keeping.
template <class RequestAt>
RONDO_INLINE bool note_each(Call& call, RequestAt request_at, std::size_t n) {
  Requests& known = call.state().requests;
  const Stream& stream = call.stream();
  Scratch& scratch = call.scratch();
  if (scratch.request_room < n) [[unlikely]]
    make_room(scratch, n);
  Scratch::Pending* const pending = scratch.pending.data();
  std::int64_t* const words = scratch.request_words.data();
  known.begin_array();
  std::uint8_t traits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Scratch::Pending entry;
    std::int64_t word = trace::kNull;
    if (const MPI_Request handle = request_at(i); handle != MPI_REQUEST_NULL) [[likely]] {
      const Request* request = known.find_in_array(key_of(handle), stream, entry.id);
      if (request != nullptr) [[likely]] {
        word = Requests::word_of(*request, stream);
        entry.traits = request->traits;
      }
    }
    words[i] = word;
    pending[i] = entry;
    traits |= entry.traits;
  }
  if ((traits & Request::kOfStatus) == 0) [[likely]]
    return false;
  return std::any_of(pending, pending + n,
                     [](const Scratch::Pending& each) { return wants_status(each); });
}
RONDO_INLINE bool note(Call& call, const MPI_Request* requests, std::size_t n) {
  return note_each(
      call, [=](std::size_t i) { return requests[i]; }, n);
}

RONDO_INLINE void put_requests(Call& call, std::size_t n) {
  call.array_of(call.scratch().request_words.data(), n);
}

// A nonblocking request is gone when it has completed, a persistent one becomes inactive.
RONDO_INLINE void completed(Requests& requests, const Scratch& scratch, std::size_t index) {
  requests.complete(scratch.pending[index].id);
}

// After a call that failed: what MPI set to the null request is gone, whatever the error was.
[[gnu::cold, gnu::noinline]] inline void failed(Recorder& known, const Scratch& scratch,
                                                const MPI_Request* requests, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) completed(known.requests, scratch, i);
  }
}

// Those that are recorded at once.
int wrap_MPI_Wait(const void* site, MPI_Request* request, MPI_Status* status);
int wrap_MPI_Test(const void* site, MPI_Request* request, int* flag, MPI_Status* status);
int wrap_MPI_Waitall(const void* site, int count, MPI_Request* requests, MPI_Status* statuses);
int wrap_MPI_Testall(const void* site, int count, MPI_Request* requests, int* flag,
                     MPI_Status* statuses);

} // namespace rondo::record
