// SPDX-License-Identifier: Apache-2.0
// Who waits for a window's lock that another rank holds: known once the run has been played at its
// recorded times.
#pragma once

#include "efficiency/timeline.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicators.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rondo::efficiency::internal {

class WindowLocks {
public:
  /// @param actors  ranks, and further threads of theirs
  WindowLocks(const trace::Trace& trace, std::size_t actors)
      : comms_(trace), windows_(static_cast<std::size_t>(trace.run.ranks)), next_(actors),
        open_(actors) {}
  /// Whether there is anything to look for.
  static bool are_in(const trace::Trace& trace);

  /// A rank's next call, by the actor.
  void comes_to(std::int64_t actor, std::int64_t rank, const trace::CallInstance& call);
  /// It is over.
  void called(std::int64_t actor, std::uint32_t spot, double from_s, double to_s);
  /// All waits: for who holds a lock, and for targets that are not in MPI, where a call lasts until
  /// they are.
  /// @param timeline  what was played
  /// @complexity O(epochs log epochs), and pairs of those that overlap
  std::vector<Timeline::LaterWait> waits(const Timeline& timeline) const;

private:
  // What all ranks call the same window by: each has numbers of its own for its windows. One that
  // was not seen being made is known by that number.
  struct Window {
    std::uint32_t comm = trace::Communicators::kUnknown;
    std::int64_t number = 0; // among those made there
    friend auto operator<=>(const Window&, const Window&) = default;
  };
  struct WindowsOfRank {
    std::map<std::int64_t, Window> open;
    std::map<std::int64_t, trace::Communicators::View> ranks; // of those
    std::map<std::uint32_t, std::int64_t> made; // by communicator
  };
  static constexpr std::int64_t kAll = trace::kNothing; // targets: MPI_Win_lock_all
  struct Held { // lock
    Window window;
    std::int64_t target = 0;
    friend auto operator<=>(const Held&, const Held&) = default;
  };
  struct CallOf { // an epoch
    std::uint32_t spot = 0;
    double from_s = 0;
    double to_s = 0;
    std::int64_t target = kAll;
    std::int64_t target_rank = -1; // in MPI_COMM_WORLD
  };
  struct Epoch { // from MPI_Win_lock to MPI_Win_unlock, or of all targets
    std::int64_t actor = 0;
    std::int64_t target = -1; // in MPI_COMM_WORLD
    bool is_exclusive = false;
    std::vector<CallOf> calls{};
    double locked_s() const { return calls.front().from_s; }
    double unlocked_s() const { return calls.back().from_s; }
    double end_s() const { return calls.back().to_s; }
  };
  struct Next {
    enum class What : std::uint8_t { kOther, kLock, kInside, kUnlock };
    What what = What::kOther;
    Held held;
    std::int64_t target_rank = -1; // in MPI_COMM_WORLD
    bool is_exclusive = false;
  };
  static bool waits_in_unlock(const Epoch& one, const Epoch& other);
  static bool was_before(const Epoch& one, const Epoch& other);
  static std::optional<Computed> target_computes(const Epoch& epoch, const CallOf& call,
                                                 double from_s, const Timeline& timeline);
  // Of one call, for one target; those of an epoch of all targets may come several times.
  using WaitsOfCall = std::vector<Timeline::LaterWait>;
  using AllWaits = std::map<std::pair<std::int64_t, double>, WaitsOfCall>; // by actor and begin
  static void find_waits_of(const Epoch& epoch, std::span<const Epoch> others,
                            const Timeline& timeline, AllWaits& waits);
  static void tell_apart(const Epoch& of_all, std::map<std::int64_t, Epoch>& parts);
  std::map<Held, std::vector<Epoch>> epochs_by_target() const;
  Epoch* epoch_of(std::int64_t actor);
  void make_window(std::int64_t rank, const trace::CallView& call);

  trace::Communicators comms_;
  std::vector<WindowsOfRank> windows_;
  std::vector<Next> next_; // by actor
  std::vector<std::map<Held, Epoch>> open_; // by actor
  std::map<Held, std::vector<Epoch>> done_;
};

} // namespace rondo::efficiency::internal
