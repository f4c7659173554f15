// SPDX-License-Identifier: Apache-2.0
// Wait, Test and their like. MPI sets the handles of completed requests to MPI_REQUEST_NULL, so
// what the requests were is noted before the call. Statuses are asked for where some request is a
// receive with wildcards; then the program's own status array is used if it gave one, else ours.
#include "record/call.hpp"
#include <real_calls.hpp>

#include "record/by_hand.hpp"

namespace rondo::record {
namespace {

using Pending = Scratch::Pending;

// In the wrappers' own frames: what is asked of the recorder stays in registers then.
#define RONDO_INLINE [[gnu::always_inline]] inline

std::size_t number_of(const MPI_Request* requests, int n) {
  return n > 0 && requests != nullptr ? static_cast<std::size_t>(n) : 0;
}

[[gnu::noinline]] void make_room(Scratch& scratch, std::size_t n) {
  scratch.pending.resize(n);
  scratch.request_words.resize(n);
}

// Notes the requests and their words; true if a status of theirs is worth keeping.
RONDO_INLINE bool note(Call& call, const MPI_Request* requests, std::size_t n) {
  Requests& known = call.state().requests;
  const Stream& stream = call.stream();
  Scratch& scratch = call.scratch();
  if (scratch.pending.size() < n) [[unlikely]]
    make_room(scratch, n);
  Pending* const pending = scratch.pending.data();
  std::int64_t* const words = scratch.request_words.data();
  known.begin_array();
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    Pending entry;
    const Request* request = requests[i] == MPI_REQUEST_NULL
                                 ? nullptr
                                 : known.find_in_array(key_of(requests[i]), stream, entry.id);
    words[i] = trace::kNull;
    if (request != nullptr) {
      words[i] = Requests::word_of(*request, stream);
      entry.wants_status = request->wants_status();
      entry.is_send = !request->has(Request::kReceive);
      any = any || entry.wants_status;
    }
    pending[i] = entry;
  }
  return any;
}

RONDO_INLINE void put_requests(Call& call, std::size_t n) {
  call.array_of(call.scratch().request_words.data(), n);
}

// A nonblocking request is gone when it has completed, a persistent one becomes inactive.
RONDO_INLINE void completed(Call& call, std::size_t index) {
  call.state().requests.complete(call.scratch().pending[index].id);
}

// After a call that failed: what MPI set to the null request is gone, whatever the error was.
[[gnu::cold]] void failed(Call& call, const MPI_Request* requests, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) completed(call, i);
  }
}

MPI_Status* single(MPI_Status* given, bool wanted, MPI_Status& own) {
  return wanted && given == MPI_STATUS_IGNORE ? &own : given;
}

MPI_Status* array(Call& call, MPI_Status* given, bool wanted, int n) {
  if (!wanted || given != MPI_STATUSES_IGNORE) return given;
  call.scratch().statuses.resize(static_cast<std::size_t>(n));
  return call.scratch().statuses.data();
}

// A request that was cancelled says nothing. One that MPI_Cancel came too late for says what became
// of it, and by that, that it was not cancelled.
bool was_cancelled(const MPI_Status& status) {
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

void put_status(Call& call, bool wanted, std::size_t index, const MPI_Status* status) {
  if (!wanted || was_cancelled(*status)) {
    call.no_status();
  } else if (call.scratch().pending[index].is_send) {
    call.status_of_send();
  } else {
    call.status(*status);
  }
}

// The statuses of all requests, or of those with the indices given.
void put_statuses(Call& call, const MPI_Status* statuses, int n, const int* indices) {
  std::vector<std::int64_t>& entries = call.scratch().entries;
  entries.clear();
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<std::size_t>(indices == nullptr ? i : indices[i]);
    const Pending& request = call.scratch().pending[index];
    if (request.wants_status && !was_cancelled(statuses[i]))
      call.append_status(entries, i, request.is_send, statuses[i]);
  }
  call.statuses(entries, n);
}

RONDO_INLINE int wait_or_test(Call& call, MPI_Request* request, int* flag, MPI_Status* status,
                              bool completes) {
  const bool wanted = note(call, request, 1);
  call.word(call.scratch().request_words.front());
  MPI_Status own;
  MPI_Status* const used = single(status, wanted, own);
  call.enter();
  const int result = flag == nullptr ? real::MPI_Wait(request, used)
                     : completes     ? real::MPI_Test(request, flag, used)
                                     : real::MPI_Request_get_status(*request, flag, used);
  call.leave(result);
  const bool done = result == MPI_SUCCESS && (flag == nullptr || *flag != 0);
  if (flag != nullptr) result == MPI_SUCCESS ? call.integer(*flag) : call.nothing();
  put_status(call, done && wanted, 0, used);
  if (done && completes) completed(call, 0);
  if (result != MPI_SUCCESS) failed(call, request, 1);
  call.commit();
  return result;
}

RONDO_INLINE int wait_or_test_any(Call& call, int n, MPI_Request* requests, int* index, int* flag,
                                  MPI_Status* status) {
  const std::size_t size = number_of(requests, n);
  const bool wanted = note(call, requests, size);
  put_requests(call, size);
  MPI_Status own;
  MPI_Status* const used = single(status, wanted, own);
  call.enter();
  const int result = flag == nullptr ? real::MPI_Waitany(n, requests, index, used)
                                     : real::MPI_Testany(n, requests, index, flag, used);
  call.leave(result);
  const bool answered = result == MPI_SUCCESS && (flag == nullptr || *flag != 0);
  answered ? call.integer(*index) : call.nothing();
  if (flag != nullptr) result == MPI_SUCCESS ? call.integer(*flag) : call.nothing();
  const bool done = answered && *index != MPI_UNDEFINED;
  const std::size_t which = done ? static_cast<std::size_t>(*index) : 0;
  put_status(call, done && call.scratch().pending[which].wants_status, which, used);
  if (done) completed(call, which);
  if (result != MPI_SUCCESS) failed(call, requests, size);
  call.commit();
  return result;
}

RONDO_INLINE int wait_or_test_all(Call& call, int n, MPI_Request* requests, int* flag,
                                  MPI_Status* statuses) {
  const std::size_t size = number_of(requests, n);
  const bool wanted = note(call, requests, size);
  put_requests(call, size);
  MPI_Status* const used = array(call, statuses, wanted, n);
  call.enter();
  const int result = flag == nullptr ? real::MPI_Waitall(n, requests, used)
                                     : real::MPI_Testall(n, requests, flag, used);
  call.leave(result);
  const bool done = result == MPI_SUCCESS && (flag == nullptr || *flag != 0);
  if (flag != nullptr) result == MPI_SUCCESS ? call.integer(*flag) : call.nothing();
  if (done && wanted) {
    put_statuses(call, used, n, nullptr);
  } else {
    call.word(0);
  }
  if (done) {
    for (std::size_t i = 0; i < size; ++i) completed(call, i);
  }
  if (result != MPI_SUCCESS) failed(call, requests, size);
  call.commit();
  return result;
}

RONDO_INLINE int wait_or_test_some(Call& call, int n, MPI_Request* requests, int* outcount,
                                   int* indices, MPI_Status* statuses, bool waits) {
  const std::size_t size = number_of(requests, n);
  const bool wanted = note(call, requests, size);
  put_requests(call, size);
  MPI_Status* const used = array(call, statuses, wanted, n);
  call.enter();
  const int result = waits ? real::MPI_Waitsome(n, requests, outcount, indices, used)
                           : real::MPI_Testsome(n, requests, outcount, indices, used);
  call.leave(result);
  const bool done = result == MPI_SUCCESS && *outcount != MPI_UNDEFINED;
  const int count = done ? *outcount : 0;
  result == MPI_SUCCESS ? call.integer(*outcount) : call.nothing();
  done ? call.integers(indices, count) : call.nothing();
  if (wanted && count > 0) {
    put_statuses(call, used, count, indices);
  } else {
    call.word(0);
  }
  for (int i = 0; i < count; ++i) completed(call, static_cast<std::size_t>(indices[i]));
  if (result != MPI_SUCCESS) failed(call, requests, size);
  call.commit();
  return result;
}

#undef RONDO_INLINE

} // namespace

int wrap_MPI_Wait(const void* site, MPI_Request* request, MPI_Status* status) {
  Call call(kMpiWait, site);
  if (!call.is_recorded()) return real::MPI_Wait(request, status);
  return wait_or_test(call, request, nullptr, status, true);
}

int wrap_MPI_Test(const void* site, MPI_Request* request, int* flag, MPI_Status* status) {
  Call call(kMpiTest, site);
  if (!call.is_recorded()) return real::MPI_Test(request, flag, status);
  return wait_or_test(call, request, flag, status, true);
}

int wrap_MPI_Request_get_status(const void* site, MPI_Request request, int* flag,
                                MPI_Status* status) {
  Call call(kMpiRequestGetStatus, site);
  if (!call.is_recorded()) return real::MPI_Request_get_status(request, flag, status);
  return wait_or_test(call, &request, flag, status, false);
}

int wrap_MPI_Waitany(const void* site, int count, MPI_Request* requests, int* index,
                     MPI_Status* status) {
  Call call(kMpiWaitany, site);
  if (!call.is_recorded()) return real::MPI_Waitany(count, requests, index, status);
  return wait_or_test_any(call, count, requests, index, nullptr, status);
}

int wrap_MPI_Testany(const void* site, int count, MPI_Request* requests, int* index, int* flag,
                     MPI_Status* status) {
  Call call(kMpiTestany, site);
  if (!call.is_recorded()) return real::MPI_Testany(count, requests, index, flag, status);
  return wait_or_test_any(call, count, requests, index, flag, status);
}

int wrap_MPI_Waitall(const void* site, int count, MPI_Request* requests, MPI_Status* statuses) {
  Call call(kMpiWaitall, site);
  if (!call.is_recorded()) return real::MPI_Waitall(count, requests, statuses);
  return wait_or_test_all(call, count, requests, nullptr, statuses);
}

int wrap_MPI_Testall(const void* site, int count, MPI_Request* requests, int* flag,
                     MPI_Status* statuses) {
  Call call(kMpiTestall, site);
  if (!call.is_recorded()) return real::MPI_Testall(count, requests, flag, statuses);
  return wait_or_test_all(call, count, requests, flag, statuses);
}

int wrap_MPI_Waitsome(const void* site, int incount, MPI_Request* requests, int* outcount,
                      int* indices, MPI_Status* statuses) {
  Call call(kMpiWaitsome, site);
  if (!call.is_recorded())
    return real::MPI_Waitsome(incount, requests, outcount, indices, statuses);
  return wait_or_test_some(call, incount, requests, outcount, indices, statuses, true);
}

int wrap_MPI_Testsome(const void* site, int incount, MPI_Request* requests, int* outcount,
                      int* indices, MPI_Status* statuses) {
  Call call(kMpiTestsome, site);
  if (!call.is_recorded())
    return real::MPI_Testsome(incount, requests, outcount, indices, statuses);
  return wait_or_test_some(call, incount, requests, outcount, indices, statuses, false);
}

} // namespace rondo::record
