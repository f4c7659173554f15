// SPDX-License-Identifier: Apache-2.0
// Calls that complete requests and are folded later (call_log.hpp), where no status is worth
// keeping. An entry has the number of requests, where there may be several, and their handles; then
// the flag of a test.
#include "record/by_hand.hpp"
#include "record/completing.hpp"
#include "record/process/mpi_library.hpp"
#include "record/process/signals.hpp"
#include <real_calls.hpp>

namespace rondo::record {
namespace {

constexpr std::size_t kMostRequests = kMostEntry - kEntryHead - 2;

RONDO_INLINE bool are_for_log(const OnThread& thread, std::size_t requests) {
  return thread.leaves_waits && requests <= kMostRequests && is_for_log(thread, 0);
}

RONDO_INLINE void put_handles(std::int64_t* words, const MPI_Request* requests, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<std::int64_t>(key_of(requests[i]));
}

RONDO_INLINE void note_handles(Call& call, const std::int64_t* words, std::size_t n) {
  const auto request_at = [=](std::size_t i) {
    return handle_of<MPI_Request>(static_cast<std::uint64_t>(words[i]));
  };
  note_each(call, request_at, n);
}

RONDO_INLINE void complete_all(Call& call, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) completed(call.state().requests, call.scratch(), i);
}

RONDO_INLINE const std::int64_t* fold_one(Folding& folding, std::uint16_t function, bool is_test,
                                          const std::int64_t* entry) {
  Call call(folding, function, entry);
  note_handles(call, entry + kEntryHead, 1);
  call.word(call.scratch().request_words.front());
  if (!call.goes_on(folding)) return nullptr;
  const bool is_ok = folding.result() == MPI_SUCCESS;
  const std::int64_t flag = is_test ? entry[kEntryHead + 1] : 1;
  if (is_test) is_ok ? call.integer(flag) : call.nothing();
  call.no_status();
  if (is_ok && flag != 0) complete_all(call, 1);
  call.ends(folding);
  return entry + kEntryHead + (is_test ? 2 : 1);
}

RONDO_INLINE const std::int64_t* fold_all(Folding& folding, std::uint16_t function, bool is_test,
                                          const std::int64_t* entry) {
  Call call(folding, function, entry);
  const auto n = static_cast<std::size_t>(entry[kEntryHead]);
  note_handles(call, entry + kEntryHead + 1, n);
  put_requests(call, n);
  if (!call.goes_on(folding)) return nullptr;
  const bool is_ok = folding.result() == MPI_SUCCESS;
  const std::int64_t flag = is_test ? entry[kEntryHead + 1 + n] : 1;
  if (is_test) is_ok ? call.integer(flag) : call.nothing();
  call.word(0);
  if (is_ok && flag != 0) complete_all(call, n);
  call.ends(folding);
  return entry + kEntryHead + 1 + n + (is_test ? 1 : 0);
}

[[gnu::hot]] const std::int64_t* fold_wait(Folding& folding, const std::int64_t* entry) {
  return fold_one(folding, kMpiWait, false, entry);
}
[[gnu::hot]] const std::int64_t* fold_test(Folding& folding, const std::int64_t* entry) {
  return fold_one(folding, kMpiTest, true, entry);
}
[[gnu::hot]] const std::int64_t* fold_waitall(Folding& folding, const std::int64_t* entry) {
  return fold_all(folding, kMpiWaitall, false, entry);
}
[[gnu::hot]] const std::int64_t* fold_testall(Folding& folding, const std::int64_t* entry) {
  return fold_all(folding, kMpiTestall, true, entry);
}

// Behind a poll: when it begins. That of one call in some stays, as it is timed from before that.
RONDO_INLINE void note_poll(OnThread& thread, bool goes_on, bool found) {
  std::int64_t* const entry = open_entry(thread);
  const std::uint64_t last_end = entry == log_words ? recorder->only_stream().last_end_ticks
                                                    : ticks_at(entry_before(entry), kEnd);
  const std::uint64_t start =
      start_of_poll(thread, goes_on, found, ticks_at(entry, kStart), last_end);
  if (thread.until_sample != 0) entry[kStart] = static_cast<std::int64_t>(start);
}

// What MPI set to the null request is gone.
[[gnu::cold, gnu::noinline]] int
end_requests_otherwise(std::uint64_t end, int result, const MPI_Request* requests, std::size_t n) {
  end_otherwise(end, result);
  enter_recorder();
  recorder->enter();
  if (result != MPI_SUCCESS) failed(*recorder, recorder->stream().scratch, requests, n);
  recorder->leave();
  leave_recorder();
  return result;
}

// The result of a call that was recorded at once. From now on, they may be left for later again.
int noted(int result) {
  if (recorder != nullptr) recorder->note_statuses();
  return result;
}

} // namespace

extern "C" {

RONDO_BEHIND_DOOR(MPI_Wait) int rondo_log_MPI_Wait(MPI_Request* request, MPI_Status* status) {
  fetch_ahead(rondo_log_MPI_Wait);
  OnThread& thread = thread_at(real::rondo_thread_MPI_Wait);
  const void* const site = __builtin_return_address(0);
  if (!are_for_log(thread, 1)) [[unlikely]]
    return noted(wrap_MPI_Wait(site, request, status));
  std::int64_t* const entry = open_entry(thread);
  put_handles(entry + kEntryHead, request, 1);
  make_in_log(thread, entry, fold_wait, kMpiWait, site, __builtin_frame_address(0));
  open_in_log(thread);
  const int result = real::MPI_Wait(request, status);
  const std::uint64_t end = Clock::counter();
  if (is_usual_end(thread, result, __builtin_frame_address(0))) [[likely]] {
    return close_in_log(thread, end, kEntryHead + 1, result);
  }
  return end_requests_otherwise(end, result, request, 1);
}

RONDO_BEHIND_DOOR(MPI_Test)
int rondo_log_MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  fetch_ahead(rondo_log_MPI_Test);
  OnThread& thread = thread_at(real::rondo_thread_MPI_Test);
  const void* const site = __builtin_return_address(0);
  if (!are_for_log(thread, 1)) [[unlikely]]
    return noted(wrap_MPI_Test(site, request, flag, status));
  const bool goes_on = goes_on_polling(thread);
  std::int64_t* const entry = open_entry(thread);
  put_handles(entry + kEntryHead, request, 1);
  make_in_log(thread, entry, fold_test, kMpiTest, site, __builtin_frame_address(0));
  open_in_log(thread);
  const int result = real::MPI_Test(request, flag, status);
  const std::uint64_t end = Clock::counter();
  if (is_usual_end(thread, result, __builtin_frame_address(0))) [[likely]] {
    open_entry(thread)[kEntryHead + 1] = *flag;
    note_poll(thread, goes_on, *flag != 0);
    return close_in_log(thread, end, kEntryHead + 2, result);
  }
  return end_requests_otherwise(end, result, request, 1);
}

RONDO_BEHIND_DOOR(MPI_Waitall)
int rondo_log_MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  fetch_ahead(rondo_log_MPI_Waitall);
  OnThread& thread = thread_at(real::rondo_thread_MPI_Waitall);
  const void* const site = __builtin_return_address(0);
  const std::size_t n = number_of(requests, count);
  if (!are_for_log(thread, n)) [[unlikely]]
    return noted(wrap_MPI_Waitall(site, count, requests, statuses));
  std::int64_t* const entry = open_entry(thread);
  entry[kEntryHead] = static_cast<std::int64_t>(n);
  put_handles(entry + kEntryHead + 1, requests, n);
  make_in_log(thread, entry, fold_waitall, kMpiWaitall, site, __builtin_frame_address(0));
  open_in_log(thread);
  const int result = real::MPI_Waitall(count, requests, statuses);
  const std::uint64_t end = Clock::counter();
  if (is_usual_end(thread, result, __builtin_frame_address(0))) [[likely]] {
    return close_in_log(thread, end, kEntryHead + 1 + n, result);
  }
  return end_requests_otherwise(end, result, requests, n);
}

RONDO_BEHIND_DOOR(MPI_Testall)
int rondo_log_MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  fetch_ahead(rondo_log_MPI_Testall);
  OnThread& thread = thread_at(real::rondo_thread_MPI_Testall);
  const void* const site = __builtin_return_address(0);
  const std::size_t n = number_of(requests, count);
  if (!are_for_log(thread, n)) [[unlikely]]
    return noted(wrap_MPI_Testall(site, count, requests, flag, statuses));
  const bool goes_on = goes_on_polling(thread);
  std::int64_t* const entry = open_entry(thread);
  entry[kEntryHead] = static_cast<std::int64_t>(n);
  put_handles(entry + kEntryHead + 1, requests, n);
  make_in_log(thread, entry, fold_testall, kMpiTestall, site, __builtin_frame_address(0));
  open_in_log(thread);
  const int result = real::MPI_Testall(count, requests, flag, statuses);
  const std::uint64_t end = Clock::counter();
  if (is_usual_end(thread, result, __builtin_frame_address(0))) [[likely]] {
    open_entry(thread)[kEntryHead + 1 + n] = *flag;
    note_poll(thread, goes_on, *flag != 0);
    return close_in_log(thread, end, kEntryHead + 2 + n, result);
  }
  return end_requests_otherwise(end, result, requests, n);
}

} // extern "C"

} // namespace rondo::record
