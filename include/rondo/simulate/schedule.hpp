// SPDX-License-Identifier: Apache-2.0
// What each rank of a run does, as far as a network without contention is concerned: computation,
// messages, and what is waited for, with collective operations as their messages and requests as
// what they stand for. The same on every network, so that whoever has it plays the run with a few
// rules: docs/formats/page.md has them.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace rondo::simulate {

struct ScheduleStep {
  enum class Kind : std::uint8_t {
    kCompute,
    kSend, // makes a request, as all but kCompute, kWait and kEnd do
    kReceive,
    kProbe,
    kPut, // one-sided, to the other side or, if it is there and back, from there
    kWait, // for a request made before
    kBegin, // what follows goes on behind the program, from now on; its request is over at its end
    kEnd,
  };
  enum class Mode : std::uint8_t { kStandard, kSynchronous, kBuffered };
  Kind kind = Kind::kCompute;
  Mode mode = Mode::kStandard; // of sends; kSynchronous of what is put there and back
  bool waits = false; // for its own request, too
  bool finishes = false; // then all that is waited for is over before the next step
  std::int64_t peer = 0; // world rank
  std::uint64_t bytes = 0; // of sends and what is put
  /// Receives and probes: which one it is of the messages of that sender to this rank, from 0 on.
  /// Waits: of this rank's requests, from 0 on.
  std::uint64_t number = 0;
};

struct RankSchedule {
  std::vector<ScheduleStep> steps;
  std::vector<double> computing_s; // of each kCompute
};

/// @param most_steps  of all ranks
/// @return            by world rank; nothing of ranks of which the trace has nothing
/// @error  kUnsupported: those of simulate(), or more steps
/// @complexity  O(calls + messages of collectives) time, O(steps) memory
/// @source      [hoefler2010]: schedules of sends, receives and computation; requests and what goes
///              on behind programs are kept, where GOAL has dependences
Result<std::vector<RankSchedule>> schedule_of(const trace::Trace& trace, std::uint64_t most_steps);

} // namespace rondo::simulate
