// SPDX-License-Identifier: Apache-2.0
// The ranks of a live run on their way through virtual time.
#pragma once

#include "simulate/live/live_calls.hpp"
#include "simulate/ranks/rank_program.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

class LiveRun {
public:
  /// All must outlive the object.
  LiveRun(const NetworkModel& model, const SimulateOptions& options, std::int64_t ranks);

  std::int64_t ranks() const { return static_cast<std::int64_t>(calls_.size()); }
  /// nullptr before add().
  LiveCalls* calls(std::int64_t rank) const { return calls_[static_cast<std::size_t>(rank)].get(); }
  void add(std::int64_t rank, bool wants_times);

  /// Hands its messages over; before any rank is added.
  void set_carrier(Carrier* carrier);
  /// What was carried is there.
  void delivered(Shipment& shipment, double time) { stage_.transport.delivered(shipment, time); }
  /// Virtual time up to which no rank can say anything new: all ranks that are not held up by the
  /// model have come there. Infinite if there is none of them.
  double horizon_s() const;
  /// Ranks that have nothing to play are in calls of MPI, where they wait for others: until they
  /// speak, or words are expected again, they are taken to say nothing new.
  void expect_silence();
  void expect_words() { std::fill(is_silent_.begin(), is_silent_.end(), false); }
  bool expects_silence() const;
  void has_spoken(std::int64_t rank) { is_silent_[static_cast<std::size_t>(rank)] = false; }

  /// Plays what has come, as far as it goes.
  void play();
  /// All that the rank has said was played.
  bool is_played(std::int64_t rank) const;
  /// Ranks wait for each other, and none of them can say more before that is over.
  bool is_stuck() const;
  /// Some rank waits in the model.
  bool has_waiting() const;
  /// Nobody waits any longer for what does not come: first sends go without asking; where there are
  /// none, waits are over. play() goes on from there. False if nobody waits.
  bool let_go();

  bool is_refused() const;

  Transport& transport() { return stage_.transport; }
  /// Whether it is known which messages the rank has not received: all that it said is played, and
  /// no receive from anywhere is open.
  bool knows_pending(std::int64_t rank) const;
  /// Whether a nonblocking receive from anywhere is open.
  bool has_unknown(std::int64_t rank) const {
    return programs_[static_cast<std::size_t>(rank)]->has_unknown();
  }
  void add_remark(std::string remark) { remarks_.push_back(std::move(remark)); }
  /// @error kUnsupported with the calls that no model simulates
  Result<Prediction> prediction() const;

private:
  SimulateOptions options_;
  Stage stage_;
  LiveCommunicators comms_;
  std::vector<std::unique_ptr<LiveCalls>> calls_; // by rank
  std::vector<std::unique_ptr<RankProgram>> programs_;
  std::vector<std::string> remarks_;
  std::uint64_t sends_let_go_ = 0;
  std::uint64_t waits_let_go_ = 0;
  Carrier* carrier_ = nullptr;
  std::vector<bool> is_silent_; // by rank
};

} // namespace rondo::simulate::internal
