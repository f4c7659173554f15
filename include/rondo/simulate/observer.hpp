// SPDX-License-Identifier: Apache-2.0
// Looks on while a trace is played: what each rank computed, which calls it made, and whom it met.
// An observer changes nothing; all times are seconds of the virtual time in which the trace is
// played. What is told of a rank, under its number in MPI_COMM_WORLD, is of its first thread;
// further threads that call MPI have numbers of their own behind the last rank's.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace rondo::trace {
struct CallInstance;
}

namespace rondo::simulate {

/// A function at a call site.
struct CallPlace {
  std::uint16_t function = 0; // id
  std::uint32_t site = 0; // index into the trace's call sites
  friend auto operator<=>(const CallPlace&, const CallPlace&) = default;
};

/// A call needed another rank, which may have kept it waiting.
struct Met {
  enum class For : std::uint8_t { kMessage, kReceiver, kOperation };
  std::int64_t rank = 0;
  CallPlace place;
  For what = For::kMessage; // kOperation: one that went on behind the program, or a meeting of all
  double from_s = 0; // when it began to wait
  double until_s = 0; // when it could go on; from_s if it did not have to wait
  std::int64_t other_rank = 0;
  double other_s = 0; // when that one came to its side
  std::uint64_t bytes = 0; // of a send that waits for its receiver because it is so large
};

/// A message of the program, and its receive.
struct Received {
  std::int64_t sender = 0;
  double sent_s = 0;
  std::int64_t receiver = 0;
  double posted_s = 0; // the receive
  std::uint64_t bytes = 0;
  bool waits = false; // its send does, in the play
};

/// What is told of one rank comes in its order; what two ranks have to do with each other comes
/// when both have been there.
class Observer {
public:
  virtual ~Observer() = default;
  /// The rank's next call, of which all that follows is told.
  virtual void comes_to(std::int64_t /*rank*/, const trace::CallInstance& /*call*/) {}
  /// Before the call at `place`.
  virtual void computed(std::int64_t rank, CallPlace place, double from_s, double to_s) = 0;
  /// The call is over.
  virtual void called(std::int64_t rank, CallPlace place, double from_s, double to_s) = 0;
  virtual void met(const Met& met) = 0;
  virtual void received(const Received& message) = 0;
  /// The call that is under way completed a send that does not wait in the play.
  virtual void completed_send(std::int64_t rank, double sent_s, std::uint64_t bytes) = 0;

  /// Passes of loops that come again exactly are told once and counted, if the observer can count.
  virtual bool can_count() const { return false; }
  /// What is told from here on may come again; no call and no message is under way.
  virtual void period_begins() {}
  /// Whether what was told since period_begins() is, but for the times, what was told between that
  /// and the period_begins() before.
  virtual bool repeats_itself() { return false; }
  /// What was told since period_begins() happened so many times more before. What was told, and
  /// what follows, is later by `times * period_s[rank]`.
  virtual void repeated(std::uint64_t /*times*/, const std::vector<double>& /*period_s*/) {}
};

} // namespace rondo::simulate
