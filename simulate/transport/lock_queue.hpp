// SPDX-License-Identifier: Apache-2.0
// Who holds the locks of windows and who waits for them, in the order of virtual time.
//
// Ranks are played one after the other, as far as each gets. So a lock is given when nobody goes on
// without one: to whoever can have it first. Who asks later on asks for a later time, as he could
// only come there behind that.
#pragma once

#include "simulate/transport/transport.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace rondo::simulate::internal {

class Activity;

/// Whether a call of MPI_Win_lock keeps all others out.
bool locks_alone(const trace::CallInstance& call);
/// Whether the program says that nobody else has the lock (MPI_MODE_NOCHECK), so that MPI takes
/// none.
bool locks_unchecked(const trace::CallInstance& call);

class LockQueue {
public:
  static constexpr std::int64_t kAll = -1; // targets: MPI_Win_lock_all

  struct Lock {
    std::uint32_t comm = 0; // that the window was made on
    std::uint64_t window = 0; // the how-manieth there
    std::int64_t target = kAll; // world rank
    friend auto operator<=>(const Lock&, const Lock&) = default;
  };

  /// @return a request that is over once it is given
  Request* ask(const Lock& lock, bool is_exclusive, const Activity& asker, Transport& transport);
  /// Nothing if that activity does not hold it.
  void give_back(const Lock& lock, const Activity& holder);
  /// To whoever can have it first. @return whether anybody can
  /// @complexity O(locks that are waited for)
  bool grant_next(Transport& transport);

private:
  struct Release { // the last
    double at_s = 0;
    std::int64_t rank = -1;
    std::uint32_t activity = 0;
    std::uint32_t actor = 0;
    RunGraph::Point point = 0;
    const Release& later(const Release& other) const { return other.at_s > at_s ? other : *this; }
  };
  struct Holders {
    std::uint64_t alone = 0;
    std::uint64_t shared = 0;
    Release last_alone;
    Release last_shared;
  };
  struct Waiting {
    double from_s = 0;
    std::uint32_t activity = 0;
    bool is_exclusive = false;
    Request* request = nullptr;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return std::pair(a.from_s, a.activity) < std::pair(b.from_s, b.activity);
    }
  };

  static Lock whole(const Lock& lock) { return {lock.comm, lock.window, kAll}; }
  const Release* ready(const Lock& lock, bool is_exclusive);
  void hold(const Lock& lock, std::uint32_t activity, bool is_exclusive);

  // Of one target; of a window as a whole: shared by MPI_Win_lock_all, alone at any of its targets.
  std::map<Lock, Holders> holders_;
  std::map<Lock, std::multiset<Waiting>> waiting_; // no empty ones
  std::map<std::pair<Lock, std::uint32_t>, bool> held_; // by activity: whether alone
};

} // namespace rondo::simulate::internal
