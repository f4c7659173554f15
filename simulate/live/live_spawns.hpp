// SPDX-License-Identifier: Apache-2.0
// Processes that a live run starts while it runs. They come to the timekeeper as the first ranks
// do, but nothing that MPI tells them says whose children they are. So calls that start processes
// take their turn: the root of each has leave to go on when those of the one before have come, and
// who comes meanwhile is its.
//
// Invariant: at most one call has leave and waits for its processes.
#pragma once

#include "simulate/live/live_run.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

class LiveSpawns {
public:
  using Clock = std::chrono::steady_clock;
  using Words = std::vector<std::int64_t>;

  /// @param run  must outlive the object
  explicit LiveSpawns(LiveRun& run) : run_(run) {}

  /// @return  true if it was said for this only
  bool heard(std::int64_t rank, const trace::live::Item& item);
  struct Place {
    std::int64_t rank = 0; // among the run's
    Words family; // the first rank of its MPI_COMM_WORLD, and those of its parents
    bool is_first = false; // of its MPI_COMM_WORLD to come
  };
  /// A process that was started comes. Nothing if no call waits for it.
  /// @param most  ranks that there may be in all
  std::optional<Place> come(std::int64_t rank, std::int64_t ranks, std::int64_t most);
  /// Gives leave, and answers those who ask for their children.
  /// @param answer  (rank, kind, words)
  template <class Answer> void answer(Answer answer) {
    give_up();
    if (const auto next = next_with_leave()) {
      answer(next->first, trace::live::ItemKind::kLeave, Words{next->second});
    }
    std::erase_if(questions_, [&](const Question& question) {
      const auto words = children(question);
      if (words) answer(question.rank, trace::live::ItemKind::kFamily, *words);
      return words.has_value();
    });
  }

private:
  // A communicator and its first member: MPI_COMM_SELF is each rank's own.
  using Of = std::pair<std::uint32_t, std::int64_t>;
  enum class State : std::uint8_t { kWaits, kHasLeave, kHasCome, kNobodyCame };
  struct Spawn {
    std::int64_t root = 0;
    std::int64_t thread = 0; // of it
    Of comm;
    Words parents; // in the order of the communicator
    State state = State::kWaits;
    Clock::time_point since{}; // when it had leave, and then when somebody first asked for them
    bool is_asked_for = false; // so the call is over, and they are there
    std::int64_t first = -1; // of its processes
    std::int64_t ranks = 0;
    std::int64_t come = 0;
  };
  struct Question {
    std::int64_t rank = 0;
    std::int64_t thread = 0;
    Of comm;
    std::uint64_t which = 0; // of the calls on this communicator
  };

  void give_up();
  std::optional<std::pair<std::int64_t, std::int64_t>> next_with_leave();
  std::optional<Words> children(const Question& question);

  LiveRun& run_;
  std::vector<Spawn> spawns_; // that came to nothing are no longer there
  std::vector<Question> questions_;
  std::map<std::pair<std::int64_t, Of>, std::uint64_t> asked_; // by rank, communicator
};

} // namespace rondo::simulate::internal
