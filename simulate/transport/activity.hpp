// SPDX-License-Identifier: Apache-2.0
// Something with a clock of its own that sends, receives and waits: a rank's program, or an
// operation that goes on behind it.
#pragma once

#include "rondo/simulate/simulate.hpp"
#include "simulate/transport/collective_steps.hpp"
#include "simulate/transport/ledger.hpp"
#include "simulate/transport/transport.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

class Activity;

/// A rank in an operation whose messages are played at once: what it sends in a round.
struct RoundSide {
  Activity* activity = nullptr; // null: it has not come
  Operation operation = Operation::kBarrier;
  RunGraph::Point point = 0;
  std::uint64_t bytes = 0;
  double start = 0;
  double first_byte = 0; // its arrival
  double posted = 0; // when it came to the round
};

class Activity {
public:
  Activity(std::uint32_t id, std::int64_t rank, double clock, Transport& transport, Ledger& ledger)
      : transport_(transport), ledger_(ledger), id_(id), actor_(id), rank_(rank), clock_(clock) {}
  virtual ~Activity() = default;
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  std::uint32_t id() const { return id_; }
  /// The program that it plays, or goes on behind: that one's number.
  std::uint32_t actor() const { return actor_; }
  std::int64_t rank() const { return rank_; }
  double clock() const { return clock_; }
  /// Of those without whom it could not send something at `time`, itself or another.
  virtual Coming last_to_come(double time) const { return {time, rank_, actor_}; }
  /// Where it is in the graph of the run, if that is kept.
  RunGraph::Point point() const { return point_; }
  bool is_over() const { return is_over_; }
  /// There is no more to do, so far.
  bool is_idle() const { return is_idle_; }

  /// Goes on until it has to wait, is over, or has done enough for now (then it is ready again).
  void run();
  /// No longer waits for what it waits for: that is taken to be over now.
  /// @return  how many requests that were
  std::size_t let_go();
  /// A request that it waits for is over; it goes on if that was the last one.
  void one_less_pending() {
    if (--pending_ == 0) wake();
  }

  // Of an operation whose messages are played at once (gatherings.hpp):
  /// Goes on once it may leave().
  void stay() { ++pending_; }
  void leave() { one_less_pending(); }
  void begin_round(RoundSide& own, bool sends);
  /// @param from  whose message it waits for, or null
  void end_round(const RoundSide& own, const RoundSide* from, bool sends);
  /// Goes through the steps one by one.
  void play(std::vector<Step>&& steps, std::uint32_t comm, std::int64_t tag);

protected:
  enum class Work : std::uint8_t { kBegun, kLater, kOver };
  /// Begins what comes next.
  virtual Work next_work() = 0;
  /// A request that was waited for is complete.
  /// @param before  the clock when the wait began
  virtual void completed(const Request& request, double before) = 0;
  /// The call that is being played, for the critical path.
  virtual CallName call_name() const = 0;

  void wait_for(Request* request);

  Transport& transport_;
  Ledger& ledger_;
  std::uint32_t id_;
  std::uint32_t actor_;
  std::int64_t rank_;
  double clock_;
  RunGraph::Point point_ = 0;
  bool keeps_requests_ = false; // of the waits under way: MPI_Request_get_status

private:
  struct KnownChannel { // of a step
    std::uint32_t comm = 0;
    std::int32_t peer = -1;
    std::uint32_t channel = 0;
  };

  static constexpr int kMostWork = 4096; // before others have their turn: no rank runs far ahead

  void wake();
  void begin_step(const Step& step);
  std::uint32_t step_channel(std::int32_t peer, bool is_send);
  void finish_waits();
  void complete(Request& request);

  std::vector<Request*> waits_;
  std::uint32_t pending_ = 0;
  int work_left_ = kMostWork;
  bool is_over_ = false;
  bool is_idle_ = false;
  std::vector<Step> steps_;
  std::size_t next_step_ = 0;
  std::uint32_t steps_comm_ = 0;
  std::int64_t steps_tag_ = 0;
  std::vector<KnownChannel> known_; // by step and side: that of the last collective operation
};

/// Steps that a rank's program does not wait for until it asks. Who asks has waited for who came to
/// the operation last, not for those on the way whose programs did something else meanwhile.
class BackgroundActivity : public Activity {
public:
  /// @param done  is resolved at the end
  BackgroundActivity(std::uint32_t id, const Activity& starter, Request* done, CallName name,
                     Transport& transport, Ledger& ledger);
  void begin(std::vector<Step>&& steps, std::uint32_t comm, std::int64_t tag) {
    play(std::move(steps), comm, tag);
  }
  void begin(Request* first, Request* second) {
    wait_for(first);
    wait_for(second);
  }
  Coming last_to_come(double) const override { return last_; }

protected:
  Work next_work() override;
  void completed(const Request& request, double before) override;
  CallName call_name() const override { return name_; }

private:
  Request* done_;
  CallName name_;
  Coming last_;
};

} // namespace rondo::simulate::internal
