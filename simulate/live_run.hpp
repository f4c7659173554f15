// SPDX-License-Identifier: Apache-2.0
// The ranks of a live run on their way through virtual time.
#pragma once

#include "simulate/live_calls.hpp"
#include "simulate/rank_program.hpp"

#include <memory>
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
  /// @error kUnsupported with the calls that no model simulates
  Result<Prediction> prediction() const;

private:
  SimulateOptions options_;
  Stage stage_;
  LiveCommunicators comms_;
  std::vector<std::unique_ptr<LiveCalls>> calls_; // by rank
  std::vector<std::unique_ptr<RankProgram>> programs_;
  std::uint64_t sends_let_go_ = 0;
  std::uint64_t waits_let_go_ = 0;
};

} // namespace rondo::simulate::internal
