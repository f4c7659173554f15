// SPDX-License-Identifier: Apache-2.0
// Which message a receive with wildcards takes while the program runs: the one that arrives first
// in virtual time. It is chosen when no rank can send one any more that would arrive before. The
// rank that receives is held meanwhile; it is let go, and MPI chooses, where that cannot be known.
#pragma once

#include "simulate/live/live_run.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::simulate::internal {

class LiveChoice {
public:
  using Clock = std::chrono::steady_clock;
  using Words = std::vector<std::int64_t>;

  /// @param run  must outlive the object, and outlasts its remark
  explicit LiveChoice(LiveRun& run)
      : run_(run), ranks_(static_cast<std::size_t>(run.ranks())), bounds_(ranks_.size()) {}

  /// Learns from what a rank says where it stands.
  /// @return  true if it was said for this only
  bool heard(std::int64_t rank, const trace::live::Item& item);
  /// Chooses where it is known.
  /// @param silence     since any rank said something
  /// @complexity  O(ranks^2) for each receive that is held
  void make(Clock::duration silence);
  /// What was chosen for a rank, once: which of its receives, source and tag; -1 if nothing has
  /// come yet; or nothing if MPI is to choose.
  std::optional<Words> take(std::int64_t rank);
  /// How many receives were left to MPI, or chosen without being sure.
  void add_remark();

private:
  enum class State : std::uint8_t {
    kRuns, // will speak
    kReceives, // in a call that waits for a message
    kWaits, // in another call that may wait
    kHeld, // waits for a choice
    kOver,
  };
  struct Wanted { // by a receive
    std::int64_t held_before = -1; // see trace::live::ItemKind::kWhich
    std::int64_t comm = 0, source = 0, tag = 0;
  };
  struct Standing {
    State state = State::kRuns;
    std::vector<Wanted> wanted; // of what it receives
    std::int64_t tests = 0; // that have found nothing, with this one; 0: it waits
    double computing_s = 0; // behind its last call
    Clock::time_point since{};
    std::optional<Words> chosen;
  };
  struct Message { // and which receive takes it
    PendingMessage message;
    std::size_t taker = 0;
  };
  struct Found { // what a held rank would take, as far as is known
    std::optional<Message> first;
    bool is_sure = false; // that nothing comes before it
    double nothing_until_s = 0; // whatever else comes
  };

  void grow();
  std::vector<Message> pending(std::int64_t rank);
  std::int64_t source_of(std::int64_t rank) const;
  std::int64_t world_source(std::int64_t rank, const Wanted& wanted) const;
  bool waits(std::int64_t rank) const;
  bool answer_test(std::int64_t rank, const Found& found, bool is_forced);
  Found look(std::int64_t rank);
  void find_bounds(std::int64_t asker);
  bool relax(std::int64_t rank, std::int64_t asker);
  void choose(std::int64_t rank, const std::optional<Message>& found);
  void force(Clock::duration silence);

  LiveRun& run_;
  std::vector<Standing> ranks_;
  std::vector<double> bounds_; // virtual time up to which a rank sends nothing new
  Clock::time_point last_choice_{};
  std::uint64_t by_mpi_ = 0; // receives that were left to MPI
  std::uint64_t given_up_ = 0; // that MPI got before a message was chosen
  std::uint64_t unsure_ = 0; // chosen before it was sure that nothing comes first
};

} // namespace rondo::simulate::internal
