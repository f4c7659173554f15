// SPDX-License-Identifier: Apache-2.0
// One rank's calls while the program runs, as the rank says them: those of each thread in their
// order, with what the rank's threads have in common.
#pragma once

#include "rondo/trace/live_wire.hpp"
#include "simulate/ranks/call_source.hpp"
#include "simulate/transport/transport.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

/// Communicators by numbers that mean the same on all ranks, as trace::Communicators has them:
/// those with the same members are told apart by what they were made from.
class LiveCommunicators {
public:
  using Members = std::vector<std::int64_t>;
  /// Number of the parent, tag, ordinal: see trace::CommOrigin.
  using Origin = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;
  std::uint32_t id_of(Members members, Members remote, const Origin& origin);
  std::uint32_t new_id() { return next_++; }

private:
  std::map<std::tuple<Members, Members, Origin>, std::uint32_t> ids_; // the lower group first
  std::uint32_t next_ = trace::Communicators::kSelf + 1;
};

/// An MPI_COMM_WORLD: the one that the run began with, or that of processes which it started.
struct LiveWorld {
  std::uint32_t id = trace::Communicators::kWorld;
  std::int64_t first = 0; // of its ranks among the run's
  std::int64_t ranks = 0;
};

class LiveCalls;

/// Calls on one communicator or window that all its ranks make: those of several threads keep the
/// order in which they came back.
class Turns {
public:
  std::uint64_t take(std::int64_t object) { return given_[object]++; }
  bool has_come(std::int64_t object, std::uint64_t turn) { return begun_[object] >= turn; }
  void begin(std::int64_t object) { ++begun_[object]; }

private:
  std::unordered_map<std::int64_t, std::uint64_t> given_, begun_;
};

/// One thread's calls.
class LiveThread : public CallSource {
public:
  explicit LiveThread(LiveCalls& rank) : rank_(rank) {}

  bool is_empty() const { return waiting_.empty(); }
  void end() { has_ended_ = true; }
  bool has_ended() const;
  /// It is there from this moment on, in virtual seconds.
  void begin_at(double start_s) { end_s_ = start_s; }
  /// Start and end of calls that are over, and were not taken yet.
  std::vector<std::int64_t> take_times() { return std::exchange(times_, {}); }
  /// Calls that were said.
  std::uint64_t said() const { return calls_ + (is_taken_ ? 1 : 0) + waiting_.size(); }
  /// The end of the last call, in virtual seconds.
  double end_s() const { return end_s_; }
  /// Where it is before its next call; nothing if that hangs on calls that are not over.
  std::optional<double> now_s() const;
  /// When so many of its calls were over; nothing if they are not.
  std::optional<double> end_of_s(std::uint64_t calls) const;
  /// It no longer waits for other threads of its rank. False if it did not.
  bool let_go();

  bool take_array(std::span<const std::int64_t> words);
  bool take_call(std::span<const std::int64_t> words);
  bool take_sleep(std::span<const std::int64_t> words);

  Next next() override;
  const trace::CallInstance& call() const override { return call_; }
  double computing_s() override { return computing_s_; }
  double held_up_s(double clock) override;
  void ended(double start, double end) override;
  std::span<const std::int64_t> array(std::int64_t index) const override;
  const trace::Communicators::View& comm(std::int64_t slot) const override;
  std::int64_t rank_in(std::int64_t comm) const override;
  bool is_inter(std::int64_t comm) const override;
  std::optional<std::uint64_t> type_bytes(std::int64_t type) const override;
  std::vector<std::int32_t> group(std::int64_t slot) const override;
  bool knows_envelopes() const override { return false; }
  bool may_cancel() const override { return false; }
  std::optional<Envelope> take_envelope(std::uint64_t) override { return std::nullopt; }
  std::string text() const override;
  std::size_t symbols() const override { return kSymbols; }

private:
  static constexpr std::size_t kSymbols = 256;
  using Words = std::vector<std::int64_t>;
  struct Behind { // a call of another thread
    std::int64_t thread = 0;
    std::uint64_t calls = 0;
    double later_s = 0;
  };
  struct Sleep {
    double computing_s = 0; // before it
    std::vector<Behind> behind;
  };
  struct Waiting {
    Words words; // computing_ns, header, site, words
    std::vector<Sleep> sleeps;
    std::optional<std::int64_t> object; // whose turn it waits for
    std::uint64_t turn = 0;
  };

  std::optional<double> after(const std::vector<Sleep>& sleeps, double clock) const;
  void note_started(double end);

  LiveCalls& rank_;
  std::vector<Words> arrays_{{}};
  std::vector<std::int64_t> current_{0}; // the rank's number of an array -> index in arrays_
  std::deque<Waiting> waiting_;
  std::vector<Sleep> sleeps_; // before the call that is to come
  Waiting taken_;
  bool is_taken_ = false; // and not over
  bool is_let_go_ = false; // the next call
  trace::CallInstance call_;
  double computing_s_ = 0;
  double slept_computing_s_ = 0; // part of it, that came before its last sleep
  std::vector<std::int64_t> times_;
  double end_s_ = 0;
  std::uint64_t calls_ = 0; // that are over
  std::deque<double> ends_s_; // of the last of them
  bool has_ended_ = false;
};

class LiveCalls {
public:
  /// @param comms  of all ranks; must outlive the object
  /// @param rank   among the run's
  LiveCalls(LiveCommunicators& comms, std::int64_t rank, const LiveWorld& world, bool wants_times);

  /// Takes what the rank says. False if that makes no sense.
  bool take(const trace::live::Item& item);
  /// There will be no more calls.
  void end() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }
  /// The one that called MPI_Init.
  LiveThread& first() const { return *threads_.begin()->second; }
  /// nullptr if it has said nothing.
  LiveThread* thread(std::int64_t number) const;
  const std::map<std::int64_t, std::unique_ptr<LiveThread>>& threads() const { return threads_; }
  /// Receives from any source that MPI matches while the program is elsewhere, or sends: nobody can
  /// say which message they are to take.
  std::uint64_t unsteered_receives() const { return unsteered_receives_; }
  /// A receive of a thread that is one of those.
  void count_unsteered() { ++unsteered_receives_; }
  bool wants_times() const { return wants_times_; }

  struct Started { // processes, by a call whose root this is
    std::int64_t first = 0; // of their ranks
    double at_s = 0; // when it was over
  };
  void add_started(Started started) { started_.push_back(started); }
  std::vector<Started> take_started() { return std::exchange(started_, {}); }

  struct Comm {
    trace::Communicators::View view;
    std::int64_t rank = 0;
    bool is_inter = false;
  };
  const Comm& comm(std::int64_t slot) const;
  const std::unordered_map<std::int64_t, std::uint64_t>& type_bytes() const { return type_bytes_; }
  const std::unordered_map<std::int64_t, std::vector<std::int32_t>>& groups() const {
    return groups_;
  }
  Turns& turns() { return turns_; }

private:
  bool take_comm(std::span<const std::int64_t> words);
  LiveThread* thread_to_be(std::span<const std::int64_t> words);

  LiveCommunicators& comms_;
  std::int64_t rank_;
  bool wants_times_;
  std::unordered_map<std::int64_t, Comm> comm_; // by slot
  Comm unknown_;
  std::unordered_map<std::int64_t, std::vector<std::int32_t>> groups_;
  std::unordered_map<std::int64_t, std::uint64_t> type_bytes_;
  std::map<std::int64_t, std::unique_ptr<LiveThread>> threads_; // the first is always there
  Turns turns_;
  std::uint64_t unsteered_receives_ = 0;
  std::vector<Started> started_;
  bool has_ended_ = false;
};

} // namespace rondo::simulate::internal
