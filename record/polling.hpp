// SPDX-License-Identifier: Apache-2.0
// Loops that poll: a thread asks again and again whether something is there, and does nothing in
// between, or sleeps. That is waiting, none of its computation: the time between two polls counts
// as part of the second one. But a thread that polls now and then while it works computes; only its
// CPU time tells the two apart.
#pragma once

#include "record/open_call.hpp"
#include "record/process/clock.hpp"

#include <cstdint>

namespace rondo::record {

/// By id, of those below 64; the generator asserts it: MPI_Iprobe, MPI_Improbe, MPI_Test,
/// MPI_Testall, MPI_Testany, MPI_Testsome, MPI_Request_get_status, MPI_Parrived.
constexpr std::uint64_t kPolls =
    std::uint64_t{1} << 32 | std::uint64_t{1} << 34 | std::uint64_t{0b111111} << 42;
constexpr std::uint16_t kWinTest = 201;

/// A thread that has worked in kBusy gaps in a row is asked what it did in two of so many only.
constexpr std::uint32_t kBusy = 16;
constexpr std::uint32_t kSeldom = 64;

/// Whether a call comes back at once, and says if something is there.
constexpr bool is_poll(std::uint16_t function) {
  return function < 64 ? (kPolls >> function & 1) != 0 : function == kWinTest;
}

/// Whether the thread's last call was a poll that found nothing. Before the next one begins.
inline bool goes_on_polling(const OnThread& thread) {
  return thread.polling.found_nothing && is_poll(thread.call.function);
}

/// How much of a time between polls was none of computation, if it is not short.
std::uint64_t idle_between_polls(Polling& polling, std::uint64_t gap_ticks);
/// Notes CPU time behind the first poll of a series, where the thread is known to sleep in them.
void begin_polling(Polling& polling);

/// A poll is over.
/// @param goes_on  what goes_on_polling() said before it
/// @return         when it begins, with the time before that is to count as part of it
[[gnu::always_inline]] inline std::uint64_t start_of_poll(OnThread& thread, bool goes_on,
                                                          bool found, std::uint64_t start_ticks,
                                                          std::uint64_t last_end_ticks) {
  // Such a gap is as short as the polls: whatever is done in it is not what they are made beside.
  constexpr std::uint64_t kShort_ns = 2'000;
  Polling& polling = thread.polling;
  polling.found_nothing = !found;
  if (!goes_on) {
    polling.reading_ticks = 0;
    if (polling.busy >= kBusy) polling.busy = kSeldom; // another loop may sleep: that is asked
    if (!found && polling.sleeps) [[unlikely]]
      begin_polling(polling);
  } else if (start_ticks > last_end_ticks) {
    const std::uint64_t gap = start_ticks - last_end_ticks;
    start_ticks -= clock_.to_ns(gap) < kShort_ns ? gap : idle_between_polls(polling, gap);
  }
  return start_ticks;
}

} // namespace rondo::record
