// SPDX-License-Identifier: Apache-2.0
// Wait, Test and their like. MPI sets the handles of completed requests to MPI_REQUEST_NULL, so
// what the requests were is noted before the call. Statuses are asked for where some request is a
// receive with wildcards; then the program's own status array is used if it gave one, else ours.
#include "record/completing.hpp"
#include <real_calls.hpp>

#include "record/by_hand.hpp"

#include <algorithm>

namespace rondo::record {
namespace {

using Pending = Scratch::Pending;
using Wants = LateReceives::Wants;

RONDO_INLINE MPI_Status* single(MPI_Status* given, bool wanted, MPI_Status& own) {
  return wanted && given == MPI_STATUS_IGNORE ? &own : given;
}

[[gnu::noinline]] MPI_Status* own_statuses(Scratch& scratch, int n) {
  scratch.statuses.resize(static_cast<std::size_t>(n));
  return scratch.statuses.data();
}

RONDO_INLINE MPI_Status* array(Call& call, MPI_Status* given, bool wanted, int n) {
  return wanted && given == MPI_STATUSES_IGNORE ? own_statuses(call.scratch(), n) : given;
}

// A request that was cancelled says nothing. One that MPI_Cancel came too late for says what became
// of it, and by that, that it was not cancelled.
bool was_cancelled(const MPI_Status& status) {
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

RONDO_INLINE void put_status(Call& call, bool wanted, std::size_t index, const MPI_Status* status) {
  if (!wanted || was_cancelled(*status)) {
    call.no_status();
  } else if (is_send(call.scratch().pending[index])) {
    call.status_of_send();
  } else {
    call.status(*status);
  }
}

// The statuses of all requests that are worth keeping, or of those with the indices given, as
// [n, (index, source, tag, bytes)...]; empty if there are none.
[[gnu::noinline]] const std::vector<std::int64_t>& words_of(const Recorder& recorder,
                                                            Scratch& scratch,
                                                            const MPI_Status* statuses, int n,
                                                            const int* indices) {
  std::vector<std::int64_t>& words = scratch.words;
  words.assign(1, n);
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<std::size_t>(indices == nullptr ? i : indices[i]);
    const Pending& request = scratch.pending[index];
    if (wants_status(request) && !was_cancelled(statuses[i]))
      Call::append_status(recorder, words, i, is_send(request), statuses[i]);
  }
  if (words.size() == 1) words.clear();
  return words;
}

RONDO_INLINE void put_statuses(Call& call, const MPI_Status* statuses, int n, const int* indices) {
  const std::vector<std::int64_t>& words =
      words_of(call.state(), call.scratch(), statuses, n, indices);
  words.empty() ? call.word(0) : call.array_of(words.data(), words.size());
}

// Requests as MPI has them: of a live run it may not have got all receives yet.
class StandIns {
public:
  RONDO_INLINE StandIns(Call& call, MPI_Request* requests, int n, Wants wants, bool waits)
      : requests_(requests), n_(n), wants_(wants), late_(call.late()) {
    if (late_ != nullptr) [[unlikely]]
      late_->ask({requests, number_of(requests, n)}, wants, waits);
  }
  RONDO_INLINE bool can_complete() const {
    return late_ == nullptr || late_->can_complete({requests_, number_of(requests_, n_)}, wants_);
  }
  RONDO_INLINE MPI_Request* requests() const {
    return late_ == nullptr ? requests_ : late_->in_place_of(requests_, n_);
  }
  /// @param done  so many are complete: those with these indices, or the first ones
  RONDO_INLINE void put_back(int done, const int* indices = nullptr) const {
    if (late_ != nullptr) [[unlikely]]
      late_->put_back(requests_, n_, done, indices);
  }

private:
  MPI_Request* requests_;
  int n_;
  Wants wants_;
  LateReceives* late_;
};

// What a test answers.
int nothing_yet(int* flag_or_count, int* index = nullptr) {
  *flag_or_count = 0;
  if (index != nullptr) *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

RONDO_INLINE int wait_or_test(Call& call, MPI_Request* request, int* flag, MPI_Status* status,
                              bool completes, bool goes_on = false) {
  const bool wanted = note(call, request, 1);
  call.word(call.scratch().request_words.front());
  MPI_Status own;
  MPI_Status* const used = single(status, wanted, own);
  StandIns ins(call, request, 1, Wants::kAll, flag == nullptr);
  call.enter();
  const int result = !ins.can_complete() ? nothing_yet(flag)
                     : flag == nullptr   ? real::MPI_Wait(ins.requests(), used)
                     : completes         ? real::MPI_Test(ins.requests(), flag, used)
                                 : real::MPI_Request_get_status(*ins.requests(), flag, used);
  call.leave(result);
  const bool done = result == MPI_SUCCESS && (flag == nullptr || *flag != 0);
  ins.put_back(done && completes ? 1 : 0);
  if (flag != nullptr) result == MPI_SUCCESS ? call.integer(*flag) : call.nothing();
  put_status(call, done && wanted, 0, used);
  if (done && completes) completed(call.state().requests, call.scratch(), 0);
  if (result != MPI_SUCCESS) failed(call.state(), call.scratch(), request, 1);
  if (flag != nullptr) call.polled(goes_on, result != MPI_SUCCESS || *flag != 0);
  call.commit();
  return result;
}

RONDO_INLINE int wait_or_test_any(Call& call, int n, MPI_Request* requests, int* index, int* flag,
                                  MPI_Status* status, bool goes_on = false) {
  const std::size_t size = number_of(requests, n);
  const bool wanted = note(call, requests, size);
  put_requests(call, size);
  MPI_Status own;
  MPI_Status* const used = single(status, wanted, own);
  StandIns ins(call, requests, n, Wants::kOne, flag == nullptr);
  call.enter();
  const int result = !ins.can_complete() ? nothing_yet(flag, index)
                     : flag == nullptr   ? real::MPI_Waitany(n, ins.requests(), index, used)
                                         : real::MPI_Testany(n, ins.requests(), index, flag, used);
  call.leave(result);
  const bool answered = result == MPI_SUCCESS && (flag == nullptr || *flag != 0);
  ins.put_back(answered && *index != MPI_UNDEFINED ? 1 : 0, index);
  answered ? call.integer(*index) : call.nothing();
  if (flag != nullptr) result == MPI_SUCCESS ? call.integer(*flag) : call.nothing();
  const bool done = answered && *index != MPI_UNDEFINED;
  const std::size_t which = done ? static_cast<std::size_t>(*index) : 0;
  put_status(call, done && wants_status(call.scratch().pending[which]), which, used);
  if (done) completed(call.state().requests, call.scratch(), which);
  if (result != MPI_SUCCESS) failed(call.state(), call.scratch(), requests, size);
  if (flag != nullptr) call.polled(goes_on, result != MPI_SUCCESS || *flag != 0);
  call.commit();
  return result;
}

RONDO_INLINE int wait_or_test_all(Call& call, int n, MPI_Request* requests, int* flag,
                                  MPI_Status* statuses, bool goes_on = false) {
  const std::size_t size = number_of(requests, n);
  const bool wanted = note(call, requests, size);
  put_requests(call, size);
  MPI_Status* const used = array(call, statuses, wanted, n);
  StandIns ins(call, requests, n, Wants::kAll, flag == nullptr);
  call.enter();
  const int result = !ins.can_complete() ? nothing_yet(flag)
                     : flag == nullptr   ? real::MPI_Waitall(n, ins.requests(), used)
                                         : real::MPI_Testall(n, ins.requests(), flag, used);
  call.leave(result);
  const bool done = result == MPI_SUCCESS && (flag == nullptr || *flag != 0);
  ins.put_back(done ? n : 0);
  if (flag != nullptr) result == MPI_SUCCESS ? call.integer(*flag) : call.nothing();
  if (done && wanted) {
    put_statuses(call, used, n, nullptr);
  } else {
    call.word(0);
  }
  if (done) {
    for (std::size_t i = 0; i < size; ++i) completed(call.state().requests, call.scratch(), i);
  }
  if (result != MPI_SUCCESS) failed(call.state(), call.scratch(), requests, size);
  if (flag != nullptr) call.polled(goes_on, result != MPI_SUCCESS || *flag != 0);
  call.commit();
  return result;
}

RONDO_INLINE int wait_or_test_some(Call& call, int n, MPI_Request* requests, int* outcount,
                                   int* indices, MPI_Status* statuses, bool waits,
                                   bool goes_on = false) {
  const std::size_t size = number_of(requests, n);
  const bool wanted = note(call, requests, size);
  put_requests(call, size);
  MPI_Status* const used = array(call, statuses, wanted, n);
  StandIns ins(call, requests, n, Wants::kOne, waits);
  call.enter();
  const int result = !ins.can_complete() ? nothing_yet(outcount)
                     : waits ? real::MPI_Waitsome(n, ins.requests(), outcount, indices, used)
                             : real::MPI_Testsome(n, ins.requests(), outcount, indices, used);
  call.leave(result);
  const bool done = result == MPI_SUCCESS && *outcount != MPI_UNDEFINED;
  const int count = done ? *outcount : 0;
  ins.put_back(count, indices);
  result == MPI_SUCCESS ? call.integer(*outcount) : call.nothing();
  done ? call.integers(indices, count) : call.nothing();
  if (wanted && count > 0) {
    put_statuses(call, used, count, indices);
  } else {
    call.word(0);
  }
  for (int i = 0; i < count; ++i)
    completed(call.state().requests, call.scratch(), static_cast<std::size_t>(indices[i]));
  if (result != MPI_SUCCESS) failed(call.state(), call.scratch(), requests, size);
  if (!waits) call.polled(goes_on, result != MPI_SUCCESS || *outcount != 0);
  call.commit();
  return result;
}

} // namespace

[[gnu::hot]] int wrap_MPI_Wait(const void* site, MPI_Request* request, MPI_Status* status) {
  Call call(kMpiWait, site);
  if (!call.is_recorded()) return real::MPI_Wait(request, status);
  return wait_or_test(call, request, nullptr, status, true);
}

[[gnu::hot]] int wrap_MPI_Test(const void* site, MPI_Request* request, int* flag,
                               MPI_Status* status) {
  const bool goes_on = goes_on_polling(on_thread);
  Call call(kMpiTest, site);
  if (!call.is_recorded()) return real::MPI_Test(request, flag, status);
  return wait_or_test(call, request, flag, status, true, goes_on);
}

[[gnu::hot]] int wrap_MPI_Waitall(const void* site, int count, MPI_Request* requests,
                                  MPI_Status* statuses) {
  Call call(kMpiWaitall, site);
  if (!call.is_recorded()) return real::MPI_Waitall(count, requests, statuses);
  return wait_or_test_all(call, count, requests, nullptr, statuses);
}

[[gnu::hot]] int wrap_MPI_Testall(const void* site, int count, MPI_Request* requests, int* flag,
                                  MPI_Status* statuses) {
  const bool goes_on = goes_on_polling(on_thread);
  Call call(kMpiTestall, site);
  if (!call.is_recorded()) return real::MPI_Testall(count, requests, flag, statuses);
  return wait_or_test_all(call, count, requests, flag, statuses, goes_on);
}

int wrap_MPI_Request_get_status(const void* site, MPI_Request request, int* flag,
                                MPI_Status* status) {
  const bool goes_on = goes_on_polling(on_thread);
  Call call(kMpiRequestGetStatus, site);
  if (!call.is_recorded()) return real::MPI_Request_get_status(request, flag, status);
  return wait_or_test(call, &request, flag, status, false, goes_on);
}

[[gnu::hot]] int wrap_MPI_Waitany(const void* site, int count, MPI_Request* requests, int* index,
                                  MPI_Status* status) {
  Call call(kMpiWaitany, site);
  if (!call.is_recorded()) return real::MPI_Waitany(count, requests, index, status);
  return wait_or_test_any(call, count, requests, index, nullptr, status);
}

[[gnu::hot]] int wrap_MPI_Testany(const void* site, int count, MPI_Request* requests, int* index,
                                  int* flag, MPI_Status* status) {
  const bool goes_on = goes_on_polling(on_thread);
  Call call(kMpiTestany, site);
  if (!call.is_recorded()) return real::MPI_Testany(count, requests, index, flag, status);
  return wait_or_test_any(call, count, requests, index, flag, status, goes_on);
}

[[gnu::hot]] int wrap_MPI_Waitsome(const void* site, int incount, MPI_Request* requests,
                                   int* outcount, int* indices, MPI_Status* statuses) {
  Call call(kMpiWaitsome, site);
  if (!call.is_recorded())
    return real::MPI_Waitsome(incount, requests, outcount, indices, statuses);
  return wait_or_test_some(call, incount, requests, outcount, indices, statuses, true);
}

[[gnu::hot]] int wrap_MPI_Testsome(const void* site, int incount, MPI_Request* requests,
                                   int* outcount, int* indices, MPI_Status* statuses) {
  const bool goes_on = goes_on_polling(on_thread);
  Call call(kMpiTestsome, site);
  if (!call.is_recorded())
    return real::MPI_Testsome(incount, requests, outcount, indices, statuses);
  return wait_or_test_some(call, incount, requests, outcount, indices, statuses, false, goes_on);
}

} // namespace rondo::record
