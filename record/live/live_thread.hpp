// SPDX-License-Identifier: Apache-2.0
// One thread of a rank of a live run: what it has said and heard, and how it stands in real time,
// from which is told whom of the other threads it waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <optional>

namespace rondo::record {

struct LiveThread {
  struct Times { // of a call, in virtual nanoseconds
    std::uint64_t start_ns = 0;
    std::uint64_t inside_ns = 0;
  };
  std::deque<Times> times; // of its next calls
  std::size_t arrays_said = 1; // the first is empty and known
  std::uint64_t computing_ns = 0; // since its last call, not said yet
  std::uint64_t said_computing_ns = 0; // since its last call
  double known_end_s = 0;
  bool is_behind = false; // it said something since known_end_s
  bool has_answer = false;
  bool is_introduced = false; // the timekeeper knows the system's number of it
  std::uint64_t asked_in_a_row = 0; // the time, without a call in between
  std::uint64_t last_asked_ns = 0; // in real time
  std::uint64_t beyond_ns = 0; // computed between questions, beyond next to nothing
  const void* caller = nullptr; // the thread that made the last call

  // In real time, where several threads call MPI at once.
  struct End { // of a call
    std::uint64_t calls = 0; // up to it
    std::uint64_t at_ns = 0;
  };
  std::uint64_t calls = 0; // said
  std::array<End, 16> ends{}; // of the last calls
  std::optional<clockid_t> cpu_clock;
  std::uint64_t cpu_at_end_ns = 0; // of the last call
  std::optional<std::uint64_t> cpu_at_begin_ns; // of the call that it is in

  /// It asks what time it is, and has computed so long since it asked before or its last call.
  /// @return  whether it does next to nothing else, and waits for the time to pass
  bool asks_again(std::uint64_t computed_ns);
  /// The thread itself has made its last call just now.
  void note_end();
  /// The thread itself is about to be in a call, or is no more.
  void note_begin();
  /// Its last call that had ended at a moment, and what it had computed since at most.
  struct Standing {
    std::uint64_t calls = 0;
    std::uint64_t computed_ns = 0;
  };
  std::optional<Standing> standing_at(std::uint64_t moment_ns) const;
};

} // namespace rondo::record
