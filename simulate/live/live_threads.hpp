// SPDX-License-Identifier: Apache-2.0
// Where a rank's threads stand in real time: in a call of MPI, or asleep until another one wakes
// them. The operating system knows who sleeps; of ranks on other hosts nobody is asked.
#pragma once

#include "rondo/trace/live_wire.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sys/types.h>

namespace rondo::simulate::internal {

class RankThreads {
public:
  using Clock = std::chrono::steady_clock;

  /// @param process  of the rank; 0 if it is not of this host
  explicit RankThreads(pid_t process = 0) : process_(process) {}

  /// Learns from what the rank says. True if it was said for this only.
  bool heard(const trace::live::Item& item);
  /// All threads that could say something ask for the time; or are in calls of MPI, and went on
  /// there without a word since this was asked before; or sleep, and did so then.
  bool are_quiet(const std::set<std::int64_t>& asking);
  /// The thread is outside of MPI, and has slept since are_quiet() saw it.
  bool still_sleeps(std::int64_t thread) const;

private:
  struct Look { // at a thread
    bool is_asleep = false;
    std::uint64_t cpu_ns = 0;
    Clock::time_point at{};
  };
  std::optional<Look> look(pid_t thread) const;
  static bool has_slept(const Look& before, const Look& now);
  bool has_noticed(pid_t thread);
  bool others_sleep(const std::set<pid_t>& waiting);

  pid_t process_;
  std::map<std::int64_t, pid_t> ids_; // of threads, by their numbers in the run
  std::set<std::int64_t> in_call_;
  std::map<pid_t, Look> asleep_; // when they were looked at last
  std::map<pid_t, Look> in_mpi_; // at the first look since the rank spoke
};

} // namespace rondo::simulate::internal
