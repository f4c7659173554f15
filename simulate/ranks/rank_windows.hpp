// SPDX-License-Identifier: Apache-2.0
// One-sided communication of one rank: transfers that go on by themselves, what waits for them, and
// the epochs and locks that they stand in.
#pragma once

#include "simulate/ranks/rank_collectives.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::simulate::internal {

class RankWindows {
public:
  /// Both must outlive the object.
  RankWindows(RankActivity& rank, RankCollectives& collectives)
      : rank_(rank), collectives_(collectives) {}

  void call(const trace::CallView& call);
  /// MPI_Win_start has waited for a target's MPI_Win_post in the play.
  void note_post(const Request& request);
  /// Whether all that was put is there, and all that was gotten is here.
  bool is_quiet() const { return outstanding_.empty(); }

private:
  struct Outstanding { // under way
    std::int64_t window = 0;
    std::int64_t target = 0;
    Request* request = nullptr;
  };

  void one_sided(const trace::CallView& call);
  void wait_for_post(std::int64_t name);
  void flush(std::int64_t window, std::int64_t target);
  std::optional<LockQueue::Lock> lock_of(const trace::CallView& call);
  void lock(const trace::CallView& call);
  void unlock(const trace::CallView& call);
  void notify(const std::vector<std::int32_t>& peers, std::int64_t window, std::int64_t tag,
              bool is_send);

  RankActivity& rank_;
  RankCollectives& collectives_;
  std::vector<Outstanding> outstanding_;
};

} // namespace rondo::simulate::internal
