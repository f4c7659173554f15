// SPDX-License-Identifier: Apache-2.0
// The ranks of a live run on their way through virtual time.
#pragma once

#include "simulate/live/live_calls.hpp"
#include "simulate/ranks/rank_program.hpp"

#include <algorithm>
#include <functional>
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
  /// Processes that others start, as further ranks, which add() has come.
  /// @param parent  the root of the call that starts them
  /// @return  the first of them
  std::int64_t add_world(std::int64_t ranks, std::int64_t parent);

  /// Hands its messages over; before any rank is added.
  void set_carrier(Carrier* carrier);
  /// What was carried is there.
  void delivered(Shipment& shipment, double time) { stage_.transport.delivered(shipment, time); }
  /// Virtual time up to which no rank can say anything new: all ranks that are not held up by the
  /// model have come there. Infinite if there is none of them.
  double horizon_s();
  /// Threads that have nothing to play are in calls of MPI, where they wait for others, or asleep:
  /// until they speak, or words are expected again, they are taken to say nothing new.
  void expect_silence();
  /// Of those that wait in MPI. Who sleeps does so until somebody wakes him.
  void expect_words();
  bool expects_silence() const;
  /// Whether a thread still sleeps outside of MPI, by rank and thread; without it, none does.
  using StillSleeps = std::function<bool(std::int64_t, std::int64_t)>;
  void watch_sleepers(StillSleeps still_sleeps) { still_sleeps_ = std::move(still_sleeps); }
  /// Whether it is known when it begins. Ranks that are started know that once their parents' call
  /// was played; until then nothing that they say is.
  bool has_begun(std::int64_t rank) const {
    return !players_[static_cast<std::size_t>(rank)].empty();
  }
  void has_spoken(std::int64_t rank, std::int64_t thread);
  /// A thread of the rank has ended, for which others may have slept.
  void may_wake(std::int64_t rank);

  /// Plays what has come, as far as it goes.
  void play();
  /// All that the rank's thread has said was played.
  bool is_played(std::int64_t rank, std::int64_t thread = 0) const;
  /// Only one thread of each rank may make calls, for this reason.
  void refuse_threads(std::string why) { no_threads_ = std::move(why); }
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
    return has_begun(rank) &&
           players_[static_cast<std::size_t>(rank)].front().program->has_unknown();
  }
  /// See RankProgram::take_held(). All that the rank has said is played.
  void take_held(std::int64_t rank, std::int64_t held_before, Envelope envelope) {
    players_[static_cast<std::size_t>(rank)].front().program->take_held(held_before, envelope);
    stage_.play([] {});
  }
  /// Of all calls that the rank has said so far.
  void give_up_held(std::int64_t rank) {
    players_[static_cast<std::size_t>(rank)].front().program->give_up_held(
        calls(rank)->first().said());
  }
  void add_remark(std::string remark) { remarks_.push_back(std::move(remark)); }
  /// @error kUnsupported with the calls that no model simulates
  Result<Prediction> prediction() const;

private:
  struct Player {
    std::int64_t thread = 0;
    LiveThread* calls = nullptr;
    std::unique_ptr<RankProgram> program;
    bool is_silent = false;
    bool is_asleep = false; // that is why

    /// What it has said so far is played.
    bool has_said_all() const { return program->is_idle() && calls->is_empty(); }
    bool may_speak() const { return has_said_all() && !calls->has_ended(); }
    bool is_waiting() const { return !program->is_over() && !has_said_all(); }
  };
  void add_threads(std::int64_t rank);
  bool is_silent(std::int64_t rank, Player& player) const;
  struct Spawned {
    LiveWorld world;
    std::int64_t parent = 0;
    std::optional<double> start_s;
  };
  const Spawned* spawned_with(std::int64_t rank) const;
  void begin(std::int64_t rank, double start_s);
  bool begin_spawned();
  std::uint64_t played() const; // calls, where that may differ from what is known otherwise
  void add_further_threads(Prediction& result) const;
  template <class What> bool any_of(What what) const {
    return std::any_of(players_.begin(), players_.end(), [&](const std::vector<Player>& threads) {
      return std::any_of(threads.begin(), threads.end(), what);
    });
  }

  SimulateOptions options_;
  Stage stage_;
  LiveCommunicators comms_;
  LiveWorld world_; // of the ranks that the run began with
  std::vector<Spawned> spawned_; // in the order of their ranks
  std::vector<std::unique_ptr<LiveCalls>> calls_; // by rank
  std::vector<std::vector<Player>> players_; // by rank: its threads; none before it has come
  std::vector<std::string> remarks_;
  std::uint64_t sends_let_go_ = 0;
  std::uint64_t waits_let_go_ = 0;
  std::uint64_t further_threads_ = 0;
  std::string no_threads_; // why they are refused; empty: they are not
  Carrier* carrier_ = nullptr;
  StillSleeps still_sleeps_;
};

} // namespace rondo::simulate::internal
