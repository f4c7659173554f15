// SPDX-License-Identifier: Apache-2.0
// What is written down while a trace is played: where each rank's time went, who waited for whom,
// and what delayed whom, from which the critical path follows.
#pragma once

#include "rondo/simulate/simulate.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

using CallName = CallPlace;

/// An activity could go on at `at`, because of what another did at `cause_time`.
struct Delay {
  double at = 0;
  double cause_time = 0;
  std::uint32_t cause = 0;
  CallName name;
};

struct Interval {
  double from = 0;
  double to = 0;
};

/// What is on the critical path.
struct PathParts {
  std::int64_t last_rank = 0;
  std::uint64_t hops = 0;
  std::vector<std::vector<Interval>> own; // by activity; ascending
  std::map<CallName, PathShare> shares; // of messages, and of what goes on behind programs
};

/// How long a rank waited for each other one that it waited for. With many ranks they are in no
/// cache; a rank waits for the others in turns, so that the one behind the last is looked at first.
struct WaitsOfRank {
  struct Other {
    std::int64_t rank = 0;
    double seconds = 0;
  };
  std::vector<Other> others; // in the order in which they came first
  std::size_t next = 0;
};

class Ledger {
public:
  explicit Ledger(std::size_t count) : ranks(count) {}

  void waited(std::int64_t rank, std::int64_t waits_for, double seconds);
  std::vector<WaitPair> waits() const; // the longest first

  void keep_delays() { keeps_delays_ = true; }
  void begin_activity(std::uint32_t id, std::uint32_t starter, double at, CallName name);
  /// A further thread of a rank, which begins with the run.
  void begin_thread(std::uint32_t id, std::int64_t rank) { threads_[id].rank = rank; }
  void end_thread(std::uint32_t id, double at) { threads_[id].end_s = at; }
  bool keeps_delays() const { return keeps_delays_; }
  void delay(std::uint32_t activity, const Delay& delay) { delays_of(activity).push_back(delay); }
  PathParts critical_path() const;

  /// The second time: adds up what is on the path.
  void follow(const PathParts* path);
  void passed(std::uint32_t activity, double from, double to, CallName name, bool is_computation) {
    if (path_ != nullptr) add_share(activity, from, to, name, is_computation);
  }
  const std::map<CallName, PathShare>& shares() const { return shares_; }

  /// What was written down now; passes that come again add the difference.
  struct Sums {
    std::vector<RankPrediction> ranks;
    std::vector<WaitsOfRank> waits;
  };
  Sums sums() const { return {ranks, waits_}; }
  /// All that came since then came so many times more.
  void repeat(const Sums& since, double times);

  std::vector<RankPrediction> ranks;

private:
  struct Thread {
    std::int64_t rank = 0;
    double end_s = 0;
  };
  bool is_program(std::uint32_t activity) const { // not one behind it
    return activity < ranks.size() || threads_.contains(activity);
  }
  std::vector<Delay>& delays_of(std::uint32_t activity);
  void add_share(std::uint32_t activity, double from, double to, CallName name,
                 bool is_computation);

  std::size_t place_of(WaitsOfRank& waits, std::int64_t rank, std::int64_t other);

  std::vector<WaitsOfRank> waits_; // by rank
  std::unordered_map<std::uint64_t, std::size_t> far_; // places that are not looked for, by both
  bool keeps_delays_ = false;
  std::vector<std::vector<Delay>> delays_; // by activity
  std::vector<CallName> background_; // by activity less ranks
  std::map<std::uint32_t, Thread> threads_; // by activity
  const PathParts* path_ = nullptr;
  std::vector<std::size_t> at_; // by activity: the first interval that is not passed
  std::map<CallName, PathShare> shares_;
};

} // namespace rondo::simulate::internal
